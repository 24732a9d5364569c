"""The package of this checkout with the library of the build, which MATCHA_LIBRARY names."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python/src"))

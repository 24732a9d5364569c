"""The abilities of this installation."""

from __future__ import annotations

import json
import sys
from typing import Any

from matcha import _library


def doctor() -> dict[str, Any]:
    """The abilities of this build and this machine, as in `matcha doctor --json`, and those of Python.

    >>> import matcha as mt
    >>> mt.doctor()["versions"]["matcha"] == mt.version()
    True
    """
    found: dict[str, Any] = json.loads(_library.text_of("matcha_doctor"))
    libraries = {}
    for name in ("numpy", "pandas", "scipy", "networkx", "igraph", "pyarrow", "polars"):
        version = _version_of(name)
        if version is not None:
            libraries[name] = version
    found["python"] = {
        "version": sys.version.split()[0],
        "library": str(_library.opened()._name),
        "libraries": libraries,
    }
    return found


def _version_of(name: str) -> Any:
    from importlib import metadata

    try:
        return metadata.version("python-igraph" if name == "igraph" else name)
    except metadata.PackageNotFoundError:
        return None


def doctor_text() -> str:
    """The same as lines, and whether a triangle is counted correctly."""
    from matcha import Graph, count

    found = doctor()
    works = count(Graph([0, 1, 2], [1, 2, 0]), "triangle", device="cpu") == 1
    versions, cpu, python = found["versions"], found["cpu"], found["python"]
    cuda = found["cuda"]
    gpus = ", ".join(one["name"] for one in cuda["devices"])
    lines = {
        "matcha": f"{versions['matcha']}, LLVM {versions['llvm']}, oneTBB {versions['tbb']}",
        "library": python["library"],
        "python": ", ".join([python["version"], *(f"{name} {one}" for name, one in python["libraries"].items())]),
        "cpu": f"{cpu['model']}, {cpu['usable_threads']} threads, {cpu['simd_used']}",
        "memory": f"{found['memory_mib']['total']} MiB, {found['memory_mib']['available']} MiB available",
        "gpu": gpus if cuda["usable"] else "none that can be used: " + (cuda["libcuda"]["error"] or gpus or "no device"),
        "counting": "works" if works else "wrong",
    }
    return "".join(f"{name:<10} {text}\n" for name, text in lines.items())

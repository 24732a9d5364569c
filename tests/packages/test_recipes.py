"""The recipes of package managers, as `scripts/release` fills them in, and the Dockerfile: `test_recipes.py`. Each is parsed; versions,
checksums and dependencies are those of the archives and of CMake; the vcpkg port and the steps of the conda recipe run on a small
tree. Without git or antlr4 it skips (77); what nix and ruby parse is left out where they are not."""

import ast
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
URL = "https://example.invalid/matcha"
TREE = "matcha-{}-Linux-x86_64"
# What CMake looks for, by the names of Spack and of Nix.
NAMES = {
    "TBB": ("intel-oneapi-tbb", "tbb_2021_11"), "fmt": ("fmt", "fmt"), "CLI11": ("cli11", "cli11"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json"), "zlib": ("zlib-api", "zlib"), "zstd": ("zstd", "zstd"),
    "xxhash": ("xxhash", "xxHash"), "bz2": ("bzip2", "bzip2"), "lzma": ("xz", "xz"), "expat": ("expat", "expat"),
    "nettle": ("nettle", "nettle"), "archive": ("libarchive", "libarchive"), "nauty": ("nauty", "nauty"),
    "antlr": ("antlr4-cpp-runtime", "antlr4_9.runtime.cpp"), "LLVM": ("llvm", "llvmPackages_19.llvm"),
}
FILES = ["bin/matcha", "include/matcha.h", "lib/libmatcha.so", "lib/libmatcha.so.0", "lib/cmake/Matcha/MatchaConfig.cmake",
         "lib/pkgconfig/matcha.pc", "lib/python3/dist-packages/matcha/__init__.py", "share/doc/matcha/LICENSE"]
VCPKG = """
function(vcpkg_download_distfile out)
  cmake_parse_arguments(arg "" "URLS;FILENAME;SHA512" "" ${ARGN})
  file(SHA512 "$ENV{FOLDER}/${arg_FILENAME}" sum)
  if(NOT sum STREQUAL arg_SHA512 OR NOT arg_URLS STREQUAL "$ENV{URL}/${arg_FILENAME}")
    message(FATAL_ERROR "${arg_URLS} ${sum}")
  endif()
  set(${out} "$ENV{FOLDER}/${arg_FILENAME}" PARENT_SCOPE)
endfunction()
function(vcpkg_extract_source_archive out)
  cmake_parse_arguments(arg "" "ARCHIVE" "" ${ARGN})
  file(ARCHIVE_EXTRACT INPUT "${arg_ARCHIVE}" DESTINATION "$ENV{FOLDER}/extracted")
  file(GLOB tree "$ENV{FOLDER}/extracted/*")
  set(${out} "${tree}" PARENT_SCOPE)
endfunction()
set(CURRENT_PACKAGES_DIR "$ENV{FOLDER}/ported")
include("$ENV{FOLDER}/packaging/vcpkg/portfile.cmake")
"""


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False, **more)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def text(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def dependencies():
    """The names after find_package and the like; Threads are the C library's, Google's and rapidcheck for tests only."""
    shown = re.sub(r"if\(MATCHA_TESTS\).*", "", text(ROOT / "scripts/cmake/MatchaDependencies.cmake"), flags=re.S)
    found = re.findall(r"^(?:find_package|matcha_static_archive|matcha_either)\((?:matcha::)?(\w+)", shown, re.M)
    return set(found) - {"Threads"}


def options():
    return set(re.findall(r"^\s*(?:option\(|set\()(MATCHA_\w+)", "".join(map(text, (ROOT / "scripts/cmake").glob("*.cmake"))), re.M))


def check_sources(folder, version, sums):
    wanted = dependencies()
    assert wanted == set(NAMES), wanted ^ set(NAMES)
    spack = ast.parse(text(folder / "spack/package.py"))
    [recipe] = [one for one in spack.body if isinstance(one, ast.ClassDef)]
    calls = [one for one in ast.walk(recipe) if isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("depends_on", "version")]
    by = {"depends_on": [], "version": []}
    for one in calls:
        by[one.func.id].append((one.args[0].value, {key.arg: ast.literal_eval(key.value) for key in one.keywords}))
    assert by["version"] == [(version, {"sha256": sums["source"]})]
    named = {name.split("@")[0] for name, more in by["depends_on"] if "type" not in more}
    assert named == {one for one, _ in NAMES.values()}, named
    assert f'url = "{URL}/matcha-{version}.tar.gz"' in text(folder / "spack/package.py")
    nix = text(folder / "nix/package.nix")
    inputs = set(re.search(r"\bbuildInputs = \[(.*?)\]", nix, re.S)[1].split())
    assert inputs == {one for _, one in NAMES.values()}, inputs
    taken = set(re.findall(r"\w+", nix[:nix.index("}:")]))
    used = {one.split(".")[0] for one in inputs} | set(re.search(r"nativeBuildInputs = \[(.*?)\]", nix, re.S)[1].split())
    assert taken == used | {"lib", "stdenv", "fetchurl"}, taken ^ used
    assert f'version = "{version}"' in nix and f'sha256 = "{sums["source"]}"' in nix
    for one in re.findall(r'-D(MATCHA_\w+)|define\("(MATCHA_\w+)', nix + text(folder / "spack/package.py")):
        assert "".join(one) in options(), one
    if shutil.which("nix-instantiate"):
        with tempfile.TemporaryDirectory() as state:
            run("nix-instantiate", "--parse", folder / "nix/package.nix",
                env={**os.environ, "NIX_STATE_DIR": state, "NIX_STORE_DIR": state, "NIX_LOG_DIR": state, "HOME": state})


def check_homebrew(folder, version, sums):
    shown = text(folder / "homebrew/matcha.rb")
    for line in (f'url "{URL}/{TREE.format(version)}.tar.gz"', f'version "{version}"', f'sha256 "{sums["tree"]}"'):
        assert line in shown, line
    if shutil.which("ruby"):
        run("ruby", "-c", folder / "homebrew/matcha.rb")


def check_conda(folder, version, sums):
    try:
        import yaml
    except ImportError:
        print("no yaml: the conda recipe is not parsed")
        return
    recipe = yaml.safe_load(text(folder / "packaging/conda/recipe.yaml"))
    assert recipe["package"] == {"name": "matcha", "version": version}
    assert recipe["source"] == {"url": f"{URL}/{TREE.format(version)}.tar.gz", "sha256": sums["tree"]}
    least = re.search(r'requires-python = ">=([\d.]+)"', text(ROOT / "bindings/python/pyproject.toml"))[1]
    assert f"python >={least}" in recipe["requirements"]["run"]
    # The source is unpacked without its first folder.
    with tarfile.open(folder / (TREE.format(version) + ".tar.gz")) as opened:
        opened.extractall(folder / "source")
    prefix = folder / "prefix"
    places = {**os.environ, "PREFIX": str(prefix), "SP_DIR": str(prefix / "lib/python3.11/site-packages")}
    for line in recipe["build"]["script"]:
        run("sh", "-euc", line, cwd=folder / "source" / TREE.format(version), env=places)
    assert (prefix / "lib/python3.11/site-packages/matcha/libmatcha.so.0").read_bytes() and (prefix / "bin/matcha").exists()
    assert (prefix / recipe["about"]["license_file"]).exists()


def check_vcpkg(folder, version):
    manifest = json.loads(text(folder / "packaging/vcpkg/vcpkg.json"))
    assert (manifest["name"], manifest["version"]) == ("matcha", version)
    (folder / "port.cmake").write_text(VCPKG, encoding="utf-8")
    run("cmake", "-P", folder / "port.cmake", env={**os.environ, "FOLDER": str(folder), "URL": URL})
    ported = folder / "ported"
    for file in ("include/matcha.h", "lib/libmatcha.so.0", "lib/cmake/Matcha/MatchaConfig.cmake", "share/matcha/copyright"):
        assert (ported / file).exists(), file


def check_image():
    """Stages, files and packages that the Dockerfile names are there."""
    lines = re.sub(r"\\\n", " ", "\n".join(one for one in text(ROOT / "Dockerfile").splitlines() if not one.startswith("#"))).splitlines()
    lines = [one.split(None, 1) for one in lines if one]
    assert {word for word, _ in lines} <= {"FROM", "COPY", "RUN", "USER", "WORKDIR", "ENTRYPOINT"}
    packages = set(re.findall(r"^matcha_debian\(([\w-]+)", text(ROOT / "scripts/cmake/MatchaPackages.cmake"), re.M))
    stages, users = [], []
    for word, rest in lines:
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            assert image in stages or image.startswith("debian:bookworm"), image
            stages.append(name)
        if word == "COPY":
            assert (ROOT / rest.split()[0]).exists(), rest
        if word == "USER":
            users.append(rest)
        for one in re.findall(r"/packages/([\w-]+)_\*\.deb", rest):
            assert one in packages, one
        for one in re.findall(r"-D(MATCHA_\w+)=", rest):
            assert one in options(), one
        for one in re.findall(r"source=/(\w+)|from=(\w+)", rest):
            assert not one[1] or one[1] in stages, one
    assert stages == ["build", "program", "python", ""] and all(one.isdigit() for one in users) and users[-1] != "0"


def check_python(version):
    shown = text(ROOT / "bindings/python/pyproject.toml")
    assert 'name = "matcha-graph"' in shown and 'readme = "README.md"' in shown, "PyPI's name, and the page that it shows"
    assert (ROOT / "bindings/python/README.md").exists() and version


def main():
    if not (ROOT / ".git").exists() or not all(map(shutil.which, ("git", "antlr4"))):
        print("no git or antlr4")
        return 77
    version = re.search(r"^project\(matcha VERSION ([0-9.]+)", text(ROOT / "CMakeLists.txt"), re.M)[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tree = folder / "made" / TREE.format(version)
        for file in FILES:
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text("x", encoding="utf-8")
        archive = folder / (tree.name + ".tar.gz")
        run(ROOT / "scripts/release", folder, URL, cwd=ROOT)
        assert not (folder / "packaging/conda").exists() and (folder / "packaging/spack/package.py").exists()
        with tarfile.open(archive, "w:gz") as opened:
            opened.add(tree, arcname=tree.name)
        source = pathlib.Path(run(ROOT / "scripts/release", folder, URL, cwd=ROOT).split()[-1])
        for file in (folder / "packaging").rglob("*.*"):
            assert not re.search(r"@[A-Z0-9_]+@", text(file)), file
        sums = {"source": hashlib.sha256(source.read_bytes()).hexdigest(), "tree": hashlib.sha256(archive.read_bytes()).hexdigest()}
        check_sources(folder / "packaging", version, sums)
        check_homebrew(folder / "packaging", version, sums)
        check_conda(folder, version, sums)
        check_vcpkg(folder, version)
    check_image()
    check_python(version)
    return 0


sys.exit(main())

"""The packages of a build: `test_packages.py BUILD_FOLDER CC`. Those for Debian are unpacked into a folder, and the program, a C program
and Python run from there; so does the tree of the archive, in a folder of another name. Without dpkg-deb it skips (77)."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))

import test_install as installed

NAMES = ["libmatcha-dev", "libmatcha0", "matcha", "python3-matcha"]
STRIPPED_MB = 60


def field(package, name):
    return installed.run(["dpkg-deb", "-f", str(package), name]).strip()


def check_fields(packages):
    assert sorted(packages) == NAMES, packages
    needs = {name: field(file, "Depends") for name, file in packages.items()}
    for library in ("libtbb12", "libc6"):
        assert library in needs["matcha"] and library in needs["libmatcha0"], needs
    assert "libantlr4" in needs["libmatcha0"] and "libantlr4" not in needs["matcha"], needs
    assert re.search(r"libmatcha0 \(= ", needs["libmatcha-dev"]) and "libmatcha0 (>=" in needs["python3-matcha"], needs
    assert field(packages["python3-matcha"], "Architecture") == "all"
    for file in packages.values():
        assert int(field(file, "Installed-Size")) > 10, file


def runpath(file):
    return re.findall(r"R(?:UN)?PATH\)\s.*\[(.*)\]", installed.run(["readelf", "-d", str(file)]))


def check_debian(build, compiler, folder):
    out = pathlib.Path(folder, "debian")
    # xz takes a minute; lintian wants some compression.
    compression = "gzip" if shutil.which("lintian") else "none"
    installed.run(["cpack", "-G", "DEB", "--config", build + "/CPackConfig.cmake", "-B", str(out),
                   "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=" + compression], cwd=folder)
    packages = {file.name.split("_")[0]: file for file in out.glob("*.deb")}
    check_fields(packages)
    root = pathlib.Path(folder, "root")
    for file in packages.values():
        installed.run(["dpkg-deb", "-x", str(file), str(root)])
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, installed {int(field(file, 'Installed-Size')) / 1e3:.1f} MB")
    if shutil.which("lintian"):
        lint = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", *map(str, packages.values())], text=True,
                              capture_output=True, check=False)
        print(lint.stdout)
        assert lint.returncode == 0, lint.stdout
    prefix = root / "usr"
    assert runpath(prefix / "bin/matcha") == [] and runpath(prefix / "lib/libmatcha.so.0") == []
    installed.check_linking(installed.linked_files(root))
    assert (prefix / "bin/matcha").stat().st_size < STRIPPED_MB * 1e6
    for file in ("bash-completion/completions/matcha", "zsh/vendor-completions/_matcha", "fish/vendor_completions.d/matcha.fish"):
        assert (prefix / "share" / file).is_file(), f"{file} is not where Debian's shells look"
    environment = installed.check_consumers(prefix, compiler, folder, [])
    installed.check_program(prefix, environment)
    installed.check_python(prefix / "lib/python3/dist-packages", environment)


def check_archive(build, folder):
    """All libraries but those of C and C++ are its own copies."""
    out = pathlib.Path(folder, "archive")
    installed.run(["cpack", "-G", "TGZ", "--config", build + "/CPackConfig.cmake", "-B", str(out)], cwd=folder)
    (archive,) = out.glob("*.tar.gz")
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
    with tarfile.open(archive) as opened:
        opened.extractall(out)
    (tree,) = [path for path in out.iterdir() if (path / "bin").is_dir()]
    tree = tree.rename(out / "other name")
    environment = {"PATH": os.environ["PATH"], "HOME": folder}
    installed.check_linking(installed.linked_files(tree))
    installed.check_program(tree, environment)
    library = next(tree.rglob("libmatcha.so.0"))
    for file in (tree / "bin/matcha", library):
        loaded = installed.run(["ldd", str(file)], env=environment)
        assert "not found" not in loaded and "libtbb.so.12 => " in loaded, loaded
        for name, path in re.findall(r"(\S+) => (.*) \(", loaded):
            inside = pathlib.Path(path).resolve().is_relative_to(tree.resolve())
            assert inside or re.match(r"lib(c|m|stdc\+\+|gcc_s)\.so", name), loaded
    packages = next(tree.rglob("matcha/nx.py")).parent.parent
    installed.check_python(packages, environment)  # It finds the library of the tree.


def check_image():
    """`docker run matcha run …` is the program. The image itself is not built here."""
    text = (installed.ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert 'ENTRYPOINT ["matcha"]' in text, text


def main():
    build, compiler = sys.argv[1:3]
    check_image()
    if shutil.which("dpkg-deb") is None:
        print("no dpkg-deb")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check_debian(build, compiler, folder)
        check_archive(build, folder)
    return 0


sys.exit(main())

"""The options of libmatcha beside those of the command line and the manual: `test_options.py MATCHA LIBRARY`."""

import ctypes
import pathlib
import re
import subprocess
import sys

# What the command line alone has: how it prints, reads programs and keeps things in folders of its own.
OF_THE_COMMAND_LINE = {
    "count", "exists",  # rows are taken, or not
    "help", "help-all", "json", "quiet", "verbose", "color", "diagnostics", "no-cache", "tune", "backend", "in", "temporal", "pattern", "verify",
    "patterns", "no-progress", "load-cuda", "memory", "gpu-memory", "shard", "ledger", "work", "mpi",
}
# What the library alone has, or shares with other verbs than `run`.
OF_THE_LIBRARY = {"cache", "share", "edge-labels", "file", "query", "recompute", "strict", "vertex-id"}


def of_the_help(matcha):
    text = subprocess.run([matcha, "run", "--help-all"], check=True, text=True, capture_output=True).stdout
    return set(re.findall(r"^ +(?:-\w, ?)?--([a-z][a-z-]*)", text, re.M))


def of_the_manual():
    text = pathlib.Path("docs/api.md").read_text(encoding="utf-8")
    table = text.split("## Options")[1].split("\n##")[0]
    names = set()
    for line in table.splitlines():
        if line.startswith("| `") and not line.startswith("| `matcha_"):
            names.update(re.findall(r"`([a-z][a-z-]*)`", line.split("|")[1]))
    return names


def main():
    matcha, path = sys.argv[1:3]
    library = ctypes.CDLL(path)
    library.matcha_options_new.restype = ctypes.c_void_p
    library.matcha_options_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p]
    library.matcha_error_text.restype = ctypes.c_char_p
    library.matcha_error_text.argtypes = [ctypes.c_void_p]
    options = library.matcha_options_new()

    def knows(name):
        error = ctypes.c_void_p()
        library.matcha_options_set(options, name.encode(), b"\1", ctypes.byref(error))
        return not error or b"there is no option" not in library.matcha_error_text(error)

    assert not knows("no-such-option")
    manual, command_line = of_the_manual(), of_the_help(matcha)
    assert len(manual) > 30 and len(command_line) > 30, (manual, command_line)
    unknown = {name for name in manual if not knows(name)}
    assert not unknown, f"docs/api.md has options that the library does not know: {unknown}"
    hidden = {name for name in command_line if knows(name)} - manual
    assert not hidden, f"docs/api.md does not name: {hidden}"
    missing = command_line - manual - OF_THE_COMMAND_LINE
    assert not missing, f"the library has no option: {missing}"
    extra = manual - command_line - OF_THE_LIBRARY
    assert not extra, f"the command line has no option: {extra}"
    assert not OF_THE_COMMAND_LINE & manual
    print("ok")


main()

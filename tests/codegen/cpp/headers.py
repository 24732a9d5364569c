#!/usr/bin/env python3
"""Compiles each header of runtime/common and of programs compiled ahead of time alone.

usage: headers.py g++|nvcc FOLDER    FOLDER is for what the test makes; exit 77 without the compiler
"""

import pathlib
import shutil
import subprocess
import sys


def main():
    compiler, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    program = shutil.which(compiler) or shutil.which(compiler, path="/usr/local/cuda/bin")
    if program is None:
        print(f"[SKIP] there is no {compiler}")
        return 77
    headers = sorted(pathlib.Path("runtime/common").glob("*.h"))
    for engine in ("engines/identities", "engines/search", "incremental/runtime"):
        headers += [path for path in sorted(pathlib.Path(engine, "device").glob("*.h")) if "_kernels" not in path.stem]
    command = [program, "-I.", "-std=c++20"]
    if compiler == "g++":
        headers += [path for path in sorted(pathlib.Path("codegen/c_family/host").glob("*.h")) if path.stem != "main"]
        headers.append(pathlib.Path("codegen/cpp/host_run.h"))
        command += ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    else:
        headers += sorted(pathlib.Path("codegen/cuda").glob("host_[gr]*.h"))
        command += ["-cubin", "-arch=sm_90", "-o", "/dev/null"]
    if not headers:
        print("FAILED: no header was found")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for header in headers:
        source = folder / (header.stem + (".cpp" if compiler == "g++" else ".cu"))
        source.write_text(f'#include "{header}"\n')
        done = subprocess.run([*command, str(source)], capture_output=True, text=True)
        if done.returncode != 0:
            failed += 1
            print(f"FAILED: {header}\n{done.stderr}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

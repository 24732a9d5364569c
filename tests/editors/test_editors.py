#!/usr/bin/env python3
"""The files of editors/: `test_editors.py words|vscode|vim|emacs`. Exit code 77: skipped, with the reason."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"
GRAMMAR = EDITORS / "vscode/syntaxes/matcha.tmLanguage.json"

SAMPLE = """def main(g: Graph):
    near = neighbor(
        g,
        size([
            1
        ])
    )
    def inner(v):
        return v
    x = 'a word' # return
    return x
"""


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def words_of_the_language():
    """Keywords, constants, types and operators, from the grammar and the table of operators."""
    words = re.findall(r"^([A-Z_]+): '([A-Za-z]+)';", read("grammar/Matcha.g4"), re.M)
    types = {word for name, word in words if name.endswith("_TYPE")}
    constants = {"True", "False", "None"}
    keywords = {word for _, word in words} - types - constants
    operators = set(re.findall(r'^MATCHA_(?:SET_)?BUILTIN\(\w+, "(\w+)"', read("frontend/builtins.def"), re.M))
    assert len(keywords) == 10 and len(types) == 8 and len(operators) >= 20, (keywords, types, operators)
    return keywords, constants, types, operators


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def run(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **kwargs)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def test_words():
    keywords, constants, types, operators = words_of_the_language()
    patterns = json.loads(GRAMMAR.read_text(encoding="utf-8"))["repository"]
    listed = {}
    for entry in patterns["word"]["patterns"] + patterns["operator"]["patterns"]:
        if found := re.match(r"\\b\(([\w|]+)\)\\b", entry["match"]):
            listed.setdefault(entry["name"].split(".")[0], set()).update(found.group(1).split("|"))
    assert listed["keyword"] | {"def", "lambda"} == keywords, listed["keyword"]
    assert listed["constant"] == constants
    assert listed["storage"] == types | {"def", "lambda"}
    assert listed["support"] == operators, listed["support"] ^ operators
    vim = read("editors/vim/syntax/matcha.vim")
    in_vim = set(" ".join(re.findall(r"^syntax keyword \w+ (.*)", vim, re.M)).split())
    assert in_vim == keywords | constants | types, in_vim ^ (keywords | constants | types)
    assert set(re.search(r"matchaOperator '\\<\\\((.*?)\\\)", vim).group(1).split("\\|")) == operators
    emacs = read("editors/emacs/matcha-mode.el")
    for name, words in (("keywords", keywords), ("constants", constants), ("types", types), ("operators", operators)):
        text = re.search(rf"\(defconst matcha-{name}\s+'\((.*?)\)\)", emacs, re.S).group(1)
        assert set(re.findall(r'"(\w+)"', text)) == words, name


def expected_scopes(text, words):
    """The tokens of a program with the kind of scope that each should have, line by line."""
    keywords, constants, types, operators = words
    out = []
    quoted = None
    for line in text.split("\n"):
        at = 0
        tokens = []
        while at < len(line):
            if quoted:
                end = line.find(quoted, at)
                at = len(line) if end < 0 else end + 3
                quoted = quoted if end < 0 else None
                continue
            found = re.compile(r'"""|#.*|"[^"]*"|\'[^\']*\'|[A-Za-z_]\w*|\d[\w.]*|\s+|->|==|!=|<=|>=|.').match(line, at)
            word, at = found.group(), found.end()
            if word == '"""':
                quoted = word
            elif word.startswith("#"):
                tokens.append((word, "comment"))
            elif word in ("def", "lambda") or word in types:
                tokens.append((word, "storage"))
            elif word in keywords:
                tokens.append((word, "keyword"))
            elif word in constants or word[0].isdigit():
                tokens.append((word, "constant"))
            elif word in operators and re.match(r"\s*\(", line[at:]):
                tokens.append((word, "support"))
        out.append(tokens)
    return out


def test_vscode():
    package = json.loads(read("editors/vscode/package.json"))
    version = re.search(r"project\(matcha VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)
    assert package["version"] == version, f"package.json has {package['version']}, the project {version}"
    for part in (package["main"], package["contributes"]["grammars"][0]["path"],
                 package["contributes"]["languages"][0]["configuration"]):
        assert (EDITORS / "vscode" / part).exists(), part
    json.loads(read("editors/vscode/language-configuration.json"))
    node = shutil.which("node")
    modules = pathlib.Path(os.environ.get("NODE_PATH", ""))
    if node is None:
        skip("node is not installed; the JSON files were checked")
    if not (modules / "vscode-textmate").exists() or not (modules / "vscode-oniguruma").exists():
        skip(f"{modules} has no vscode-textmate and vscode-oniguruma; the JSON files were checked")
    run(node, "--check", str(EDITORS / "vscode/extension.js"))
    files = sorted(str(path) for folder in ("stdlib", "examples") for path in (ROOT / folder).glob("*.mt"))
    scopes = json.loads(run(node, str(pathlib.Path(__file__).with_name("highlight.js")), str(GRAMMAR), *files))
    words = words_of_the_language()
    total = 0
    for path in files:
        for number, wanted in enumerate(expected_scopes(pathlib.Path(path).read_text(encoding="utf-8"), words)):
            got = [(text.strip(), scope) for text, scope in scopes[path][number] if text.strip()]
            place = f"{path}:{number + 1}"
            assert not any(scope.startswith("invalid") for _, scope in got), (place, got)
            for word, kind in wanted:
                total += 1
                found = [scope for text, scope in got if text == word.strip()]
                assert found and any(scope.startswith(kind) for scope in found), (place, word, kind, got)
    assert total > 2000, total
    print(f"{total} tokens of {len(files)} programs")


def test_vim():
    vim = shutil.which("vim")
    if vim is None or "+syntax" not in subprocess.run([vim, "--version"], capture_output=True, text=True, check=False).stdout:
        skip("there is no Vim with syntax highlighting")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "q.mt")
        path.write_text(SAMPLE + "# comment\n")
        script = pathlib.Path(folder, "test.vim")
        result = pathlib.Path(folder, "result")
        script.write_text(f"""
set nocompatible
set runtimepath^={EDITORS / 'vim'}
filetype plugin indent on
syntax on
edit {path}
let out = [&filetype, &commentstring]
for [line, column] in [[1, 1], [1, 5], [1, 13], [2, 12], [5, 13], [10, 9], [10, 20], [12, 3]]
  call add(out, synIDattr(synID(line, column, 1), 'name'))
endfor
for number in [2, 3, 4, 5, 6, 7, 9, 10]
  call add(out, GetIndentOf(number))
endfor
call writefile(out, '{result}')
quitall!
""".replace("GetIndentOf(number)", "MatchaIndent(number)"))
        run(vim, "-Nu", "NONE", "-i", "NONE", "-es", "-S", str(script))
        out = result.read_text().splitlines()
    assert out[:2] == ["matcha", "# %s"], out
    assert out[2:10] == ["matchaStatement", "matchaFunction", "matchaType", "matchaOperator", "matchaNumber", "matchaString",
                         "matchaComment", "matchaComment"], out
    wanted = [len(line) - len(line.lstrip()) for line in SAMPLE.splitlines()]
    assert [int(one) for one in out[10:]] == [wanted[number - 1] for number in (2, 3, 4, 5, 6, 7, 9, 10)], out


def test_emacs():
    emacs = shutil.which("emacs")
    if emacs is None:
        skip("Emacs is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "q.mt")
        path.write_text(SAMPLE)
        lisp = f"""(progn (require 'matcha-mode) (find-file "{path}") (font-lock-ensure)
          (dolist (place '((1 . 0) (1 . 4) (1 . 12) (2 . 11) (10 . 9) (10 . 20)))
            (goto-char (point-min)) (forward-line (1- (car place))) (forward-char (cdr place))
            (princ (format "%s " (get-text-property (point) 'face))))
          (dolist (line '(2 3 4 5 6 7 9 10))
            (goto-char (point-min)) (forward-line (1- line)) (princ (format "%d " (matcha--indentation))))
          (princ major-mode))"""
        out = run(emacs, "--batch", "-Q", "-L", str(EDITORS / "emacs"), "--eval", lisp).split()
    assert out[:6] == [f"font-lock-{face}-face" for face in
                       ("keyword", "function-name", "type", "builtin", "string", "comment")], out
    wanted = [len(line) - len(line.lstrip()) for line in SAMPLE.splitlines()]
    assert [int(one) for one in out[6:14]] == [wanted[number - 1] for number in (2, 3, 4, 5, 6, 7, 9, 10)], out
    assert out[14] == "matcha-mode", out


if __name__ == "__main__":
    {"words": test_words, "vscode": test_vscode, "vim": test_vim, "emacs": test_emacs}[sys.argv[1]]()

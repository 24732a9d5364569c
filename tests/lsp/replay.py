#!/usr/bin/env python3
"""Replays conversations with `matcha lsp`: `replay.py FILE.jsonl...`, or `replay.py --fuzz CONVERSATIONS [--seed N]`.

A line of a file is an object:

    {"send": MESSAGE}       sent with its header; `jsonrpc` is added
    {"raw": TEXT}           sent as it is
    {"expect": PATTERN}     the next message of the server must match
    {"exit": CODE}          the input is closed, nothing more comes, and the server ends with this code

A pattern is JSON. Objects may have more keys than it has; lists have its length. `{"$has": [...]}` matches a list with an
item for each pattern, `{"$none": [...]}` one with no item for any, `{"$match": REGEX}` a text. `$ROOT` in a text is the
checkout.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MATCHA = os.environ.get("MATCHA", "build/bin/matcha")
ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 300


class Client:
    """A server and its output."""

    def __init__(self, cache):
        environment = dict(os.environ, MATCHA_CACHE_DIR=cache)
        self.process = subprocess.Popen([MATCHA, "lsp", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment, cwd=ROOT)

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def receive(self):
        """The next message; None at the end."""
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                return None
            if line == b"\r\n":
                break
            name, value = line.decode().split(":")
            if name == "Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def finish(self):
        """The exit code, and messages that were left."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        left = []
        while (message := self.receive()) is not None:
            left.append(message)
        code = self.process.wait(timeout=LIMIT_S)
        self.process.stdout.close()
        return code, left


def mismatch(pattern, value, place="message"):
    """The difference, or an empty text."""
    if isinstance(pattern, dict) and "$has" in pattern:
        for one in pattern["$has"]:
            if not isinstance(value, list) or all(mismatch(one, item) for item in value):
                return f"{place}: no item {json.dumps(one)}"
        return ""
    if isinstance(pattern, dict) and "$none" in pattern:
        for one in pattern["$none"]:
            if not isinstance(value, list) or not all(mismatch(one, item) for item in value):
                return f"{place}: an item {json.dumps(one)}"
        return ""
    if isinstance(pattern, dict) and "$match" in pattern:
        found = isinstance(value, str) and re.fullmatch(pattern["$match"], value, re.S)
        return "" if found else f"{place}: {value!r} is not {pattern['$match']!r}"
    if isinstance(pattern, dict) and isinstance(value, dict):
        for key, wanted in pattern.items():
            if key not in value:
                return f"{place}: no {key}"
            if found := mismatch(wanted, value[key], f"{place}.{key}"):
                return found
        return ""
    if isinstance(pattern, list) and isinstance(value, list) and len(pattern) == len(value):
        for i, wanted in enumerate(pattern):
            if found := mismatch(wanted, value[i], f"{place}[{i}]"):
                return found
        return ""
    return "" if pattern == value and isinstance(pattern, bool) == isinstance(value, bool) else (
        f"{place}: {json.dumps(value)} is not {json.dumps(pattern)}")


def replay(path):
    """Problems of one conversation."""
    with tempfile.TemporaryDirectory(prefix="matcha-lsp-") as cache:
        client = Client(cache)
        try:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if not line.strip():
                    continue
                step = json.loads(line.replace("$ROOT", str(ROOT)))
                place = f"{path}:{number}"
                if "send" in step:
                    client.send(step["send"])
                elif "raw" in step:
                    client.raw(step["raw"].encode())
                elif "expect" in step:
                    message = client.receive()
                    if message is None:
                        return f"{place}: the server is gone"
                    if found := mismatch(step["expect"], message):
                        return f"{place}: {found}\n  {json.dumps(message)[:2000]}"
                else:
                    code, left = client.finish()
                    if left or code != step["exit"]:
                        return f"{place}: exit code {code}, left: {left}"
        finally:
            client.process.kill()
            client.process.wait()
    return ""


METHODS = ["initialize", "initialized", "shutdown", "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
           "textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/signatureHelp",
           "textDocument/inlayHint", "textDocument/formatting", "textDocument/documentSymbol", "$/cancelRequest", "nothing"]


def texts():
    return [path.read_text(encoding="utf-8") for folder in ("examples", "stdlib", "tests/errors", "tests/asg")
            for path in sorted((ROOT / folder).glob("*.mt"))
            if path.name != "fail_too_complex.mt"]


def any_value(draw):
    return draw.choice([None, True, -1, 0, 3.5, 10**30, "", "x", "file:///q.mt", [], [1], {}, {"uri": 3}, {"line": -7}])


def any_message(draw, programs):
    """A message that is valid, or nearly."""
    text = draw.choice(programs)
    if draw.random() < 0.5:
        at = draw.randrange(len(text))
        text = text[:at] + draw.choice(["", "(", "\n", "\"", "é", "𝄞", "\t", "def ", "#"]) + text[at + draw.randrange(9):]
    document = {"uri": draw.choice(["file:///q.mt", "file:///a%20b.mt", "untitled:1", "%", ""]), "version": draw.randrange(5), "text": text}
    position = {"line": draw.randrange(40), "character": draw.randrange(60)}
    params = {"textDocument": document, "position": position, "contentChanges": [{"text": text}],
              "range": {"start": {"line": 0, "character": 0}, "end": position}}
    message = {"jsonrpc": "2.0", "method": draw.choice(METHODS), "params": params}
    if not message["method"].startswith("textDocument/did"):
        message["id"] = draw.randrange(1000)
    for _ in range(draw.choice([0, 0, 0, 1, 2])):
        target = draw.choice([message, params, document, position])
        if target:
            target[draw.choice(sorted(target))] = any_value(draw)
    return message


def fuzz(conversations, seed):
    """Random messages, the same for a seed: each request gets one answer with its id, and the server ends on request."""
    draw = random.Random(seed)
    programs = texts()
    total = 0
    for _ in range(conversations):
        with tempfile.TemporaryDirectory(prefix="matcha-lsp-") as cache:
            client = Client(cache)
            client.send({"id": 0, "method": "initialize", "params": {}})
            for number in range(1, 60):
                message = any_message(draw, programs)
                if message.get("method") in ("shutdown", "exit"):
                    continue
                body = json.dumps(message, ensure_ascii=False).encode()
                if draw.random() < 0.2:
                    at = draw.randrange(len(body))
                    body = body[:at] + bytes([draw.randrange(256)]) + body[at + 1:]
                client.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                # The server answers in order, so all that belongs to the message comes before this answer.
                client.send({"id": f"probe {number}", "method": "nothing at all"})
                while True:
                    answer = client.receive()
                    if answer is None:
                        print(f"seed {seed}: the server ended ({client.process.wait()}) after {body!r}")
                        return 1
                    if answer.get("id") == f"probe {number}":
                        break
                total += 1
            client.send({"id": "end", "method": "shutdown"})
            client.send({"method": "exit"})
            code, _ = client.finish()
            if code != 0:
                print(f"seed {seed}: exit code {code}")
                return 1
    print(f"seed {seed}: {total} messages")
    return 0 if total > 0 else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--fuzz", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.fuzz:
        return fuzz(options.fuzz, options.seed)
    problems = [found for path in options.files if (found := replay(path))]
    print("\n".join(problems) or f"{len(options.files)} conversations")
    return 1 if problems or not options.files else 0


if __name__ == "__main__":
    sys.exit(main())

"""Streams on a GPU that may not hold the graph: rows chosen for each batch beside none and all of them (bench/streams --memory)."""

import json
import os
import random
import re
import subprocess
import tempfile
import time

PATTERNS = ("triangle", "clique:4", "clique:5")
PARTS = (0.83, 0.5, 0.25, 0)  # Bounds, as parts of the memory of all rows; 0: all rows are read in memory of the host.
BUFFERS = "8G"
COLD = 16  # Batches until the graph is there, and launches have found how many batches they take.


def make_graph(matcha, folder, scale):
    """An R-MAT graph of 2^scale vertices as edges of text, and its bytes as rows: 4 for each end of an edge."""
    path = os.path.join(folder, f"rmat{scale}.txt")
    if not os.path.exists(path):
        subprocess.run([matcha, "graph", "generate", "rmat", "--scale", str(scale), "--seed", "1", "-o", path, "--quiet"], check=True)
    stored = path.replace(".txt", ".mtg")
    if not os.path.exists(stored):
        subprocess.run([matcha, "graph", "convert", path, stored, "--quiet"], check=True)
    with open(path, encoding="utf-8") as file:
        edges = int(re.search(r"(\d+) undirected edges", file.readline())[1])
    return path, stored, 8 * edges


def make_updates(path, edges, batches, batch, file):
    """Batches of which one half deletes edges of the file at random places, and the other inserts those of the batch before."""
    generator = random.Random(5)
    size = os.path.getsize(path)
    seen, gone = set(), []
    with open(path, "rb") as source, open(file, "w", encoding="utf-8") as out:
        for _ in range(batches):
            fresh = []
            while len(fresh) < batch - len(gone) and len(seen) < edges // 2:
                source.seek(generator.randrange(size - 64))
                source.readline()
                line = source.readline().decode().split()
                if len(line) < 2 or line[0] == "#" or tuple(line) in seen:
                    continue
                seen.add(tuple(line))
                fresh.append(line)
                if len(fresh) >= batch // 2 and gone:
                    break
            changes = [f"- {u} {v}\n" for u, v in fresh] + [f"+ {u} {v}\n" for u, v in gone]
            generator.shuffle(changes)
            out.writelines(changes)
            gone = fresh[: batch // 2]


class Runs:
    def __init__(self, matcha, graph, updates, batch, seconds):
        self.command = [matcha, "stream", graph, "--updates", updates, "--batch", str(batch), "--json", "--no-total"]
        self.seconds = seconds

    def run(self, pattern, *words):
        """The deltas of all answered batches, and the means of the reported numbers of all but the first batches. `wall` is the time from
        one answer to the next. Numbers of rows are those of the launch that counted the batch, perhaps with others. On failure, the reason."""
        answers, times = [], []
        with tempfile.TemporaryFile("w+", encoding="utf-8") as says, subprocess.Popen(
                [*self.command, "--pattern", pattern, "--timeout", str(self.seconds), *words], stdout=subprocess.PIPE, stderr=says,
                text=True, stdin=subprocess.DEVNULL) as process:
            for line in process.stdout:
                answer = json.loads(line)
                if "end" not in answer:
                    answers.append(answer)
                    times.append(time.monotonic())
            if process.wait() not in (0, 124):
                says.seek(0)
                return says.read().strip()[-300:], None
        deltas, warm = [answer["delta"] for answer in answers], answers[COLD:]
        if len(warm) < 2:
            return deltas, None
        reported = {"batches": len(warm), "wall": 1000 * (times[-1] - times[COLD - 1]) / len(warm),
                "ms": sum(a["ms"]["apply"] + a["ms"]["match"] for a in warm) / len(warm),
                "apply": sum(a["ms"]["apply"] for a in warm) / len(warm)}
        rows = [a["gpu_rows"] for a in warm if "gpu_rows" in a]
        for key in rows[0] if rows else ():
            reported[key] = sum(row[key] for row in rows) / len(rows)
        return deltas, reported


def table(runs, pattern, row_bytes):
    """Lines of a pattern, and how many of its runs found something else than the CPU."""
    lines, wrong = [], 0
    wanted, reported = runs.run(pattern, "--device", "cpu")
    cells = [("CPU", None, wanted, reported)]
    cells.append(("no bound", None, *runs.run(pattern, "--device", "cuda")))
    cells.append(("all rows", None, *runs.run(pattern, "--device", "cuda", "--gpu-memory", BUFFERS)))
    for part in PARTS:
        bound = int(part * row_bytes)
        name = f"{part:.0%} of the rows" if part else "none"
        cells.append((name, bound, *runs.run(pattern, "--device", "cuda", "--gpu-memory", BUFFERS, "--gpu-rows", str(max(bound, 1)))))
    none = cells[-1][3]
    for name, bound, found, reported in cells:
        if isinstance(found, str) or reported is None:
            lines.append(f"| {pattern} | {name} | {'' if bound is None else bound} | {found if isinstance(found, str) else 'too few batches'} |" + " |" * 10)
            wrong += isinstance(found, str)
            continue
        same = min(len(found), len(wanted))
        wrong += found[:same] != wanted[:same]
        rows = [f"{reported[key]:.3g}" if key in reported else "" for key in ("hits", "kept", "sent", "left", "gone", "choose_ms", "move_ms")]
        factor = f"{none['wall'] / reported['wall']:.2f}" if none else ""
        lines.append(f"| {pattern} | {name} | {'' if bound is None else bound} | {reported['batches']} | {reported['wall']:.3g} | {factor} | {reported['ms']:.3g} | "
                     f"{reported['apply']:.3g} | " + " | ".join(rows) + " |")
    return lines, wrong


def write(options):
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.streams or scratch
        path, graph, row_bytes = make_graph(options.matcha, folder, options.scale)
        updates = os.path.join(scratch, "updates.txt")
        make_updates(path, row_bytes // 8, options.batches, options.batch, updates)
        runs = Runs(options.matcha, graph, updates, options.batch, options.seconds)
        lines = ["| pattern | near | rows, bytes | batches | ms a batch by the clock | none / this | ms it says | of it the host's graph | hits | kept | sent | left | gone | choose, ms | move, ms |",
                 "|---|---|" + "---:|" * 13]
        for pattern in options.query.split(";") if options.query else PATTERNS:
            found, bad = table(runs, pattern, row_bytes)
            wrong += bad
            lines += found
            print("\n".join(found), flush=True)
    with open(options.page, "w", encoding="utf-8") as page:
        page.write(f"# Streams beyond a GPU's memory\n\nBy `bench/streams --memory`: R-MAT, 2^{options.scale} vertices, {row_bytes} bytes of rows; "
                   f"batches of {options.batch}; {wrong} answers wrong.\n\n" + "\n".join(lines) + "\n")
    return 1 if wrong else 0

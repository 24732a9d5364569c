"""Measurements of streams without peers: `bench/streams PAGE.md --streams DIR --figures`."""

import json
import os
import subprocess
import tempfile
import time

import stream_rates

WAYS = (("dblp-dcsm", "p_triangle"), ("dblp-dcsm", "p_cycle4"), ("enron-dcsm", "p_triangle"), ("enron-dcsm", "p_cycle4"))
#: Updates of a batch, and the number of batches of each strategy.
SIZES = ((1, 2000), (64, 200), (4096, 12))
LATENCY = (("dblp-dcsm", "triangle"), ("dblp-dcsm", "square"))
#: Labels that no vertex has.
STRANGERS = "v 0 987654321\nv 1 987654322\nv 2 987654323\ne 0 1 0\ne 1 2 0\n"


def cells_of(program, *args):
    """The lines of bench_streams, cell by cell."""
    run = subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=True)
    return [line.split(",") for line in run.stdout.splitlines()]


def ways(options):
    lines = ["| stream | query | updates a batch | edge by edge, ms | recount, ms | by cost, ms | of the better | recounted |",
             "|---|---|---:|---:|---:|---:|---:|---:|"]
    for graph, query in WAYS:
        for size, batches in SIZES:
            least, recounted = {}, ""
            for _ in range(options.repeat):
                found = cells_of(options.program, "--ways", size, "--batches", batches,
                                 os.path.join(options.streams, graph), query)
                totals = {cells[5] for cells in found if cells[2] != "recount"}
                if len(totals) != 1:
                    raise SystemExit(f"{graph} {query} {size}: totals differ: {found}")
                for cells in found:
                    least[cells[2]] = min(float(cells[3]), least.get(cells[2], float("inf")))
                recounted = f"{found[-1][4]} of {batches}"
            best = min(least["edges"], least["recount"])
            lines.append(f"| {graph} | {query} | {size} | {least['edges']:.4g} | {least['recount']:.4g} | {least['by cost']:.4g} | "
                         f"{least['by cost'] / best:.2f} | {recounted} |")
            print(lines[-1], flush=True)
    return lines


def memory(options):
    lines = ["| stream | CSR at the start, bytes | ours / CSR | after all updates | ours / CSR |", "|---|---:|---:|---:|---:|"]
    for graph in sorted(os.listdir(options.streams)):
        folder = os.path.join(options.streams, graph)
        query = sorted(name for name in os.listdir(folder) if name[:2] in ("p_", "q_"))[0]
        cells = cells_of(options.program, folder, "p_triangle" if os.path.exists(os.path.join(folder, "p_triangle")) else query)[0]
        after, start, csr, csr_after = int(cells[6]), *map(int, cells[8:11])
        lines.append(f"| {graph} | {csr} | {start / csr:.2f} | {csr_after} | {after / csr_after:.2f} |")
        print(lines[-1], flush=True)
    return lines


def floor(options):
    lines = ["| stream | updates | microseconds an update |", "|---|---:|---:|"]
    for graph in sorted(os.listdir(options.streams)):
        folder = os.path.abspath(os.path.join(options.streams, graph))
        with open(os.path.join(folder, "stream.graph"), encoding="utf-8") as file:
            updates = sum(1 for _ in file)
        with tempfile.TemporaryDirectory() as bare:
            for name in ("data.graph", "stream.graph"):
                os.symlink(os.path.join(folder, name), os.path.join(bare, name))
            with open(os.path.join(bare, "q_strangers"), "w", encoding="utf-8") as file:
                file.write(STRANGERS)
            ms = min(float(cells_of(options.program, bare, "q_strangers")[0][3]) for _ in range(2 * options.repeat + 1))
        lines.append(f"| {graph} | {updates} | {1000 * ms / updates:.3f} |")
        print(lines[-1], flush=True)
    return lines


def threads(options):
    lines = ["| stream | query | threads | CPU ms | ms by the clock |", "|---|---|---:|---:|---:|"]
    for graph, query in WAYS:
        for count in (0, 1, 2):
            shared = [] if count == 0 else ["--threads", count, "--batch", 64]
            runs = [cells_of(options.program, *shared, os.path.join(options.streams, graph), query)[0]
                    for _ in range(options.repeat)]
            cpu, wall = min(float(run[3]) for run in runs), min(float(run[7]) for run in runs)
            lines.append(f"| {graph} | {query} | {count or 'one after the other'} | {cpu:.4g} | {wall:.4g} |")
            print(lines[-1], flush=True)
    return lines


def files_of(folder, into):
    """A stream's graph as a list of edges; its updates as lines of `matcha stream`."""
    graph = os.path.join(into, "graph.txt")
    with open(os.path.join(folder, "data.graph"), encoding="utf-8") as file, open(graph, "w", encoding="utf-8") as out:
        out.writelines(" ".join(line.split()[1:3]) + "\n" for line in file if line.startswith("e"))
    with open(os.path.join(folder, "stream.graph"), encoding="utf-8") as file:
        return graph, [" ".join(line.split()[:3]) + "\n" for line in file]


def latency(options):
    """Sends `options.rate` lines a second through a pipe, a hundred at a time."""
    lines = ["| stream | pattern | updates a second | batches | p50, ms | p99 | p99.9 | most |", "|---|---|---:|---:|---:|---:|---:|---:|"]
    for graph, pattern in LATENCY:
        with tempfile.TemporaryDirectory() as into:
            file, updates = files_of(os.path.join(options.streams, graph), into)
            best = None
            for _ in range(options.repeat):
                end = paced(options, file, pattern, updates)
                if best is None or end["latency_ms"]["p99.9"] < best["latency_ms"]["p99.9"]:
                    best = end
        times = best["latency_ms"]
        lines.append(f"| {graph} | {pattern} | {best['rate']:.0f} | {best['batches']} | {times['p50']} | {times['p99']} | "
                     f"{times['p99.9']} | {times['max']} |")
        print(lines[-1], flush=True)
    return lines


def paced(options, graph, pattern, updates):
    block = 100
    with subprocess.Popen([options.matcha, "stream", "--pattern", pattern, graph, "--updates", "-", "--auto", "--json"],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        run.stdout.readline()  # The first answer: the graph is read.
        os.set_blocking(run.stdout.fileno(), False)
        output, begin = [], time.perf_counter()
        for at in range(0, len(updates), block):
            while time.perf_counter() - begin < at / options.rate:
                time.sleep(0.0002)
            run.stdin.write("".join(updates[at:at + block]).encode())
            run.stdin.flush()
            output.append(run.stdout.read() or b"")
        rate = len(updates) / (time.perf_counter() - begin)
        run.stdin.close()
        os.set_blocking(run.stdout.fileno(), True)
        output.append(run.stdout.read())
    return {**json.loads(b"".join(output).splitlines()[-1]), "rate": rate}


PARTS = {"rates": ("Processor time of updates, one thread, less that of the same stream without updates", stream_rates.rates),
         "latency": ("Latency from arrival to answer, `matcha stream --auto`", latency),
         "ways": ("Batches beside recounting, CPU time of one thread a batch", ways),
         "memory": ("Memory of the graph beside CSR (offsets of 8 bytes, neighbours of 4)", memory),
         "floor": ("An update with labels that match no term", floor),
         "threads": ("Batches of 64 shared by threads", threads)}


def write(options):
    page = ["# Streams beside themselves", "", f"By `bench/streams --figures`; the least of {options.repeat} runs.", ""]
    for name, (title, measure) in PARTS.items():
        if options.part in (None, name):
            page += [f"## {title}", "", *measure(options), ""]
    with open(options.page, "w", encoding="utf-8") as file:
        file.write("\n".join(page))
    return 0

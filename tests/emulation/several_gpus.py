#!/usr/bin/env python3
"""Counts on 1, 2 and 4 GPUs of threads, in graphs with hubs, and streams of MPI ranks that have GPUs.

usage: several_gpus.py MATCHA LIBRARY FOLDER

LIBRARY stands for the driver and for NVRTC; FOLDER is for what the test makes. Run in the root folder. Exit 77 without g++.
"""

import itertools
import json
import random
import re
import shutil
import subprocess
import sys

from run_devices import LIMIT_S, Failed, Machine, expect

GPUS = (1, 2, 4)


def hubs_and_leaves(seed, leaves, hubs=3):
    """Edges of a graph of hubs, whose numbers come first, that have most leaves as neighbours, and of some edges among leaves."""
    random.seed(seed)
    edges = {(hub, leaf) for hub in range(hubs) for leaf in range(hubs, hubs + leaves) if random.random() < 0.9}
    while len(edges) < hubs * leaves:
        u, v = sorted(random.sample(range(hubs, hubs + leaves), 2))
        edges.add((u, v))
    return edges


def squares(edges, hubs=3):
    """The 4-cycles of such a graph: pairs of vertices with c common neighbours have c * (c - 1) / 2, and each is seen from two pairs.
    Leaves are distinguished by their hubs, but for those that have leaves as common neighbours."""
    of_leaf, near = {}, {}
    for u, v in edges:
        for a, b in ((u, v), (v, u)):
            near.setdefault(a, set()).add(b)
            if a >= hubs:
                of_leaf.setdefault(a, set()).update([b] if b < hubs else [])
    twice = 0
    kinds = {}
    for of in of_leaf.values():
        kinds[frozenset(of)] = kinds.get(frozenset(of), 0) + 1
    for (a, times), (b, others) in itertools.combinations(kinds.items(), 2):
        twice += times * others * pairs(len(a & b))
    for a, times in kinds.items():
        twice += pairs(times) * pairs(len(a))
    common = {}
    for leaf in of_leaf:
        for u, v in itertools.combinations(sorted(w for w in near[leaf] if w >= hubs), 2):
            common[u, v] = common.get((u, v), 0) + 1
    for (u, v), more in common.items():
        shared = len(of_leaf[u] & of_leaf[v])
        twice += pairs(shared + more) - pairs(shared)
    for hub in range(hubs):
        twice += sum(pairs(len(near[hub] & near[other])) for other in near if other >= hubs or other > hub)
    assert twice % 2 == 0
    return twice // 2


def pairs(count):
    return count * (count - 1) // 2


def ranges(machine):
    """Hubs whose neighbours are counted in parts: where there is memory for counters that these share, and where each counts the
    wedges that end in a range."""
    edges = hubs_and_leaves(1, 4800)
    graph = machine.folder / "hubs.txt"
    graph.write_text("".join(f"{u} {v}\n" for u, v in sorted(edges)))
    wanted = squares(edges)
    for gpus, order, memory in itertools.product(GPUS, ("id", "degree"), ((), ("--scratch-mb", 1))):
        words = ["--pattern", "cycle:4", graph, "--order", order, "--gpus", gpus, "--tau-us", 20, *memory]
        answer = machine.answer(*words)
        expect(f"{words}", (answer["result"], answer["complete"]), (wanted, True))
        times = {part["part"]: part["ms"] for part in answer["stats"]["run_ms"] if re.match(r"kernel(_\d+)?$", part["part"])}
        each = [times.get(f"kernel_{i}") for i in range(gpus)]
        if gpus > 1 and (None in each or max(each) != times["kernel"]):
            raise Failed(f"{words}: of each GPU {times}")


def units(machine):
    """Tiles of arcs: units of one tile and of many, some vertices in several of them."""
    graph = machine.folder / "cliques.txt"
    random.seed(4)
    vertices = 400
    edges = {tuple(sorted((int(vertices * random.random() ** 2), int(vertices * random.random() ** 2)))) for _ in range(12000)}
    edges = {(u, v) for u, v in edges if u != v}
    graph.write_text("".join(f"{u} {v}\n" for u, v in sorted(edges)))
    near = {v: set() for v in range(vertices)}
    for u, v in edges:
        near[max(u, v)].add(min(u, v))
    triangles = sum(len(near[u] & near[v]) for u in near for v in near[u])
    cliques = sum(len(near[u] & near[v] & near[w]) for u in near for v in near[u] for w in near[u] & near[v])
    for gpus, tile in itertools.product((*GPUS, 3), ((), ("--tile", 1), ("--tile", 7), ("--tile", 5000), ("--tile", 0))):
        for pattern, wanted in (("triangle", triangles), ("clique:4", cliques)):
            words = ["--pattern", pattern, graph, "--gpus", gpus, "--algorithm", "extend", *tile]
            answer = machine.answer(*words)
            expect(f"{words}", (answer["result"], answer["complete"]), (wanted, True))


def ranks(machine):
    """A stream whose ranks each have a GPU or two, or the CPU takes what is too large for them: the answers of a count of each graph
    that shares no code, with both libraries of MPI that may be there."""
    launchers = [words for words in (["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"], ["mpirun.mpich"]) if shutil.which(words[0])]
    random.seed(6)
    vertices, batch, lines = 30, 40, []
    pairs_there = list(itertools.combinations(range(vertices), 2))
    edges = set(random.sample(pairs_there, 130))
    graph, updates = machine.folder / "stream.txt", machine.folder / "updates.txt"
    graph.write_text("".join(f"{u} {v}\n" for u, v in sorted(edges)))
    wanted = []
    for number in range(1, 241):
        edge = random.choice(pairs_there)
        lines.append(f"{'-' if edge in edges else '+'} {edge[0]} {edge[1]}\n")
        edges ^= {edge}
        if number % batch == 0:
            wanted.append([triangles_of(edges), squares_of(edges)])
    updates.write_text("".join(lines))
    words = ["stream", "--pattern", "triangle", "--pattern", "cycle:4", graph, "--updates", updates, "--batch", batch, "--mpi", "--json", "-q"]
    ours = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "MATCHA_NUM_THREADS": "1"}
    for launcher, (count, gpus) in itertools.product(launchers, ((1, 1), (2, 1), (3, 1), (2, 2))):
        done = subprocess.run([*launcher, "-n", str(count), machine.matcha, *map(str, words), "--gpus", str(gpus)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={**machine.environment, **ours}, timeout=LIMIT_S, check=False)
        expect(f"{launcher[0]}, {count} ranks: exit of {done.stderr}", done.returncode, 0)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        found = [[answer["total"] for answer in answers if answer.get("batch") == number] for number in range(1, len(wanted) + 1)]
        expect(f"{launcher[0]}, {count} ranks of {gpus} GPUs", found, wanted)
        expect("all batches are counted on GPUs", {answer.get("device") for answer in answers if answer.get("batch")}, {"cuda"})
    for launcher in launchers:
        for fault in ("2", "700"):  # No memory; a kernel that fails.
            done = subprocess.run([*launcher, "-n", "2", machine.matcha, *map(str, words), "--gpus", "1"], capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, env={**machine.environment, **ours, "MATCHA_EMULATED_FAULT": fault, "MATCHA_EMULATED_ONE": "1"},
                                  timeout=LIMIT_S)
            if done.returncode == 0:
                raise Failed(f"{launcher[0]}: a GPU of a rank fails, and there are answers: {done.stdout}")


def triangles_of(edges):
    near = near_of(edges)
    return sum(len(near[u] & near[v]) for u, v in edges) // 3


def squares_of(edges):
    near = near_of(edges)
    return sum(pairs(len(near[u] & near[v])) for u, v in itertools.combinations(near, 2)) // 2


def near_of(edges):
    near = {}
    for u, v in edges:
        near.setdefault(u, set()).add(v)
        near.setdefault(v, set()).add(u)
    return near


def main():
    machine = Machine(*sys.argv[1:4])
    machine.environment["MATCHA_EMULATED_DEVICES"] = "4"
    if shutil.which("g++") is None:
        print("[SKIP] there is no g++")
        return 77
    try:
        ranges(machine)
        units(machine)
        ranks(machine)
    except Failed as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

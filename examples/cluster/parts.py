"""A run in parts under Ray or Dask: parts.py ray|dask|threads PARTS PROGRAM GRAPH FOLDER, a folder that all workers see."""

import concurrent.futures
import os
import subprocess
import sys

MATCHA = os.environ.get("MATCHA", "matcha")


def part(index, parts, program, graph, folder):
    ledger = f"{folder}/{index}.mtl"
    subprocess.run([MATCHA, "run", program, graph, "--shard", f"{index}/{parts}", "--ledger", ledger], check=True,
                   stdout=subprocess.DEVNULL)
    return ledger


def ledgers(how, parts, program, graph, folder):
    rest = (parts, program, graph, folder)
    if how == "ray":
        import ray
        remote = ray.remote(max_retries=3)(part)
        return ray.get([remote.remote(i, *rest) for i in range(parts)])
    if how == "dask":
        from dask.distributed import Client
        client = Client()
        return client.gather([client.submit(part, i, *rest, retries=3) for i in range(parts)])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda i: part(i, *rest), range(parts)))


if __name__ == "__main__":
    how, parts, program, graph, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    sys.exit(subprocess.run([MATCHA, "merge", *ledgers(how, int(parts), program, graph, folder)]).returncode)

#!/usr/bin/env python3
"""The files of examples/cluster and examples/service, with the settings of a launcher. Kubernetes is not here; the command that it runs is."""

import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.request

import cli

FILES = cli.ROOT / "examples" / "cluster"
PARTS = 3


class ClusterFiles(cli.CliTest):
    def setUp(self):
        super().setUp()
        self.graph = self.folder / "g.mtg"
        self.parts = self.folder / "parts"
        self.must([cli.MATCHA, "graph", "convert", cli.WIKI, self.graph])

    def must(self, words, **more):
        ran = subprocess.run([str(w) for w in words], cwd=cli.ROOT, text=True, capture_output=True, timeout=cli.LIMIT_S,
                             env={**os.environ, "MATCHA": os.path.abspath(cli.MATCHA), **more})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def merged(self):
        return self.must([cli.MATCHA, "merge", *sorted(self.parts.glob("*.mtl"))])

    def test_parts_side_by_side(self):
        out = self.must([FILES / "parallel.sh", PARTS, cli.TRIANGLE, self.graph, self.parts])
        self.assertEqual(out, f"{cli.WIKI_TRIANGLES}\n")

    def test_a_job_array_from_one(self):
        for task in range(1, PARTS + 1):
            self.must([FILES / "slurm_array.sh", cli.TRIANGLE, self.graph, self.parts], SLURM_ARRAY_TASK_ID=str(task),
                      SLURM_ARRAY_TASK_MIN="1", SLURM_ARRAY_TASK_COUNT=str(PARTS), SLURM_CPUS_PER_TASK="1",
                      MATCHA_DEVICE="cpu" if task == 1 else "auto")
        self.assertEqual(self.merged(), f"{cli.WIKI_TRIANGLES}\n")

    def test_the_command_of_the_indexed_job(self):
        text = (FILES / "kubernetes_job.yaml").read_text(encoding="utf-8")
        command = re.search(r"exec (matcha run .*)", text).group(1)
        self.assertIn("mkdir -p /data/parts &&", text)
        words = command.replace("/data/triangle.mt", cli.TRIANGLE).replace("/data/g.mtg", str(self.graph))
        words = words.replace("/data/parts", str(self.parts)).replace("matcha", os.path.abspath(cli.MATCHA), 1)
        self.parts.mkdir()
        for index in range(PARTS):
            self.must(["sh", "-c", words], JOB_COMPLETION_INDEX=str(index), MATCHA_SHARDS=str(PARTS))
        self.assertEqual(self.merged(), f"{cli.WIKI_TRIANGLES}\n")

    def test_the_services(self):
        """The commands of examples/service answer; with systemd, its unit is checked too."""
        service = cli.ROOT / "examples" / "service"
        text = (service / "kubernetes.yaml").read_text(encoding="utf-8")
        args = [word.strip(' "') for word in re.search(r"args: \[(.*)\]", text).group(1).split(",")]
        unit = (service / "matcha.service").read_text(encoding="utf-8")
        command = re.search(r"ExecStart=/usr/bin/matcha (.*)", unit).group(1).split()
        token = self.write("token", "0123456789abcdef\n")
        for words in (args, command):
            changed = {"/data/g.mtg": self.graph, "/var/lib/matcha/graph.mtg": self.graph, "0.0.0.0:8080": "0.0.0.0:0",
                       "127.0.0.1:8080": "127.0.0.1:0", "/token/token": token}
            with subprocess.Popen([cli.MATCHA, *(str(changed.get(word, word)) for word in words)], cwd=cli.ROOT,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                url = json.loads(process.stdout.readline())["url"].replace("0.0.0.0", "127.0.0.1")
                with urllib.request.urlopen(url + "/healthz", timeout=cli.LIMIT_S) as response:
                    self.assertEqual(response.status, 200)
                process.terminate()
                self.assertEqual(process.wait(cli.LIMIT_S), 0)
        if shutil.which("systemd-analyze"):
            checked = self.write("matcha.service", unit.replace("/usr/bin/matcha", os.path.abspath(cli.MATCHA)))
            done = subprocess.run(["systemd-analyze", "verify", checked], text=True, capture_output=True, check=False)
            self.assertNotIn("matcha.service:", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Four ranks that share units, under Open MPI and under MPICH. MPI_RANKS names the program; without a launcher: skipped."""

import os
import shutil
import subprocess
import sys
import unittest

RANKS = os.environ.get("MPI_RANKS", "build/bin/mpi_ranks")
LIMIT_S = 300
SKIP = 77

LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--oversubscribe"],
    "MPICH": ["mpirun.mpich"],
}


# Under sanitizers: MPI libraries keep memory to the end, and UCX, below MPICH, patches the mmap that they have replaced.
SANITIZED = {"ASAN_OPTIONS": ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"])),
             "UCX_MEM_MMAP_HOOK_MODE": "none"}


def environment(**more):
    """Without settings of a launcher around the tests; Open MPI is allowed to run as root."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI", "PMIX_", "SLURM_", "MATCHA_LIBMPI"))}
    return {**clean, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **SANITIZED, **more}


def launchers():
    return {name: words for name, words in LAUNCHERS.items() if shutil.which(words[0])}


class Mpi(unittest.TestCase):
    def run_ranks(self, words, scenario, ranks=4, **more):
        return subprocess.run([*words, "-n", str(ranks), RANKS, scenario], env=environment(**more), text=True,
                              capture_output=True, timeout=LIMIT_S)

    def for_each(self, scenario, check, **more):
        for name, words in launchers().items():
            with self.subTest(launcher=name):
                check(name, self.run_ranks(words, scenario, **more))

    def test_units_are_shared_and_merged(self):
        def check(name, ran):
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn("4 ranks, " + name, ran.stdout)
        self.for_each("share", check)

    def test_records_longer_than_a_message(self):
        def check(name, ran):
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn("4 ranks, " + name, ran.stdout)
        self.for_each("long", check)

    def test_a_stop_of_one_rank_ends_all_with_a_part(self):
        def check(name, ran):
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stdout, "stopped\n")
        self.for_each("stop", check)

    def test_a_rank_that_leaves_between_regions(self):
        def check(name, ran):
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertEqual(ran.stdout, "left\n")
        self.for_each("leave0", check)
        self.for_each("leave1", check)

    def test_a_rank_with_something_else_ends_the_job(self):
        def check(name, ran):
            self.assertEqual(ran.returncode, 4, ran.stderr)
            self.assertIn("rank 2 runs something else than rank 0", ran.stderr)
        self.for_each("other", check)

    def test_other_cuts_are_an_error(self):
        def check(name, ran):
            # The first request is the measure.
            self.assertEqual(ran.returncode, 4, ran.stderr)
            self.assertRegex(ran.stderr, r"rank \d cuts loop 1 into (60 units, others into 50|50 units, others into 60)")
        self.for_each("cuts", check)

    def test_an_error_of_a_rank_ends_the_job(self):
        def check(name, ran):
            self.assertEqual(ran.returncode, 5, ran.stderr)
        self.for_each("abort", check)

    def test_a_rank_that_dies_ends_the_job(self):
        def check(name, ran):
            self.assertNotEqual(ran.returncode, 0)
        self.for_each("killed", check)

    def test_one_process_without_a_launcher(self):
        ran = subprocess.run([RANKS, "share"], env=environment(), text=True, capture_output=True, timeout=LIMIT_S)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("1 ranks, ", ran.stdout)

    def test_a_library_that_is_not_there(self):
        ran = subprocess.run([RANKS, "share"], env=environment(MATCHA_LIBMPI="/nowhere/libmpi.so"), text=True,
                             capture_output=True, timeout=LIMIT_S)
        self.assertEqual(ran.returncode, 4)
        self.assertIn("no MPI library can be opened", ran.stderr)
        self.assertIn("/nowhere/libmpi.so", ran.stderr)

    def test_a_library_that_is_no_mpi(self):
        ran = subprocess.run([RANKS, "share"], env=environment(MATCHA_LIBMPI="libm.so.6"), text=True,
                             capture_output=True, timeout=LIMIT_S)
        self.assertEqual(ran.returncode, 4)
        self.assertIn("is no MPI that Matcha can use", ran.stderr)

    def test_the_library_of_another_launcher_is_an_error(self):
        found = launchers()
        if len(found) < 2:
            self.skipTest("one launcher only")
        for name, library in (("Open MPI", "libmpich.so.12"), ("MPICH", "libmpi.so.40")):
            with self.subTest(launcher=name):
                ran = self.run_ranks(found[name], "share", ranks=2, MATCHA_LIBMPI=library)
                self.assertNotEqual(ran.returncode, 0)
                self.assertIn("launched as one of 2, but finds itself alone", ran.stderr)


if __name__ == "__main__":
    if not launchers():
        print("[SKIP] neither mpirun.openmpi nor mpirun.mpich is installed")
        sys.exit(SKIP)
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Memory that runs out: a small address space, and an allocator that fails at the n-th call. Whatever the command, it
ends as it would with memory, or with one sentence and exit code 5; never by a signal.

A command makes up to 700,000 allocations, from some 2,000 places: stacks of callers. Of each place the first one is tried: all
places of `verify`, and 120 of each other command. With GPUMINER_ALLOCATIONS=all every allocation of `verify`, all places of the
others and 120 more n of each, and more sizes."""

import concurrent.futures
import os
import pathlib
import random
import resource
import subprocess
import tempfile
import unittest

from support import BLOCK, EVERYTHING, GPUMINER, NEAR_BLOCK, environment, main, run

ALLOCATOR = os.environ["FAILING_ALLOCATOR"]
SAMPLES = 120
THOROUGH = os.environ.get("GPUMINER_ALLOCATIONS") == "all"
SEED = int(os.environ.get("GPUMINER_ALLOCATION_SEED", "20260131"))
SIZES = [*range(40, 80, 4), *range(80, 240, 20)] if THOROUGH else [40, 52, 64, 100, 160]  # MB

CPU = ["--backend", "cpu", "-t", "1"]
COMMANDS = {
    "verify": ["verify", BLOCK],
    "explain": ["explain", BLOCK],
    "grind": ["grind", BLOCK, "--target", EVERYTHING, *CPU],
    "mine": ["mine", BLOCK, *NEAR_BLOCK, *CPU],
    "mine --json": ["mine", BLOCK, *NEAR_BLOCK, "--json", *CPU],
    "devices": ["devices", *CPU],
    # With a difficulty, as it would measure for a second what to suggest.
    "pool": ["pool", "-o", "stratum+tcp://127.0.0.1:1", "-u", "user", "--suggest-diff", "0.01", "-r", "0", "--time-limit", "1", "--journal", "JOURNAL", *CPU],
    "solo": ["solo", "--node", "http://user:word@127.0.0.1:1", "--coinbase-addr", "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqdku202", "-r", "0",
             "--time-limit", "1", "--journal", "JOURNAL", *CPU],
    "bench": ["bench", "kernel", "--isa", "scalar", "--rounds", "1", "--seconds", "0.001", *CPU],
}


class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def execute(self, name, number="", **changes):
        """In a folder of its own, with what it remembers."""
        folder = self.path / f"{name.replace(' ', '')}-{number}"
        folder.mkdir(exist_ok=True)
        arguments = [str(folder / "journal.jsonl") if word == "JOURNAL" else word for word in COMMANDS[name]]
        return run(*arguments, env=environment(XDG_CACHE_HOME=str(self.path / "cache"), HOME=str(folder), **changes["env"]),
                   preexec_fn=changes.get("preexec_fn"))

    def judge(self, process, usual, how):
        errors = process.stderr.decode(errors="replace")
        if process.returncode == 5 and usual.returncode != 5:
            last = [line for line in errors.splitlines() if line.startswith("gpuminer: ") and not line.startswith("gpuminer: warning")]
            self.assertEqual(len(last), 1, f"{how}: {errors}")
            return 1
        # Where a library does without, or says in its own words what it lacks.
        self.assertIn(process.returncode, {usual.returncode, 1, 3, 4, 6}, f"{how}: {errors}")
        return 0

    def fail_at(self, name, numbers, usual):
        def once(number):
            return self.judge(self.execute(name, number, env={"LD_PRELOAD": ALLOCATOR, "GPUMINER_FAIL_ALLOCATION": str(number)}), usual,
                              f"{name}, allocation {number}")

        with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:  # some wait more than they compute
            return sum(pool.map(once, numbers))

    def count(self, name):
        file = self.path / "count"
        usual = self.execute(name, "usual", env={})
        self.execute(name, "usual", env={"LD_PRELOAD": ALLOCATOR, "GPUMINER_COUNT_ALLOCATIONS": str(file),
                                         "GPUMINER_ALLOCATION_STACKS": "1"})
        calls, *first_of_places = map(int, file.read_text().split())
        return usual, range(1, calls + 1), sorted(first_of_places)

    def chosen(self, name, calls, places, generator):
        if name == "verify":
            return calls if THOROUGH else places
        if THOROUGH:
            return sorted({*places, *generator.sample(calls, min(SAMPLES, len(calls)))})
        return sorted(generator.sample(places, min(SAMPLES, len(places))))

    def test_an_allocation_that_fails(self):
        print(f"GPUMINER_ALLOCATION_SEED={SEED}", flush=True)
        generator = random.Random(SEED)
        for name in COMMANDS:
            with self.subTest(command=name):
                usual, calls, places = self.count(name)
                numbers = self.chosen(name, calls, places, generator)
                ended = self.fail_at(name, [f"{number}{generator.choice(['', '+'])}" for number in numbers], usual)
                print(f"{name}: {ended} of {len(numbers)} ended by it, of {len(calls)} allocations from {len(places)} places", flush=True)
                self.assertGreater(ended, 0)

    def test_a_small_address_space(self):
        for name in COMMANDS:
            usual = self.execute(name, "usual", env={})
            ended = 0
            for megabytes in SIZES:
                def limit(size=megabytes << 20):
                    resource.setrlimit(resource.RLIMIT_AS, (size, size))

                with self.subTest(command=name, megabytes=megabytes):
                    ended += self.judge(self.execute(name, megabytes, env={}, preexec_fn=limit), usual, f"{name}, {megabytes} MB")
            print(f"{name}: {ended} sizes too small", flush=True)

    def test_a_small_address_space_is_not_slow(self):
        """Memory is not mapped anew for each allocation, which page faults show."""
        faults = []
        for megabytes in (8192, 150):
            def limit(size=megabytes << 20):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))

            process = subprocess.Popen([GPUMINER, *COMMANDS["mine"]], stdout=subprocess.DEVNULL, env=environment(), preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            faults.append(usage.ru_minflt)
        self.assertLess(faults[1], 2 * faults[0])


if __name__ == "__main__":
    main()

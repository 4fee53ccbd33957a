"""The PTX of the build, assembled for every generation of GPUs that the ptxas given know: without a spilled register.

  test_ptx.py FOLDER_OF_KERNELS PTXAS...
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unittest_main import SKIPPED, main  # noqa: E402

GENERATIONS = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121]


def generations_of(ptxas):
    """Those that it knows."""
    words = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True).stdout
    known = {int(number) for number in re.findall(r"'sm_(\d+)'", words)}
    return [each for each in GENERATIONS if each in known]


def complaint(ptxas, generation, ptx):
    with tempfile.NamedTemporaryFile() as cubin:
        done = subprocess.run([ptxas, "-v", f"-arch=sm_{generation}", "-o", cubin.name, ptx], capture_output=True, text=True)
    spills = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
    if done.returncode != 0 or len(spills) != 1 or set(spills[0]) != {"0"}:
        return f"{ptx.name} for sm_{generation}: {done.stdout}{done.stderr}"
    return None


class Ptx(unittest.TestCase):
    def test_every_driver_since_2019_knows_its_version(self):
        for ptx in KERNELS:
            self.assertRegex(ptx.read_text(), r"\n\.version 6\.4\n\.target sm_50\n", ptx.name)

    def test_every_generation(self):
        assembled = set()
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            tasks = []
            for ptxas in ASSEMBLERS:
                for generation in generations_of(ptxas):
                    assembled.add(generation)
                    tasks += [pool.submit(complaint, ptxas, generation, ptx) for ptx in KERNELS]
        self.assertEqual([task.result() for task in tasks if task.result()], [])
        print(f"{len(KERNELS)} kernels assembled for {', '.join(f'sm_{each}' for each in sorted(assembled))}")
        self.assertGreaterEqual(len(assembled), 2)


if __name__ == "__main__":
    KERNELS = sorted(pathlib.Path(sys.argv[1]).glob("*.ptx"))
    ASSEMBLERS = [path for path in sys.argv[2:] if os.access(path, os.X_OK)]
    if not KERNELS or not ASSEMBLERS:
        print(f"SKIPPED: {'no PTX in this build' if not KERNELS else 'there is no ptxas'}")
        sys.exit(SKIPPED)
    sys.argv[1:] = []
    main()

"""Jobs of gpuminer-mpi under one MPI, started for tests."""

import itertools
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import BLOCK, Case, run  # noqa: E402

MPI = os.environ["GPUMINER_MPI"]
FAULTY = os.environ["GPUMINER_FAULTY_MPI"]
MPIRUN = os.environ["GPUMINER_MPIRUN"]
OPENMPI = "openmpi" in MPIRUN
RARE = "000f" + "f" * 60  # one hash in 4096
EASY = "0f" + "f" * 62  # one in sixteen
GENESIS = ("0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8"
           "aa4b1e5e4a29ab5f49ffff001d1dac2b7c")  # the one that faulty devices are faulty with
ROLLED = [1 | bits << 13 for bits in range(8)]
PATIENCE = 900  # seconds; far more than is needed, for busy machines
# Messages over TCP between processes of one machine, and rank 0's memory by messages: what a cluster without RDMA has.
OVER_TCP = ["--mca", "osc", "pt2pt", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"] if OPENMPI else []
RANK = "OMPI_COMM_WORLD_RANK" if OPENMPI else "PMI_RANK"


@unittest.skipUnless(shutil.which(MPIRUN), f"there is no {MPIRUN}")
class Jobs(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "search"
        self.numbers = itertools.count(1)

    def command(self, ranks, program, *arguments, devices=None, launcher=(), powercap=None, output=None):
        """`devices`: of each rank, as faulty_backend.cpp explains; the last is that of all others, too. `output`: a file for what they print."""
        script = self.folder / f"rank-{next(self.numbers)}.sh"  # of a job that was killed a rank may still be starting
        lines = ["#!/bin/sh", f"rank=${RANK}", f"echo $$ > {self.folder}/pid.$rank"]
        if devices:
            cases = "".join(f"{rank}) set -- {shlex.quote(which)} \"$@\";; " for rank, which in enumerate(devices[:-1]))
            lines += [f"case $rank in {cases}*) set -- {shlex.quote(devices[-1])} \"$@\";; esac", "export GPUMINER_FAULTY_DEVICES=$1", "shift",
                      "export GPUMINER_FAULTY_CHECKPOINTS=0.02"]
        if powercap:
            lines.append(f"export GPUMINER_FAULTY_POWERCAP={powercap}")
        script.write_text("\n".join([*lines, f"exec {program} \"$@\"" + (f" > {output}" if output else ""), ""]))
        script.chmod(0o755)
        oversubscribe = ["--oversubscribe"] if OPENMPI else []
        return [MPIRUN, *oversubscribe, *launcher, "-n", str(ranks), str(script), *map(str, arguments)]

    def start(self, *given, stdout=subprocess.PIPE, **kwargs):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.Popen(self.command(*given, **kwargs), stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
                                env=environment)

    def run_job(self, *given, code=0, **kwargs):
        process = self.start(*given, **kwargs)
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        self.assertEqual(process.returncode, code, stderr.decode() + stdout.decode()[-1000:])
        return stdout.decode(), stderr.decode()

    def mine(self, ranks, *arguments, program=MPI, code=0, header=BLOCK, **kwargs):
        stdout, _ = self.run_job(ranks, program, "mine", header, *arguments, "--json", "-q", code=code, **kwargs)
        return json.loads(stdout)

    def skip_without_verushash(self):
        devices = json.loads(run("devices", "-a", "verushash", "--json").stdout)["devices"]
        if not any(device["usable"] for device in devices):
            self.skipTest("SKIPPED: this CPU can run no fast form of VerusHash")

    def wait_until(self, happens, process):
        """Or until the process has ended."""
        limit = time.monotonic() + PATIENCE
        while process.poll() is None and not happens():
            self.assertLess(time.monotonic(), limit, "it does not happen")
            time.sleep(0.005)

    def wait_for_work(self, process, before=""):
        """Some is done, and recorded; more than there was `before`."""
        def recorded():
            text = self.file.read_text() if self.file.exists() else ""
            return "\ndone " in text and text != before
        self.wait_until(recorded, process)

"""Jobs of gpuminer-mpi, of one MPI: what ranks find together, against one machine; killed, resumed, without devices."""

import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import BLOCK, GPUMINER, NOTHING, Case, hits_of, main, oracle, real_headers, run, validate  # noqa: E402

MPI = os.environ["GPUMINER_MPI"]
FAULTY = os.environ["GPUMINER_FAULTY_MPI"]
MPIRUN = os.environ["GPUMINER_MPIRUN"]
OPENMPI = "openmpi" in MPIRUN
KILLS = int(os.environ.get("GPUMINER_KILLS", "20"))
SEED = os.environ.get("GPUMINER_KILLS_SEED", time.strftime("%Y%m%d"))
RARE = "000f" + "f" * 60  # one hash in 4096
EASY = "0f" + "f" * 62  # one in sixteen
GENESIS = ("0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8"
           "aa4b1e5e4a29ab5f49ffff001d1dac2b7c")  # the one that faulty devices are faulty with
ROLLED = [1 | bits << 13 for bits in range(8)]
PATIENCE = 900  # seconds; far more than is needed, for busy machines
# Messages over TCP between processes of one machine, and rank 0's memory by messages: what a cluster without RDMA has.
OVER_TCP = ["--mca", "osc", "pt2pt", "--mca", "pml", "ob1", "--mca", "btl", "tcp,self"] if OPENMPI else []
RANK = "OMPI_COMM_WORLD_RANK" if OPENMPI else "PMI_RANK"


def package(folder, microjoules):
    """The energy counter of a CPU, as Linux offers it."""
    zone = folder / "intel-rapl:0"
    zone.mkdir(parents=True, exist_ok=True)
    for name, value in (("name", "package-0"), ("max_energy_range_uj", 65532610987), ("new", microjoules)):
        (zone / name).write_text(f"{value}\n")
    (zone / "new").rename(zone / "energy_uj")


@unittest.skipUnless(shutil.which(MPIRUN), f"there is no {MPIRUN}")
class Jobs(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "search"

    def command(self, ranks, program, *arguments, devices=None, launcher=(), powercap=None):
        """`devices`: of each rank, as faulty_backend.cpp explains; the last is that of all others, too."""
        script = self.folder / "rank.sh"
        lines = ["#!/bin/sh", f"rank=${RANK}", f"echo $$ > {self.folder}/pid.$rank"]
        if devices:
            cases = "".join(f"{rank}) set -- {shlex.quote(which)} \"$@\";; " for rank, which in enumerate(devices[:-1]))
            lines += [f"case $rank in {cases}*) set -- {shlex.quote(devices[-1])} \"$@\";; esac", "export GPUMINER_FAULTY_DEVICES=$1", "shift",
                      "export GPUMINER_FAULTY_CHECKPOINTS=0.02"]
        if powercap:
            lines.append(f"export GPUMINER_FAULTY_POWERCAP={powercap}")
        script.write_text("\n".join([*lines, f"exec {program} \"$@\"", ""]))
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

    def test_known_block(self):
        for launcher in ([], OVER_TCP):
            document = self.mine(4, "--start", 274000000, "--end", 274300000, "--deterministic", launcher=launcher)
            validate(document)
            self.assertEqual([hit["nonce"] for hit in document["results"]], [274148111])
            self.assertEqual([rank["rank"] for rank in document["ranks"]], [0, 1, 2, 3])
            self.assertEqual(sum(rank["hashes"] for rank in document["ranks"]), document["hashes"])
            self.assertEqual({device["rank"] for device in document["devices"]} - {0, 1, 2, 3}, set())
        document = self.mine(4, "--end", 99999, code=2)
        self.assertEqual((document["ending"], document["hashes"]), ("finished", 100000))

    def test_all_as_one_machine(self):
        search = ["--target", RARE, "--end", 999999, "--roll-versions", "0000e000", "--all"]
        whole = json.loads(run("mine", BLOCK, *map(str, search), "--json", "-q").stdout)
        self.assertGreater(len(whole["results"]), 1000)
        for ranks in (1, 2, 4):
            document = self.mine(ranks, *search, launcher=OVER_TCP if ranks == 4 else [])
            self.assertEqual(document["results"], whole["results"])
            self.assertEqual(document["hashes"], 8000000)
        cut = self.mine(3, *search, "--max-results", 17)
        self.assertEqual((cut["results"], cut["truncated"]), (whole["results"][:17], True))

    def test_first_hit_stops_all(self):
        began = time.monotonic()
        document = self.mine(4, "--target", RARE)
        print(f"a first hit after {document['seconds']:.3f} s; the whole job took {time.monotonic() - began:.3f} s")
        self.assertEqual(len(document["results"]), 1)
        self.assertEqual(document["ending"], "finished")

    def test_text_and_messages(self):
        stdout, stderr = self.run_job(3, MPI, "mine", BLOCK, "--target", RARE, "--deterministic")
        self.assertIn("found nonce", stdout)
        self.assertRegex(stdout, r"(?m)^rank +host +devices +hashes +time +rate$")
        self.assertEqual(stdout.count("total time"), 1)
        self.assertEqual(stderr.count("3 ranks"), 1)

    def test_grind(self):
        solved = run("grind", BLOCK, "--target", RARE, "--deterministic").stdout.decode()
        stdout, stderr = self.run_job(3, MPI, "grind", BLOCK, "--target", RARE, "--deterministic")
        self.assertEqual(stdout, solved)
        self.assertNotIn("ranks", stderr)

    def test_verify(self):
        """The real headers, as gpuminer alone has them."""
        headers = self.folder / "headers"
        headers.write_text("".join(f"{row['header_hex']}\n" for row in real_headers()[:3000]))
        for arguments in ([f"@{headers}", "--json"], [f"@{headers}"], ["100000"], [f"@{headers}", "--target", "0" * 63 + "1"]):
            alone = run("verify", *arguments)
            process = self.start(4, MPI, "verify", *arguments)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, alone.returncode, stderr.decode())
            times = re.compile(rb'"time":"[^"]*"')
            self.assertEqual(times.sub(b"", stdout), times.sub(b"", alone.stdout))

    def test_errors_are_said_once(self):
        (self.folder / "several").write_text(f"{BLOCK}\n{BLOCK}\n")
        nowhere = self.folder / "nowhere" / "search"
        for words, arguments in (("expected 152 or 160 hex digits", ["mine", "nonsense"]), ("expected the command mine, grind, bench or verify", ["devices"]),
                                 ("unknown option", ["mine", BLOCK, "--nonsense"]), ("expected the workload scan, got 'kernel'", ["bench", "kernel"]),
                                 ("expected the workload scan, got 'all'", ["bench", "all"]), ("are gpuminer's alone", ["mine", BLOCK, "--http", "0"]),
                                 ("expected one header with --checkpoint", ["mine", f"@{self.folder / 'several'}", "--checkpoint", self.file]),
                                 ("cannot", ["mine", BLOCK, "--checkpoint", nowhere]), ("cannot", ["mine", BLOCK, "--resume", nowhere]),
                                 ("expected names or numbers of devices", ["mine", BLOCK, "-d", "nonsense"]), ("a file that can be written", ["bench", "--csv", nowhere])):
            process = self.start(3, MPI, *arguments)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 1, stderr.decode())
            self.assertEqual(stdout, b"")
            self.assertEqual(stderr.decode().count(words), 1, stderr.decode())
        stdout, _ = self.run_job(3, MPI, "--version")
        self.assertEqual(stdout.count("gpuminer "), 1, stdout)

    def test_ranks_without_devices(self):
        """Some from the beginning, some after a while; then all of them."""
        search = ["--target", RARE, "--end", 99999, "--roll-versions", "0000e000", "--all"]
        wanted = oracle(GENESIS, RARE, 0, 99999, ROLLED)
        document = self.mine(4, *search, program=FAULTY, header=GENESIS, devices=["absent", "dead", "good", "good,dead"])
        self.assertEqual(hits_of(document), wanted)
        document = self.mine(3, *search, program=FAULTY, header=GENESIS, devices=["late", "late", "good"])
        self.assertEqual(hits_of(document), wanted)
        self.run_job(3, FAULTY, "mine", GENESIS, *search, devices=["absent"], code=4)
        failed = self.mine(2, *search, program=FAULTY, header=GENESIS, devices=["dead"], code=5)
        self.assertEqual(failed["ending"], "failed")

    def test_a_liar_among_the_ranks(self):
        search = ["--target", RARE, "--end", 99999, "--roll-versions", "0000e000", "--all"]
        document = self.mine(3, *search, program=FAULTY, header=GENESIS, devices=["good", "liar,good", "good"])
        self.assertEqual(hits_of(document), oracle(GENESIS, RARE, 0, 99999, ROLLED))
        self.assertGreater(document["rejected_candidates"], 0)

    def test_static_partition(self):
        """Long enough to be cut; and ranges that end before."""
        search = ["--target", RARE, "--end", 499999, "--roll-versions", "0000e000", "--all"]
        whole = json.loads(run("mine", BLOCK, *map(str, search), "--json", "-q").stdout)
        for ranks, devices in ((3, ["good"]), (4, ["good", "late", "absent", "good"])):
            document = self.mine(ranks, *search, "--partition", "static", program=FAULTY, devices=devices)
            validate(document)
            self.assertEqual(document["partition"], "static")
            self.assertEqual(document["results"], whole["results"])
            if "late" not in devices:
                self.assertEqual(document["hashes"], 500000 * 8)
        lowest = self.mine(3, "--target", RARE, "--partition", "static", "--deterministic", "--roll-versions", "0000e000")
        self.assertEqual(lowest["results"], whole["results"][:1])
        one = self.mine(4, "--start", 274148111, "--end", 274148111, "--partition", "static", "--all")
        self.assertEqual(([hit["nonce"] for hit in one["results"]], one["hashes"]), ([274148111], 1))
        limited = self.mine(3, *NOTHING, "--roll-versions", "1fffe000", "--partition", "static", "--time-limit", "1.5", code=3)
        self.assertEqual(limited["ending"], "limit")

    def test_several_headers(self):
        """One after the other, as gpuminer has them."""
        headers = self.folder / "headers"
        headers.write_text("".join(f"{row['header_hex']}\n" for row in real_headers()[:12]))
        search = [f"@{headers}", "--end", "99999", "--target", EASY, "--deterministic", "--json", "-q"]
        alone = [json.loads(line) for line in run("mine", *search).stdout.splitlines()]
        stdout, _ = self.run_job(3, MPI, "mine", *search)
        documents = [json.loads(line) for line in stdout.splitlines()]
        self.assertEqual([document["results"] for document in documents], [document["results"] for document in alone])
        for document in documents:
            validate(document)
            self.assertEqual(len(document["ranks"]), 3)
        # A rank without devices says so once; and the limit is that of all together.
        nothing = [f"@{headers}", "--end", "29999", *NOTHING, "--json"]
        stdout, stderr = self.run_job(3, FAULTY, "mine", *nothing, devices=["good", "absent", "good"], code=2)
        self.assertEqual([json.loads(line)["hashes"] for line in stdout.splitlines()], [30000] * 12)
        self.assertEqual(stderr.count("rank 1 has no device left"), 1)
        stdout, _ = self.run_job(2, FAULTY, "mine", f"@{headers}", *NOTHING, "--time-limit", "0.5", "--json", "-q", devices=["good"], code=3)
        self.assertEqual([json.loads(line)["ending"] for line in stdout.splitlines()], ["limit"])

    def test_first_hit_is_no_loss_of_devices(self):
        _, stderr = self.run_job(3, MPI, "mine", BLOCK, "--target", RARE)
        self.assertNotIn("no device left", stderr)

    def bench(self, ranks, *arguments, program=MPI, code=0, **kwargs):
        stdout, stderr = self.run_job(ranks, program, "bench", "--rounds", "3", "--seconds", "0.3", "--json", "-q", *arguments, code=code, **kwargs)
        document = json.loads(stdout)
        validate(document)
        return document, stderr

    def test_bench(self):
        """The sum, and a row for each rank that has devices."""
        document, _ = self.bench(3, launcher=OVER_TCP)
        self.assertTrue(document["verified"])
        self.assertEqual(sorted({device["rank"] for device in document["devices"]}), [0, 1, 2])
        rows = {row["name"]: row for row in document["measurements"]}
        self.assertEqual(list(rows), [f"{who} {form}" for form in ("fixed", "rolled") for who in ("all", "rank 0", "rank 1", "rank 2")])
        for form in ("fixed", "rolled"):
            for number in range(3):
                parts = [rows[f"rank {rank} {form}"]["rounds"][number] for rank in range(3)]
                self.assertAlmostEqual(rows[f"all {form}"]["rounds"][number]["value"] / sum(part["value"] for part in parts), 1)
                self.assertEqual({part["at"] for part in parts}, {rows[f"all {form}"]["rounds"][number]["at"]})
            self.assertGreater(rows[f"rank 2 {form}"]["details"]["hits_compared"], 0)
        stdout, _ = self.run_job(2, MPI, "bench", "scan", "--rounds", "1", "--seconds", "0.1", "--expect-min", "1", "-q")
        self.assertRegex(stdout, r"(?m)^rank 1 rolled ")
        _, stderr = self.bench(2, "--expect-min", "1e18", code=2)
        self.assertIn("scan/all fixed: expected at least", stderr)

    def test_bench_of_bad_ranks(self):
        document, _ = self.bench(3, program=FAULTY, devices=["absent", "good", "good"])
        self.assertEqual({row["name"].rpartition(" ")[0] for row in document["measurements"]}, {"all", "rank 1", "rank 2"})
        self.assertIn("rank 0 is not measured", document["notes"][0])
        stdout, _ = self.run_job(2, FAULTY, "bench", "--json", devices=["absent"], code=4)
        self.assertIn("no device", json.loads(stdout)["error"])
        document, stderr = self.bench(3, program=FAULTY, devices=["good", "blind", "good"], code=5)
        self.assertFalse(document["verified"])
        self.assertIn("rank 1: ", document["failures"][0])

    def test_bench_is_interrupted(self):
        for rank, number, code in ((0, signal.SIGINT, 130), (1, signal.SIGTERM, 143)):
            process = self.start(2, FAULTY, "bench", "--seconds", "3600", "--rounds", "1", "--json", devices=["good"])
            self.wait_for_words(process, "bench")
            time.sleep(0.5)  # at whatever it is then
            os.kill(int((self.folder / f"pid.{rank}").read_text()), number)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, code, stderr.decode())
            self.assertEqual(json.loads(stdout)["ending"], "interrupted")

    def wait_for_words(self, process, words):
        """On standard error, which is read up to them."""
        read = b""
        while words.encode() not in read:
            piece = os.read(process.stderr.fileno(), 4096)
            self.assertTrue(piece, read.decode())
            read += piece

    def test_a_rank_that_is_held(self):
        """SIGSTOP: the others wait for what it has in hand, or go on without it, and nothing is lost."""
        search = ["--target", RARE, "--end", "399999", "--roll-versions", "0000e000", "--all"]
        whole = json.loads(run("mine", BLOCK, *search, "--json", "-q").stdout)
        for rank in (0, 2):
            self.file.unlink(missing_ok=True)
            process = self.start(3, FAULTY, "mine", BLOCK, *search, "--json", "-q", "--checkpoint", self.file, devices=["good"])
            self.wait_for_work(process)
            held = int((self.folder / f"pid.{rank}").read_text())
            os.kill(held, signal.SIGSTOP)
            time.sleep(0.5)
            os.kill(held, signal.SIGCONT)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 0, stderr.decode())
            document = json.loads(stdout)
            self.assertEqual((document["results"], document["hashes"]), (whole["results"], 400000 * 8))

    def test_energy_of_the_machine_is_counted_once(self):
        powercap = self.folder / "powercap"
        stop = threading.Event()

        def use_energy():
            used = 0
            while not stop.wait(0.02):
                used += 1000000
                package(powercap, used)
        package(powercap, 0)
        user = threading.Thread(target=use_energy)
        user.start()
        self.addCleanup(user.join)
        self.addCleanup(stop.set)
        document = self.mine(3, *NOTHING, "--time-limit", "1", "--max-temp", "80", program=FAULTY, devices=["good"], code=3, powercap=powercap)
        validate(document)
        self.assertGreater(document["cpu_package_energy_j"], 0)
        most = int((powercap / "intel-rapl:0" / "energy_uj").read_text()) / 1e6
        self.assertLessEqual(document["cpu_package_energy_j"], most, "not once for each rank")

    def test_signals(self):
        process = self.start(3, FAULTY, "mine", BLOCK, *NOTHING, "--json", "-q", "--checkpoint", self.file, devices=["good"])
        self.wait_for_work(process)
        os.kill(int((self.folder / "pid.0").read_text()), signal.SIGINT)
        stdout, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        stopped = json.loads(stdout)
        self.assertEqual(stopped["ending"], "interrupted")
        limited = self.mine(2, *NOTHING, "--resume", self.file, "--time-limit", "0.3", program=FAULTY, devices=["good"], code=3)
        self.assertEqual(limited["resumed_hashes"], stopped["hashes"], "all that was done is recorded")
        # Of another rank: the job's code is that signal's, too.
        before = self.file.read_text()
        process = self.start(3, FAULTY, "mine", BLOCK, *NOTHING, "--json", "-q", "--resume", self.file, devices=["good"])
        self.wait_for_work(process, before)
        os.kill(int((self.folder / "pid.2").read_text()), signal.SIGTERM)
        stdout, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, json.loads(stdout)["ending"]), (143, "interrupted"))

    def wait_for_work(self, process, before=""):
        """Some is done, and recorded; more than there was `before`."""
        limit = time.monotonic() + PATIENCE
        while process.poll() is None:
            text = self.file.read_text() if self.file.exists() else ""
            if "\ndone " in text and text != before:
                break
            self.assertLess(time.monotonic(), limit, "nothing is recorded")
            time.sleep(0.005)

    def test_killed_ranks(self):
        """Any of them at any moment; gone on with by other numbers of ranks: the hits are those of one machine."""
        search = ["--target", RARE, "--end", 399999, "--roll-versions", "0000e000", "--all"]
        whole = json.loads(run("mine", BLOCK, *map(str, search), "--json", "-q").stdout)
        chance = random.Random(SEED)
        kills = finished = 0
        # A pipe that nobody reads would hold up who prints its result while its work is waited for.
        output = open(self.folder / "output", "ab")
        self.addCleanup(output.close)
        while kills < KILLS:
            for old in self.folder.glob("pid.*"):
                old.unlink()
            ranks = chance.randint(1, 4)
            before = self.file.read_text() if self.file.exists() else ""
            output.truncate(0)
            partition = chance.choice(["static", "dynamic"])
            process = self.start(ranks, FAULTY, "mine", BLOCK, *search, "--json", "-q", "--checkpoint", self.file, "--resume", self.file,
                                 "--partition", partition, stdout=output, devices=["good"], launcher=OVER_TCP if chance.random() < 0.3 else [])
            if chance.random() < 0.8:
                self.wait_for_work(process, before)
            time.sleep(chance.random() * 0.4)
            try:
                os.kill(int((self.folder / f"pid.{chance.randrange(ranks)}").read_text()), signal.SIGKILL)
            except (FileNotFoundError, ValueError, ProcessLookupError):
                process.kill()
            _, stderr = process.communicate(timeout=PATIENCE)
            if process.returncode == 0:
                finished += 1
                self.assertEqual(json.loads((self.folder / "output").read_text())["results"], whole["results"])
                self.file.unlink()
                continue
            self.assertNotRegex(stderr.decode(), r"(?m)^gpuminer: .*\bexpected\b", "MPI has its own words")
            kills += 1
        document = self.mine(3, *search, "--checkpoint", self.file, "--resume", self.file, program=FAULTY, devices=["good"])
        self.assertEqual(document["results"], whole["results"])
        self.assertEqual(document["hashes"] + document["resumed_hashes"], 400000 * 8)
        alone = run("mine", BLOCK, *map(str, search), "--json", "-q", "--resume", str(self.file))
        self.assertEqual(json.loads(alone.stdout)["results"], whole["results"], "gpuminer reads the same file")
        print(f"{KILLS} kills with seed {SEED}, {finished} searches were over before")


if __name__ == "__main__":
    main()

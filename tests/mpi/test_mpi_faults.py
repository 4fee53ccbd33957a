"""Jobs of gpuminer-mpi that are interrupted, held or killed, or whose devices lie or fail. Nothing is lost."""

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time

from jobs import FAULTY, GENESIS, MPI, OPENMPI, OVER_TCP, PATIENCE, RARE, ROLLED, Jobs  # (puts support on the path)
from support import BLOCK, NOTHING, hits_of, main, oracle, real_headers, run, validate

KILLS = int(os.environ.get("GPUMINER_KILLS", "20"))
SEED = os.environ.get("GPUMINER_KILLS_SEED", time.strftime("%Y%m%d"))


def states_of_children(parent):
    """As proc(5) has them: "Z" of a zombie."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, its_parent = stat.read_text().rsplit(")", 1)[1].split()[:2]
            if int(its_parent) == parent:
                yield state


class Faults(Jobs):
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

    def test_a_rank_that_stands_still(self):
        """SIGSTOP for good: the job ends after a limit or a signal all the same, with what the others have told."""
        search = ["--target", RARE, "--roll-versions", "0000e000", "--all"]
        for ending, code in (("limit", 3), ("interrupted", 143)):
            limit = ["--time-limit", "4"] if ending == "limit" else []  # rank 1 has begun and stands still before
            process = self.start(2, FAULTY, "mine", BLOCK, *search, "--json", "--checkpoint", self.file, *limit, devices=["good"])
            self.wait_for_work(process)
            os.kill(int((self.folder / "pid.1").read_text()), signal.SIGSTOP)
            if not limit:
                os.kill(int((self.folder / "pid.0").read_text()), signal.SIGTERM)
            stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, code, stderr.decode())
            document = json.loads(stdout)
            validate(document)
            self.assertEqual(document["ending"], ending)
            self.assertEqual(sum(rank["hashes"] for rank in document["ranks"]), document["hashes"])
            self.assertIn("rank 1 did not respond for 5 s", stderr.decode())
            self.assertNotIn("cannot", stderr.decode())
            whole = oracle(BLOCK, RARE, 0, 999, ROLLED)
            resumed = json.loads(run("mine", BLOCK, *search, "--json", "-q", "--resume", self.file, "--time-limit", "0.1").stdout)
            self.assertEqual([hit for hit in hits_of(resumed) if hit[1] < 1000], whole)
            self.file.unlink()

    def test_a_rank_that_stands_still_before_all_have_begun(self):
        """It reads a pipe that brings nothing; the others wait for it no longer than a limit or a signal allows."""
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for ending, waits, code in (("the limit", ["--time-limit", "1"], 3), ("a signal", [], 143)):
            process = self.start(1, MPI, "mine", BLOCK, *NOTHING, "--json", "--checkpoint", self.file, *waits,
                                 ":", "-n", "1", MPI, "mine", "-c", pipe)
            with open(pipe, "wb", buffering=0):  # once it reads
                self.wait_until(self.file.exists, process)  # from then on rank 0 waits for it
                if not waits:
                    os.kill(int((self.folder / "pid.0").read_text()), signal.SIGTERM)
                stdout, stderr = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, code, stderr.decode())
            self.assertIn(f"a rank did not respond for 5 s after {ending}: the job ends", stderr.decode())
            if waits:
                self.assertEqual(json.loads(stdout)["exit_code"], 3)
            self.file.unlink()

    def test_headers_left_out_for_a_rank_that_stands_still(self):
        """Of several, one after the other: those that nobody searched are counted, and the job does not end as if all were done."""
        count = 1000
        headers = self.folder / "headers"
        headers.write_text("".join(f"{row['header_hex']}\n" for row in real_headers()[:count]))
        output = self.folder / "output"
        # Rank 1 has nothing in hand that a search would wait for.
        process = self.start(2, FAULTY, "mine", f"@{headers}", *NOTHING, "--end", "1999", "--json", "-q", output=output, devices=["slow", "absent"])
        self.wait_until(lambda: output.exists() and output.stat().st_size > 0, process)
        os.kill(int((self.folder / "pid.1").read_text()), signal.SIGSTOP)
        _, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 3, stderr.decode())
        searched = [json.loads(line) for line in output.read_text().splitlines()]
        self.assertEqual({document["ending"] for document in searched}, {"finished"})
        self.assertIn(f"{count - len(searched)} headers were not searched", stderr.decode())

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

    def stderr_of_killed(self, process):
        """OpenMPI 4.1's mpirun sometimes waits for a lock of its own when all ranks have ended (in PMIx_server_finalize): it is ended then."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return process.communicate(timeout=20)[1]
            except subprocess.TimeoutExpired:
                self.assertLess(time.monotonic(), end, "the job still runs")
                if OPENMPI and set(states_of_children(process.pid)) <= {"Z"}:
                    process.kill()

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
            stderr = self.stderr_of_killed(process)
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

    def test_a_search_that_was_over(self):
        """Ranks without devices report what is in the file, with a row for each."""
        before = self.mine(2, "--target", RARE, "--end", 9999, "--all", "--checkpoint", self.file)
        after = self.mine(3, "--target", RARE, "--end", 9999, "--all", "--resume", self.file, program=FAULTY, devices=["absent"])
        validate(after)
        self.assertEqual((after["results"], after["ending"], after["devices"]), (before["results"], "finished", []))
        self.assertEqual((after["hashes"], after["resumed_hashes"]), (0, 10000))
        self.assertEqual([(rank["rank"], rank["hashes"], rank["devices"]) for rank in after["ranks"]], [(0, 0, 0), (1, 0, 0), (2, 0, 0)])
        self.assertEqual({rank["host"] for rank in after["ranks"]}, {before["ranks"][0]["host"]})

    def test_results_that_cannot_be_written(self):
        """Of the first of two searches, and of one that was over: an error ends the job, and no rank waits for the next."""
        headers = self.folder / "headers"
        headers.write_text(f"{BLOCK}\n{BLOCK}\n")
        run("mine", BLOCK, "--target", RARE, "--checkpoint", str(self.file))
        for arguments in ([f"@{headers}"], [BLOCK, "--resume", self.file]):
            _, stderr = self.run_job(3, MPI, "mine", *arguments, "--target", RARE, "--json", output="/dev/full", code=1)
            self.assertIn("cannot write to standard output", stderr)

    def test_a_liar_among_the_ranks(self):
        search = ["--target", RARE, "--end", 99999, "--roll-versions", "0000e000", "--all"]
        document = self.mine(3, *search, program=FAULTY, header=GENESIS, devices=["good", "liar,good", "good"])
        self.assertEqual(hits_of(document), oracle(GENESIS, RARE, 0, 99999, ROLLED))
        self.assertGreater(document["rejected_candidates"], 0)

    def test_a_rank_whose_device_does_not_open(self):
        """It takes no work that all others would wait for."""
        for way in (["--deterministic"], ["--all", "--end", 99999]):
            document = self.mine(3, "--target", RARE, *way, program=FAULTY, header=GENESIS, devices=["asleep", "good", "good"])
            self.assertEqual(document["ending"], "finished")
            self.assertEqual(document["ranks"][0]["hashes"], 0)
            self.assertEqual(document["results"][0]["nonce"], oracle(GENESIS, RARE, 0, 99999)[0][1])

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


if __name__ == "__main__":
    main()

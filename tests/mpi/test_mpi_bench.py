"""gpuminer-mpi bench: ranks that measure together."""

import json
import os
import signal
import time

from jobs import MPI, FAULTY, PATIENCE, OVER_TCP, Jobs  # (puts support on the path)
from support import main, validate


class Bench(Jobs):
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

    def test_what_only_gpuminer_has(self):
        """A submission would have no device: ranks measure all of theirs together."""
        for arguments, words in ((["latency"], "expected the workload scan"), (["--submit", "card.json"], "has no --submit")):
            _, stderr = self.run_job(1, MPI, "bench", *arguments, code=1)
            self.assertIn(words, stderr)

    def test_another_algorithm(self):
        self.skip_without_verushash()
        document, _ = self.bench(2, "-a", "verushash")
        self.assertEqual([row["name"] for row in document["measurements"]], ["all fixed", "rank 0 fixed", "rank 1 fixed"])

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

    def test_a_rank_that_stands_still(self):
        process = self.start(2, FAULTY, "bench", "--seconds", "3600", "--rounds", "1", "--json", devices=["good"])
        self.wait_for_words(process, "bench")
        os.kill(int((self.folder / "pid.1").read_text()), signal.SIGSTOP)
        os.kill(int((self.folder / "pid.0").read_text()), signal.SIGTERM)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 143, stderr.decode())
        self.assertEqual(json.loads(stdout)["ending"], "interrupted")

    def wait_for_words(self, process, words):
        """On standard error, which is read up to them."""
        read = b""
        while words.encode() not in read:
            piece = os.read(process.stderr.fileno(), 4096)
            self.assertTrue(piece, read.decode())
            read += piece


if __name__ == "__main__":
    main()

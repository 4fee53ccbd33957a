"""Every command of --help once, on real input: blocks, a pool, a node."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from support import BLOCK, BLOCK_HASH, BLOCK_NONCE, GPUMINER, NEAR_BLOCK, Case, document_of, environment, main, run

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "live"))
import nodes  # noqa: E402
from pool_server import PoolServer  # noqa: E402

CPU = ["-t", "1", "--backend", "cpu", "--isa", "scalar"]
# A command with its arguments, and what it prints.
RUNS = (
    ([*NEAR_BLOCK], f"found nonce {BLOCK_NONCE} "),
    (["mine", BLOCK, *NEAR_BLOCK], f"found nonce {BLOCK_NONCE} "),
    (["grind", BLOCK[:152], *NEAR_BLOCK], BLOCK),
    (["verify", "100000"], BLOCK_HASH),
    (["explain", "100000", "--steps"], BLOCK_HASH),
    (["devices"], "cpu:"),
    (["config", "example"], "threads"),
    (["config", "check"], "configuration"),
    (["config", "show", "-t", "3"], "threads = 3 "),
)
# Commands that talk to a miner, and what they print.
TALKS = (("status", "mine "), ("pause", "paused"), ("resume", "resumed"), ("pair", "type "))


class Commands(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_well(self, *arguments):
        """What it prints."""
        process = run(*arguments, env=environment(XDG_STATE_HOME=self.folder))
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        return process.stdout.decode()

    def test_each(self):
        for arguments, words in RUNS:
            with self.subTest(command=arguments):
                self.assertIn(words, self.run_well(*arguments))

    def test_verushash(self):
        process = run("mine", "example", "-a", "verushash", "--target", "0" + "f" * 63, "--end", "33", "-t", "1")
        if process.returncode == 4:
            self.skipTest(process.stderr.decode())
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        self.assertIn("found nonce 33 ", process.stdout.decode())

    def test_bench_and_compare(self):
        file = f"{self.folder}/run.json"
        self.run_well("bench", "kernel", "--rounds", "5", "--seconds", "0.02", *CPU, "--json", file)
        self.assertTrue(document_of(pathlib.Path(file).read_text())["verified"])
        self.assertIn("noise", self.run_well("compare", file, file))

    def test_pool_and_journal(self):
        with contextlib.closing(PoolServer(difficulty=1e-6)) as pool:
            document = document_of(self.run_well("pool", "-o", pool.url, "-u", "x", "--shares", "1", "--json", *CPU))
            self.assertEqual(document["accepted"], len(pool.accepted()))  # which hashlib has hashed
            self.assertGreaterEqual(document["accepted"], 1)
        self.assertEqual(document_of(self.run_well("journal", "--json"))["total"]["accepted"], document["accepted"])

    def test_solo(self):
        nodes.Btcd.program()  # skips the test where there is none
        node = nodes.Btcd(pathlib.Path(self.folder) / "node")
        self.addCleanup(node.stop)
        self.run_well("solo", "--node", node.url, "--coinbase-addr", node.address, "--blocks", "1", *CPU)
        self.assertGreaterEqual(node.height(), 1)  # every second hash solves one

    def test_those_that_talk_to_a_miner(self):
        place, token = f"{self.folder}/socket", f"{self.folder}/token"
        at = ["--http", f"unix:{place}", "--http-token-file", token]
        miner = subprocess.Popen([GPUMINER, "mine", "genesis", "--target", "0" * 64, *CPU, *at], stderr=subprocess.PIPE, text=True,
                                 env=environment(XDG_STATE_HOME=self.folder))
        self.addCleanup(miner.stderr.close)
        self.addCleanup(miner.wait)
        self.addCleanup(miner.kill)
        while place not in miner.stderr.readline():  # "shown on …"
            self.assertIsNone(miner.poll())
        for command, words in TALKS:
            with self.subTest(command=command):
                self.assertIn(words, self.run_well(command, *at))

    def test_no_command_is_left_out(self):
        names = set(re.findall(r"^  (\w+) .*", re.search(r"Commands:\n(.*?)\n\n", self.run_well("--help"), re.DOTALL)[1], re.MULTILINE))
        self.assertEqual(names, {arguments[0] for arguments, _ in RUNS if arguments[0] in names} |
                         {command for command, _ in TALKS} | {"bench", "compare", "pool", "journal", "solo"})


if __name__ == "__main__":
    main()

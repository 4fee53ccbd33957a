"""`gpuminer pool` against the Stratum V2 Reference Implementation's own code: encryption, messages, channels and the verdict on each
share are those of its crates (tests/live/sri). What its pool accepts is what gpuminer reports."""

import collections
import subprocess
import threading
import unittest

from nodes import SERVERS
from noise import NoiseAuthority
from support import CPU, Case, main

PROGRAM = SERVERS / "sri/debug/sri-pool"
REQUIRES_FIXED_VERSION, REQUIRES_EXTENDED_CHANNELS = 1, 2
DIFFICULTY = 3e-6  # 13,000 hashes a share; a block has eight times as many
EASY = ["--suggest-diff", DIFFICULTY]
ANY_RATE = 1e9  # shares a minute: the target is the largest that the client takes
MINE = ["-u", "worker", *CPU, "--max-hashrate", "500k"]


class SriPool:
    """sri-pool; its lines, as words, are `said` once it has ended."""

    def __init__(self, flags=0, batch=1, rate=ANY_RATE):
        self.process = subprocess.Popen([PROGRAM, *map(str, (flags, batch, rate))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        port, self.authority = self.process.stdout.readline().split()
        self.bare_url = f"stratum2+tcp://127.0.0.1:{port}"
        self.url = f"{self.bare_url}/{self.authority}"
        self.said = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        self.said.extend(line.split() for line in self.process.stdout)

    def end(self):
        """It ends with its standard input. How many shares met with each verdict."""
        self.process.stdin.close()
        self.reader.join()
        self.process.stdout.close()
        self.process.wait()
        return collections.Counter(verdict for kind, verdict, *_ in self.said if kind == "share")


@unittest.skipUnless(PROGRAM.exists(), "SRI's pool is not there; tests/live/get_servers.sh --all builds it with cargo 1.85")
class Sri(Case):
    def pool(self, *arguments, **options):
        pool = SriPool(*arguments, **options)
        self.addCleanup(lambda: pool.process.poll() is None and pool.end())
        return pool

    def mine(self, pool, *arguments, shares=40):
        """The document, and what was said on standard error; the pool's verdicts are those in the document."""
        document, messages = self.run_miner("pool", "-o", pool.url, *MINE, "--shares", shares, *arguments)
        verdicts = pool.end()
        told = {**document["reject_reasons"], "accepted": document["accepted"]}
        self.assertGreaterEqual(document["accepted"], shares, messages)
        # Refused: only what was on its way when a block was found, or two.
        self.assertLessEqual(verdicts.keys() | told.keys(), {"accepted", "stale-share", "invalid-job-id"}, messages)
        # What was sent at the very end has no answer, whether the pool took it or not.
        missing = {verdict: verdicts[verdict] - told.get(verdict, 0) for verdict in verdicts.keys() | told.keys()}
        self.assertGreaterEqual(min(missing.values()), 0, messages)
        self.assertLessEqual(sum(missing.values()), document["unanswered"], messages)
        return document, messages

    def opened(self, pool):
        return [words[1:] for words in pool.said if words[0] == "open"]

    def test_standard_channel(self):
        pool = self.pool()
        document, messages = self.mine(pool, *EASY)
        self.assertEqual(self.opened(pool), [["standard", "worker"]])
        self.assertEqual(document["details"]["extranonce2_size"], 0)
        self.assertAlmostEqual(document["difficulty"], DIFFICULTY, delta=DIFFICULTY / 100)
        self.assertNotIn("authority", messages)

    def test_extended_channel(self):
        pool = self.pool(flags=REQUIRES_EXTENDED_CHANNELS)
        document, _ = self.mine(pool, *EASY)
        self.assertEqual(self.opened(pool), [["extended", "worker"]])
        self.assertEqual(document["details"]["extranonce2_size"], 12)

    def test_fixed_version(self):
        """An extended channel's jobs then forbid rolled versions, and SRI refuses shares that have them."""
        self.mine(self.pool(flags=REQUIRES_FIXED_VERSION | REQUIRES_EXTENDED_CHANNELS), *EASY)

    def test_target_of_the_rate(self):
        """The pool's own reckoning, from the rate that gpuminer tells, which is its limit here."""
        document, messages = self.mine(self.pool(rate=60 * 500_000 / 13_000))
        self.assertAlmostEqual(document["difficulty"], 13_000 / 2**32, delta=DIFFICULTY / 100, msg=messages)

    def test_answers_in_batches(self):
        """All of a batch is accepted at once; a block's share is answered with those that waited before it."""
        for flags in (0, REQUIRES_EXTENDED_CHANNELS):
            with self.subTest(flags=flags):
                pool = self.pool(flags=flags, batch=5)
                _, messages = self.mine(pool, *EASY, shares=30)
                self.assertNotIn("wait for an answer", messages)  # the pool's number of accepted shares was right

    def test_another_authority(self):
        pool = self.pool()
        other = NoiseAuthority().text
        document, messages = self.run_miner("pool", "-o", f"{pool.bare_url}/{other}", *MINE, "-r", 0, code=6)
        self.assertIn("is not signed by the authority whose key was given", document["error"] + messages)
        pool.end()
        self.assertEqual([words for words in pool.said if words[0] != "closed"], [])  # nothing was said to it

    def test_without_a_key(self):
        pool = self.pool()
        pool.url = pool.bare_url
        _, messages = self.mine(pool, *EASY, shares=2)
        self.assertIn("its URL has no authority key", messages)

    def test_probe(self):
        for flags, kind, sizes, bits in ((0, "standard", (16, 0), "1fffffe0"),
                                         (REQUIRES_EXTENDED_CHANNELS, "extended", (4, 12), "1fffffe0"),
                                         (REQUIRES_FIXED_VERSION, "standard", (16, 0), "00000000")):
            with self.subTest(flags=flags):
                pool = self.pool(flags=flags)
                document, _ = self.run_miner("pool", "--probe", pool.url)
                self.assertEqual((document["protocol"], document["version_bits"], document["difficulty"]), ("Stratum V2", bits, None))
                self.assertTrue(document["certificate"]["checked"])
                document, _ = self.run_miner("pool", "--probe", pool.url, "-u", "worker")
                self.assertEqual((document["extranonce1_bytes"], document["extranonce2_bytes"]), sizes)
                self.assertGreater(document["difficulty"], 0)
                pool.end()
                self.assertEqual(self.opened(pool), [[kind, "worker"]])


if __name__ == "__main__":
    main()

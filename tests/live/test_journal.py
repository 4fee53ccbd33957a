"""A journal on a file system that hangs (slow_disk.cpp), and a pool that makes it long.
Mining goes on, and the program ends when it is told to."""

import json
import os
import pathlib
import signal
import time

from nodes import RpcShim
from pool_server import PoolServer
from support import CPU, Case, journal, main

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
ADDRESS = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"  # BIP 173's example key
SLOW_DISK = os.environ.get("GPUMINER_SLOW_DISK_LIBRARY", "")
PRELOADED = os.environ.get("LD_PRELOAD", "")


class EasyPool(PoolServer):
    """Each hash is a share, and each is accepted."""

    def mining_submit(self, client, parameters):
        client.submitted += 1
        return True


class Node(RpcShim):
    """Gives one template, and keeps what is submitted."""

    def __init__(self, template):
        self.blocks = []
        super().__init__(
            None,
            getblockchaininfo=lambda *_: {"chain": "regtest", "blocks": 127, "headers": 127, "initialblockdownload": False},
            getblocktemplate=lambda *_: template,
            submitblock=lambda parameters, _: self.blocks.append(parameters[0]),
            getbestblockhash=lambda *_: template["previousblockhash"])


class SlowDisk(Case):
    def setUp(self):
        super().setUp()
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))

    def disk(self, name="slow"):
        """The journal of the next miner."""
        self.file = self.folder / name / "journal.jsonl"
        self.file.parent.mkdir()
        self.calls = self.folder / name / "calls"
        if SLOW_DISK and not os.path.exists(SLOW_DISK):
            raise FileNotFoundError(f"{SLOW_DISK} is not built")
        os.environ.update({"LD_PRELOAD": ":".join(each for each in (SLOW_DISK, PRELOADED) if each),
                           "GPUMINER_SLOW_DISK": str(self.file), "GPUMINER_SLOW_DISK_CALLS": str(self.calls)})

    def hang(self, calls):
        new = self.calls.with_suffix(".new")
        new.write_text(calls)
        new.rename(self.calls)

    def pool(self):
        pool = PoolServer(1e-4)
        self.addCleanup(pool.close)
        return pool

    def mine(self, pool, *arguments):
        return self.start("pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "3M", "--journal", self.file, *arguments)

    def end(self, miner):
        """Told to end, it does so without an answer of the disk."""
        begin = time.monotonic()
        miner.process.send_signal(signal.SIGTERM)
        self.assertEqual(miner.wait(), 143, miner.messages[-2000:])
        return time.monotonic() - begin

    def shares(self, pool, miner, count):
        before = len(pool.accepted())
        self.wait_until(lambda: len(pool.accepted()) >= before + count, f"{count} more shares", miner)

    def wait_for(self, words, miner):
        self.wait_until(lambda: words in miner.messages, words, miner)

    def test_each_call_from_the_beginning(self):
        miners = {}
        for call in ("open", "write", "fsync"):
            self.disk(call)
            self.hang(call)
            pool = self.pool()
            miners[call] = pool, self.mine(pool)
        for call, (pool, miner) in miners.items():
            self.shares(pool, miner, 5)
            self.wait_for("the disk has not responded for 2 s", miner)
            print(f"{call}: TERM took {self.end(miner):.2f} s")
            self.assertIn("were lost", miner.messages)
            self.assertEqual(miner.messages.count("the disk has not responded"), 1, miner.messages)

    def test_a_limit(self):
        self.disk()
        self.hang("open")
        miner = self.mine(self.pool(), "--time-limit", 1)
        self.assertEqual(miner.wait(), 3, miner.messages)

    def test_while_it_mines(self):
        self.disk()
        pool = self.pool()
        miner = self.mine(pool)
        self.shares(pool, miner, 5)
        self.hang("write fsync")
        self.wait_for("the disk has not responded for 2 s", miner)
        self.shares(pool, miner, 5)
        self.hang("")
        self.wait_for("the disk responds again", miner)
        self.end(miner)
        written = {(entry["job"], entry["extranonce2"], entry["nonce"]) for entry in journal(self.file) if entry["event"] == "share"}
        sent = {(share.key[0], share.key[1], share.key[3]) for share in pool.shares}
        self.assertEqual(sent - written, set())

    def test_a_log_file(self):
        """On the same disk: nobody waits for it, neither SIGHUP nor the end."""
        for calls in ("write", "open"):
            with self.subTest(calls=calls):
                self.disk(f"log-{calls}")
                pool = self.pool()
                log = self.file.with_name("journal.jsonl.log")
                miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "3M", "--journal",
                                   self.folder / f"journal-{calls}", "--log-file", log, "-D", "--json")
                self.shares(pool, miner, 5)
                self.wait_until(lambda: b"logged in" in log.read_bytes(), "the log", miner)
                self.hang(calls)
                miner.process.send_signal(signal.SIGHUP)
                miner.process.send_signal(signal.SIGUSR1)
                self.wait_for("on average", miner)
                self.shares(pool, miner, 5)
                print(f"log {calls}: TERM took {self.end(miner):.2f} s")
                self.assertGreater(miner.document()["accepted"], 0)

    def test_a_limit_with_a_log_file(self):
        self.disk()
        self.hang("write fsync")
        miner = self.mine(self.pool(), "--time-limit", 1, "-D", "--log-file", self.file.with_name("journal.jsonl.log"))
        self.assertEqual(miner.wait(), 3, miner.messages)

    def test_a_block(self):
        template = json.loads((DATA / "getblocktemplate" / "core_regtest_h128.json").read_text())["template"]
        node = Node(template)
        self.addCleanup(node.close)
        self.disk()
        self.hang("fsync")
        miner = self.start("solo", "--node", node.url, "--coinbase-addr", ADDRESS, *CPU, "--journal", self.file)
        self.wait_until(lambda: node.blocks, "a block", miner)
        self.wait_for("the disk has not responded for 2 s", miner)
        print(f"solo: TERM took {self.end(miner):.2f} s")


class VeryManyShares(Case):
    def test_a_pool_of_a_very_low_difficulty(self):
        pool = EasyPool(1e-300)
        self.addCleanup(pool.close)
        file, log = self.folder / "journal.jsonl", self.folder / "log"
        miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, "--journal", file, "--log-file", log)
        self.wait_until(lambda: "very many shares" in miner.messages, "the first sums", miner)
        # A pool that is slow to read has thousands of shares before it.
        self.wait_until(lambda: sum(message["method"] == "mining.suggest_difficulty" for _, message in list(pool.messages)) > 1,
                        "another difficulty that is suggested", miner)
        size = file.stat().st_size + log.stat().st_size
        miner.process.send_signal(signal.SIGTERM)
        self.assertEqual(miner.wait(), 143, miner.messages[-2000:])
        entries = journal(file)
        summed = sum(entry["shares"] for entry in entries if entry["event"] == "shares")
        print(f"{summed} shares summed, {size} bytes")
        self.assertGreater(summed, 0)
        self.assertLess(size, 1_000_000)


if __name__ == "__main__":
    main()

"""gpuminer.exe's solo and journal under Wine, on a stand-in for Bitcoin Core: blocks found and accepted, its cookie, a journal that
both systems' programs go on with, rotated, left by a killed process, and held by one at a time."""

import json
import os
import pathlib
import re
import shutil
import signal
import sys
import time
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "live")]
from bitcoin import TRUE_SCRIPT, Block, address, display  # noqa: E402
from documents import document_of  # noqa: E402
from nodes import RpcError, RpcShim  # noqa: E402
from support import OTHERS, PATIENCE, WINEPREFIX, ProgramTest, outlined  # noqa: E402
from unittest_main import main  # noqa: E402

BITS = "207fffff"  # every second hash is a block
ADDRESS = address(TRUE_SCRIPT, "bcrt")
MINER = ["--coinbase-addr", ADDRESS, "--chain", "regtest", "-t", "1", "--isa", "scalar"]
ROTATED_AT = 8 << 20


class RegtestNode(RpcShim):
    """What solo asks of Bitcoin Core on regtest. `blocks`: its chain."""

    def __init__(self):
        self.blocks, self.stale = [], set()
        names = ("getblockchaininfo", "getconnectioncount", "getblocktemplate", "getbestblockhash", "getblockheader", "submitblock")
        super().__init__(None, **{name: lambda parameters, _, call=getattr(self, name): call(*parameters) for name in names})

    def hashes(self):
        return ["0f" * 32] + [display(block.hash) for block in self.blocks]

    def getblockchaininfo(self):
        return {"chain": "regtest", "blocks": len(self.blocks), "headers": len(self.blocks), "initialblockdownload": False}

    def getconnectioncount(self):
        return 8

    def getbestblockhash(self):
        return self.hashes()[-1]

    def getblockheader(self, name, _=True):
        if name in self.stale:
            return {"hash": name, "height": 1, "confirmations": -1, "time": int(time.time())}
        if name not in self.hashes():
            raise RpcError({"code": -5, "message": "Block not found"})
        height = self.hashes().index(name)
        return {"hash": name, "height": height, "confirmations": len(self.blocks) - height + 1, "time": int(time.time())}

    def getblocktemplate(self, _):
        now = int(time.time())
        return {"version": 0x20000000, "rules": ["csv", "segwit"], "previousblockhash": self.getbestblockhash(), "transactions": [],
                "coinbasevalue": 50 * 10**8, "target": "7fffff" + "0" * 58, "mintime": now - 600, "mutable": ["time"], "curtime": now,
                "bits": BITS, "height": len(self.blocks) + 1, "sigoplimit": 80000, "sizelimit": 4000000, "weightlimit": 4000000}

    def submitblock(self, text):
        block = Block(bytes.fromhex(text))
        if problems := block.problems():
            raise RpcError({"code": -25, "message": str(problems)})
        if display(block.hash) in self.hashes():
            return "duplicate"
        if display(block.header[4:36]) != self.getbestblockhash():
            self.stale.add(display(block.hash))
            return "inconclusive"
        self.blocks.append(block)
        return None


def lines_of(path):
    """The entries of its whole lines."""
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


class Solo(ProgramTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.umask, os.umask(0))  # what is closed to others is so by its access list
        self.node = RegtestNode()
        self.addCleanup(self.node.close)
        self.journal = self.folder / "solo.jsonl"

    def arguments(self, blocks, *more):
        return ["solo", "--node", self.node.url, *MINER, "--journal", "solo.jsonl", "--blocks", blocks, *more]

    def found(self, path):
        """Hashes of blocks."""
        return [entry["hash"] for entry in lines_of(path) if entry["event"] == "block"]

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def endless(self, journal):
        """One that still runs and has written a block down there."""
        process = self.start(*self.arguments(1000000, "--max-hashrate", "10"))
        self.addCleanup(process.kill)
        self.wait_for(lambda: journal.exists() and self.found(journal), f"no block in {journal}")
        return process

    def test_blocks_are_found_and_accepted(self):
        documents = []
        for run in (lambda *arguments: self.run_exe(*arguments)[0], self.run_native):
            before = len(self.node.blocks)
            documents.append(document_of(run(*self.arguments(3, "--json", "-q"))))
            self.assertGreaterEqual(len(self.node.blocks), before + 3)
            self.journal.unlink()
        here, there = documents
        self.assertEqual((here["ending"], here["details"]["journal"]), ("finished", "solo.jsonl"))
        self.assertGreaterEqual(here["accepted"], 3)
        for document in documents:
            del document["reject_reasons"]  # of blocks that were found twice at a height
        self.assertEqual(outlined(here), outlined(there))
        for block in self.node.blocks:
            self.assertEqual([script for value, script in block.transactions[0].outputs if value], [TRUE_SCRIPT])

    def test_the_cookie_of_bitcoin_core(self):
        # Wine's own folders, whatever the environment says.
        _, stderr = self.run_exe("solo", *MINER, code=1)
        local = re.search(r"'C:(.*\\AppData\\Local\\Bitcoin)' does not exist; --datadir", stderr)
        self.assertTrue(local, stderr)
        local = pathlib.Path(WINEPREFIX, "drive_c" + local[1].replace("\\", "/"))
        earlier = local.parent.with_name("Roaming") / "Bitcoin"
        for data in (local, earlier):
            shutil.rmtree(data, ignore_errors=True)  # a run that was killed may have left it
        for data, arguments in ((local, []), (earlier, []), (self.folder / "dätä", ["--datadir", "dätä"])):
            with self.subTest(data):
                self.addCleanup(shutil.rmtree, data)
                (data / "regtest").mkdir(parents=True)
                (data / "bitcoin.conf").write_text(f"[regtest]\r\nrpcport={self.node.port}\r\n")
                (data / "regtest" / ".cookie").write_text(f"__cookie__:{data.parent.name}")
                self.run_exe("solo", *MINER, *arguments, "--blocks", 1, "-q", "--journal", "j")
                self.assertIn(f"__cookie__:{data.parent.name}", self.node.credentials)

    def test_a_password_that_others_may_read(self):
        config, cookie = self.folder / "config.toml", self.folder / "cookie"
        config.write_text(f"node = '{self.node.url}'\n")
        cookie.write_text("a:b")
        for mode in (0o644, 0o600):
            config.chmod(mode)
            _, stderr = self.run_exe("solo", *MINER, "-c", "config.toml", "--blocks", 1, "-q", "--journal", "j")
            self.assertEqual("'Everyone' can read the password in 'config.toml'; `icacls" in stderr, mode == 0o644, stderr)

    def test_both_systems_go_on_with_one_journal(self):
        self.run_exe(*self.arguments(2, "-q"))
        self.run_native(*self.arguments(2, "-q"))
        self.run_exe(*self.arguments(1, "-q"))
        self.assertGreaterEqual(len(self.node.blocks), 5)
        self.assertLessEqual(set(self.node.hashes()[1:]), set(self.found(self.journal)))
        self.assertNotIn(b"\r", self.journal.read_bytes())
        self.assertEqual(self.journal.stat().st_mode & OTHERS, 0)  # as Wine takes the file's access list
        self.assertEqual(self.names(), ["solo.jsonl"])
        self.assertEqual(self.run_exe("journal", "solo.jsonl")[0], self.run_native("journal", "solo.jsonl"))
        here = document_of(self.run_exe("journal", "solo.jsonl", "--json")[0])
        self.assertEqual(outlined(here), outlined(document_of(self.run_native("journal", "solo.jsonl", "--json"))))
        self.assertEqual(here["total"]["accepted"], 0)
        self.assertEqual({block["hash"] for block in here["blocks"]}, set(self.found(self.journal)))
        self.assertIn("the journal 'none' does not exist", self.run_exe("journal", "none", code=1)[1])

    def test_one_that_was_killed_and_one_that_runs(self):
        first = self.endless(self.journal)
        self.assertIn("solo.jsonl.lock", self.names())
        second = self.endless(self.folder / "solo-2.jsonl")
        for process in (first, second):
            process.send_signal(signal.SIGKILL)
        for process in (first, second):  # Wine's services have the first one's pipes as long as there is another
            process.communicate()
        self.wait_for(lambda: not any(name.endswith(".lock") for name in self.names()), "a lock stays")
        before = self.journal.read_bytes()
        self.run_exe(*self.arguments(1, "-q"))
        self.assertEqual(self.journal.read_bytes()[:len(before)], before)
        self.assertLessEqual(set(self.node.hashes()[1:]),
                             {name for path in self.folder.glob("solo*.jsonl*") for name in self.found(path)})
        self.assertEqual([name for name in self.names() if name not in ("solo.jsonl", "solo-2.jsonl", "solo-2.jsonl.1")], [])
        self.assertEqual(self.run_exe("journal", "solo.jsonl")[0], self.run_native("journal", "solo.jsonl"))

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_another_users_is_refused(self):
        self.journal.write_text("")
        os.chown(self.journal, 65534, -1)
        _, stderr = self.run_exe(*self.arguments(1), code=1)
        self.assertIn("expected the journal of this user, but 'solo.jsonl' belongs to '", stderr)

    def test_a_long_one_is_rotated(self):
        self.run_exe(*self.arguments(1, "-q"))
        before = self.journal.read_bytes()
        line = json.dumps({"event": "note", "text": "x" * 50000}) + "\n"
        with open(self.journal, "a") as file:
            file.write(line * (1 + ROTATED_AT // len(line)))
        for age in (1, 2, 3):
            (self.folder / f"solo.jsonl.{age}").write_text(f"{age}\n")
        known = len(self.node.blocks)
        process = self.start(*self.arguments(1000000, "--max-hashrate", "10"))
        self.addCleanup(process.kill)
        self.wait_for(lambda: self.journal.exists() and self.journal.stat().st_size < ROTATED_AT and lines_of(self.journal), "no rotation")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(self.names(), ["solo.jsonl", "solo.jsonl.1", "solo.jsonl.2", "solo.jsonl.3"])
        self.assertEqual([(self.folder / f"solo.jsonl.{age}").read_text() for age in (2, 3)], ["1\n", "2\n"])
        self.assertTrue((self.folder / "solo.jsonl.1").read_bytes().startswith(before))
        self.assertLess(self.journal.stat().st_size, 100000)
        self.assertEqual(lines_of(self.journal)[0]["blocks"], known)
        self.assertEqual(self.journal.stat().st_mode & OTHERS, 0)


if __name__ == "__main__":
    main()

"""`gpuminer pool` on pools that behave: test_pool.py npm | ckpool | rolling | verus."""

import json
import subprocess
import sys
import time

import nodes
from bitcoin import DIFFICULTY_1, sha256d
from ckpool import Ckpool
from jobs import NodeJobs, OwnJobs
from npm_pool import NpmPool
from pool_server import MASK, PoolServer
from support import CPU, GPUMINER, Case, main
from verus_pool import VerusPoolServer

DIFFICULTY = 3e-6  # 13,000 hashes a share: little work even for a sanitized build on a busy machine


class NpmPoolOnBtcd(Case):
    """The pool of the npm package, as others run it, on a btcd. It rolls no versions."""

    def test_shares_and_blocks(self):
        node = self.node(nodes.Btcd)
        NpmPool.program()
        pool = NpmPool(self.folder, node, DIFFICULTY, block_difficulty=20 * DIFFICULTY)
        self.addCleanup(pool.close)
        miner = self.start("pool", "-o", pool.url, "-u", node.address + ".rig", *CPU, "--max-hashrate", "500k", "--shares", 100,
                           "--json")
        code = miner.wait()
        self.assertEqual(code, 0, miner.messages[-3000:] + pool.log.read_text()[-2000:])
        document = miner.document()
        self.assertEqual(document["ending"], "finished")
        self.assertGreaterEqual(document["accepted"], 100)
        heard = sum(document["reject_reasons"].values())
        # Of a share that solves a block it says so only when the node has the block.
        self.wait_until(lambda: len(pool.shares()) >= document["accepted"] + heard, "the pool's word on the last shares")
        shares = pool.shares()
        self.assertGreaterEqual(sum(share["valid"] for share in shares), 100)
        refused = [share["error"] for share in shares if not share["valid"]]
        self.assertLessEqual(set(refused), {"job not found"}, document)  # a new block came while it was on its way
        self.assertTrue(heard <= len(refused) <= heard + document["unanswered"], (refused, document))
        self.assertTrue(any(share["solved"] for share in shares), "no block among so many shares")
        # A share that nobody waits for any more may solve one, too.
        self.wait_until(lambda: node.height() == sum(share["solved"] for share in pool.shares()), "as many blocks as the pool tells")
        solved = [share["hash"] for share in pool.shares() if share["solved"]]
        for height in range(1, node.height() + 1):
            block = node.block(height)
            self.assertEqual(block.problems(), [])
            self.assertIn(block.hash[::-1].hex(), solved)

    def test_a_stranger_is_told_so(self):
        node = self.node(nodes.Btcd)
        NpmPool.program()
        pool = NpmPool(self.folder, node, DIFFICULTY)
        self.addCleanup(pool.close)
        document, _ = self.run_miner("pool", "-o", pool.url, "-u", "stranger", *CPU, "-r", 0, code=6)
        self.assertEqual(document["exit_code"], 6)


class CkpoolOnCore(Case):
    """A pool of others that lets versions be rolled. On regtest every share solves a block."""

    def mine(self, mask):
        Ckpool.program()
        node = self.node(nodes.Core)
        node.generate(20)  # ckpool writes the first heights as BIP 34 does not allow
        pool = Ckpool(self.folder, node, DIFFICULTY, mask)
        self.addCleanup(pool.close)
        document, messages = self.run_miner("pool", "-o", pool.url, "-u", node.address + ".rig", *CPU, "--max-hashrate", "50k",
                                            "--shares", 20)
        self.assertIn(f"the coinbase pays {node.address} 50 BTC of 50 BTC", messages)
        self.assertLessEqual(document["reject_reasons"].keys(), {"Stale (21)"})  # the block before was its own
        self.assertEqual(document["rejected"], 0)
        blocks = [node.block(height) for height in range(21, node.height() + 1)]
        self.assertGreater(len(blocks), 1, pool.log.read_text(errors="replace")[-2000:])
        self.assertEqual([block.problems() for block in blocks], [[]] * len(blocks))
        return {block.version for block in blocks}

    def test_versions_are_rolled(self):
        versions = self.mine("1fffe000")
        self.assertTrue(any(version & MASK for version in versions), versions)

    def test_only_the_bits_that_the_pool_allows(self):
        versions = self.mine("00006000")
        self.assertLessEqual(versions, {0x20000000, 0x20002000, 0x20004000, 0x20006000})

    def test_without_version_rolling(self):
        self.assertEqual(self.mine("00000000"), {0x20000000})


class VersionRolling(Case):
    """A pool of the test's own, which makes versions as ckpool (OR), Stratum V2's translator (mask) and public-pool (XOR)
    were seen to do. No pool with version rolling is to be had from a package registry."""

    def mine(self, pool, shares=30, more=()):
        self.addCleanup(pool.close)
        document, _ = self.run_miner("pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "500k", "--shares", shares, *more)
        self.assertEqual(pool.errors, [])
        self.assertGreaterEqual(len(pool.accepted()), shares)
        self.assertEqual(pool.repeated(), 0)
        return document

    def rolled(self, pool):
        return {int(share.key[4], 16) for share in pool.accepted()}

    def test_job_bits_are_kept(self):
        for combine in ("or", "mask", "xor"):
            for version in (0x20000000, 0x30000000, 0x2055A000, 0x3FFFE000):
                with self.subTest(combine=combine, version=f"{version:08x}"):
                    pool = PoolServer(DIFFICULTY, combine=combine, jobs=OwnJobs(8, version))
                    document = self.mine(pool, shares=10)
                    bits = self.rolled(pool)
                    self.assertEqual([each for each in bits if each & ~MASK], [])
                    # A share has the job's own bits, too, but for a pool that was seen to XOR them.
                    xors = combine == "xor" and version & MASK
                    self.assertEqual({each & version & MASK for each in bits}, {0 if xors else version & MASK})
                    if xors:
                        self.assertEqual(set(document["reject_reasons"]), {"Above target (23)"})
                    else:
                        self.assertEqual(document["rejected"], 0, document["reject_reasons"])
                    if version != 0x3FFFE000:  # there all bits are taken
                        self.assertGreater(len(bits), 1, "no version was rolled")

    def test_the_journal_tells_of_them(self):
        pool = PoolServer(DIFFICULTY)
        document = self.mine(pool)
        history, _ = self.run_miner("journal")
        (day,) = history["days"]
        self.assertEqual([day[name] for name in ("pool", "accepted", "refused")], [pool.url, document["accepted"], document["rejected"]])
        self.assertEqual(history["files"], [document["details"]["journal"]])
        self.assertAlmostEqual(day["accepted_difficulty"], document["accepted_difficulty"])
        # The journal's is of all shares, answered or not; the run's of all hashes, also of one found when the last share had been sent.
        for less, more in ((DIFFICULTY_1 / pool.lowest_hash, day["best_difficulty"]), (day["best_difficulty"], document["best_difficulty"])):
            self.assertLessEqual(less, more * (1 + 1e-9))

    def test_a_narrow_mask(self):
        pool = PoolServer(DIFFICULTY, mask=0x00006000)
        self.assertEqual(self.mine(pool)["rejected"], 0)
        self.assertLessEqual(self.rolled(pool), {0, 0x2000, 0x4000, 0x6000})

    def test_another_mask_in_the_middle(self):
        def change(client):
            client.mask = 0x00018000
            client.send({"id": None, "method": "mining.set_version_mask", "params": ["00018000"]})

        pool = PoolServer(DIFFICULTY, greet=change)
        document = self.mine(pool)
        self.assertLessEqual(document["rejected"], 2, document)  # those that were under way
        self.assertTrue(self.rolled(pool) <= {0, 0x8000, 0x10000, 0x18000})

    def test_without_the_extension_nothing_is_rolled(self):
        for sizes in ((4, 4), (0, 8), (16, 1)):
            pool = PoolServer(DIFFICULTY, mask=0, extranonce1_size=sizes[0], extranonce2_size=sizes[1])
            document = self.mine(pool)
            self.assertEqual(document["rejected"], 0, document["reject_reasons"])
            self.assertEqual({share.rolled for share in pool.accepted()}, {False})

    def test_blocks_with_rolled_versions_on_btcd(self):
        for combine in ("or", "mask", "xor"):
            node = self.node(nodes.Btcd, combine)
            pool = PoolServer(DIFFICULTY, combine=combine, jobs=NodeJobs(8, node, version_bits=0x10000000))
            document = self.mine(pool, shares=20)
            self.assertGreaterEqual(document["blocks"], 1)
            self.assertEqual({reason for _, reason in pool.blocks}, {None})
            blocks = [node.block(height) for height in range(1, node.height() + 1)]
            self.assertEqual([block.hash for block in blocks], [sha256d(block.header) for block in blocks])
            self.assertEqual([each.hash for each in blocks], [each for each, _ in pool.blocks])
            self.assertTrue(any(block.version & MASK & ~0x10000000 for block in blocks), "no rolled version in a block")

    def test_nothing_is_sent_after_a_clean_job(self):
        pool = PoolServer(DIFFICULTY)
        self.addCleanup(pool.close)
        miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "5M", "--json")
        self.wait_until(lambda: pool.accepted(), "a share", miner)
        order = {pool.job.id: -1}
        for number in range(20):
            pool.next_job(new_block=True)
            order[pool.job.id] = number
            # The miner answers what comes behind the job only once it has the job.
            pool.tell({"id": f"job {number}", "method": "client.get_version", "params": []})
            self.wait_until(lambda: any(message.get("id") == f"job {number}" for _, message in pool.messages), "a reply", miner)
            time.sleep(0.2)  # the search goes on
        self.assertEqual(miner.interrupt(), 130)
        known = -1
        for _, message in pool.messages:
            if str(message.get("id")).startswith("job "):
                known = int(message["id"][4:])
            elif message.get("method") == "mining.submit":
                self.assertGreaterEqual(order[message["params"][1]], known)
        self.assertEqual(known, 19)
        self.assertEqual(pool.repeated(), 0)


class Verus(Case):
    """A pool of the test's own that speaks Verus' dialect: none with the packages that it needs is to be had from a registry."""

    def test_shares(self):
        process = subprocess.run([GPUMINER, "devices", "-a", "verushash", "--json"], capture_output=True, check=False)
        if not any(device["usable"] for device in json.loads(process.stdout)["devices"]):
            self.skipTest("SKIPPED: this CPU can run no fast form of VerusHash")
        pool = VerusPoolServer()
        self.addCleanup(pool.close)
        miner = self.start("pool", "-o", pool.url, "-u", "RVerus.rig", "-a", "verushash", *CPU, "--json")
        for shares in (2, 4):
            self.wait_until(lambda: len(pool.accepted()) >= shares, "shares", miner)  # noqa: B023
            pool.next_job(new_block=True)
        self.assertEqual(miner.interrupt(), 130)
        document = miner.document()
        self.assertEqual(document["algorithm"], "verushash")
        self.assertEqual(pool.errors, [])
        self.assertLessEqual(pool.verdicts().keys(), {"accepted", "job not found"})
        self.assertGreaterEqual(document["accepted"], 4)
        self.assertEqual((document["rejected"], document["rejected_candidates"], pool.repeated()), (0, 0, 0))
        self.assertGreaterEqual(len({share.key[0] for share in pool.accepted()}), 2, "a job has no share")
        # A share found while the next job was on its way is stale, with a warning where it solves a block.
        self.assertEqual([line for line in miner.messages.splitlines() if "warning" in line and "stale, though" not in line], [])


if __name__ == "__main__":
    cases = {"npm": "NpmPoolOnBtcd", "ckpool": "CkpoolOnCore", "rolling": "VersionRolling", "verus": "Verus"}
    sys.argv.append(cases[sys.argv.pop(1)])
    main()

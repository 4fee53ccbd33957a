"""An hour (GPUMINER_SOAK_SECONDS) of mining on a pool: the rate that the shares imply is the one measured, and neither
memory nor descriptors grow. The npm pool on btcd where both are there, or else the test's own."""

import math
import os
import time
import unittest

import nodes
from npm_pool import NpmPool
from pool_server import PoolServer
from support import Case, main

SECONDS = float(os.environ.get("GPUMINER_SOAK_SECONDS", "3600"))
DIFFICULTY = 0.005  # 21 million hashes a share


class Soak(Case):
    def pool(self):
        try:
            nodes.Btcd.program()
            NpmPool.program()
        except unittest.SkipTest as reason:
            print(f"{reason}: on the test's own pool")
            pool = PoolServer(DIFFICULTY)
        else:
            # No block is so rare that the pool's jobs never change, none so frequent that shares get stale.
            pool = NpmPool(self.folder, self.node(nodes.Btcd), DIFFICULTY, block_difficulty=DIFFICULTY * 100)
        self.addCleanup(pool.close)
        return pool

    def test_an_hour(self):
        miner = self.start("pool", "-o", self.pool().url, "-u", "worker", "--backend", "cpu", "--time-limit", SECONDS, "--json")
        end = time.monotonic() + SECONDS
        samples = []
        while time.monotonic() < end - 1 and miner.process.poll() is None:
            time.sleep(min(10, SECONDS / 20))
            if miner.process.poll() is None:
                samples.append((miner.memory(), miner.descriptors()))
        self.assertEqual(miner.wait(), 3, miner.messages[-3000:])
        document = miner.document()
        found = document["accepted"] + document["rejected"] + document["stale"]
        expected = document["hashes"] / (DIFFICULTY * 2**32)
        print(f"{document['seconds']:.0f} s, {document['hash_rate'] / 1e6:.2f} MH/s measured, {document['share_rate'] / 1e6:.2f} MH/s by shares; "
              f"{found} shares, {expected:.1f} expected, {(found - expected) / math.sqrt(expected):+.2f} sigma; "
              f"{document['accepted']} accepted, {document['rejected']} rejected, {document['stale']} stale; "
              f"memory {samples[len(samples) // 4][0]} to {samples[-1][0]} KiB, descriptors {samples[-1][1]}")
        self.assertLess(abs(found - expected), 3 * math.sqrt(expected))
        self.assertGreater(document["accepted"], 0.95 * found)
        warm = samples[len(samples) // 4:]
        self.assertLess(warm[-1][0], warm[0][0] + 4 * 1024)  # KiB
        self.assertLessEqual(warm[-1][1], warm[0][1] + 2)


if __name__ == "__main__":
    main()

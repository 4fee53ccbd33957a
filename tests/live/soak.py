"""An hour (GPUMINER_SOAK_SECONDS) of mining on a pool, watched throughout. The rate that the shares imply is the one
measured, and neither memory nor descriptors grow. The npm pool on btcd where both are there, or else the test's own;
the page in a browser and Prometheus where these are there."""

import json
import math
import os
import time
import unittest

import nodes
from npm_pool import NpmPool
from pool_server import PoolServer
from support import Case, main, patience
from watchers import PROMETHEUS, StalledReaders, can_browse, start_node, start_prometheus

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

    def open_page(self, url):
        if not can_browse():
            print("no browser looks at it")
            return None
        errors = open(self.folder / "page.err", "wb")
        self.addCleanup(errors.close)
        page = start_node("page_open.js", url, errors)
        self.addCleanup(page.kill)
        return page

    def close_page(self, page):
        """None; what the page has shown and complained of is what it should."""
        seen, _ = page.communicate(timeout=patience())
        seen = json.loads(seen)
        self.assertEqual((seen["messages"], seen["state"]), ([], "mining"), seen)
        self.assertIn("H/s", seen["figures"])

    def test_an_hour(self):
        miner = self.start("pool", "-o", self.pool().url, "-u", "worker", "--backend", "cpu", "--time-limit", SECONDS, "--json",
                           "--http", "0", "--on-block", "true")
        end = time.monotonic() + SECONDS
        self.wait_until(lambda: "shown on " in miner.messages, "the line that says where", miner)
        url = miner.messages.split("shown on ")[1].split()[0]
        readers = StalledReaders(url, 100)
        page = self.open_page(url)
        if (PROMETHEUS / "prometheus").exists():
            prometheus, _ = start_prometheus(self.folder, url.split("/")[2])
            self.addCleanup(prometheus.wait)
            self.addCleanup(prometheus.kill)
        samples = []
        while time.monotonic() < end - 1 and miner.process.poll() is None:
            time.sleep(min(10, SECONDS / 20))
            if miner.process.poll() is None:
                samples.append((miner.memory(), miner.descriptors()))
            if page and time.monotonic() > end - min(30, SECONDS / 10):
                page = self.close_page(page)
        self.assertEqual(miner.wait(), 3, miner.messages[-3000:])
        readers.end()
        document = miner.document()
        found = document["accepted"] + document["rejected"] + document["stale"]
        expected = document["hashes"] / (DIFFICULTY * 2**32)
        print(f"{document['seconds']:.0f} s, {document['hash_rate'] / 1e6:.2f} MH/s measured, {document['share_rate'] / 1e6:.2f} MH/s by shares; "
              f"{found} shares, {expected:.1f} expected, {(found - expected) / math.sqrt(expected):+.2f} sigma; "
              f"{document['accepted']} accepted, {document['rejected']} rejected, {document['stale']} stale; "
              f"{readers.connections} readers of events that stalled; "
              f"memory {samples[len(samples) // 4][0]} to {samples[-1][0]} KiB, descriptors {samples[-1][1]}")
        self.assertLess(abs(found - expected), 3 * math.sqrt(expected))
        self.assertGreater(document["accepted"], 0.95 * found)
        warm = samples[len(samples) // 4:]
        self.assertLess(warm[-1][0], warm[0][0] + 4 * 1024)  # KiB
        self.assertLessEqual(warm[-1][1], warm[0][1] + 12)  # the page's connections, and readers that come and go


if __name__ == "__main__":
    main()

"""Pools that behave badly, and connections that do."""

import json
import time

import hostile
from fault_proxy import FaultProxy, Plan
from pool_server import PoolServer, Refusal
from support import CPU, SANITIZED, Case, main

DIFFICULTY = 1e-5  # 43,000 hashes a share
MANY = ["-R", 0.01, *CPU, "--max-hashrate", "3M", "--json"]
MIB = 1024  # KiB


class PoolFaults(Case):
    def pool(self, **settings):
        pool = PoolServer(DIFFICULTY, **settings)
        self.addCleanup(pool.close)
        return pool

    def proxy(self, pool, plan):
        proxy = FaultProxy(pool.port, plan)
        self.addCleanup(proxy.close)
        return proxy

    def miner(self, url, *arguments):
        return self.start("pool", "-o", url, "-u", "worker", *arguments, *MANY)

    def enough_shares(self, pool, miner, count=5):
        before = len(pool.accepted())
        self.wait_until(lambda: len(pool.accepted()) >= before + count, f"{count} more shares", miner)

    def end(self, pool, miner):
        """The document, once all is well in the end."""
        self.enough_shares(pool, miner)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        self.assertEqual(pool.repeated(), 0)
        self.assertEqual(pool.errors, [])
        self.assertNotIn("\x1b", miner.messages)
        return miner.document()

    def survive(self, lines):
        """A job first, then one of the lines for each connection; and shares after it, on this or another connection."""
        left = list(enumerate(lines))

        def greet(client):
            if left:
                client.send_bytes(left.pop(0)[1] + b"\n")
                # A connection that bears the line is ended here, so that the next line has its turn.
                client.send_bytes(json.dumps({"id": None, "method": "mining.ping", "params": []}).encode() + b"\n")
                time.sleep(0.02)
                client.close()

        pool = self.pool(greet=greet)
        miner = self.miner(pool.url)
        self.wait_until(lambda: not left, lambda: f"line {len(lines) - len(left)}", miner)
        return self.end(pool, miner)

    def test_garbage(self):
        self.survive(hostile.GARBAGE)

    def test_numbers(self):
        self.survive(hostile.NUMBERS)

    def test_jobs(self):
        self.survive(hostile.JOBS)

    def test_other_messages(self):
        self.survive(hostile.OTHERS)

    def test_replies_to_subscribe(self):
        pool = self.pool()
        replies = list(hostile.SUBSCRIPTIONS)
        right = pool.mining_subscribe

        def subscribe(client, parameters):
            result = right(client, parameters)
            return replies.pop() if replies and client.number % 2 else result

        def cut_the_rest(client):
            if replies:
                time.sleep(0.02)
                client.close()

        pool.mining_subscribe, pool.greet = subscribe, cut_the_rest
        miner = self.miner(pool.url)
        self.wait_until(lambda: not replies, "all replies", miner)
        self.enough_shares(pool, miner)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])

    def test_a_line_of_100_mb(self):
        sent = []

        def greet(client):
            if not sent:
                sent.append(True)
                for _ in range(100):
                    client.send_bytes(b"x" * 1_000_000)

        pool = self.pool(greet=greet)
        miner = self.miner(pool.url)
        peak = 0
        self.wait_until(lambda: sent, "the line", miner)
        before = miner.memory()
        limit = time.monotonic() + 2
        while time.monotonic() < limit:
            peak = max(peak, miner.memory())
            time.sleep(0.005)
        if not SANITIZED:
            self.assertLess(peak, before + 30 * MIB)
        self.end(pool, miner)

    def test_one_byte_at_a_time(self):
        pool = self.pool()
        document = self.end(pool, self.miner(self.proxy(pool, lambda _: Plan(chunk=1)).url))
        self.assertEqual(document["rejected"], 0)

    def test_lines_in_another_order(self):
        pool = self.pool()
        self.end(pool, self.miner(self.proxy(pool, lambda _: Plan(reorder=True)).url))

    def test_a_stall(self):
        pool = self.pool()
        document = self.end(pool, self.miner(self.proxy(pool, lambda _: Plan(stall_down=1500, stall_time=3)).url))
        self.assertEqual(document["rejected"], 0)

    def test_one_that_does_not_answer_is_left_for_the_next(self):
        dead, pool = self.pool(), self.pool()
        silent = self.proxy(dead, lambda _: Plan(stall_down=0, stall_time=600))
        miner = self.miner(silent.url, "-o", pool.url)
        self.wait_until(pool.accepted, "a share for the next pool", miner)
        self.end(pool, miner)

    def test_one_that_is_down_is_left_for_the_next(self):
        pool = self.pool()
        gone = PoolServer(DIFFICULTY)
        gone.close()
        self.end(pool, self.miner(gone.url, "-o", pool.url))

    def test_a_pool_that_accepts_nothing(self):
        def judge(_):
            raise Refusal(23, "\x1b[31mnot today")

        pool = self.pool(judge=judge)
        miner = self.miner(pool.url)
        self.wait_until(lambda: "not today" in miner.messages, "a refusal", miner)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        document = miner.document()
        self.assertEqual(document["accepted"], 0)
        self.assertGreater(document["rejected"], 0)
        self.assertIn("not today", json.dumps(document["reject_reasons"]))
        self.assertIn("not today", miner.messages)
        self.assertNotIn("\x1b", miner.messages)

    def test_a_refused_login(self):
        pool = self.pool(authorize=False)
        miner = self.miner(pool.url, "-p", "secret-password")
        self.assertEqual(miner.wait(), 6)
        self.assertEqual(miner.document()["exit_code"], 6)
        self.assertIn("unauthorized worker", miner.document()["error"])
        self.assertNotIn("secret-password", miner.messages + miner.stdout.read_text())

    def test_redirects(self):
        second = self.pool()
        told = []

        def greet(client):
            if not told:
                told.append(client.number)
                client.send({"id": None, "method": "client.reconnect", "params": ["127.0.0.1", second.port, 0]})

        first = self.pool(greet=greet)
        self.end(second, self.miner(first.url))

        for parameters, options in ((["evil.example", 3333, 0], []), (["127.0.0.1", second.port, 0], ["--no-redirect"])):
            pool = self.pool(greet=lambda client, parameters=parameters: client.send(
                {"id": None, "method": "client.reconnect", "params": parameters}))
            before = len(second.shares)
            self.end(pool, self.miner(pool.url, *options))
            self.assertEqual(len(second.shares), before)

    def test_reconnect_to_the_same(self):
        told = []

        def greet(client):
            if len(told) < 3:
                told.append(client.number)
                client.send({"id": None, "method": "client.reconnect", "params": []})

        pool = self.pool(greet=greet)
        self.end(pool, self.miner(pool.url))
        self.assertEqual(len(told), 3)
        self.assertEqual(len(pool.sessions), 1)  # it was resumed


if __name__ == "__main__":
    main()

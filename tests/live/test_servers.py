"""The tests' own pool, proxy and block builder, tried with a stand-in miner before any verdict of theirs is believed."""


import nodes
from bitcoin import Block
from fault_proxy import FaultProxy, Plan
from npm_pool import NpmPool
from jobs import NodeJobs, OwnJobs
from pool_server import PoolServer
from standin import StandIn
from support import Case, main

DIFFICULTY = 1e-7  # about 430 hashes


class Servers(Case):
    def pool(self, **settings):
        pool = PoolServer(**{"difficulty": DIFFICULTY, **settings})
        self.addCleanup(pool.close)
        return pool

    def client(self, *arguments, **settings):
        client = StandIn(*arguments, **settings)
        self.addCleanup(client.close)
        return client

    def test_right_shares_are_accepted_and_wrong_ones_are_not(self):
        for combine in ("or", "xor"):
            for roll in (None, 0x00006000):
                with self.subTest(combine=combine, roll=roll):
                    pool = self.pool(combine=combine, jobs=OwnJobs(8, version=0x30000000))
                    client = self.client(pool.port, roll=roll)
                    share = client.share(1)
                    self.assertIs(client.submit(share), True)
                    self.assertEqual(client.submit(share), "Duplicate share")
                    self.assertEqual(client.submit(client.share(2, easier=True)), "Above target")
                    changed = {2: "0000000000", 3: "00000000", 4: "00", 1: "none"}
                    for place, value in changed.items():
                        self.assertIn(client.submit([*share[:place], value, *share[place + 1:]]),
                                      ("Stale", "Ntime out of range", "a parameter has the wrong length"))
                    self.assertEqual(client.submit(["someone", *share[1:]]), "unauthorized worker")
                    other = share[:5] if roll else [*share[:5], "00000000"]
                    self.assertIn("version", client.submit(other))
                    self.assertEqual(len(pool.accepted()), 1)
                    # The duplicate, that of the other user, and the one with zero for no version bits.
                    self.assertEqual(pool.repeated(), 2 if roll else 3)
                    self.assertEqual(pool.errors, [])

    def test_bits_that_the_job_has_are_not_taken_twice(self):
        for combine, verdict in (("or", "Above target"), ("mask", "Above target"), ("xor", True)):
            pool = self.pool(combine=combine, jobs=OwnJobs(8, version=0x30000000))
            client = self.client(pool.port, roll=0x10002000)  # clears bit 28
            self.assertEqual(client.submit(client.share(1)), verdict, combine)
        client = self.client(pool.port, roll=0x00000001)
        self.assertEqual(client.submit(client.share(1)), "Invalid version mask")

    def test_a_session_goes_on_and_a_new_block_ends_its_jobs(self):
        pool = self.pool()
        first = self.client(pool.port)
        share = first.share(1)
        first.submit(share)
        first.close()
        second = self.client(pool.port, session=first.session)
        self.assertEqual((second.session, second.extranonce1), (first.session, first.extranonce1))
        self.assertEqual(second.submit(share), "Duplicate share")
        share = second.share(2)
        pool.next_job(new_block=True)
        self.assertEqual(second.submit(share), "Stale")
        self.assertEqual(pool.repeated(), 0)

    def test_the_proxy_cuts_where_it_is_told(self):
        pool = self.pool()
        plans = [Plan(cut_down=150), Plan(cut_up=60, reset=True), Plan(chunk=1), Plan(stall_down=100, stall_time=0.2)]
        proxy = FaultProxy(pool.port, lambda number: plans[number - 1])
        self.addCleanup(proxy.close)
        for plan in plans[:2]:
            with self.assertRaises((OSError, ValueError), msg=plan):
                StandIn(proxy.port)
        for plan in plans[2:]:
            client = self.client(proxy.port)
            self.assertIs(client.submit(client.share(1)), True, plan)

    def test_extranonces_of_all_sizes(self):
        for sizes in ((0, 8), (16, 1), (4, 4)):
            pool = self.pool(extranonce1_size=sizes[0], extranonce2_size=sizes[1], mask=0)
            client = self.client(pool.port)
            self.assertEqual(len(client.extranonce1), 2 * sizes[0])
            self.assertIs(client.submit(client.share(7)), True, sizes)

    def test_btcd_takes_the_pools_blocks(self):
        node = self.node(nodes.Btcd)
        pool = self.pool(jobs=NodeJobs(8, node, version_bits=0x10000000), difficulty=1e-9)
        client = self.client(pool.port, roll=0x00006000)
        for number in range(3):
            self.assertIs(client.submit(client.share(number)), True)
        self.assertEqual([reason for _, reason in pool.blocks], [None] * 3)
        self.assertEqual(node.height(), 3)
        block = node.block(3)
        self.assertEqual((block.hash, block.problems(), block.version & 0x1FFFE000), (pool.blocks[-1][0], [], 0x10006000))

    def test_the_npm_pool_on_btcd(self):
        node = self.node(nodes.Btcd)
        NpmPool.program()
        pool = NpmPool(self.folder, node, difficulty=DIFFICULTY, block_difficulty=2e-7)
        self.addCleanup(pool.close)
        client = self.client(pool.port)
        replies = [client.submit(client.share(number)) for number in range(30)]
        self.assertLessEqual(set(replies), {True, "job not found"}, pool.log.read_text()[-1000:])  # a block was found just before
        self.assertGreater(replies.count(True), 10)
        self.assertIn(client.submit(client.share(99, easier=True))[:9], ("low diffi", "job not f"))
        self.wait_until(lambda: node.height() > 0, "a block")
        for height in range(1, node.height() + 1):  # more of them may come meanwhile
            self.assertEqual(node.block(height).problems(), [])

    def test_the_block_checker_sees_what_is_wrong(self):
        node = self.node(nodes.Btcd)
        node.rpc("generate", 1)
        raw = bytes.fromhex(node.rpc("getblock", node.rpc("getblockhash", 1), 0))
        self.assertEqual(Block(raw).problems(), [])
        spoilt = raw[:-5] + bytes([raw[-5] ^ 1]) + raw[-4:]
        self.assertIn("the merkle root is another", Block(spoilt).problems())
        self.assertIn("the hash is above the target", Block(raw[:72] + bytes.fromhex("ffff001d") + raw[76:]).problems())


if __name__ == "__main__":
    main()

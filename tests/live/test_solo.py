"""`gpuminer solo` on real nodes: test_solo.py btcd | opencl | core."""

import subprocess
import sys
import time

import nodes
from bitcoin import COMMITMENT, TRUE_SCRIPT, display, spend
from nodes import RpcShim
from support import CPU, GPUMINER, Case, main, patience

TEXT = "gpuminer live test"


class Solo:
    """Mixed into the cases below."""

    devices = CPU
    kind = nodes.Btcd

    def mine(self, *urls, blocks, address=None, **settings):
        addresses = [each for url in urls for each in ("--node", url)]
        document, _ = self.run_miner("solo", *addresses, "--coinbase-addr", address or self.chain.address, "--coinbase-sig", TEXT,
                                     "--blocks", blocks, *self.devices, **settings)
        return document

    def check_blocks(self, heights):
        """Each is a right block that pays TRUE_SCRIPT alone; the transactions beside the coinbases, by block."""
        contents = {}
        for height in heights:
            block = self.chain.block(height)
            self.assertEqual(block.problems(), [], height)
            coinbase = block.transactions[0]
            self.assertIn(TEXT.encode(), coinbase.script)
            self.assertEqual((coinbase.sequence[::-1].hex(), coinbase.lock_time), ("fffffffe", height - 1))  # BIP 54
            paying = [script for value, script in coinbase.outputs if value]
            self.assertEqual(paying, [TRUE_SCRIPT], height)
            contents[height] = {display(each.txid) for each in block.transactions[1:]}
        return contents

    def send_transactions(self, count, fee):
        """Spends the outputs of the first blocks; the transactions' ids."""
        ids = []
        for height in range(1, 1 + count):
            coinbase = self.chain.block(height).transactions[0]
            raw = spend(coinbase.txid, max(value for value, _ in coinbase.outputs), fee)
            ids.append(self.chain.rpc("sendrawtransaction", raw.hex()))
        return ids

    def mine_empty_blocks(self, count):
        document = self.mine(self.chain.url, blocks=count)
        self.assertEqual((document["ending"], document["rejected"]), ("finished", 0), document)
        self.assertEqual((document["blocks"], document["accepted"]), (self.chain.height(), self.chain.height()))
        self.assertGreaterEqual(self.chain.height(), count)
        self.check_blocks(range(1, self.chain.height() + 1))

    def mine_transactions(self, blocks=3, fee=10000):
        height = self.chain.height()
        ids = self.send_transactions(9, fee)
        document = self.mine(self.chain.url, blocks=blocks)
        # (btcd makes a new template of the same block no more than once a minute, so that they may be in the second one.)
        contents = self.check_blocks(range(height + 1, self.chain.height() + 1))
        self.assertEqual([each for each in contents.values() if each], [set(ids)])
        full = next(at for at, each in contents.items() if each)
        coinbase, empty = (self.chain.block(at).transactions[0] for at in (full, height))
        self.assertTrue(any(script.startswith(COMMITMENT) for _, script in coinbase.outputs))
        values = [sum(value for value, _ in each.outputs) for each in (coinbase, empty)]
        self.assertEqual(values[0] - values[1], 9 * fee)
        self.assertEqual(self.chain.rpc("getrawmempool"), [])
        return document


class OnEveryNode(Solo):
    def setUp(self):
        super().setUp()
        self.chain = self.node(self.kind)

    def test_every_node_gets_the_block(self):
        second = self.node(self.kind, "second")
        self.mine(self.chain.url, second.url, blocks=5)
        self.assertGreaterEqual(self.chain.height(), 5)
        self.wait_until(lambda: second.height() == self.chain.height(), "the second node has them all")
        self.assertEqual(second.rpc("getbestblockhash"), self.chain.rpc("getbestblockhash"))

    def test_a_block_of_somebody_else_is_noticed(self):
        def submitblock(parameters, ask):
            time.sleep(0.1)  # else nobody could be quicker than it
            return ask("submitblock", *parameters)

        shim = RpcShim(self.chain, submitblock=submitblock)
        self.addCleanup(shim.close)
        miner = self.start("solo", "--node", shim.url, "--coinbase-addr", self.chain.address, *self.devices, "--json")
        self.wait_until(lambda: self.chain.height() > 0, "a block", miner)
        for _ in range(5):
            self.chain.generate(3)
            height = self.chain.height()
            self.wait_until(lambda: self.chain.height() > height, "a block on top of it", miner)
        self.assertEqual(miner.interrupt(), 130)
        self.assertGreaterEqual(miner.document()["accepted"], 6)


class SoloOnBtcd(OnEveryNode, Case):
    def test_across_the_activation_of_segwit_and_with_transactions(self):
        self.mine_empty_blocks(310)
        # Segwit is active after 300 blocks only if enough of them said so in their version.
        self.assertEqual(self.chain.rpc("getblockchaininfo")["bip9_softforks"]["segwit"]["status"], "active")
        self.mine_transactions()


class SoloOpencl(Solo, Case):
    devices = ["--backend", "opencl"]

    def test_blocks_found_by_opencl(self):
        listed = subprocess.run([GPUMINER, "devices"], capture_output=True, timeout=patience(), text=True).stdout
        while True:
            probe = subprocess.run([GPUMINER, "mine", "--backend", "opencl", "--nbits", "207fffff", "00" * 76], capture_output=True,
                                   timeout=patience(), text=True)
            if "did not open within" not in probe.stderr:
                break  # else its compiler was slow on a busy machine, and keeps what it has compiled
        if probe.returncode in (1, 4):
            self.skipTest(f"no OpenCL device works here: {probe.stderr.strip()[:300]} {listed[:200]}")
        self.chain = self.node(self.kind)
        self.mine_empty_blocks(8)
        self.chain.generate(300)  # past the activation of segwit
        document = self.mine_transactions()
        self.assertTrue(all(each["backend"] == "opencl" for each in document["devices"]), document["devices"])


class SoloOnCore(OnEveryNode, Case):
    kind = nodes.Core

    def test_with_transactions(self):
        self.mine_empty_blocks(110)
        self.mine_transactions()

    def test_found_from_its_folder(self):
        document, _ = self.run_miner("solo", "--datadir", self.chain.folder, "--chain", "regtest", "--coinbase-addr",
                                     self.chain.address, "--blocks", 3, *self.devices)
        self.assertEqual(document["accepted"], self.chain.height())

    def test_a_signet_without_signatures(self):
        self.chain = self.node(nodes.OpenSignet, "signet")
        self.mine_empty_blocks(2)

    def test_a_signet_with_signatures(self):
        signet = self.node(nodes.Signet, "signet")
        _, messages = self.run_miner("solo", "--node", signet.url, "--coinbase-addr", signet.address, *self.devices, code=1)
        self.assertIn("--grind-cmd='gpuminer grind'", messages)


if __name__ == "__main__":
    chosen = {"btcd": "SoloOnBtcd", "opencl": "SoloOpencl", "core": "SoloOnCore"}[sys.argv.pop(1)]
    sys.argv.append(chosen)
    main()

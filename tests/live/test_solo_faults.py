"""Nodes that are not there, not right or go away, and a gpuminer that is killed while it submits a block."""

import threading

import nodes
from bitcoin import TRUE_SCRIPT, Block, address, display
from nodes import RpcShim
from support import CPU, Case, journal, main, patience


class SoloFaults(Case):
    def setUp(self):
        super().setUp()
        self.chain = self.node(nodes.Btcd)

    def shim(self, **answers):
        shim = RpcShim(self.chain, **answers)
        self.addCleanup(shim.close)
        return shim

    def arguments(self, url, *more):
        return ["solo", "--node", url, "--coinbase-addr", self.chain.address, *CPU, *more]

    def refused(self, code, words, *arguments):
        """One plain sentence that has `words` in it."""
        document, messages = self.run_miner(*arguments, code=code)
        self.assertEqual(document["exit_code"], code)
        self.assertIn(words, document["error"].lower())
        self.assertLess(len(document["error"]), 600)
        self.assertNotIn(nodes.PASSWORD, messages + document["error"])
        self.assertEqual(self.chain.height(), 0)

    def test_a_wrong_password(self):
        url = self.chain.url.replace(nodes.PASSWORD, "wrong-password")
        self.refused(6, "password", *self.arguments(url, "-r", 0))

    def test_a_node_that_is_down(self):
        port = nodes.free_port()
        self.refused(6, str(port), *self.arguments(f"http://u:p@127.0.0.1:{port}", "-r", 1, "-R", 0.05))

    def test_an_address_of_another_network(self):
        for hrp in ("bc", "tb", "bcrt"):
            self.refused(1, "address", "solo", "--node", self.chain.url, "--coinbase-addr", address(TRUE_SCRIPT, hrp), *CPU, "-r", 0)

    def test_another_chain_than_asked_for(self):
        self.refused(1, "simnet", "solo", "--node", self.chain.url, "--coinbase-addr", address(TRUE_SCRIPT, "bc"), "--chain", "main",
                     *CPU, "-r", 0)

    def test_a_node_that_starts_again_in_the_middle(self):
        miner = self.start(*self.arguments(self.chain.url, "--blocks", 600, "-R", 0.2, "--json"))
        self.wait_until(lambda: self.chain.height() >= 30, "the first blocks", miner)
        self.chain.stop()
        self.assertIsNone(miner.process.poll(), miner.messages)
        self.chain.start()
        self.assertEqual(miner.wait(), 0, miner.messages[-3000:])
        self.assertGreaterEqual(self.chain.height(), 600)
        self.assertGreaterEqual(miner.document()["accepted"], 600)

    def test_a_reject_is_said_in_words(self):
        def submitblock(parameters, ask):
            del parameters, ask
            return "bad-txnmrklroot"

        shim = self.shim(submitblock=submitblock)
        miner = self.start(*self.arguments(shim.url, "--json"))
        self.wait_until(lambda: shim.count("submitblock") >= 2, "submissions", miner)
        self.assertEqual(miner.interrupt(), 130)
        document = miner.document()
        self.assertEqual(document["accepted"], 0)
        self.assertGreaterEqual(document["rejected"], 1, document)
        self.assertIn("merkle", miner.messages.lower())

    def test_a_block_survives_a_kill_at_its_submission(self):
        """Killed when the node has not got it, when it has but the reply was lost; the journal knows in both cases."""
        for forwarded in (False, True):
            with self.subTest(forwarded=forwarded):
                held = threading.Event()

                def submitblock(parameters, ask):
                    if forwarded:
                        ask("submitblock", *parameters)
                    blocks.append(parameters[0])
                    held.wait(patience())
                    raise RpcShim.Silence

                blocks = []
                shim = self.shim(submitblock=submitblock)
                file = self.folder / f"journal-{forwarded}"
                miner = self.start(*self.arguments(shim.url, "--journal", file))
                self.wait_until(lambda: blocks, "a submission", miner)
                miner.kill()
                held.set()
                first = Block(bytes.fromhex(blocks[0]))
                self.assertIn(blocks[0], file.read_text())  # written before it was sent
                self.assertTrue(journal(file))

                shim.answers.clear()
                before = shim.count("submitblock")
                again = self.start(*self.arguments(shim.url, "--journal", file, "--blocks", 1, "--json"))
                self.wait_until(lambda: shim.count("submitblock") > before, "it is submitted again", again)
                self.assertEqual(self.submitted(shim)[before], blocks[0])
                self.assertEqual(again.wait(), 0, again.messages[-2000:])
                self.assertGreater(self.chain.rpc("getblock", display(first.hash))["confirmations"], 0)

    @staticmethod
    def submitted(shim):
        return [parameters[0] for method, parameters in shim.asked if method == "submitblock"]


if __name__ == "__main__":
    main()

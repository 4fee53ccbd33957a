"""The page of --http in Chromium (page_check.js): its figures, its control by the token, restarts of the miner, and, but under
sanitizers, which see nothing of it, its looks: pictures, axe, phones and desks."""

import json
import os
import pathlib
import signal
import subprocess
import time

from pool_server import PoolServer
from support import CPU, GPUMINER, SANITIZED, Case, main, patience
from watchers import can_browse, start_node

DIFFICULTY = 1e-4  # at 200 kH/s a share every 2 s: little work even for a sanitized build on a busy machine


class Page(Case):
    def setUp(self):
        super().setUp()
        if not can_browse():
            self.skipTest("Chromium, Node.js, Playwright or axe cannot be had here")

    def mine(self, address, name="gpuminer"):
        return self.start("pool", "-u", "worker", *[part for pool in self.pools for part in ("-o", pool.url)], *CPU, "--isa",
                          "scalar", "--max-hashrate", "200k", "-R", "0.1", "--http", address, "--http-token-file", self.token, name=name)

    def url_of(self, miner):
        self.wait_until(lambda: "shown on http://" in miner.messages, "the line that says where", miner)
        return miner.messages.split("shown on ")[1].split()[0].replace("0.0.0.0", "127.0.0.1")

    def pause(self, miner):
        """Its URL, once it is paused, so that it leaves the processor to others."""
        url = self.url_of(miner)
        miner.process.send_signal(signal.SIGUSR2)
        self.wait_until(lambda: "paused" in miner.messages, "the pause", miner)
        return url

    def test_page(self):
        self.pools = [PoolServer(DIFFICULTY) for _ in range(2)]
        for pool in self.pools:
            self.addCleanup(pool.close)
        self.token = self.folder / "token"
        self.token.write_text("0123456789abcdef-token\n")
        self.token.chmod(0o600)
        locked, miner = self.mine("0.0.0.0:0", name="locked"), self.mine("0")
        without_token = self.start("mine", "genesis", "--target", "0" * 64, *CPU, "--isa", "scalar", "--http", "0", name="mine")
        self.locked_url, self.url = self.url_of(locked), self.url_of(miner)
        port = self.url.rsplit(":", 1)[1].strip("/")
        pictures = ""
        if not SANITIZED:
            pictures = pathlib.Path(os.environ.get("GPUMINER_SCREENSHOTS") or pathlib.Path(GPUMINER).parent / "screenshots")
            pictures.mkdir(exist_ok=True)
        errors = open(self.folder / "node.err", "wb")
        self.addCleanup(errors.close)
        node = start_node("page_check.js", self.url, errors, TOKEN=self.token.read_text().strip(),
                          LOCKED_URL=self.locked_url, MINE_URL=self.pause(without_token), SCREENSHOTS=str(pictures))
        self.addCleanup(node.stdin.close)
        self.addCleanup(node.stdout.close)
        self.addCleanup(node.kill)
        seen = {}
        for line in node.stdout:
            facts = json.loads(line)
            if wanted := facts.get("want"):
                if wanted == "device paused":
                    self.wait_until(lambda: self.hashes() == self.hashes(), "no more hashes once the last batch is over")
                elif wanted == "no pool":
                    for pool in self.pools:
                        pool.close()
                elif wanted == "stop":
                    self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
                else:
                    miner = self.mine(port)
                    self.url_of(miner)
                print("done", file=node.stdin, flush=True)
            else:
                seen[facts["step"]] = facts
        self.assertEqual(node.wait(patience()), 0, (seen.get("failed"), (self.folder / "node.err").read_text()[-2000:],
                                                    miner.messages[-1000:]))
        self.check(seen)
        if not SANITIZED:
            self.check_looks(seen)
        self.assertEqual(miner.interrupt(), 130)

    def hashes(self):
        """What the device has done, in a sample of its own."""
        time.sleep(1.5)
        text = subprocess.run(["curl", "-sS", self.url + "api/v1/devices"], capture_output=True, text=True, check=True).stdout
        return json.loads(text)["devices"][0]["hashes"]

    def check_views(self, seen, *steps):
        faults = "not looked for" if SANITIZED else []
        for step in steps:
            self.assertEqual((seen[step]["faults"], seen[step]["wide"], seen[step]["overlaps"]), (faults, 0, 0), step)

    def check_looks(self, seen):
        self.check_views(seen, *[f"{state}-{page}" for state in ("alive", "dead")
                                 for page in ("phone-light", "phone-dark", "narrow", "desk-light", "desk-dark")])
        for width in (700, 768, 820):
            crowded = seen[f"crowded {width}"]
            self.assertEqual((crowded["wide"], sum(crowded["tables"]), crowded["rows"]), (0, 0, 3), width)
        for state, words in (("alive", "mining"), ("dead", "cannot be reached")):
            screen = seen[f"{state} first screen"]
            self.assertIn(words, screen["state"])
            known = ["Best difficulty ever", "Hottest", "Power", "Blocks found", "Pool", "Shares accepted"]
            self.assertEqual(screen["cards"], [card for card in known if card in screen["cards"]])
            self.assertEqual(screen["cards"][-2:], ["Pool", "Shares accepted"])
            self.assertLessEqual(screen["end"], 844)

    def check(self, seen):
        self.check_views(seen, "refused", "mine", "dialog", "controls", "gone")
        contents = seen["contents"]
        self.assertEqual(contents["headings"], ["Now", "Over time", "Devices", "Server", "Shares", "Job", "Odds", "Log"])
        self.assertIn("kH/s", contents["figures"])
        self.assertIn("cpu:scalar#0", contents["devices"])
        self.assertIn("accepted", contents["shares"])
        self.assertIn("A share every", contents["odds"])
        self.assertIn(self.pools[0].url, contents["server"])
        self.assertIn("Height", contents["job"])
        self.assertNotEqual(contents["log"].strip(), "")
        self.assertEqual(seen["redrawn"]["drawn"], seen["redrawn"]["box"])
        self.assertEqual(seen["locked"]["controls"], 0)
        self.assertEqual(seen["paused"]["focus"], "Resume")
        self.assertEqual(seen["silent"]["shown"], False)
        refused, mine = seen["silence"], seen["bare"]
        self.assertEqual((refused["requests"], refused["dialog"], refused["shown"]), (0, False, False))
        self.assertEqual((refused["state"], refused["button"]), ("locked: digits or the token are needed", "Unlock"))
        # The secret is gone from the address bar, and lets nobody else in.
        self.assertEqual((seen["paired"]["address"], seen["paired"]["controls"]), (self.locked_url, 1))
        self.assertEqual((seen["used"]["address"], seen["used"]["controls"]), (self.locked_url, 0))
        self.assertEqual((seen["battery"]["button"], seen["battery"]["disabled"]), ("on battery", True))
        self.assertIn("paused", mine["device"])
        self.assertEqual(mine["headings"], ["Now", "Over time", "Devices", "Log"])
        self.assertEqual(mine["first"], mine["headings"])  # nothing is shown that goes away again
        self.assertNotIn("Best difficulty", mine["figures"])
        self.assertEqual((mine["hint"], mine["unlock"]), ("--http-token-file allows controls", False))
        self.assertEqual(seen["messages"]["messages"], [])


main()

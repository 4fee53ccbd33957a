"""pool and solo in their sandbox. No thread may start a program any more, and all that mining takes works as before."""

import pathlib
import re
import signal
import unittest

import nodes
from certificates import Authority
from pool_server import PoolServer
from support import CPU, SANITIZED, Case, journal, main


def filters(task):
    """Of a thread, by its folder in /proc: whether it may gain rights by a program, and how many filters it has."""
    text = (task / "status").read_text()
    return tuple(int(re.search(rf"^{name}:\t(\d+)$", text, re.M)[1]) for name in ("NoNewPrivs", "Seccomp_filters"))


OWN = filters(pathlib.Path("/proc/self")) if "Seccomp_filters" in pathlib.Path("/proc/self/status").read_text() else None


@unittest.skipIf(SANITIZED, "sanitizers start processes of their own: there is no sandbox")
@unittest.skipIf(OWN is None, "this kernel does not say which filters a process has (Linux 5.9)")
class Sandbox(Case):
    def threads(self, miner):
        found = []
        for task in pathlib.Path(f"/proc/{miner.process.pid}/task").iterdir():
            try:
                found.append(filters(task))
            except OSError:  # it has just ended
                pass
        return set(found)

    def wait_for_sandbox(self, miner):
        inside = (1, OWN[1] + 1)
        self.wait_until(lambda: self.threads(miner) == {inside}, "all threads are in the sandbox", miner)

    def pool(self, tls):
        pool = PoolServer(1e-5, tls=tls)
        self.addCleanup(pool.close)
        return pool

    def test_a_pool(self):
        authority = Authority(self.folder / "authority")
        pool = self.pool(authority.server("right", "DNS:localhost")[0])
        log, file = self.folder / "log", self.folder / "journal"
        miner = self.start("pool", "-o", f"stratum+ssl://localhost:{pool.port}", "-u", "worker", *CPU, "--max-hashrate", "3M", "--cert",
                           authority.file, "-R", 0.05, "--journal", file, "--log-file", log, "-D", "--json")
        self.wait_for_sandbox(miner)
        self.wait_until(lambda: "sandbox: this process can no longer start programs" in miner.messages, "it says so", miner)
        self.wait_until(lambda: len(pool.accepted()) >= 3, "shares", miner)
        for client in list(pool.clients.values()):  # it looks the name up again, on a new thread, and logs in
            client.close()
        self.wait_until(lambda: len({share.connection for share in pool.accepted()}) >= 2, "shares on another connection", miner)
        log.rename(self.folder / "log.1")
        miner.process.send_signal(signal.SIGHUP)
        self.wait_until(log.exists, "the log is open anew", miner)
        self.wait_for_sandbox(miner)
        self.assertEqual(miner.interrupt(), 130)
        self.assertGreaterEqual(miner.document()["accepted"], 4)
        self.assertGreaterEqual(sum(entry["event"] == "share" for entry in journal(file)), 4)
        self.assertEqual(pool.errors, [])

    def test_a_node(self):
        chain = self.node(nodes.Btcd)
        miner = self.start("solo", "--node", chain.url.replace("127.0.0.1", "localhost"), "--coinbase-addr", chain.address, *CPU,
                           "--max-hashrate", "1M", "-R", 0.1)
        self.wait_for_sandbox(miner)
        self.wait_until(lambda: chain.height() >= 3, "blocks", miner)
        chain.stop()
        chain.start()
        height = chain.height()
        self.wait_until(lambda: chain.height() > height, "blocks after the node's restart", miner)
        self.wait_for_sandbox(miner)
        self.assertEqual(miner.interrupt(), 130)

    def test_without(self):
        pool = self.pool(None)
        miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "3M", "--no-sandbox", "-D")
        self.wait_until(lambda: len(pool.accepted()) >= 3, "shares", miner)
        self.assertEqual(self.threads(miner), {OWN})
        self.assertNotIn("sandbox", miner.messages)
        self.assertEqual(miner.interrupt(), 130)


if __name__ == "__main__":
    main()

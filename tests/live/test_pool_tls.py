"""Pools with TLS: certificates that are right, for another name, expired, of an unknown authority."""

from certificates import Authority
from pool_server import PoolServer
from support import CPU, Case, main


class PoolTls(Case):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder / "authority")

    def pool(self, *certificate):
        context, fingerprint = self.authority.server(*certificate)
        pool = PoolServer(1e-5, tls=context)
        self.addCleanup(pool.close)
        return pool, fingerprint

    def mine(self, url, *options, code=0):
        return self.run_miner("pool", "-o", url, "-u", "worker", *CPU, "--max-hashrate", "3M", "-r", 0, "--shares", 3, *options, code=code)

    def refuse(self, pool, words, url, *options):
        document, _ = self.mine(url, *options, code=6)
        self.assertIn(words, document["error"])
        self.assertEqual(pool.messages, [])  # not a word was said to it

    def test_certificates(self):
        trust = ["--cert", self.authority.file]
        pool, fingerprint = self.pool("right", "IP:127.0.0.1,DNS:localhost")
        self.mine(pool.url, *trust)
        for scheme in ("stratum+tls", "stratum+tcps"):
            self.mine(f"{scheme}://localhost:{pool.port}", *trust)
        self.mine(pool.url, "--tls-fingerprint", fingerprint)
        self.mine(pool.url, "--tls-fingerprint", fingerprint.replace(":", "").lower())
        _, messages = self.mine(pool.url, "--insecure")
        self.assertIn("insecure", messages)

        pool.messages.clear()
        self.refuse(pool, "certificate", pool.url)  # this system does not know the authority
        self.refuse(pool, "certificate", pool.url, "--tls-fingerprint", "00" * 32)

        pool, _ = self.pool("wrong", "DNS:other.example")
        self.refuse(pool, "certificate", pool.url, *trust)
        self.mine(pool.url, "--insecure")

        pool, _ = self.pool("expired", "IP:127.0.0.1", "20200101000000Z", "20200201000000Z")
        self.refuse(pool, "expired", pool.url, *trust)

    def test_a_pool_without_tls(self):
        pool = PoolServer(1e-5)
        self.addCleanup(pool.close)
        document, _ = self.mine(pool.url.replace("tcp", "ssl"), code=6)
        self.assertEqual(document["exit_code"], 6)

    def test_tls_where_none_is_expected(self):
        pool, _ = self.pool("right", "IP:127.0.0.1")
        document, _ = self.mine(pool.url.replace("ssl", "tcp"), code=6)
        self.assertEqual(document["exit_code"], 6)


if __name__ == "__main__":
    main()

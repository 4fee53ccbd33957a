"""`gpuminer pool` on Stratum V2, on a pool with an encryption of its own and hashlib; and `pool --probe`."""

import socket

from noise import NoiseAuthority
from pool_server import PoolServer
from support import CPU, Case, main
from sv2_pool import (OPEN_EXTENDED, OPEN_STANDARD, REQUIRES_EXTENDED_CHANNELS, REQUIRES_FIXED_VERSION, SUBMIT_EXTENDED,
                      Sv2PoolServer)

DIFFICULTY = 3e-6  # 13,000 hashes a share: little work even for a sanitized build on a busy machine
RATE = ["--max-hashrate", "500k"]


class PoolCase(Case):
    def pool(self, kind=Sv2PoolServer, **options):
        pool = kind(DIFFICULTY, **options)
        self.addCleanup(pool.close)
        return pool


class PoolV2(PoolCase):
    def mine(self, *arguments, code=0):
        return self.run_miner("pool", "-u", "worker", *arguments, *CPU, *RATE, code=code)

    def check(self, pool, shares=20):
        """Every share is good, and the channel is of the kind that it should be."""
        document, messages = self.mine("-o", pool.url, "--shares", shares)
        self.assertEqual((document["accepted"], document["rejected"], pool.errors), (len(pool.accepted()), 0, []), messages)
        self.assertEqual(pool.verdicts().keys(), {"accepted"})
        self.wait_until(lambda: pool.left, "CloseChannel")
        self.assertEqual([pool.left, pool.errors], [[max(number for number, _ in pool.kinds)], []])
        return messages

    def test_standard_channel(self):
        pool = self.pool()
        messages = self.check(pool)
        self.assertEqual({kind for _, kind in pool.kinds} & {OPEN_STANDARD, OPEN_EXTENDED}, {OPEN_STANDARD})
        self.assertNotIn("authority", messages)
        self.assertRegex(messages, r"logged in to \S+ as worker; .*; 24 version bits are rolled\n")

    def test_extended_channel_that_the_server_requires(self):
        """By a connection that is not an end device's."""
        for options in ({"flags": REQUIRES_EXTENDED_CHANNELS}, {"extended_only": True}):
            with self.subTest(options=options):
                pool = self.pool(**options)
                self.check(pool, 5)
                asked = [(number, kind) for number, kind in pool.kinds if kind in (OPEN_STANDARD, OPEN_EXTENDED)]
                told = [] if "flags" in options else [(1, OPEN_STANDARD), (2, OPEN_STANDARD)]  # it has to be asked first
                self.assertEqual(asked, told + [(2, OPEN_EXTENDED)])

    def test_a_server_that_comes_to_require_extended_channels(self):
        pool = self.pool()
        miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, *RATE, "-R", "0.1", "--json")
        self.wait_until(pool.accepted, "a share", miner)
        pool.flags = pool.extended_only = REQUIRES_EXTENDED_CHANNELS
        for client in list(pool.clients.values()):
            client.close()
        self.wait_until(lambda: SUBMIT_EXTENDED in {kind for _, kind in pool.kinds}, "a share of an extended channel", miner)
        self.assertEqual(miner.interrupt(), 130)
        self.assertEqual(pool.errors, [])

    def test_fixed_version(self):
        for flags in (REQUIRES_FIXED_VERSION, REQUIRES_FIXED_VERSION | REQUIRES_EXTENDED_CHANNELS):
            with self.subTest(flags=flags):
                pool = self.pool(flags=flags)
                self.assertIn("; the pool fixes the version\n", self.check(pool, 5))
                self.assertEqual({version for _, (_, _, _, version, _), _ in pool.shares}, {pool.job.version})

    def test_blocks_jobs_and_targets_change(self):
        pool = self.pool()
        miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, *RATE, "--json")
        seen = 0
        for change in (pool.next_job, lambda: pool.next_job(new_block=True), lambda: pool.set_difficulty(2 * DIFFICULTY),
                       lambda: pool.next_job(new_block=True)):
            change()
            seen = len(pool.accepted()) + 3
            self.wait_until(lambda: len(pool.accepted()) >= seen, "more shares", miner)
        self.assertEqual(miner.interrupt(), 130)
        self.assertLessEqual(pool.verdicts().keys(), {"accepted", "stale-share"})  # what was on its way to the old block
        self.wait_until(lambda: pool.left == [1], "CloseChannel")
        self.assertEqual(pool.errors, [])

    def test_a_pool_that_is_left_for_another(self):
        harsh, kind = self.pool(judge=lambda client: "invalid-share"), self.pool()
        _, messages = self.mine("-o", harsh.url, "-o", kind.url, "--shares", 3)
        self.wait_until(lambda: kind.left == [1], lambda: (kind.left, messages))
        self.assertIn(harsh.left, ([], [1]))  # lost where an answer comes to the connection that is closed
        self.assertEqual([harsh.errors, kind.errors], [[], []])

    def test_several_channels(self):
        for flags in (0, REQUIRES_EXTENDED_CHANNELS):
            with self.subTest(flags=flags):
                pool = self.pool(flags=flags, most_channels=3)
                miner = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, *RATE, "--channels", 4, "--advertise-hashrate", "8M", "--json")
                prefixes = lambda: {extranonce[:4] for _, (_, _, _, _, extranonce), _ in pool.accepted()}  # noqa: E731
                self.wait_until(lambda: len(prefixes()) == 3, lambda: f"shares of each: {prefixes()}", miner)
                self.assertEqual(miner.interrupt(), 130)
                self.assertIn("the pool opens 3 of 4 channels: too-many-channels", miner.messages)
                self.assertEqual(pool.verdicts().keys(), {"accepted"})
                self.wait_until(lambda: len(pool.left) == 3, "CloseChannel of each")
                self.assertEqual(pool.errors, [])
                self.assertEqual([round(rate, -3) for rate in pool.rates], [2e6] * 4 + [2667e3] * 3)  # of four, then of three
        self.mine("-o", pool.url, "--channels", 0, code=1)

    def test_answers_in_batches(self):
        pool = self.pool(batch=7)
        document, messages = self.mine("-o", pool.url, "--shares", 21)
        self.assertEqual((document["accepted"], document["rejected"]), (21, 0), messages)

    def test_batches_and_single_submit(self):
        document, messages = self.mine("-o", self.pool(batch=7).url, "--shares", 14, "--single-submit")
        self.assertEqual(document["accepted"], 14, messages)
        self.assertIn("--single-submit has no effect", messages)

    def test_options_without_effect(self):
        v1, v2 = self.pool(PoolServer), self.pool()
        unused = ("--pass", "x", "--insecure", "--tls-fingerprint", "ab" * 32)
        for pools, options, sentence in (
            ([v2], unused, "--pass, --tls-fingerprint, --insecure have no effect on Stratum V2 pools, which have neither passwords nor TLS"),
            ([v2], ("--insecure",), "--insecure has no effect on Stratum V2 pools"), ([v2], ("--insecure=false",), None),
            ([v2, v1], unused, None), ([v1], unused, None), ([v2], (), None),
            ([v1], ("--advertise-hashrate", "5T"), "--advertise-hashrate has no effect on Stratum V1 pools"),
            ([v1, v2], ("--advertise-hashrate", "5T"), None),
        ):
            with self.subTest(pools=pools, options=options):
                _, messages = self.mine(*[word for pool in pools for word in ("-o", pool.url)], *options, "--shares", 1)
                self.assertIn(sentence or "", messages)
                self.assertEqual("no effect" in messages, sentence is not None, messages)
        document, messages = self.run_miner("pool", "--probe", v2.url, "--insecure")
        self.assertIn("warning: --insecure has no effect on Stratum V2 pools", messages)

    def test_advertised_hash_rate(self):
        pool = self.pool()
        self.mine("-o", pool.url, "--shares", 2, "--advertise-hashrate", "8M")
        self.run_miner("pool", "--probe", pool.url, "-u", "worker", "--advertise-hashrate", "500k")
        self.assertEqual(pool.rates, [8e6, 5e5])  # told once: it never changes
        self.mine("-o", pool.url, "--advertise-hashrate", "0", code=1)

    def test_without_a_key(self):
        pool = self.pool()
        _, messages = self.mine("-o", pool.bare_url, "--shares", 2)
        self.assertIn("its URL has no authority key", messages)

    def test_servers_that_are_not_the_pool(self):
        other = NoiseAuthority().text
        for what, options, key in (("not signed by", {}, other), ("expired", {"valid": (-7200, -3600)}, None),
                                   ("this machine's clock", {"valid": (3600, 7200)}, None)):
            with self.subTest(what=what):
                pool = self.pool(**options)
                document, messages = self.mine("-o", f"{pool.bare_url}/{key or pool.authority.text}", "-r", 0, code=6)
                self.assertIn(what, document["error"] + messages)
                self.assertEqual(pool.kinds, [])  # nothing was said to it

    def test_a_second_pool_of_the_other_version(self):
        for first, second in ((Sv2PoolServer, PoolServer), (PoolServer, Sv2PoolServer)):
            with self.subTest(first=first.__name__):
                dead, alive = self.pool(first), self.pool(second)
                dead.close()
                _, messages = self.mine("-o", dead.url, "-o", alive.url, "--shares", 3)
                self.assertGreaterEqual(len(alive.accepted()), 3, messages)

    def test_urls(self):
        key = NoiseAuthority().text
        wrong = key[:-1] + ("2" if key[-1] != "2" else "3")
        for arguments, what in (([f"stratum2+tcp://127.0.0.1:1/{wrong}"], "checksum"),
                                (["stratum2+tcp://127.0.0.1:1/abc"], "authority key"),
                                (["stratum2+ssl://127.0.0.1:1"], "stratum2+tcp://"),
                                ([f"stratum2+tcp://127.0.0.1:1/{key}", "-o", "stratum2+tcp://127.0.0.1:2"], "has no authority key"),
                                ([f"stratum2+tcp://[::1]:1/{key}", "-o", "stratum2+tcp://[0:0:0:0:0:0:0:1]:2"],
                                 "has no authority key"),
                                (["stratum2+tcp://127.0.0.1:1", "-a", "verushash"], "sha256d")):
            with self.subTest(arguments=arguments):
                document, _ = self.mine("-o", *arguments, code=1)
                self.assertIn(what, document["error"])
        # A name that reads as the bytes of an address is another host. (The proxy is not there.)
        document, _ = self.mine("-o", f"stratum2+tcp://abcd:1/{key}", "-o", "stratum2+tcp://97.98.99.100:2", "-x", "socks5://127.0.0.1:1",
                                "-r", 0, code=6)
        self.assertIn("cannot be reached", document["error"])


class Probe(PoolCase):
    def probe(self, url, *arguments, code=0):
        return self.run_miner("pool", "--probe", url, *arguments, code=code)[0]

    def test_v2(self):
        pool = self.pool()
        document = self.probe(pool.url)
        self.assertEqual([document[name] for name in ("protocol", "version_bits")], ["Stratum V2", "1fffffe0"])
        self.assertEqual(document["certificate"]["checked"], True)
        self.assertIsNone(document["difficulty"])
        self.assertEqual([kind for _, kind in pool.kinds], [0])  # no login
        document = self.probe(self.pool(flags=REQUIRES_EXTENDED_CHANNELS).url, "-u", "worker")
        self.assertEqual((document["extranonce1_bytes"], document["extranonce2_bytes"]), (4, 8))
        document = self.probe(pool.bare_url, "-u", "worker")
        self.wait_until(lambda: pool.left == [2], "CloseChannel")
        self.assertAlmostEqual(document["difficulty"], DIFFICULTY, delta=DIFFICULTY / 100)
        self.assertEqual((document["certificate"]["checked"], document["extranonce2_bytes"]), (False, 0))

    def test_v1(self):
        pool = self.pool(PoolServer)
        document = self.probe(pool.url)
        self.assertEqual([document[name] for name in ("protocol", "version_bits", "extranonce1_bytes", "extranonce2_bytes")],
                         ["Stratum V1", "1fffe000", 4, 4])
        self.assertNotIn("mining.authorize", [message.get("method") for _, message in pool.messages])
        self.assertAlmostEqual(self.probe(pool.url, "-u", "worker")["difficulty"], DIFFICULTY)

    def test_text(self):
        pool = self.pool()
        miner = self.start("pool", "--probe", pool.url, "-u", "worker")
        self.assertEqual(miner.wait(), 0, miner.messages)
        lines = miner.stdout.read_text().splitlines()
        self.assertEqual(lines[0], pool.bare_url)
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn("  protocol      Stratum V2", lines)

    def test_failures(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
        self.assertIn("refused", self.probe(f"stratum+tcp://127.0.0.1:{port}", code=6)["error"])
        v1 = self.pool(PoolServer, authorize=False)
        self.assertIn("unauthorized", self.probe(v1.url, "-u", "stranger", code=6)["error"])
        self.assertIn("not signed", self.probe(f"{self.pool().bare_url}/{NoiseAuthority().text}", code=6)["error"])
        self.probe("nowhere", code=1)
        self.probe(v1.url.replace("stratum+tcp", "stratum2+tcp"), "-a", "verushash", code=1)


if __name__ == "__main__":
    main()

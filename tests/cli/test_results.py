"""Hits against hashlib: every goal, partition and thread count."""

import itertools
import os

from support import BLOCK, BLOCK_HASH, BLOCK_NONCE, EVERYTHING, NOTHING, Case, hits_of, main, mine, oracle, real_headers, run

EASY = "0f" + "f" * 62  # one hash in sixteen
WAYS = [["-t", threads, "--partition", partition] for threads, partition in itertools.product("123", ("static", "dynamic"))]


class Results(Case):
    def test_found_and_not_found(self):
        document = mine("100000", "--start", str(BLOCK_NONCE), "--end", str(BLOCK_NONCE))
        self.assertEqual(hits_of(document), [(1, BLOCK_NONCE, BLOCK_HASH, BLOCK)])
        self.assertEqual(document["hashes"], 1)
        document = mine("100000", "--start", "1000", "--end", "2000")
        self.assertFalse(document["found"])
        self.assertEqual(document["hashes"], 1001)
        self.assertEqual(run("mine", "100000", "--end", "5").returncode, 2)
        self.assertEqual(run("mine", "100000", "--start", "0xffffffff").returncode, 2)
        self.assertEqual(run("mine", "100000", *NOTHING, "--time-limit", "0.2").returncode, 3)

    def test_all_is_exact_and_ascending(self):
        for start, end in ((0, 1500), (2**31 - 700, 2**31 + 700), (2**32 - 1000, 2**32 - 1), (77, 77)):
            wanted = oracle(BLOCK, EASY, start, end)
            for way in WAYS:
                document = mine(BLOCK, "--target", EASY, "--start", str(start), "--end", str(end), "--all", *way)
                self.assertEqual(hits_of(document), wanted, (start, end, way))
                self.assertEqual(document["hashes"], end - start + 1)
                self.assertFalse(document["truncated"])

    def test_every_nonce_is_a_hit(self):
        document = mine(BLOCK, "--target", EVERYTHING, "--end", "29999", "--all")
        self.assertEqual([hit["nonce"] for hit in document["results"]], list(range(30000)))

    def test_equality_with_the_target(self):
        one = oracle(BLOCK, EVERYTHING, 4711, 4711)[0]
        number = int(one[2], 16)
        near = ["--start", "4711", "--end", "4711"]
        self.assertTrue(mine(BLOCK, *near, "--target", f"{number:064x}")["found"])
        self.assertFalse(mine(BLOCK, *near, "--target", f"{number - 1:064x}")["found"])

    def test_deterministic_is_the_lowest(self):
        for start in (0, 5000, 2**32 - 3000):
            wanted = oracle(BLOCK, "00" + EASY[2:], start, start + 2999)[:1]
            for way in WAYS:
                document = mine(BLOCK, "--target", "00" + EASY[2:], "--start", str(start), "--end", str(start + 2999), "--deterministic", *way)
                self.assertEqual(hits_of(document), wanted, (start, way))

    def test_first_hit_is_a_hit(self):
        hits = oracle(BLOCK, EASY, 0, 5000)
        for way in WAYS:
            found = hits_of(mine(BLOCK, "--target", EASY, "--end", "5000", *way))
            self.assertEqual(len(found), 1)
            self.assertIn(found[0], hits)

    def test_rolled_versions_in_order(self):
        versions = [1 | bits for bits in (0, 0x2000, 0x4000, 0x6000, 0x10000000, 0x10002000, 0x10004000, 0x10006000)]
        wanted = oracle(BLOCK, EASY, 100, 400, versions)
        for way in WAYS:
            arguments = [BLOCK, "--target", EASY, "--start", "100", "--end", "400", "--roll-versions", "0x10006000", *way]
            document = mine(*arguments, "--all")
            self.assertEqual(hits_of(document), wanted, way)
            self.assertEqual(document["hashes"], 301 * 8)
            self.assertEqual(hits_of(mine(*arguments, "--deterministic")), wanted[:1], way)

    def test_rolling_finds_the_version_of_a_real_block(self):
        row = next(row for row in real_headers() if int.from_bytes(bytes.fromhex(row["header_hex"][:8]), "little") & 0x1FFFE000)
        header = bytes.fromhex(row["header_hex"])
        version, nonce = int.from_bytes(header[:4], "little"), int.from_bytes(header[76:], "little")
        used = [bit for bit in range(13, 29) if version >> bit & 1][:3]
        mask = sum(1 << bit for bit in used) | 0x2000 | 0x8000
        changed = (version & ~mask).to_bytes(4, "little") + header[4:]
        document = mine(changed.hex(), "--start", str(max(0, nonce - 300)), "--end", str(min(2**32 - 1, nonce + 300)),
                        "--roll-versions", f"{mask:x}")
        self.assertEqual(hits_of(document), [(version, nonce, row["hash_hex"], row["header_hex"])])

    def test_max_results(self):
        arguments = ["--target", EASY, "--end", "3000", "--all", "--max-results", "5"]
        for way in WAYS:
            document = mine(BLOCK, *arguments, *way)
            self.assertEqual(hits_of(document), oracle(BLOCK, EASY, 0, 3000)[:5])
            self.assertTrue(document["truncated"])
        process = run("mine", BLOCK, *arguments)
        self.assertEqual(process.returncode, 0)
        # What lies above the cut was not searched to the end.
        self.assertIn("5 found; the lowest of the range, truncated at --max-results; there are more\n", process.stdout.decode())
        self.assertNotIn("whole range", process.stdout.decode())
        self.assertIn("3,001 found; the whole range was searched\n", run("mine", BLOCK, "--target", EVERYTHING, "--end", "3000", "--all").stdout.decode())

    def test_limit_with_hits(self):
        process = run("mine", BLOCK, "--target", "0000" + "f" * 60, "--all", "--time-limit", "1.5", "-q")
        self.assertEqual(process.returncode, 3)
        self.assertIn("before the range was finished", process.stdout.decode())

    def test_text(self):
        process = run("mine", "100000", "--start", str(BLOCK_NONCE - 4), "--end", str(BLOCK_NONCE + 5), "-t", "3", "--partition", "static", "-D")
        text = process.stdout.decode()
        for words in (f"nonce {BLOCK_NONCE} ", BLOCK_HASH, BLOCK, "total time", "10572B0B–10572B0E", "10572B0F–10572B11", "10572B12–10572B14"):
            self.assertIn(words, text)


class Advice(Case):
    def test_nothing_found_says_what_to_change(self):
        part = run("mine", BLOCK, "--end", "1000").stdout.decode()
        self.assertIn("nothing found: the whole range was searched; search more of the nonces (--start, --end)\n", part)
        self.expect_error(2, "no nonce of the range meets the target: search more of the nonces", "grind", BLOCK, "--end", "1000")

    def test_many_threads_are_one_line(self):
        def lines(*arguments):
            text = run("mine", BLOCK, "--end", "100000", "--isa", "scalar", "--backend", "cpu", *arguments).stdout.decode()
            return [line for line in text.splitlines() if "cpu" in line and "×" in line or line.startswith("cpu:")]
        self.assertEqual(len(lines("-t", "16")), 16)
        self.assertEqual(len(lines("-t", "17", "-D")), 17)
        folded = lines("-t", "17")
        self.assertEqual(len(folded), 1)
        self.assertRegex(folded[0], r"^17 × cpu +100,001 +[\d.]+ s +[\d.]+ .?H/s$")

    def test_more_threads_than_the_machine_has(self):
        threads = len(os.sched_getaffinity(0))
        arguments = ("mine", BLOCK, "--end", "5", "--isa", "scalar", "--backend", "cpu", "-q")
        warning = f"gpuminer: warning: -t {threads + 1}: {threads + 1} threads share {threads} hardware threads\n"
        self.assertEqual(run(*arguments, "-t", str(threads + 1)).stderr.decode(), warning)
        self.assertEqual(run(*arguments, "-t", str(threads)).stderr, b"")
        document = mine(BLOCK, "--end", "5", "--isa", "scalar", "--backend", "cpu", "--partition", "static", "-t", "all")
        self.assertEqual(len(document["devices"]), threads)


if __name__ == "__main__":
    main()

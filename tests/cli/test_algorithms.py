"""--algorithm verushash: commands, documents, and the commands that refuse it. The hash itself: tests/verushash."""

import json
import os
import tempfile

from support import BLOCK, BLOCK_NONCE, Case, environment, main, run

EASY = "0" + "f" * 63  # one hash of sixteen


def listed():
    return json.loads(run("devices", "-a", "verushash", "--json").stdout)["devices"]


class Searches(Case):
    @classmethod
    def setUpClass(cls):
        cls.can_search = any(device["usable"] for device in listed())

    def mine(self, *arguments):
        if not self.can_search:
            self.skipTest("SKIPPED: this CPU can run no fast form of VerusHash")
        process = run("mine", *arguments, "-a", "verushash", "--json", "-q")
        self.assertEqual(process.returncode, 0, process.stderr)
        return json.loads(process.stdout)

    def test_each_hit_is_one(self):
        found = self.mine("example", "--target", EASY, "--all", "--end", "150")
        self.assertEqual((found["algorithm"], found["hashes"]), ("verushash", 151))
        self.assertEqual(found["rejected_candidates"], 0)
        hits = {hit["nonce"]: hit for hit in found["results"]}
        for nonce in (*list(hits)[:3], *[nonce for nonce in range(10) if nonce not in hits][:3]):
            header = found["results"][0]["header"]
            header = header[:2944] + nonce.to_bytes(4, "little").hex() + header[2952:]
            verified = json.loads(run("verify", header, "-a", "verushash", "--target", EASY, "--json").stdout)
            self.assertEqual(verified["valid"], nonce in hits)
            if nonce in hits:
                self.assertEqual((hits[nonce]["header"], hits[nonce]["hash"]), (header, verified["hash"]))

    def test_the_lowest_hit_of_its_own_target(self):
        found = self.mine("example", "--deterministic", "--start", "1500000")
        hit = found["results"][0]
        self.assertEqual(hit["nonce"], 1517276)
        verified = json.loads(run("verify", hit["header"], "-a", "verushash", "--json").stdout)
        self.assertEqual((verified["algorithm"], verified["valid"], verified["hash"]), ("verushash", True, hit["hash"]))

    def test_a_search_that_goes_on_later(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "search")
            search = ["example", "--target", "000" + "f" * 61, "--all", "--end", "99999"]
            whole = self.mine(*search)
            command = [*search, "-a", "verushash", "--checkpoint", file, "--resume", file, "--json", "-q"]
            first = run("mine", *command, "--time-limit", "0.05")
            self.assertIn(first.returncode, (0, 3), first.stderr)
            rest = self.mine(*search, "--resume", file)
            self.assertEqual(rest["results"], whole["results"])
            self.assertEqual((rest["resumed_hashes"] + rest["hashes"], rest["resumed_hashes"]),
                             (100_000, json.loads(first.stdout)["hashes"]))
            self.expect_error(1, "expected a checkpoint of sha256d, got one of 'verushash'", "mine", BLOCK, "--resume", file)


class Choosing(Case):
    def test_devices_that_cannot(self):
        self.assertEqual({device["name"]: device["reason"] for device in listed() if device["backend"] != "cpu"},
                         {name: "it cannot compute verushash" for name in ("cuda", "opencl", "vulkan")})
        for backend in ("cuda", "opencl,vulkan"):
            process = run("mine", "example", "-a", "verushash", "--backend", backend)
            self.assertEqual(process.returncode, 4, process.stderr)
            self.assertIn(b"it cannot compute verushash", process.stderr)
        by_default = json.loads(run("devices", "--json", "--backend", "cpu").stdout)["devices"]
        self.assertEqual({device["algorithm"] for device in by_default}, {"sha256d"})

    def test_what_it_is_not_for(self):
        example = run("verify", "example", "-a", "verushash").stdout.decode().split()[1]
        for words, *arguments in (
                ("expected sha256d for solo, got verushash", "solo", "--coinbase-addr", "x"),
                ("--suggest-diff: pools of verushash cannot be asked for a difficulty", "pool", "-o", "localhost:1", "-u", "x",
                 "--suggest-diff", "1"),
                ("expected sha256d for explain, got verushash", "explain", example),
                ("--roll-versions does not apply to verushash", "mine", example, "--roll-versions", "1fffe000"),
                ("expected 2974 hex digits (1487 bytes), got 160 digits", "mine", BLOCK),
                ("`verus getblockheader HASH false` prints its header", "verify", 64 * "0"),
                ("as --isa for verushash", "mine", example, "--isa", "avx2"),
                ("there is no workload kernel for verushash", "bench", "kernel"),
                ("a solution of version 4 or later", "verify", example[:286] + "03" + example[288:])):
            with self.subTest(words=words):
                self.expect_error(1, words, *arguments, "--algorithm", "verushash")

    def test_a_file_with_options_of_other_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "config.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("algorithm = 'verushash'\nsuggest-diff = 1\nroll-versions = '1fffe000'\n")
            process = run("verify", "example", "-c", path)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.expect_error(1, "--suggest-diff: pools of verushash", "pool", "-o", "localhost:1", "-u", "x", "-c", path)
            # And an algorithm that means nothing to a command.
            for command in (["explain", BLOCK], ["journal"], ["config", "example"]):
                process = run(*command, "-c", path, env=environment(XDG_STATE_HOME=folder))
                self.assertEqual(process.returncode, 0, process.stderr)

    def test_journals_stay_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "gpuminer"))
            for name, algorithm in (("pool", "sha256d"), ("pool-verushash", "verushash")):
                with open(os.path.join(folder, "gpuminer", f"{name}.jsonl"), "w", encoding="utf-8") as file:
                    file.write(json.dumps({"event": "shares", "time": 1.7e9, "pool": name, "algorithm": algorithm, "shares": 1}) + "\n")
            for arguments, name in (([], "pool"), (["-a", "verushash"], "pool-verushash")):
                document = json.loads(run("journal", "--json", *arguments, env=environment(XDG_STATE_HOME=folder)).stdout)
                self.assertEqual([day["pool"] for day in document["days"]], [name])

    def test_the_other_algorithm_by_name(self):
        for option in (["-a", "SHA256D"], ["--algo", "sha256d"], ["--algo=sha256d"], ["--algorithm=sha256d"]):
            process = run("grind", BLOCK, "--start", str(BLOCK_NONCE), *option)
            self.assertEqual(process.stdout.decode().strip(), BLOCK, process.stderr)


if __name__ == "__main__":
    main()

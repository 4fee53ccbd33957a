"""Commands, options and their values: accepted ones, and one plain sentence for each refusal."""

import itertools
import json

from support import BLOCK, EVERYTHING, NEAR_BLOCK, Case, document_of, main, mine, run


class Usage(Case):
    def test_help_and_version(self):
        for arguments in (["--help"], ["-h"], ["mine", "-h"], ["-h", "devices"], ["-V"], ["--version"]):
            process = run(*arguments)
            self.assertEqual(process.returncode, 0, arguments)
            self.assertEqual(process.stderr, b"", arguments)
        text = run("-h").stdout.decode()
        for word in ("mine", "grind", "verify", "devices", "explain", "pool", "solo", "--roll-versions", "--isa", "--log-file", "100000"):
            self.assertIn(word, text)
        self.assertNotIn("--start", run("devices", "-h").stdout.decode())
        self.assertRegex(run("-V").stdout.decode(), r"^gpuminer \d+\.\d+\.\d+\ncommit \S+\nfor \S+ Linux, built by .+\nbackends: cpu.*\n"
                                                    r"libraries: OpenSSL \d.+\nlicence: MIT\n$")

    def test_unknown_words(self):
        self.expect_error(1, "expected a command", "frobnicate")
        self.expect_error(1, "one argument too many", "mine", BLOCK, "another")
        self.expect_error(1, "one argument too many", "mine", BLOCK, "devices")
        self.expect_error(1, "unknown option", "--frobnicate")
        self.expect_error(1, "unknown option", "mine", BLOCK, "--start-at", "5")
        self.expect_error(1, "no HEADER given", "mine")

    def test_letters_of_other_miners_mean_nothing(self):
        for letter, before in zip("bBIlNSkmv", itertools.cycle(([], ["mine", BLOCK]))):
            self.expect_error(1, "unknown option", *before, f"-{letter}", "1")

    def test_options_before_and_after_the_command(self):
        wanted = mine(BLOCK, *NEAR_BLOCK, "-t", "1")["results"]
        before = run("--json", "-q", "-t", "1", *NEAR_BLOCK, "mine", BLOCK)
        self.assertEqual(json.loads(before.stdout)["results"], wanted)

    def test_leading_zeros_are_decimal(self):
        process = run("mine", BLOCK, "--target", EVERYTHING, "--start", "0010", "--end", "010", "--json")
        self.assertIn(b'"nonce":10,', process.stdout)

    def test_unprintable_file_names_are_not_echoed(self):
        for option in ("--log-file", "-c"):
            process = run("mine", BLOCK, option, "/nonexistent/\x1b[31m\nx")
            self.assertEqual(process.returncode, 1)
            self.assertEqual(process.stderr.count(b"\n"), 1)
            self.assertNotIn(b"\x1b", process.stderr)

    def test_numbers(self):
        wrong = ("-1", "0o17", "1e3", "5x", "x", "", " 5", "5 ", "+5", "0x", "0xg", "4294967296", "0x100000000",
                 "99999999999999999999999", "1.5", "٣")
        for bad, name in zip(wrong, itertools.cycle(("--start", "--end"))):
            self.expect_error(1, f"{name}: expected a number", "mine", BLOCK, name, bad)
        self.expect_error(1, "--start at or before --end", "mine", BLOCK, "--start", "6", "--end", "5")
        self.expect_error(1, "exactly one value", "mine", BLOCK, "--start")
        self.expect_error(1, "exactly one value", "mine", BLOCK, "--start", "1", "--start", "2")

    def test_forms_of_numbers(self):
        for start, end in (("274148111", "274148111"), ("0x10572b0f", "0x10572B0F"), ("0X10572b0f", "274148111")):
            document = mine(BLOCK, "--start", start, "--end", end)
            self.assertEqual(document["range"], {"start": 274148111, "end": 274148111})
            self.assertTrue(document["found"])

    def test_bad_values(self):
        for arguments, words in (
            (["-t", "0"], "-t: expected a number from 1"),
            (["-t", "-2"], "-t: expected a number from 1"),
            (["--max-results", "0"], "--max-results: expected a number from 1"),
            (["--partition", "dynamical"], "expected static or dynamic"),
            (["--roll-versions", "1fffe001"], "expected bits within 1fffffe0 (BIP 323), got 1fffe001, which also has 00000001"),
            (["--roll-versions", "0x20000000"], "BIP 323"),
            (["--roll-versions", "xyz"], "BIP 323"),
            (["--roll-versions", ""], "BIP 323"),
            (["--time-limit", "0"], "duration"),
            (["--time-limit", "-1"], "duration"),
            (["--time-limit", "inf"], "duration"),
            (["--time-limit", "1x"], "duration"),
            (["--time-limit", "1m30"], "duration"),
            (["--status-interval", "s"], "duration"),
            (["-a", "scrypt"], "sha256d"),
            (["--cpu-affinity", "0-"], "hardware threads"),
            (["--cpu-affinity", "3-1"], "hardware threads"),
            (["--cpu-affinity", "0x3"], "got the mask '0x3'; did you mean 0-1?"),
            (["--cpu-affinity", "0X8000000000000015"], "did you mean 0,2,4,63?"),
            (["--cpu-affinity", "0x0"], "hardware threads such as 0,2-5, got '0x0'"),
            (["--cpu-affinity", "0,0x3"], "hardware threads such as 0,2-5, got '0,0x3'"),
            (["--cpu-affinity", "0-4000000000"], "hardware threads"),
            (["--cpu-priority", "6"], "--cpu-priority: expected a number from 0 to 5"),
            (["-i", "99"], "-i: expected a number"),
            (["--isa", "avx1024"], "avx1024"),
            (["--isa", ""], "isa"),
            (["--all", "--deterministic"], "exclude each other"),
            (["--json=perhaps"], "--json"),
        ):
            self.expect_error(1, words, "mine", BLOCK, "--end", "5", *arguments)

    def test_targets(self):
        self.expect_error(1, "--target and --nbits exclude each other", "mine", BLOCK, "--target", EVERYTHING, "--nbits", "1d00ffff")
        self.expect_error(1, "exclude each other", "mine", BLOCK, "--difficulty", "1", "--nbits", "1d00ffff")
        self.expect_error(1, "exclude each other", "verify", BLOCK, "--difficulty", "1", "--target", EVERYTHING)
        for name, bad in (("--target", "ff"), ("--target", "g" * 64), ("--target", "f" * 65), ("--target", ""),
                          ("--nbits", "1d00fff"), ("--nbits", "1d80ffff"), ("--nbits", "ff00ffff"), ("--nbits", "00000000"),
                          ("--difficulty", "0"), ("--difficulty", "-1"), ("--difficulty", "nan"), ("--difficulty", "1,5"),
                          ("--difficulty", "1e999999999"), ("--difficulty", "")):
            self.expect_error(1, f"{name}: ", "mine", BLOCK, name, bad)

    def test_options_without_meaning(self):
        for arguments in (["verify", BLOCK, "--start", "1"], ["devices", "--all"], ["explain", BLOCK, "--target", EVERYTHING],
                          ["devices", "--time-limit", "1"], ["explain", BLOCK, "-t", "1"], ["mine", BLOCK, "--steps"],
                          ["grind", BLOCK, "--all"], ["--steps"]):
            self.expect_error(1, "does not apply to", *arguments)

    def test_errors_as_json(self):
        for arguments, code in ((["frobnicate"], 1), (["mine", "zz"], 1), (["--backend", "cuda"], 4), (["--start"], 1)):
            process = run(*arguments, "--json") if arguments != ["--start"] else run("--json", *arguments)
            self.assertEqual(process.returncode, code, arguments)
            document = document_of(process.stdout)
            self.assertEqual(document["format"], "gpuminer error")
            self.assertEqual(document["exit_code"], code)
            self.assertIn(document["error"], process.stderr.decode())


if __name__ == "__main__":
    main()

"""The mistakes that people make, and the reply to each: one sentence that names the right form."""

import json
import pathlib
import subprocess
import tempfile

from support import BLOCK, BLOCK_NONCE, GPUMINER, NEAR_BLOCK, Case, environment, main, run

SWAPPED = "".join(BLOCK[i + 6:i + 8] + BLOCK[i + 4:i + 6] + BLOCK[i + 2:i + 4] + BLOCK[i:i + 2] for i in range(0, 160, 8))
REVERSED = bytes.fromhex(BLOCK)[::-1].hex()
HASH = "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506"

# What is typed, and what the one sentence has to say.
MISTAKES = (
    (["mien"], "did you mean mine?"),
    (["mine", BLOCK, "--thread", "4"], "did you mean --threads?"),
    (["mine", BLOCK, "--strat", "4"], "did you mean --start?"),
    (["bench", "scna"], "did you mean scan?"),
    (["help", "gridn"], "did you mean grind?"),
    (["mine", BLOCK, "--isa", "SCALR"], "did you mean scalar?"),
    (["mine", BLOCK, "--isa", ""], "auto, scalar, "),
    (["mine", BLOCK, "--backend", "cdua"], "did you mean cuda?"),
    (["mine", BLOCK, "-d", "cpu:avx9#0", "--backend", "cpu"], "or a backend, got 'cpu:avx9#0'"),
    (["mine", "gensis"], "did you mean genesis?"),
    (["mine", "testnet5-genesis"], "got 'testnet5-genesis', a block that is still to be mined (BIP 95)"),
    (["mine", "100001"], "got '100001', whose header the program does not have"),
    (["verify", HASH], "got 64 digits, a block's hash"),
    (["mine", BLOCK, "--nbits", "ffff7f20"], "207fffff, its bytes reversed, is one"),
    (["mine", BLOCK, "--roll-versions", "0xffffffff"], "which also has e000001f; did you mean 1fffffe0?"),
    (["mine", BLOCK, "--roll-versions", "all"], "hex digits of a mask"),
    (["mine", BLOCK, "--time-limit", "1 m"], "a duration such as 90, 250ms, 90s, 5m or 2h"),
    (["mine", BLOCK, "-t", "0"], "expected a number from 1 to 4096, got '0'"),
    (["mine", BLOCK, "--max-temp", "80F"], "expected a number from 30 to 110, got '80F'"),
    (["mine", BLOCK, "--plain=3"], "--plain: expected no value, or true or false"),
    (["mine", BLOCK, "-o", "stratum+tcp://localhost:1"], "--url does not apply to mine; it belongs to pool"),
    (["mine", BLOCK, "-a", "scrypt"], "--algorithm: expected sha256d or verushash, got 'scrypt'"),
    (["mine", BLOCK, "--algo=verushsah"], "did you mean verushash?"),
    (["--benchmark"], "gpuminer bench"),
    (["--list-devices"], "gpuminer devices"),
    (["-o", "localhost:1", "--wallet", "x"], "-u ADDRESS.WORKER"),
    (["pool", "-o", "localhost:1", "-u", "x", "--donate-level", "1"], "no developer fee"),
    (["-o", "localhost:1"], "no user given for the pool 'localhost:1'"),
    (["pool", "-o", "a:1,b:2", "-u", "x"], "got 'a:1,b:2'; give each its own -o"),
    (["pool", "-o", "a:1?pass=x,d=1", "-u", "x"], "such a URL has no query, and this one has '?pass=...'"),
    (["pool", "HOST:3333", "-u", "x"], "a pool is given as -o URL"),
    (["solo", "HOST:3333", "--coinbase-addr", "x"], "a node is given as --node URL"),
    (["-o", "localhost:1", "-u", "x", "--coin", "bitcoin"], "sha256d (Bitcoin) or verushash"),
    (["-o", "localhost:1", "-u", "x", "--http-port", "8080"], "use --http PORT"),
    (["bench", "kernel", "--report", "/nonexistent/x.html"], "got '/nonexistent/x.html': No such file"),
    (["explain", "170", "--html", "/nonexistent/x.html"], "got '/nonexistent/x.html': No such file"),
    (["grind"], "or - for standard input"),
    # Bitcoin's own tools have options of one dash.
    (["-chain=regtest", "grind", BLOCK], "unknown option '-chain'; --chain NAME is for solo"),
    (["-regtest", "grind", BLOCK], "unknown option '-regtest'; --chain regtest is for solo"),
    (["-signet", "grind", BLOCK], "--chain signet is for solo"),
    (["grind", "-testnet", BLOCK], "--chain test is for solo"),
    (["solo", "-rpcpassword=SECRET"], "unknown option '-rpcpassword'; the node is given as --node"),
    (["solo", "-datadir=/x"], "use --datadir DIR"),
    (["-testnet3", "grind", BLOCK], "unknown option '-testnet3'; --chain test is for solo"),
    (["solo", "-simnet"], "--chain simnet is for solo"),
    (["solo", "-rpcwait"], "unknown option '-rpcwait'; solo waits for its node"),
    (["solo", "-rpcclienttimeout=SECRET"], "unknown option '-rpcclienttimeout'; the node is given as --node"),
    (["solo", "-stdinrpcpass"], "the node is given as --node"),
    (["solo", "-signetchallenge=51"], "there is no such option: the node of --chain signet knows its challenge"),
    (["-create", BLOCK], "there is no such option, as gpuminer makes no transactions"),
    (["-named", "getblockheader"], "gpuminer passes on no calls"),
    (["-getinfo"], "gpuminer passes on no calls"),
    (["-stdin", "grind"], "a HEADER of - is read from standard input"),
    # Ours with one dash: -debug would be the device 'ebug'.
    (["-debug", "grind", BLOCK], "unknown option '-debug'; use --debug"),
    (["mine", BLOCK, "-threads=4"], "unknown option '-threads'; use --threads"),
    (["-version"], "use --version"),
    # Words that begin with one of our letters.
    (["mine", BLOCK, "-daemonwait"], "unknown option '-daemonwait'; -d is --devices, whose value cannot be that"),
    (["mine", BLOCK, "-txindex=1"], "unknown option '-txindex'; -t is --threads, whose value cannot be that"),
    (["-connect=1.2.3.4", "grind", BLOCK], "unknown option '-connect'; -c is --config"),
    (["solo", "-reindex"], "unknown option '-reindex'; -r is --retries"),
    (["-asmap", "grind", BLOCK], "unknown option '-asmap'; -a is --algorithm"),
    (["-test=addrman", "grind", BLOCK], "unknown option '-test'; -t is --threads"),
    (["-testnet4=1", "grind", BLOCK], "--chain testnet4 is for solo"),
    (["solo", "-ipcconnect=unix"], "the node is given as --node"),
    (["-signetseednode=1.2.3.4", "grind", BLOCK], "the node of --chain signet knows its peers"),
    (["mine", BLOCK, "-tomatoX"], "unknown option '-tomato' and what follows it; -t is --threads"),
    (["mine", BLOCK, "-algo", "sha256d"], "unknown option '-algo'; use --algorithm"),
    (["mine", BLOCK, "-dcpU:avx9#0"], "or a backend, got 'cpU:avx9#0'"),
    (["mine", BLOCK, "-dcupu"], "or a backend, got 'cupu'"),
    (["mine", BLOCK, "-averushsah"], "did you mean verushash?"),
)


class Mistakes(Case):
    def test_every_sentence(self):
        for arguments, words in MISTAKES:
            with self.subTest(arguments=arguments):
                self.expect_error(1, words, *arguments)

    def test_a_file_without_the_at_sign(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "raw80").write_bytes(bytes.fromhex(BLOCK))
            for command in ("verify", "mine"):
                self.expect_error(1, "got 'raw80'; did you mean '@raw80'?", command, "raw80", cwd=folder)

    def test_word_swapped_and_reversed_headers(self):
        for header, words in ((SWAPPED, "the bytes of each 4-byte word swapped"), (REVERSED, "all bytes reversed")):
            process = run("verify", header)
            self.assertEqual(process.returncode, 1, process.stderr)
            self.assertIn(f"gpuminer: warning: HEADER: with {words}", process.stderr.decode())

    def test_a_reversed_target_gets_a_warning(self):
        target = bytes.fromhex("00000000ffff" + "00" * 26)[::-1].hex()
        process = run("verify", BLOCK, "--target", target)
        self.assertEqual(process.returncode, 2)
        self.assertIn("warning: --target: with its bytes reversed, 00000000ffff", process.stderr.decode())
        self.assertEqual(run("verify", BLOCK, "--target", "0" * 64).stderr, b"")  # nothing meets it, in any order


class OtherWays(Case):
    """What is not as the manual has it, and works."""

    def test_help_and_version(self):
        for words, option in ((["help"], ["--help"]), (["version"], ["--version"]), (["help", "mine"], ["mine", "--help"]),
                              (["version", "--json"], ["--version", "--json"])):
            self.assertEqual(run(*words).returncode, 0)
            texts = [process.stdout for process in (run(*words), run(*option))]
            if "--json" in words:  # with the time
                texts = [json.loads(text)["commit"] for text in texts]
            self.assertEqual(*texts)

    def test_hex_as_people_have_it(self):
        wanted = run("verify", BLOCK).stdout
        for header in ("0x" + BLOCK, BLOCK.upper(), BLOCK[:72] + "\n" + BLOCK[72:], " " + BLOCK):
            self.assertEqual(run("verify", header).stdout, wanted)
        self.assertEqual(run("verify", "-", stdin=bytes.fromhex(BLOCK)).stdout, wanted)
        for arguments in (["--nbits", "0x1b04864c"], ["--target", "0x" + HASH], ["--nbits", "1B04864C"]):
            self.assertEqual(run("verify", BLOCK, *arguments).returncode, 0)

    def test_names_in_any_case(self):
        process = run("mine", BLOCK, *NEAR_BLOCK, "--isa", "Scalar", "--backend", "CPU", "-a", "SHA256d", "--json", "-q")
        document = json.loads(process.stdout)
        self.assertEqual(document["results"][0]["nonce"], BLOCK_NONCE)
        self.assertTrue(all(device["name"].startswith("cpu:scalar#") for device in document["devices"]))

    def test_a_backend_is_all_of_its_devices(self):
        def names(*arguments):
            return [device["name"] for device in
                    json.loads(run("mine", BLOCK, *NEAR_BLOCK, "--isa", "scalar", "--json", "-q", *arguments).stdout)["devices"]]
        self.assertEqual(names("-d", "cpu"), names("--backend", "cpu"))
        self.assertEqual(names("-d", "CPU:SCALAR#0"), ["cpu:scalar#0"])

    def test_values_that_look_like_options(self):
        with tempfile.TemporaryDirectory() as folder:
            process = run("-o", "localhost:1", "-u", "x", "-qp", "-main", "--log-file", "-debug", "--retries", "0", cwd=folder)
            self.assertEqual(process.returncode, 6, process.stderr)
            self.assertIn("localhost:1", pathlib.Path(folder, "-debug").read_text())

    def test_durations(self):
        for limit in ("0.3", "300ms", "0.3s", "0.005m"):
            self.assertEqual(run("mine", BLOCK, "--target", "0" * 64, "--time-limit", limit, "-q").returncode, 3)

    def test_a_pool_without_the_command(self):
        process = run("-o", "localhost:1", "-u", "x", "-p", "x", "-a", "sha256d", "--retries", "0")
        self.assertEqual(process.returncode, 6)
        self.assertIn("localhost:1", process.stderr.decode())


class ClosedPipe(Case):
    def end_of(self, *arguments):
        """Exit code and messages of a program whose reader leaves after the first byte."""
        process = subprocess.Popen([GPUMINER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        process.stdout.read(1)
        process.stdout.close()
        messages = process.stderr.read().decode()
        return process.wait(timeout=60), messages

    def test_head(self):
        # More than a pipe holds.
        self.assertEqual(self.end_of("mine", BLOCK, "--target", "f" * 64, "--all", "--end", "3000", "-q"), (141, ""))

    def test_bench_ends_early_but_for_files(self):
        bench = ["bench", "scan", "latency", "--seconds", "0.05", "--rounds", "2", "-t", "1", "--backend", "cpu", "-q"]
        code, messages = self.end_of(*bench)
        self.assertIn(code, (141, 0))  # 0: all was written before the reader left
        self.assertNotIn("standard output", messages)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "all.csv"
            self.end_of(*bench, "--csv", str(file))
            self.assertIn("latency", file.read_text())


if __name__ == "__main__":
    main()

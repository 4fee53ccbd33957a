"""HEADER in every form, and everything that is not one."""

import html.parser
import itertools
import json
import os
import pathlib
import tempfile

from support import BLOCK, BLOCK_HASH, BLOCK_NONCE, DATA, NEAR_BLOCK, Case, document_of, main, mine, run

EXPECTED = "expected 152 or 160 hex digits"


class Balanced(html.parser.HTMLParser):
    """Notes the elements that are open, and fails where another one is closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in ("link", "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class Forms(Case):
    def test_every_form(self):
        with tempfile.NamedTemporaryFile("w", suffix=".hex") as file:
            file.write("\n " + BLOCK[:152].upper() + " \n")
            file.flush()
            for header in (BLOCK, BLOCK[:152], BLOCK.upper(), "@" + file.name, "100000"):
                self.assertEqual(mine(header, *NEAR_BLOCK)["results"][0]["nonce"], BLOCK_NONCE, header)
        process = run("grind", "-", *NEAR_BLOCK, stdin=BLOCK.encode() + b"\r\n")
        self.assertEqual(process.stdout.decode().strip(), BLOCK)

    def test_the_nonce_given_is_replaced(self):
        self.assertEqual(mine(BLOCK[:152] + "ffffffff", *NEAR_BLOCK)["results"][0]["header"], BLOCK)

    def test_no_command_mines_the_embedded_block(self):
        process = run(*NEAR_BLOCK)
        self.assertEqual(process.returncode, 0)
        self.assertIn(f"nonce {BLOCK_NONCE}", process.stdout.decode())

    def test_verify(self):
        process = run("verify", "100000")
        self.assertEqual(process.returncode, 0)
        for word in ("000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506", "1b04864c", str(BLOCK_NONCE)):
            self.assertIn(word, process.stdout.decode())
        self.assertEqual(run("verify", BLOCK[:152] + "00000000").returncode, 2)
        self.assertEqual(run("verify", BLOCK, "--target", "0" * 64).returncode, 2)
        self.assertEqual(run("verify", BLOCK, "--target", "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506").returncode, 0)
        self.assertEqual(run("verify", BLOCK, "--target", "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e505").returncode, 2)
        self.expect_error(1, "160", "verify", BLOCK[:152])

    def test_verify_what_getblockheader_prints(self):
        header = bytes.fromhex(BLOCK)
        version, time, nonce = (int.from_bytes(header[at:at + 4], "little") for at in (0, 68, 76))
        printed = {"hash": BLOCK_HASH, "confirmations": 1, "height": 100000, "version": version, "versionHex": f"{version:08x}",
                   "merkleroot": header[67:35:-1].hex(), "time": time, "nonce": nonce, "bits": header[75:71:-1].hex(),
                   "previousblockhash": header[35:3:-1].hex()}
        wanted = run("verify", BLOCK)
        for text in (json.dumps(printed), json.dumps(printed, indent=2)):
            process = run("verify", "-", stdin=text.encode())
            self.assertEqual((process.returncode, process.stdout, process.stderr), (0, wanted.stdout, b""))
            self.assertEqual(run("verify", text).stdout, wanted.stdout)
            for command in ("mine", "grind", "explain"):
                self.expect_error(1, f"{EXPECTED} (76 or 80 bytes), got a JSON object, whose header is {BLOCK}", command, "-", stdin=text.encode())
        self.expect_error(1, 'as the object\'s "hash" says', "verify", json.dumps({**printed, "nonce": nonce + 1}))
        self.expect_error(1, EXPECTED, "mine", "{not JSON}, and so no header")

    def test_verify_a_whole_block(self):
        recorded = json.loads((DATA / "getblocktemplate" / "core_regtest_txs.json").read_text())
        header, block = recorded["header"], bytes.fromhex(recorded["block"])
        wanted = run("verify", header)
        for stdin in (block, block.hex().encode() + b"\n"):
            process = run("verify", "-", stdin=stdin)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            self.assertTrue(process.stdout.startswith(wanted.stdout))
            self.assertIn(f"height         {recorded['template']['height']}, in the coinbase", process.stdout.decode())
            document = document_of(run("verify", "-", "--json", stdin=stdin).stdout)
            self.assertEqual((document["hash"], document["header"]["hex"]), (recorded["block_hash"], header))
            self.assertEqual(document["block"], {"transactions": 1 + len(recorded["template"]["transactions"]),
                                                 "height": recorded["template"]["height"], "bip54": False})
            for command in ("mine", "grind", "explain"):
                self.expect_error(1, f"{EXPECTED} (76 or 80 bytes), got a whole block, whose header is {header}", command, "-", stdin=stdin)
            self.assertEqual(run("verify", "-", "--target", "0" * 64, stdin=stdin).returncode, 2)
            self.expect_error(1, "standard input: expected a whole block, but its transaction number", "verify", "-", stdin=stdin.rstrip()[:-2])
        with tempfile.NamedTemporaryFile() as file:
            file.write(block)
            file.flush()
            self.assertIn(b"BIP 54         not followed", run("verify", "@" + file.name).stdout)

    def test_explain(self):
        process = run("explain", "100000")
        self.assertEqual(process.returncode, 0)
        self.assertIn("000000000003ba27", process.stdout.decode())
        self.assertGreater(len(run("explain", "100000", "--steps").stdout), 3 * 64 * 8)
        self.assertEqual(run("explain", BLOCK[:152], "--json").returncode, 0)

    def test_explain_as_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            process = run("explain", "100000", "--against", "0", "--html", page)
            self.assertEqual(process.stdout, run("explain", "100000", "--against", "0").stdout)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            balanced = Balanced()
            balanced.feed(text)
            self.assertEqual(balanced.open, [])
            for part in ("c67178f2", "The avalanche", "<svg", "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506"):
                self.assertIn(part, text)
            self.expect_error(1, "expected a file that can be written", "explain", "100000", "--html", folder)
            self.assertEqual(sorted(os.listdir(folder)), ["page.html"])


class NotAHeader(Case):
    def test_digits(self):
        commands = itertools.cycle(("mine", "grind", "verify", "explain"))
        for words, header in (("odd number", BLOCK[:-1]), (EXPECTED, BLOCK + "00"), (EXPECTED, BLOCK[:154]), (EXPECTED, BLOCK[:50]),
                              ("character 100 is 'g'", BLOCK[:99] + "g" + BLOCK[100:]), (EXPECTED, ""), (EXPECTED, "0x0x" + BLOCK),
                              (EXPECTED, "\x1b[31m" + BLOCK)):
            self.expect_error(1, words, next(commands), header)

    def test_unknown_block(self):
        message = self.expect_error(1, "'genesys'", "mine", "genesys")
        for name in ("genesis", "100000"):
            self.assertIn(name, message)
        self.expect_error(1, "embedded block", "mine", "\x07\x1b\xff".encode("latin-1").decode("utf-8", "surrogateescape"))

    def test_many_headers(self):
        unsolvable = BLOCK[:72] + "ff" + BLOCK[74:152]
        lines = "\n".join([BLOCK[:152], unsolvable, BLOCK, ""]).encode()
        near = ["--start", "274148000", "--end", "274148200"]
        process = run("mine", "-", *near, "--json", "-q", stdin=lines)
        self.assertEqual(process.returncode, 2)  # of one nothing is found
        documents = [document_of(line) for line in process.stdout.decode().splitlines()]
        self.assertEqual([document["found"] for document in documents], [True, False, True])
        self.assertEqual(documents[0]["results"], documents[2]["results"])
        process = run("grind", "-", *near, stdin=lines)
        self.assertEqual((process.returncode, process.stdout.decode()), (2, f"{BLOCK}\n{BLOCK}\n"))
        verified = run("verify", "-", "--json", stdin=f"{BLOCK}\n{BLOCK}".encode())
        self.assertEqual([document_of(line)["valid"] for line in verified.stdout.decode().splitlines()], [True, True])
        self.assertEqual(run("verify", "-", stdin=f"{BLOCK}\n{BLOCK}".encode()).stdout.decode().count("version "), 2)
        self.expect_error(1, "expected one header, got 3", "explain", "-", stdin=lines)
        self.expect_error(1, "standard input: line 2: expected 152", "mine", "-", stdin=f"{BLOCK}\nff".encode())
        without_target = BLOCK[:144] + "0" * 8 + BLOCK[152:]
        for command in ("mine", "verify"):
            process = run(command, "-", *(near if command == "mine" else ()), stdin=f"{BLOCK}\n\n{without_target}".encode())
            self.assertEqual(process.returncode, 1)
            self.assertIn("standard input: line 3: ", process.stderr.decode())
        limited = run("mine", "-", "--target", "0" * 64, "--time-limit", "0.5", "-q", stdin=lines)
        self.assertEqual(limited.returncode, 3)
        self.assertEqual(limited.stdout.decode().count("nothing found"), 1)

    def test_standard_input(self):
        for stdin, words in ((b"", "nothing"), (b"  \n\n", "nothing"), (b"zz" * 80, "character 1 is 'z'"),
                             (BLOCK[:-1].encode(), "odd number"), (b"\0" * 160, "byte 0x00"), (b"\0" * (1 << 20), "more than"),
                             (BLOCK.encode() + b"\0", ""), (BLOCK.encode() * 2, ""), (b"\xff\xff" * 80, "byte 0xff"),
                             (BLOCK.encode("utf-16"), "UTF-16; save it in UTF-8")):
            message = self.expect_error(1, "standard input: " + EXPECTED, "mine", "-", stdin=stdin)
            self.assertIn(words, message)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "header")
            self.expect_error(1, "No such file", "mine", "@" + path)
            self.expect_error(1, "directory", "mine", "@" + folder)
            self.expect_error(1, "expected a file name", "mine", "@")
            with open(path, "wb") as file:
                file.truncate(8 << 30)  # sparse: NUL bytes that nobody should read to the end
            self.expect_error(1, "more than", "mine", "@" + path)
            with open(path, "wb"):
                pass
            self.expect_error(1, "nothing", "mine", "@" + path)
            block = bytearray.fromhex(json.loads((DATA / "getblocktemplate" / "core_regtest_txs.json").read_text())["block"])
            block[-1] ^= 1  # of the last transaction
            unmet = f"{BLOCK[:144]}ffffffff{BLOCK[152:]}".encode()
            for command, text, words in (("verify", block, "expected transactions of the merkle root"), ("verify", BLOCK[:152].encode(), "expected a whole header"),
                                         ("verify", unmet, "nBits ffffffff"), ("mine", unmet, "nBits ffffffff"), ("explain", unmet + b"\n" + unmet, "expected one header"),
                                         ("verify", b"{" + b" " * (1 << 20), "expected an object of at most 1048576 bytes, as getblockheader's, got more")):
                pathlib.Path(path).write_bytes(text)
                self.expect_error(1, f"gpuminer: file '{path}': {words}", command, "@" + path)
        self.expect_error(1, "more than", "mine", "@/dev/zero")


if __name__ == "__main__":
    main()

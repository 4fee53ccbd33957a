"""gpuminer.exe under Wine: a block found by every form of every instruction set, documents as Linux' program prints them, and a
search that goes on after it was killed."""

import json
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from documents import document_of  # noqa: E402
from support import GENESIS_HASH, GENESIS_NONCE, PATIENCE, SENSORS, ProgramTest  # noqa: E402
from unittest_main import main  # noqa: E402

# Of documents, what differs from run to run or machine to machine.
MASKED = {"seconds", "hash_rate", "model", "cycles_per_hash", "cycles_total", "commit"} | SENSORS


def is_masked(key, value):
    """Of a header the time is a number."""
    return key in MASKED or key.endswith(("_seconds", "_rate", "_hz")) or (key == "time" and isinstance(value, str))


def masked(value):
    if isinstance(value, dict):
        return {key: "*" if is_masked(key, part) else masked(part) for key, part in value.items()}
    return [masked(part) for part in value] if isinstance(value, list) else value


class Program(ProgramTest):
    def test_what_it_says_of_itself(self):
        version, _ = self.run_exe("--version")
        self.assertIn("Windows", version)
        self.assertIn("on no real Windows", version)
        self.assertRegex(version, r"\nlibraries: OpenSSL 3\..+, QR-Code-generator \d")
        devices, _ = self.run_exe("devices")
        self.assertIn("on no real Windows", devices)
        for backend in ("cuda", "opencl", "vulkan"):
            self.assertIn(f"  {backend}", devices)
        for word in ("libcuda", "ocl-icd", "mesa", "/dev/"):
            self.assertNotIn(word, devices)
        text, _ = self.run_exe("--help")
        for word in ("mine", "grind", "verify", "explain", "devices", "pool", "solo", "journal", "pair", "status", "pause", "resume", "bench",
                     "compare", "config", "--checkpoint", "--json", "--max-temp", "--pause-on-battery", "--cuda-code"):
            self.assertIn(f"  {word}", text)
        for arguments in (["--help"], *([name, "--help"] for name in ("mine", "pool", "solo", "status"))):
            text, _ = self.run_exe(*arguments)
            for word in ("--max-cpu-temp", "--no-sandbox", "--on-", "unix:", "~/"):
                self.assertNotIn(word, text, arguments)

    def test_what_is_not_there_does_not_exist(self):
        for arguments, words in ((["mpi"], "expected a command (mine, grind, verify, pool, "),
                                 (["hook-helper"], "there are no commands on events"),
                                 (["pool", "--no-sandbox"], "unknown option '--no-sandbox'"),
                                 (["mine", "genesis", "--on-block", "calc"], "unknown option '--on-block'"),
                                 (["mine", "genesis", "--max-cpu-temp", "80"], "unknown option '--max-cpu-temp'"),
                                 (["mine", "genesis", "--http", "unix:/tmp/socket"], "no Unix sockets on this system"),
                                 (["bench", "--against", "x"], "--against does not apply to bench")):
            with self.subTest(arguments):
                _, stderr = self.run_exe(*arguments, code=1)
                self.assertIn(words, stderr)

    def test_every_form_finds_the_genesis_block(self):
        used = []
        for isa in os.environ["ISAS"].split():
            for form in range(1, 5):
                process = self.start("mine", "genesis", "--start", GENESIS_NONCE - 5000, "--end", GENESIS_NONCE + 5000, "--isa",
                                     f"{isa}:{form}", "-t", "1", "--json", "-q")
                stdout, stderr = process.communicate(timeout=PATIENCE)
                if process.returncode in (1, 4):  # no such form; this CPU lacks it
                    break
                self.assertEqual(process.returncode, 0, stderr.decode())
                results = document_of(stdout)["results"]
                self.assertEqual([(hit["nonce"], hit["hash"]) for hit in results], [(GENESIS_NONCE, GENESIS_HASH)], f"{isa}:{form}")
                used.append(f"{isa}:{form}")
        print("found by", ", ".join(used))
        self.assertIn("scalar:1", used)

    def test_input(self):
        header = json.loads(self.run_exe("verify", "genesis", "--json")[0])["header"]["hex"]
        for given in (header.encode(), header.encode() + b"\r\n", bytes.fromhex(header)):
            self.assertIn(GENESIS_HASH, self.run_exe("verify", "-", given=given)[0])
        (self.folder / "header file").write_text(header)
        self.assertIn(GENESIS_HASH, self.run_exe("verify", "@header file")[0])
        self.assertIn("No such file", self.run_exe("verify", "@missing", code=1)[1])
        self.run_exe("explain", "genesis", "--html", "page.html")
        self.assertIn(GENESIS_HASH, (self.folder / "page.html").read_bytes().decode())
        self.assertNotIn(b"\r", (self.folder / "page.html").read_bytes())

    def test_documents_as_on_linux(self):
        search = ["--start", GENESIS_NONCE - 5000, "--end", GENESIS_NONCE + 5000, "-t", "1", "--isa", "scalar"]
        for arguments in (["verify", "genesis"], ["explain", "genesis", "--steps"], ["mine", "genesis", "--all", *search],
                          ["mine", "100000", "--target", "0f" + "f" * 62, "--end", "999", "--all", "-t", "1", "--isa", "scalar"],
                          ["mine", "example", "-a", "verushash", "--target", "0f" + "f" * 62, "--end", "999", "--all", "-t", "1"]):
            with self.subTest(arguments):
                here = document_of(self.run_exe(*arguments, "--json", "-q")[0])
                self.assertEqual(masked(here), masked(document_of(self.run_native(*arguments, "--json", "-q"))))
        for arguments in (["verify", "genesis"], ["explain", "genesis"], ["grind", "genesis", *search]):
            with self.subTest(arguments):
                self.assertEqual(self.run_exe(*arguments)[0], self.run_native(*arguments))

    def test_a_killed_search_goes_on(self):
        file = self.folder / "search"
        lock = self.folder / "search.lock"
        search = ["mine", "100000", "--target", "0000" + "f" * 60, "--end", "11999999", "--all", "-t", "1", "--isa", "scalar", "--json", "-q"]
        process = self.start(*search, "--checkpoint", "search", "--resume", "search")
        self.wait_for(lambda: file.exists() and "\ndone " in file.read_text(), "nothing is recorded")
        process.send_signal(signal.SIGSTOP)  # so that it has the file however long the next one takes to start
        self.assertIn("another process uses the checkpoint", self.run_exe(*search, "--resume", "search", code=1)[1])
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.wait_for(lambda: not lock.exists(), "the lock stays")
        self.assertIn("\ndone ", file.read_text())
        there = json.loads(self.run_native(*search))["results"]
        here = json.loads(self.run_exe(*search, "--resume", "search")[0])
        self.assertEqual(here["results"], there)
        self.assertGreater(len(there), 5)
        self.assertGreater(here["resumed_hashes"], 0)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["search"])
        self.assertEqual(json.loads(self.run_native(*search, "--resume", "search"))["results"], there)  # one format
        self.assertIn("exists; --resume continues it", self.run_exe(*search, "--checkpoint", "search", code=1)[1])


if __name__ == "__main__":
    main()

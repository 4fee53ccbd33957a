"""What gpuminer.exe takes from and does to people: names in any script, Ctrl-C, a console. Under Wine."""

import json
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from console import Console  # noqa: E402
from documents import document_of  # noqa: E402
from support import ENDLESS, GENESIS_HASH, PATIENCE, ProgramTest  # noqa: E402
from unittest_main import main  # noqa: E402

NAME = "Blöcke 区块 😀"  # the last one takes two units of UTF-16


class People(ProgramTest):
    def test_names_in_any_script(self):
        header = json.loads(self.run_exe("verify", "genesis", "--json")[0])["header"]["hex"]
        (self.folder / NAME).write_text(header)
        self.assertIn(GENESIS_HASH, self.run_exe("verify", f"@{NAME}")[0])
        self.assertIn("No such file", self.run_exe("verify", f"@{NAME} 2", code=1)[1])
        search = ["mine", f"@{NAME}", "--start", "2083236000", "--end", "2083237000", "--all", "-t", "1", "-q", "--json"]
        files = ["--checkpoint", f"{NAME}.search", "--events", f"{NAME}.events", "--log-file", f"{NAME}.log"]
        self.assertEqual(len(json.loads(self.run_exe(*search, *files)[0])["results"]), 1)
        self.assertEqual({path.name for path in self.folder.iterdir()},
                         {NAME, *(f"{NAME}.{ending}" for ending in ("search", "events", "log"))})
        for line in (self.folder / f"{NAME}.events").read_bytes().splitlines(keepends=True):
            self.assertNotIn(b"\r", line)
            json.loads(line)

    def test_words_are_what_was_typed(self):
        for word in ("*", "?", 'a "b" c', "back\\slash\\", ""):
            with self.subTest(word):
                self.assertEqual(json.loads(self.run_exe("verify", word, "--json", code=1)[0])["exit_code"], 1)
        self.assertIn("'x*'", self.run_exe("mine", "x*", code=1)[1])

    def start_search(self, *arguments):
        """One whose events say that it has begun."""
        process = self.start(*ENDLESS, "--json", "-q", "--events", "events", *arguments)
        events = self.folder / "events"
        self.wait_for(lambda: events.exists() and b"\n" in events.read_bytes(), "the search does not begin")
        return process

    def test_ctrl_c_ends_a_search_with_its_summary(self):
        process = self.start_search("--checkpoint", "search")
        process.send_signal(signal.SIGINT)  # of which Wine makes a Ctrl-C
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertEqual(document_of(stdout.decode())["ending"], "interrupted")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["events", "search"])

    def test_ctrl_c_ends_a_benchmark_with_its_document(self):
        process = self.start("bench", "kernel", "--isa", "scalar", "--rounds", "1000", "--seconds", "3600", "--json")
        process.stderr.readline()  # that it begins
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertEqual(document_of(stdout.decode())["ending"], "interrupted")

    def console(self, *arguments):
        console = Console(*arguments, folder=self.folder)
        self.addCleanup(console.close)
        return console

    def test_a_console_has_live_lines_and_keys(self):
        console = self.console(*ENDLESS)
        console.wait_for("1 × cpu:scalar")  # whatever the console's code page
        console.wait_for("keys: h rate, p pause, r resume, q quit")
        console.wait_for("cpu:scalar, 1 thread, up ")
        console.press("h")
        console.wait_for("speed 10s/60s/15m")
        console.press("p")
        console.wait_for("% of the range, paused")
        console.press("r")
        console.wait_for("% of the range, ")
        console.press("q")
        console.wait_for("total time")
        self.assertEqual(console.end(), 130, console.shown)

    def test_ctrl_c_in_a_console(self):
        console = self.console(*ENDLESS, "--checkpoint", "search")
        console.wait_for("keys: h rate")
        console.press("\x03")
        console.wait_for("total time")
        self.assertEqual(console.end(), 130, console.shown)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["search"])


if __name__ == "__main__":
    main()

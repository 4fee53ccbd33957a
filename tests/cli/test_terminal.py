"""Output that fits a terminal: at 60, 80 and 120 columns, and after its size has changed."""

import json
import os
import pathlib
import re
import tempfile

import report_sample
from support import (BLOCK, FAULTY, GPUMINER, NEAR_BLOCK, NOTHING, Case, Screen, environment, faulty, main, needs_pyte,
                     run, run_on_terminal)

WIDTHS = (60, 80, 120)
COMMANDS = {
    "mine": ["mine", BLOCK, *NEAR_BLOCK, "-t", "2", "--backend", "cpu"],
    "verify": ["verify", BLOCK],
    "explain": ["explain", BLOCK, "--steps"],
    "devices": ["devices"],
    "help": ["--help"],
    "help of pool": ["pool", "--help"],
    "version": ["--version"],
    "bench": ["bench", "kernel", "--isa", "scalar", "--rounds", "1", "--seconds", "0.001", "--backend", "cpu", "-t", "1"],
    "pseudo-miner": ["bench", "pseudo-miner", "--end", "9999", "--backend", "cpu", "--rounds", "1", "-t", "1"],
    "an error": ["mine", "xx"],
}
SLOW = faulty("slow")  # leaves the processors to others
STAMP = r"\[\d\d:\d\d:\d\d\] "
FIRST_MESSAGE = rf"^{STAMP}gpuminer "


class Terminal(Case):
    def screen(self, arguments, columns, program=GPUMINER, env=None):
        screen = Screen([program, *arguments], columns, env=env or environment())
        self.addCleanup(screen.close)
        return screen

    def test_every_line_fits(self):
        for name, arguments in COMMANDS.items():
            for columns in WIDTHS[:1] if arguments[0] == "bench" else WIDTHS:  # those take seconds
                with self.subTest(command=name, columns=columns):
                    screen = self.screen(arguments, columns)
                    screen.read_to_the_end()
                    for line in screen.lines():
                        if len(line) <= columns:
                            continue
                        # Hex digits cannot be broken, nor can other long words.
                        self.assertGreater(max(map(len, re.split(" +", line))), columns - 30, line)

    def test_tables_fit_80_columns(self):
        for arguments in (COMMANDS["mine"], COMMANDS["bench"], ["compare", *self.documents()]):
            rows = [line for line in run(*arguments, "-q").stdout.decode().splitlines() if re.search(r"\S  +\S+  +\S", line)]
            self.assertGreaterEqual(len(rows), 3, rows)
            self.assertLessEqual(max(map(len, rows)), 80, rows)

    def documents(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name in ("a", "b"):
            pathlib.Path(folder.name, name).write_text(json.dumps(report_sample.document()))
        return [f"{folder.name}/{name}" for name in ("a", "b")]

    def test_the_time_is_before_messages_alone(self):
        for extra, stamp in (([], STAMP), (["--log-time"], r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d "), (["-D"], r"\[\d\d:\d\d:\d\d\.\d{3}\] ")):
            screen = self.screen([*COMMANDS["mine"], "--plain", *extra], 120)
            screen.read_to_the_end()
            self.assertRegex(screen.text, rf"(?m)^{stamp}gpuminer [^\n]*\n{stamp}")
            self.assertRegex(screen.text, r"\nfound nonce ")
        self.assertNotRegex(run_on_terminal("mine", "xx"), r"\[\d\d:")  # what ends the program

    def test_ascii_where_the_locale_has_nothing_else(self):
        ascii_only = {"LC_ALL": "C"}
        for name, arguments in COMMANDS.items():
            with self.subTest(command=name):
                screen = self.screen(arguments, 80, env=environment(**ascii_only))
                screen.read_to_the_end()
                self.assertTrue(screen.text.isascii(), screen.text)
        live = self.screen(["mine", "genesis", *NOTHING, "--time-limit", "2"], 40, **faulty("slow,card", **ascii_only))
        live.read_to_the_end()
        self.assertTrue(live.text.isascii(), live.text)
        self.assertIn("1 x cpu:slow", live.text)

    def test_documents_are_utf8_whatever_the_locale(self):
        documents = self.documents()
        pathlib.Path(documents[1]).write_text(json.dumps(report_sample.document(label="café")))
        for extra, words in (["--json"], "µs"), ([], "us"):
            screen = self.screen(["compare", *documents, *extra], 80, env=environment(LC_ALL="C"))
            screen.read_to_the_end()
            self.assertIn(words, screen.text)

    def test_a_terminal_without_control_sequences(self):
        commands = {**COMMANDS, "colours": ["explain", BLOCK, "--against", "0"]}
        dumb = environment(TERM="dumb")
        started = [(name, self.screen(arguments, 80, env=dumb)) for name, arguments in commands.items()]
        started.append(("live", self.screen(["mine", "genesis", "--time-limit", "3", "--status-interval", "500ms"], 80,
                                            **faulty("slow,late", TERM="dumb"))))
        for name, screen in started:
            with self.subTest(command=name):
                screen.read_to_the_end()
                self.assertNotIn("\033", screen.text)
                self.assertNotRegex(screen.text, r"\r(?!\n)")
        self.assertIn("% of the range", screen.text)

    def test_plain(self):
        for arguments, named in ((["mine", "genesis", *NOTHING, "--time-limit", "2"], SLOW),
                                 (["bench", "kernel", "--isa", "scalar", "--rounds", "2", "--seconds", "0.1", "--backend", "cpu"], {})):
            screen = self.screen([*arguments, "--plain"], 80, **named)
            screen.read_to_the_end()
            self.assertNotIn("\033[K", screen.text)  # of a live line

    def test_elsewhere_nothing_is_broken(self):
        narrow = self.screen(["verify", BLOCK], 20)
        narrow.read_to_the_end()
        self.assertIn(BLOCK, "".join(narrow.lines()))

    def test_colours_where_they_are_wanted(self):
        for extra, no_color, colored in ([[], "", True], [["--no-color"], "", False], [[], "1", False]):
            screen = self.screen(["explain", BLOCK, "--against", "0", *extra], 80, env=environment(NO_COLOR=no_color))
            screen.read_to_the_end()
            self.assertEqual("\033[31m" in screen.text, colored, (extra, no_color))

    @needs_pyte
    def test_live_lines(self):
        for columns in WIDTHS:
            screen = self.screen(["mine", "genesis", *NOTHING], columns, **SLOW)
            while screen.text.count("\033[K") < 8 and screen.read(1):
                pass
            self.assertEqual(sum(line.startswith("cpu:slow, 1 thread") for line in screen.shown()), 1, screen.shown())
            self.assertLessEqual(len(screen.shown()), 6, screen.shown())  # the first two messages may take two each

    @needs_pyte
    def test_after_a_resize(self):
        gnome = {"VTE_VERSION": "7006"}
        for before, after, breaks_lines, variables in ((120, 30, False, {}), (120, 30, True, gnome), (30, 100, True, gnome), (100, 24, False, {}), (100, 24, True, {}),
                                                       (100, 24, False, {"XTERM_VERSION": "XTerm(379)", **gnome})):
            screen = self.resized(before, after, breaks_lines, variables)
            while not screen:  # it had measured the terminal just before, and drew just after: nobody can help that
                screen = self.resized(before, after, breaks_lines, variables)
            shown = screen.shown()
            if breaks_lines and not variables:  # nothing says that it does: the beginning of a live line may be left
                self.assertIn("H/s", shown[-1])
                self.assertRegex(shown[0], FIRST_MESSAGE)
                continue
            self.assertEqual(sum(line.startswith("cpu:slow, 1 thread") for line in shown), 1, shown)
            self.assertRegex(shown[0], FIRST_MESSAGE)  # what stands above is not taken away
            self.assertNotRegex("\n".join(shown[:-1]), "of the range|at most|time left", shown)

    def resized(self, before, after, breaks_lines, variables):
        """A search on a terminal whose width changed while it ran; None: a line came that was made for the width before."""
        screen = self.screen(["mine", "genesis", *NOTHING], before, **faulty("slow", **variables))
        self.wait_for_lines(screen, 4)
        at = len(screen.text)
        screen.resize(after, breaks_lines)
        self.wait_for_lines(screen, 4)
        drawn = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", screen.text[at:])
        return screen if all(len(line) <= after for line in re.split(r"[\r\n]+", drawn)) else None

    def wait_for_lines(self, screen, count):
        end = screen.text.count("\033[K") + count
        while screen.text.count("\033[K") < end and screen.read(0.2):
            pass

    def test_keys(self):
        """As those of pool and solo (tests/live/test_terminal.py), but for what concerns a server."""
        screen = Screen([FAULTY, "mine", "genesis", *NOTHING], 80, env=SLOW["env"], stdin=True)
        self.addCleanup(screen.close)
        self.wait_for(screen, "keys: h rate, p pause, r resume, q quit")
        for key, words in (("h", "speed 10s/60s/15m"), ("p", "paused; r resumes"), ("r", "resumed"), ("s", "keys: h rate"), ("x", "keys: h rate")):
            screen.text = ""
            os.write(screen.terminal, key.encode())
            self.wait_for(screen, words)
        os.write(screen.terminal, b"q")
        screen.read_to_the_end()
        self.assertEqual(screen.process.returncode, 130)
        self.assertIn("total time", screen.text)

    def wait_for(self, screen, words):
        while words not in screen.text and screen.read(0.2):
            pass
        self.assertIn(words, screen.text)

    @needs_pyte
    def test_messages_above_the_live_line(self):
        screen = self.screen(["mine", "genesis", "--time-limit", "4"], 60, **faulty("slow,late"))
        screen.read_to_the_end()
        text = "\n".join(screen.shown())
        self.assertRegex(text, r"\n\[[\d:]{8}\] gpuminer: warning: cpu:late#1 is quarantined: the\n  card fell off the bus\n")
        self.assertNotIn("of the range,", text)


if __name__ == "__main__":
    main()

"""The progress line: live on a terminal, now and then elsewhere."""

import os
import pty
import re
import select
import subprocess
import time

from support import BLOCK, FAULTY, GPUMINER, NOTHING, Case, environment, faulty, main, run_on_terminal

LINE = r"[\d.]+ .?H/s, [\d.]+ % of the range(, at most [\w .]* left)?(, [\w .%-]* chance of a hit)?"

CHANCE = r"[\w .%-]* chance of a hit in [\d,]+ hashes"
LIVE_ALONE = rf"cpu:\w+, 1 thread, [^\n]*up [\d.]+ s\033\[K\r\n{LINE}\033\[K"  # of one device
LIVE = rf"(cpu:\w+ +[\d.]+ .?H/s, 1 thread(, taken out)?\033\[K\r\n)+speed 10s/60s/15m [^\n]*, up [\d.]+ s\033\[K\r\n{LINE}\033\[K"
STAMP = r"\[\d\d:\d\d:\d\d\] "  # of messages on a terminal
FIRST_LIVE_LINE = r"\r\033\[\d+A"  # where the cursor goes before anything is drawn in their place


class Progress(Case):
    def test_now_and_then_where_there_is_no_terminal(self):
        def start(*arguments):  # all at once, as each takes 4 s; a slow device leaves the CPU alone
            return subprocess.Popen([FAULTY, *arguments, "--end", "1999999", "--time-limit", "4"], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=faulty("slow")["env"])

        often = ("--status-interval", "500ms")
        processes = [start("mine", "genesis", *often), start("mine", "genesis"), start("mine", "genesis", "-q", *often),
                     start("grind", "genesis", "-q", *often)]
        messages, by_default, quiet, quiet_grind = (process.communicate(timeout=60)[1].decode() for process in processes)
        self.assertEqual([process.returncode for process in processes], [3, 3, 3, 3])
        self.assertRegex(messages, rf"^gpuminer [^\n]*\n{CHANCE}\n({LINE}\n)+$")
        self.assertRegex(by_default, rf"^gpuminer [^\n]*\n{CHANCE}\n$")  # once a minute
        self.assertEqual(quiet, "")
        self.assertEqual(quiet_grind, "gpuminer: the limit was reached before a nonce was found\n")

    def test_live_lines(self):
        text = run_on_terminal("mine", "genesis", *NOTHING, "--time-limit", "4", **faulty("slow"))
        self.assertRegex(text, rf"(?s){LIVE_ALONE}{FIRST_LIVE_LINE}{LIVE_ALONE}.*{FIRST_LIVE_LINE}\033\[J$")
        self.assertEqual(run_on_terminal("mine", "genesis", *NOTHING, "--time-limit", "1", "-q", **faulty("slow")), "")
        # Many grinds take milliseconds: one that has ended within a second shows none.
        began = time.monotonic()
        text = run_on_terminal("grind", BLOCK, "--nbits", "207fffff")
        if time.monotonic() - began < 1:
            self.assertNotIn("\r\033[K", text)

    def test_messages_stand_on_lines_of_their_own(self):
        warning = r"gpuminer: warning: cpu:late#1 is quarantined: the card fell off the\r\n  bus"
        arguments = ["mine", "genesis", "--time-limit", "4"]
        coloured = run_on_terminal(*arguments, **faulty("slow,late"))
        plain = run_on_terminal(*arguments, **faulty("slow,late", NO_COLOR="1"))
        empty = run_on_terminal(*arguments, **faulty("slow,late", NO_COLOR=""))
        above = rf"{LIVE}{FIRST_LIVE_LINE}\033\[J"
        self.assertRegex(coloured, rf"{above}(\033\[[\d;]*m)+{STAMP}{warning}(\033\[[\d;]*m)+\r\n\r{LIVE}")
        self.assertRegex(plain, rf"{above}{STAMP}{warning}\r\n\r{LIVE}")
        self.assertIsNone(re.search(r"\033\[[\d;]*m", plain), plain)
        self.assertRegex(empty, r"\033\[[\d;]*m")  # NO_COLOR counts when it is not empty
        for text in (coloured, plain, empty):
            self.assertRegex(text, rf"{FIRST_LIVE_LINE}\033\[J$")

    def test_no_bar_while_a_table_is_written(self):
        # On one terminal the table would begin behind the bar. Standard output is a pipe that takes nothing for now.
        unread, full = os.pipe()
        os.set_blocking(full, False)
        try:
            while os.write(full, bytes(65536)):
                pass
        except BlockingIOError:
            os.set_blocking(full, True)
        terminal, stderr = pty.openpty()
        command = [GPUMINER, "bench", "kernel", "--isa", "scalar", "--rounds", "2", "--seconds", "0.2", "--backend", "cpu"]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=full, stderr=stderr, env=environment())
        self.addCleanup(lambda: process.poll() is None and process.kill())
        os.close(stderr)
        os.close(full)
        self.addCleanup(os.close, terminal)
        text = b""
        end = time.monotonic() + 300
        silent = False
        while not (silent and text.endswith(b"\r\033[K")):  # a bar is drawn five times a second
            self.assertLess(time.monotonic(), end, text[-300:].decode(errors="replace"))
            silent = not select.select([terminal], [], [], 1)[0]
            text += b"" if silent else os.read(terminal, 4096)
        with os.fdopen(unread, "rb") as pipe:
            self.assertIn(b"kernel", pipe.read())
        self.assertEqual(process.wait(timeout=300), 0)


if __name__ == "__main__":
    main()

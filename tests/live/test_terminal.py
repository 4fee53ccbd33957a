"""`pool` on terminals of several sizes. The log-in and the shares stay visible above the live lines, of which the last
one stays where there is no room for more."""

import json
import os
import pathlib
import re
import signal
import termios
import time

from pool_server import PoolServer
from support import CPU, GPUMINER, Case, Screen, main, needs_pyte, patience


class Terminal(Case):
    def start_on(self, columns, rows):
        pool = PoolServer(1e-4)
        self.addCleanup(pool.close)
        screen = Screen([GPUMINER, "pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "1M", "--journal",
                         str(self.folder / f"journal-{columns}-{rows}")], columns, rows)
        self.addCleanup(screen.close)
        return pool, screen

    @needs_pyte
    def test_pool(self):
        sizes = ((60, 24), (80, 24), (120, 50), (80, 3))
        started = [self.start_on(*size) for size in sizes]  # at once: each takes some seconds
        waiting, end = started, time.monotonic() + patience()
        while waiting and time.monotonic() < end:
            for _, screen in waiting:
                self.assertTrue(screen.read(0.1), screen.text)
            waiting = [(pool, screen) for pool, screen in waiting if len(pool.accepted()) < 3 or screen.text.count("accepted") < 12]
        for (columns, rows), (_, screen) in zip(sizes, started, strict=True):
            with self.subTest(columns=columns, rows=rows):
                shown = screen.shown()
                self.assertRegex(shown[-1], r"^[\d.]+ .?H/s.*, accepted \d")
                if rows == 3:
                    continue
                self.assertTrue(any("logged in" in line for line in shown), shown)
                above = [next(number for number, line in enumerate(shown) if re.match(pattern, line)) - len(shown)
                         for pattern in (r"cpu:\w+, 1 thread, ", "a block every ", "stratum")]
                self.assertEqual(above, [-4, -3, -2], shown)  # no line is left over from an earlier time
                self.assertEqual(sum(bool(re.match(r"cpu:\w+, 1 thread", line)) for line in shown), 1, shown)
                # In place: what is there is overwritten, and not taken away first, but for a message above it.
                self.assertEqual(re.findall(r"[\rA]\x1b\[J\r", screen.text), [])


class Keys(Case):
    def screen(self, *arguments):
        pool = PoolServer(1e-4)
        self.addCleanup(pool.close)
        screen = Screen([GPUMINER, "pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "500k", "--journal",
                         str(self.folder / "journal"), *arguments], 80, stdin=True)
        self.addCleanup(screen.close)
        self.wait_for(screen, "difficulty 0.0001")
        return screen

    def wait_for(self, screen, words):
        def text():
            return re.sub(r"\r\n +", " ", screen.text)  # messages that were broken at blanks

        end = time.monotonic() + patience()
        while words not in text() and time.monotonic() < end:
            if not screen.read(0.2):
                break
        self.assertIn(words, text())

    def echoes(self, screen):
        return bool(termios.tcgetattr(screen.terminal)[3] & termios.ECHO)

    def test_keys(self):
        screen = self.screen()
        self.wait_for(screen, "keys: h rate, p pause, r resume, s shares, c connection, q quit")
        for key, words in (("h", "speed 10s/60s/15m n/a n/a n/a H/s"), ("s", "accepted"), ("c", "gives work"),
                           ("p", "paused; r resumes"), ("r", "resumed"), ("x", "keys: h rate")):
            screen.text = ""
            os.write(screen.terminal, key.encode())
            self.wait_for(screen, words)
        self.assertFalse(self.echoes(screen))
        os.write(screen.terminal, b"q")
        self.wait_for(screen, "total time")
        self.assertEqual(screen.read_to_the_end(patience()), 130)
        self.assertTrue(self.echoes(screen))

    @needs_pyte
    def test_stopped_by_the_user_and_gone_on(self):
        """Ctrl-Z gives the terminal back; it is taken again when the process goes on."""
        screen = self.screen()
        self.until(lambda: not self.echoes(screen))
        os.write(screen.terminal, b"\x1a")
        self.until(lambda: pathlib.Path(f"/proc/{screen.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T")
        self.assertTrue(self.echoes(screen))
        screen.read(0.1)  # all that it wrote before
        self.assertFalse([line for line in screen.shown() if "1 thread, " in line], "live lines are left to the shell")
        os.kill(screen.process.pid, signal.SIGCONT)
        self.until(lambda: not self.echoes(screen))
        os.write(screen.terminal, b"\x03")
        self.assertEqual(screen.read_to_the_end(patience()), 130)
        self.assertTrue(self.echoes(screen))

    def test_ctrl_backslash_gives_the_terminal_back(self):
        screen = self.screen()
        self.until(lambda: not self.echoes(screen))
        os.write(screen.terminal, b"\x1c")
        self.assertEqual(screen.read_to_the_end(patience()), -signal.SIGQUIT)
        self.assertTrue(self.echoes(screen))

    def test_nothing_is_drawn_from_the_background(self):
        pool = PoolServer(1e-4)
        self.addCleanup(pool.close)
        shell = ["bash", "-c", 'set -m; "$@" & until jobs %1 | grep -q Done; do sleep 1; done', "shell"]
        screen = Screen([*shell, GPUMINER, "pool", "-o", pool.url, "-u", "worker", *CPU, "--max-hashrate", "500k", "--journal",
                         str(self.folder / "journal"), "--shares", "3"], 80, stdin=True)
        self.addCleanup(screen.close)
        self.wait_for(screen, "total time")
        self.assertIn("accepted (1/0)", screen.text)
        self.assertNotIn("1 thread, ", screen.text)
        self.assertNotIn("\x1b[K", screen.text)

    def test_plain(self):
        screen = self.screen("--plain", "--status-interval", "500ms")
        self.wait_for(screen, "accepted")
        self.assertTrue(self.echoes(screen))
        self.assertNotIn("keys:", screen.text)
        self.assertNotIn("\x1b", screen.text)

    def test_events_stand_on_lines_of_their_own(self):
        screen = self.screen("--events", "-")
        self.wait_for(screen, '{"event":"share"')
        self.wait_for(screen, '{"event":"rate"')
        screen.process.send_signal(signal.SIGINT)
        self.assertEqual(screen.read_to_the_end(patience()), 130)
        self.assertNotIn("\x1b[K", screen.text)  # of a live line
        events = [json.loads(line) for line in screen.text.splitlines() if '{"event"' in line]
        self.assertEqual((events[0]["event"], events[-1]["event"]), ("start", "end"))

    def until(self, condition):
        end = time.monotonic() + patience()
        while not condition() and time.monotonic() < end:
            time.sleep(0.05)
        self.assertTrue(condition())


if __name__ == "__main__":
    main()

"""A terminal for tests: a pseudo-terminal and, where Python's pyte is installed, a model of its screen."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unittest

try:
    import pyte
except ImportError:
    pyte = None

needs_pyte = unittest.skipIf(pyte is None, "Python's pyte is not installed (Debian: python3-pyte)")


class Screen:
    """What a program shows that has standard output and standard error on a terminal. `stdin`: standard input, too, and the
    terminal is the one that controls it."""

    def __init__(self, command, columns, rows=50, env=None, stdin=False):
        self.terminal, slave = pty.openpty()
        self.columns, self.rows = columns, rows
        self.set_size(slave)
        environment = {**os.environ, "TERM": "xterm"} if env is None else dict(env)
        environment.pop("COLUMNS", None)
        if stdin:  # util-linux: a session of its own, whose terminal is standard input
            command = ["setsid", "--ctty", *command]
        self.process = subprocess.Popen(command, stdin=slave if stdin else subprocess.DEVNULL, stdout=slave, stderr=slave,
                                        env=environment)
        os.close(slave)
        self.text = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")  # what is read may end within a character
        if pyte is not None:
            self.model = pyte.Screen(columns, rows)
            self.stream = pyte.ByteStream(self.model)

    def set_size(self, descriptor):
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))

    def resize(self, columns, breaks_lines=False, rows=None):
        """`breaks_lines`: lines that are too long go on in the next row, as in most terminals; else they are cut off (xterm). With
        other `rows` it is cleared."""
        self.read(0)
        self.columns, self.rows = columns, rows or self.rows
        self.set_size(self.terminal)
        if rows:
            self.model.reset()
        if not breaks_lines:
            return self.model.resize(self.rows, columns)
        rows = [row.rstrip() for row in self.model.display[:self.model.cursor.y + 1]]
        self.model = pyte.Screen(columns, self.rows)
        self.stream = pyte.ByteStream(self.model)
        self.stream.feed("\r\n".join(rows).encode())

    def read(self, seconds):
        """What comes within this time, or until it ends. False: it has ended."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.terminal], [], [], left)[0]:
                return True
            try:
                data = os.read(self.terminal, 65536)
            except OSError:  # EIO: nobody has the other end any more
                return False
            if pyte is not None:
                self.stream.feed(data)
            self.text += self.decoder.decode(data)
        return True

    def read_to_the_end(self, seconds=600 if "GPUMINER_EMULATED" in os.environ else 120):
        if self.read(seconds):
            raise AssertionError(f"it still runs after {seconds} s: {self.text[-2000:]}")
        return self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def shown(self):
        """The lines of the screen that hold something."""
        return [line.rstrip() for line in self.model.display if line.strip()]

    def lines(self):
        """All lines that were ever printed, as they stood in the end, without colours."""
        return [line.rstrip("\r").split("\r")[-1] for line in re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", self.text).split("\n")]

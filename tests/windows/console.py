"""A console for gpuminer.exe: a pseudo-terminal, of which Wine makes one."""

import fcntl
import os
import pty
import select
import struct
import termios
import time

from support import EXE, PATIENCE, WINE, environment

ROWS, COLUMNS = 30, 100


class Console:
    """The program in it; to be closed."""

    def __init__(self, *arguments, folder):
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(folder)
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
                os.execve(WINE, [WINE, EXE, *arguments], environment())
            finally:
                os._exit(126)
        self.shown = ""
        self.code = None

    def read(self):
        """What has come since, after a moment; None: it is over."""
        if not select.select([self.screen], [], [], 0.1)[0]:
            return ""
        try:
            return os.read(self.screen, 65536).decode(errors="replace") or None
        except OSError:
            return None

    def wait_for(self, text):
        """Until it is shown; what came before it is forgotten."""
        end = time.monotonic() + PATIENCE
        while text not in self.shown:
            more = self.read()
            if more is None or time.monotonic() > end:
                raise AssertionError(f"{text!r} is not shown, but {self.shown!r}")
            self.shown += more
        self.shown = self.shown.split(text, 1)[1]

    def press(self, keys):
        os.write(self.screen, keys.encode())

    def end(self):
        """The exit code; `shown` is what came until then."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.shown += self.read() or ""
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.code = os.waitstatus_to_exitcode(status)
                self.shown += self.read() or ""
                return self.code
        raise AssertionError("it does not end")

    def close(self):
        os.close(self.screen)
        if self.code is None:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)

"""Common parts of the live tests: folders, a gpuminer at work, and its journal."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from patience import patience

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from documents import document_of, validate  # noqa: E402, F401
from screen import Screen, needs_pyte  # noqa: E402, F401
from unittest_main import main  # noqa: E402, F401

GPUMINER = os.environ.get("GPUMINER", "gpuminer")
SANITIZED = bool(os.environ.get("GPUMINER_SANITIZED"))  # then it is slow, and its memory says nothing
CPU = ["--backend", "cpu", "-t", "1"]


def in_memory():
    """A folder in memory, where a journal that is written with fsync waits for nobody; None: there is none with room for nodes."""
    folder = "/dev/shm"
    return folder if os.path.isdir(folder) and shutil.disk_usage(folder).free > 2 << 30 else None


class Gpuminer:
    """One that was started with `arguments`; its output goes to files, so that no pipe can fill up."""

    def __init__(self, folder, *arguments):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        number = len(list(self.folder.glob("*.err")))
        self.stdout, self.stderr = self.folder / f"{number}.out", self.folder / f"{number}.err"
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state"), "NO_COLOR": "1"}
        with open(self.stdout, "wb") as out, open(self.stderr, "wb") as err:
            self.process = subprocess.Popen([GPUMINER, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                            env=environment)

    @property
    def messages(self):
        return self.stderr.read_text(errors="replace")

    def wait(self):
        """The exit code."""
        timeout = patience()
        try:
            return self.process.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it still runs after {timeout:.0f} s: {self.messages[-3000:]}") from None

    def document(self):
        text = self.stdout.read_text()
        try:
            return document_of(text)
        except ValueError:
            raise AssertionError(f"no JSON document: {text[:300]!r}, {self.messages[-3000:]}") from None

    def interrupt(self):
        """SIGINT; the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def memory(self):
        """Resident, in KiB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="gpuminer-live-", dir=in_memory(), ignore_cleanup_errors=True)
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def node(self, kind, name="node"):
        kind.program()  # skips the test where there is none
        node = kind(self.folder / name)
        self.addCleanup(self.end_node, node)
        return node

    def end_node(self, node):
        if node.process.poll() is None:
            node.stop(signal.SIGKILL)
        elif node.started:
            self.fail(f"{node.name} ended by itself: {(node.folder / 'output.log').read_text()[-2000:]}")

    def start(self, *arguments, name="gpuminer"):
        miner = Gpuminer(self.folder / name, *arguments)
        self.addCleanup(lambda: miner.process.poll() is None and miner.kill())
        return miner

    def run_miner(self, *arguments, code=0):
        """The document of one that ends by itself with `code`, and what it wrote on standard error."""
        miner = self.start(*arguments, "--json")
        self.assertEqual(miner.wait(), code, miner.messages[-3000:])
        return miner.document(), miner.messages

    def wait_until(self, condition, what, miner=None):
        start, limit = time.monotonic(), time.monotonic() + patience()
        while not condition():
            if miner and miner.process.poll() is not None:
                self.fail(f"it ended with {miner.process.returncode} before {what}: {miner.messages[-3000:]}")
            if time.monotonic() > limit:
                self.fail(f"not within {limit - start:.0f} s: {what() if callable(what) else what}; {miner.messages[-3000:] if miner else ''}")
            time.sleep(0.02)


def journal(path):
    """Its complete lines, oldest first. (The last may be one that a kill cut off.)"""
    lines = pathlib.Path(path).read_bytes().split(b"\n")
    return [json.loads(line) for line in lines[:-1]]

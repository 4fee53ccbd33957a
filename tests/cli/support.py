"""Common parts of the command line tests: running gpuminer, and hashing without it."""

import csv
import gzip
import hashlib
import json
import os
import pathlib
import pty
import re
import subprocess
import signal
import sys
import time
import unittest

try:
    import tomllib  # noqa: F401
except ImportError:  # before Python 3.11
    tomllib = None

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from documents import SCHEMAS, document_of, needs_jsonschema, validate  # noqa: E402, F401
from screen import Screen, needs_pyte  # noqa: E402, F401
from unittest_main import SKIPPED, main  # noqa: E402, F401

GPUMINER = os.environ.get("GPUMINER", "gpuminer")
FAULTY = os.environ.get("GPUMINER_FAULTY", "gpuminer_faulty")  # the same, over the devices of faulty_backend.cpp
EMULATED = "GPUMINER_EMULATED" in os.environ  # QEMU runs the program, as it is for another CPU
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
HISTORY = pathlib.Path(__file__).resolve().parents[2] / "bench" / "history"

# Real block 100000.
BLOCK = ("0100000050120119172a610421a6c3011dd330d9df07b63616c2cc1f1cd00200000000006657a9252aacd5c0b2940996ecff952228"
         "c3067cc38d4885efb5a4ac4247e9f337221b4d4c86041b0f2b5710")
BLOCK_NONCE = 274148111
BLOCK_HASH = "000000000003ba27aa200b1cecaad478d2b00432346c3f1f3986da1afd33e506"
NEAR_BLOCK = ["--start", str(BLOCK_NONCE - 500), "--end", str(BLOCK_NONCE + 500)]
NOTHING = ["--target", "0" * 64]  # no hash is that low: a search that goes on until it is stopped
EVERYTHING = "f" * 64


def not_emulated(reason):
    """For tests that make no sense there, and why."""
    return unittest.skipIf(EMULATED, f"under QEMU {reason}")


def environment(**changes):
    """Ours, without what the tester's own terminal changes."""
    return {**{key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLORTERM")}, "TERM": "xterm", **changes}


def preloading(path):
    """What is to be in the environment() of a program that loads this library first. (The loader goes on without one that is not built.)"""
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path} is not built")
    if EMULATED:
        return {"QEMU_SET_ENV": f"LD_PRELOAD={path}"}
    return {"LD_PRELOAD": " ".join(filter(None, (os.environ.get("LD_PRELOAD"), path)))}


def faulty(devices, counter="", **changes):
    """Arguments for run() and run_on_terminal(): `devices` and `counter` as faulty_backend.cpp explains."""
    return {"program": FAULTY, "env": environment(GPUMINER_FAULTY_DEVICES=devices, GPUMINER_FAULTY_COUNTER=counter, **changes)}


def recorded_documents():
    """{file: text} of those in bench/history, of which there is one at least."""
    files = sorted(HISTORY.glob("*.json*"))
    assert files, f"expected a recorded document in {HISTORY}"
    return {file: gzip.decompress(file.read_bytes()).decode() for file in files}


def run(*arguments, stdin=b"", program=GPUMINER, env=None, **kwargs):
    """The finished process, with the bytes of stdout and stderr."""
    return subprocess.run([program, *arguments], input=stdin, capture_output=True, timeout=300, env=env or environment(), **kwargs)


def run_on_terminal(*arguments, program=GPUMINER, env=None):
    """What it writes on a standard error that is a terminal."""
    terminal, stderr = pty.openpty()
    process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                               env=env or environment())
    os.close(stderr)
    text = b""
    try:
        while chunk := os.read(terminal, 4096):
            text += chunk
    except OSError:  # the other side is closed
        pass
    process.wait(timeout=60)
    os.close(terminal)
    return text.decode()


def wait_until_it_hears(process):
    """Until it has made arrangements for signals: before that they would end it. (QEMU itself catches all from its start, and blocks
    all for moments.)"""
    def has(status, kind, number):
        return int(re.search(rf"{kind}:\t(\w+)", status)[1], 16) >> number - 1 & 1

    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        if has(status, "SigBlk", signal.SIGINT) and not (EMULATED and has(status, "SigBlk", signal.SIGWINCH)):
            return
        if has(status, "SigCgt", signal.SIGINT) and not EMULATED:
            return
        time.sleep(0.01)


def mine(*arguments):
    """The document of a `mine --json` that should succeed or find nothing."""
    process = run("mine", *arguments, "--json", "-q")
    if process.returncode not in (0, 2):
        raise AssertionError(f"exit code {process.returncode}: {process.stderr.decode()}")
    return json.loads(process.stdout)


def block_hash(header):
    """SHA-256d of 80 bytes as a number, and in display order."""
    digest = hashlib.sha256(hashlib.sha256(header).digest()).digest()
    return int.from_bytes(digest, "little"), digest[::-1].hex()


def with_fields(header_hex, version, nonce):
    header = bytes.fromhex(header_hex)
    return version.to_bytes(4, "little") + header[4:76] + nonce.to_bytes(4, "little")


def oracle(header_hex, target_hex, start, end, versions=None):
    """Every hit as (version, nonce, hash, header) in ascending order, by hashlib alone."""
    own = int.from_bytes(bytes.fromhex(header_hex)[:4], "little")
    hits = []
    for version in sorted(versions or [own]):
        for nonce in range(start, end + 1):
            header = with_fields(header_hex, version, nonce)
            number, text = block_hash(header)
            if number <= int(target_hex, 16):
                hits.append((version, nonce, text, header.hex()))
    return hits


def hits_of(document):
    return [(hit["version"], hit["nonce"], hit["hash"], hit["header"]) for hit in document["results"]]


def target_of_nbits(nbits):
    exponent, mantissa = nbits >> 24, nbits & 0x7FFFFF
    return mantissa << 8 * (exponent - 3) if exponent >= 3 else mantissa >> 8 * (3 - exponent)


def real_headers():
    """Rows of headers.csv: network, height, header_hex, hash_hex."""
    with open(DATA / "headers.csv", newline="") as file:
        return list(csv.DictReader(file))


class Case(unittest.TestCase):
    maxDiff = 2000

    def expect_error(self, code, words, *arguments, **kwargs):
        """One plain sentence on standard error that has `words` in it, and nothing on standard output."""
        process = run(*arguments, **kwargs)
        message = process.stderr.decode()
        self.assertEqual(process.returncode, code, f"{arguments}: {message}")
        self.assertEqual(process.stdout, b"", arguments)
        self.assertEqual(message.count("\n"), 1, message)
        self.assertLess(len(message), 1000, message)
        self.assertTrue(message.isprintable() or message[:-1].isprintable(), message)
        self.assertIn(words, message)
        return message

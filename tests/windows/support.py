"""gpuminer.exe under Wine, for its tests."""

import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

EXE, NATIVE, WINE, WINEPREFIX = (os.environ[name] for name in ("GPUMINER", "NATIVE", "WINE", "WINEPREFIX"))
PATIENCE = 600  # seconds; far more than is needed, for busy machines
OTHERS = 0o007  # of a file's mode
GENESIS_NONCE = 2083236893
GENESIS_HASH = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"
# Keys of documents: null where nothing measures them, as on Windows, or numbers.
SENSORS = {"temperature_c", "max_temperature_c", "core_clock_mhz", "power_w", "power_limit_w", "cpu_power_w", "energy_j", "joules_per_gh",
           "cpu_package_energy_j", "cpu_package_joules_per_gh"}
ENDLESS = ["mine", "genesis", "--target", "0" * 64, "--all", "-t", "1", "--isa", "scalar"]


def outlined(value, key=""):
    """A document without its numbers, hashes, names of machines and places of files: what is left is the same everywhere."""
    if key in SENSORS:
        return "number or null"
    if isinstance(value, dict):
        return {name: outlined(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [outlined(part) for part in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return "number"
    return "text" if key in ("journal", "model", "commit", "session", "extranonce1") or re.fullmatch(r"[0-9a-f]{64}|[0-9T:.-]+Z", value) else value


def environment(**more):
    """Ours, for a Wine without a display and OpenCL that asks for nothing, with some more. (PoCL takes SIGQUIT for itself, by which
    Wine ends threads: a program that ends while PoCL is being opened may be killed by it.)"""
    return {**{key: value for key, value in os.environ.items() if key != "DISPLAY" and not key.startswith(("GPUMINER_", "SSL_CERT_"))},
            "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml=d", "OCL_ICD_VENDORS": "/nonexistent", **more}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *arguments, program=EXE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **variables):
        return subprocess.Popen([WINE, program, *map(str, arguments)], stdin=subprocess.PIPE, stdout=stdout, stderr=stderr,
                                env=environment(**variables), cwd=self.folder)

    def run_exe(self, *arguments, code=0, given=b"", **variables):
        """(standard output, standard error) as text; neither has a carriage return. They are files: Wine's explorer.exe, which a
        program may start, inherits them, and pipes would have no end before its."""
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            process = self.start(*arguments, stdout=output, stderr=errors, **variables)
            process.communicate(given, timeout=PATIENCE)
            stdout, stderr = (os.pread(file.fileno(), 1 << 30, 0) for file in (output, errors))
        self.assertEqual(process.returncode, code, stderr.decode())
        self.assertNotIn(b"\r", stdout + stderr)
        return stdout.decode(), stderr.decode()

    def run_native(self, *arguments, code=0):
        if not os.path.exists(NATIVE):
            self.skipTest(f"{NATIVE} is not built")
        process = subprocess.run([NATIVE, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE, cwd=self.folder,
                                 env={**os.environ, "GPUMINER_NO_CONFIG": "1"})
        self.assertEqual(process.returncode, code, process.stderr)
        return process.stdout

    def wait_for(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

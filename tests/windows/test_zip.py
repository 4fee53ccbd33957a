"""The zip for Windows: its contents, its checksums, the same bytes when it is made again, and a program that is one file."""

import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unittest_main import main  # noqa: E402

PACKAGES, SETTINGS, SOURCE = (pathlib.Path(os.environ[name]) for name in ("PACKAGES", "SETTINGS", "SOURCE"))
# Not user32.dll, nor one that loads it: with that no program of a console is told of the end of the user's session.
SYSTEM = {"advapi32.dll", "bcrypt.dll", "crypt32.dll", "iphlpapi.dll", "kernel32.dll", "msvcrt.dll", "mswsock.dll", "ws2_32.dll"}


def files():
    return {path.name: path.read_bytes() for path in PACKAGES.iterdir()}


class Zip(unittest.TestCase):
    def setUp(self):
        self.files = files()
        self.name = next(name for name in self.files if name.endswith(".zip"))
        self.zip = zipfile.ZipFile(io.BytesIO(self.files[self.name]))
        self.folder = self.name.removesuffix(".zip")

    def part(self, name):
        return self.zip.read(f"{self.folder}/{name}")

    def test_contents(self):
        self.assertRegex(self.folder, r"^gpuminer-[0-9.]+-windows-x86_64$")
        self.assertEqual(self.zip.namelist(), [f"{self.folder}/{name}" for name in (
            "LICENSE.txt", "README.txt", "gpuminer.exe", "gpuminer.spdx.json", "third-party-licences.txt")])
        self.assertIn(b"on no real Windows", self.part("README.txt"))
        for name in ("README.txt", "LICENSE.txt", "third-party-licences.txt"):
            self.assertEqual(self.part(name).count(b"\n"), self.part(name).count(b"\r\n"), name)
        contents = json.loads(self.part("gpuminer.spdx.json"))
        licences = {package["name"]: package["licenseDeclared"] for package in contents["packages"] if not package["name"].startswith("tool-")}
        self.assertNotIn("NOASSERTION", licences.values(), licences)
        for name in ("libfmt-dev", "libspdlog-dev", "libcli11-dev", "nlohmann-json3-dev", "mingw-w64-x86-64-dev", "openssl", "libpsl",
                     "libsodium", "qr-code-generator"):
            self.assertIn(name, licences)
            self.assertIn(name.encode(), self.part("third-party-licences.txt"))
        self.assertTrue(any(name.startswith("libboost") for name in licences), licences)
        self.assertEqual(licences["public-suffix-list"], "MPL-2.0")
        self.assertIn(b"the Public Suffix List", self.part("third-party-licences.txt"))

    def test_checksums(self):
        sums = dict(reversed(line.split("  ")) for line in self.files["SHA256SUMS"].decode().splitlines())
        self.assertEqual(sums, {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items() if name != "SHA256SUMS"})
        program = json.loads(self.part("gpuminer.spdx.json"))["packages"][0]["checksums"][0]["checksumValue"]
        self.assertEqual(program, hashlib.sha256(self.part("gpuminer.exe")).hexdigest())

    def test_made_again(self):
        subprocess.run([sys.executable, "-B", SOURCE / "packaging" / "windows_zip.py", SETTINGS], check=True, capture_output=True)
        self.assertEqual(*({name: hashlib.sha256(data).hexdigest() for name, data in made.items()} for made in (files(), self.files)))

    def test_the_program_is_one_file_of_no_place_and_day(self):
        program = self.part("gpuminer.exe")
        self.assertNotIn(str(SOURCE).encode(), program)
        path = SETTINGS.parent / "gpuminer.exe"
        facts = subprocess.run([os.environ["OBJDUMP"], "--private-headers", path], capture_output=True, text=True, check=True).stdout
        libraries = {name.lower() for name in re.findall(r"DLL Name: (\S+)", facts)}
        self.assertLessEqual(libraries, SYSTEM)
        self.assertRegex(facts, r"Time/Date\s+(Thu Jan  1 00:00:00 1970|0{8}|.*deterministic)")
        for word in ("HIGH_ENTROPY_VA", "DYNAMIC_BASE", "NX_COMPAT"):
            self.assertIn(word, facts)
        self.assertIn("UTF-8</activeCodePage>".encode(), program)


if __name__ == "__main__":
    main()

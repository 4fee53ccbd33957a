"""Tests of the commit that --version prints: git's, an archive's made by git, or the one that the builder gives."""

import argparse
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = [".gitattributes", "cmake/BuildInfo.cmake", "cmake/commit.txt", "cmake/gpuminer_build_info.hpp.in"]
SKIPPED = 77  # ctest's SKIP_RETURN_CODE
cmake = "cmake"


def git(folder, *arguments):
    who = ["-c", "user.name=tester", "-c", "user.email=tester@example.invalid"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True).stdout


class Commit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = pathlib.Path(folder.name) / "checkout"
        for name in SOURCES:
            copy = self.checkout / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy)
        # These sources may be an archive themselves.
        expanded = (ROOT / "cmake" / "commit.txt").read_text()
        self.unexpanded = re.sub(r"^[0-9a-f]{40}$", "$Format:%H$", expanded, flags=re.MULTILINE)
        self.unexpanded = re.sub(r"^time [0-9]+$", "time $Format:%ct$", self.unexpanded, flags=re.MULTILINE)
        (self.checkout / "cmake" / "commit.txt").write_text(self.unexpanded)
        git(self.checkout, "init", "--quiet")
        git(self.checkout, "add", ".")
        git(self.checkout, "commit", "--quiet", "-m", "x")
        self.hash = git(self.checkout, "rev-parse", "HEAD").decode().strip()[:12]
        # An archive unpacked inside somebody's repository.
        self.unpacked = self.checkout / "unpacked"
        with tarfile.open(fileobj=io.BytesIO(git(self.checkout, "archive", "HEAD"))) as archive:
            archive.extractall(self.unpacked)

    def commit(self, folder, *definitions, path=None):
        header = folder / "header.hpp"
        subprocess.run([shutil.which(cmake), "-D", f"SOURCE_DIR={folder}", "-D", f"OUTPUT={header}", *definitions, "-P",
                        folder / "cmake" / "BuildInfo.cmake"], check=True, env=os.environ | ({"PATH": path} if path else {}))
        return next(line for line in header.read_text().splitlines() if "kCommit[]" in line).split('"')[1]

    def test_checkout(self):
        self.assertEqual(self.commit(self.checkout), self.hash)
        (self.checkout / "cmake" / "BuildInfo.cmake").write_text((ROOT / "cmake" / "BuildInfo.cmake").read_text() + "\n")
        self.assertEqual(self.commit(self.checkout), self.hash + "-dirty")

    def test_checkout_without_git(self):
        def commit():
            return self.commit(self.checkout, path="/nowhere")

        self.assertEqual(commit(), self.hash)
        git(self.checkout, "checkout", "--quiet", "-b", "c++")
        git(self.checkout, "pack-refs", "--all")
        self.assertEqual(commit(), self.hash)
        git(self.checkout, "checkout", "--quiet", "--detach")
        self.assertEqual(commit(), self.hash)
        git(self.checkout, "checkout", "--quiet", "--orphan", "empty")
        self.assertEqual(commit(), "unknown")

    def test_archive(self):
        self.assertEqual(self.commit(self.unpacked), self.hash)

    def test_neither(self):
        (self.unpacked / "cmake" / "commit.txt").write_text(self.unexpanded)
        self.assertEqual(self.commit(self.unpacked), "unknown")

    def test_given(self):
        for folder in (self.checkout, self.unpacked):
            self.assertEqual(self.commit(folder, "-D", "GPUMINER_COMMIT=v1.2-3"), "v1.2-3")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", default=cmake)
    cmake = parser.parse_args().cmake
    if shutil.which("git") is None:
        print("SKIPPED: git is not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

"""Tests of the test run itself: the tests that it skips, its report of failures, and the sources that it compiles by
themselves (steps.sh, unchanged.py, failures.py and check_syntax.py with fake build trees and repositories)."""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from unittest_main import main

TESTS = pathlib.Path(__file__).resolve().parent
PROGRAM = "#!/bin/sh\necho line of $1; exit $(cat $(dirname $0)/$1.status)\n"


def python(script, *arguments, cwd=None):
    return subprocess.run([sys.executable, TESTS / script, *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


@unittest.skipUnless(shutil.which("ctest"), "there is no ctest")
class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name).resolve()
        self.write_program("test_fake", PROGRAM)
        self.write_program("script.sh", PROGRAM)
        self.set_status(one=0, two=0, end=0)
        (self.build / "CTestTestfile.cmake").write_text(
            "".join(f'add_test({name} "{self.build}/{program}" {name})\n'
                    for name, program in (("one", "test_fake"), ("two", "test_fake"), ("end", "script.sh"))))

    def write_program(self, name, text):
        (self.build / name).write_text(text)
        (self.build / name).chmod(0o755)

    def set_status(self, **statuses):
        for name, status in statuses.items():
            (self.build / f"{name}.status").write_text(str(status))

    def chosen(self, *labels):
        """Names of the tests that would run, or None where none is left."""
        numbers = self.build / "numbers"
        process = python("unchanged.py", "choose", self.build, numbers, *labels)
        if process.returncode == 3:
            return None
        self.assertEqual(process.returncode, 0, process.stderr)
        shown = subprocess.run(["ctest", "--test-dir", self.build, "-N", "-I", numbers], capture_output=True, text=True).stdout
        return [line.split(": ")[1] for line in shown.splitlines() if "Test #" in line]

    def run_tests(self):
        results = self.build / "results.xml"
        subprocess.run(["ctest", "--test-dir", self.build, "--output-junit", results], capture_output=True)
        self.assertEqual(python("unchanged.py", "remember", self.build, results).returncode, 0)
        return results

    def test_only_what_passed_with_the_same_program_is_left_out(self):
        self.assertEqual(self.chosen(), ["one", "two", "end"])  # a new tree
        self.set_status(two=1)
        self.run_tests()
        self.assertEqual(self.chosen(), ["two", "end"])  # "end" is no Catch2 program: it always runs
        self.set_status(two=0)
        self.run_tests()
        self.assertEqual(self.chosen(), ["end"])
        self.write_program("test_fake", PROGRAM + "# changed\n")
        self.assertEqual(self.chosen(), ["one", "two", "end"])

    def test_what_has_one_of_the_labels_is_left_out(self):
        with (self.build / "CTestTestfile.cmake").open("a") as file:
            file.write('set_tests_properties(one PROPERTIES LABELS "kernel;thread")\n'
                       'set_tests_properties(end PROPERTIES LABELS "kernels")\n')
        self.assertEqual(self.chosen("kernel", "fuzz"), ["two", "end"])
        self.assertEqual(self.chosen(), ["one", "two", "end"])

    def test_what_failed_once_is_not_remembered_any_more(self):
        self.run_tests()
        self.set_status(one=1)
        self.run_tests()
        self.assertEqual(self.chosen(), ["one", "end"])

    def test_nothing_is_left(self):
        lines = (self.build / "CTestTestfile.cmake").read_text().splitlines()
        (self.build / "CTestTestfile.cmake").write_text("\n".join(lines[:2]) + "\n")
        self.run_tests()
        self.assertIsNone(self.chosen())

    def test_failures_are_named_with_the_end_of_their_output(self):
        self.assertEqual(python("failures.py", self.run_tests()).returncode, 1)
        self.assertEqual(python("failures.py", self.build / "absent.xml").returncode, 1)
        self.set_status(two=1, end=3)
        self.write_program("script.sh", PROGRAM.replace("echo", "echo FAIL: it; echo ==1==ERROR: AddressSanitizer: SEGV; seq 1000; echo"))
        results = self.run_tests()
        process = python("failures.py", results)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(python("failures.py", self.build / "absent.xml", results).stdout, process.stdout, "of several files")
        lines = process.stdout.splitlines()
        self.assertEqual(lines[:3], ["FAILED: two", "    line of two", "FAILED: end"])
        self.assertEqual(lines[3:7] + lines[-2:], ["    FAIL: it", "    ==1==ERROR: AddressSanitizer: SEGV", "    1", "    2",
                                                   "    1000", "    line of end"])
        self.assertLess(len(process.stdout), 2500)
        self.write_program("script.sh", PROGRAM.replace("echo", "for i in $(seq 100); do echo FAIL: $i; done; echo"))
        process = python("failures.py", self.run_tests())
        self.assertEqual(process.stdout.splitlines()[-1], "    line of end")
        self.assertLess(len(process.stdout), 2500)


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()

    def git(self, *arguments):
        command = ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "--message=x")
        return self.git("rev-parse", "HEAD")


@unittest.skipUnless(shutil.which("git"), "there is no git")
class LastFullRun(Repository):
    """Some steps are left out by default where nothing that they prove has changed since `test --all` passed."""

    def setUp(self):
        super().setUp()
        self.git("init", "--quiet", "--initial-branch=main")
        for folder in ("cpu", "web", "tests"):
            (self.root / folder).mkdir()
            (self.root / folder / "a").write_text("a\n")
        (self.root / "tests/last_full_run").write_text(self.commit())
        self.commit()

    def unchanged(self, everything="no"):
        script = f"source {TESTS}/steps.sh; everything={everything}; unchanged cpu web/a"
        return subprocess.run(["bash", "-euc", script], cwd=self.root, capture_output=True).returncode == 0

    def test_other_changes(self):
        self.assertTrue(self.unchanged())
        (self.root / "web/b").write_text("b\n")
        self.assertTrue(self.unchanged())
        self.assertFalse(self.unchanged(everything="yes"))

    def test_changes_committed_or_not(self):
        (self.root / "cpu/b").write_text("b\n")
        self.assertFalse(self.unchanged(), "not yet git's")
        self.commit()
        self.assertFalse(self.unchanged(), "committed")
        (self.root / "cpu/b").unlink()
        self.commit()
        self.assertTrue(self.unchanged(), "as it was")
        (self.root / "web/a").write_text("b\n")
        self.assertFalse(self.unchanged(), "changed")

    def test_nobody_knows(self):
        (self.root / "tests/last_full_run").write_text("0123456789012345678901234567890123456789\n")
        self.assertFalse(self.unchanged(), "a commit of another repository")
        (self.root / "tests/last_full_run").unlink()
        self.assertFalse(self.unchanged(), "no file")

    def test_long_ago(self):
        for _ in range(299):
            self.git("update-ref", "HEAD", self.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "x").strip())
        self.assertTrue(self.unchanged())
        self.commit()
        self.assertFalse(self.unchanged())

    def test_without_git(self):
        shutil.rmtree(self.root / ".git")
        self.assertFalse(self.unchanged())


COMPILER = os.environ.get("CXX") or shutil.which("c++")


@unittest.skipUnless(COMPILER and shutil.which("git"), "there is no compiler or no git")
class Syntax(Repository):
    """A project whose sources compile as one batch of a unity build, although one of them lacks an include."""

    def setUp(self):
        super().setUp()
        batch = self.root / "build" / "Unity" / "unity_0_cxx.cxx"
        batch.parent.mkdir(parents=True)
        sources = {"right.cpp": '#include "one.hpp"\nint right() { return one() + LEVEL; }\n',
                   "lacking.cpp": "int lacking() { return one(); }\n",
                   "far/right.cpp": '#include "one.hpp"\nint far() { return one(); }\n'}
        (self.root / "far").mkdir()
        for name, text in {**sources, "one.hpp": "#pragma once\ninline int one() { return 1; }\n", ".gitignore": "build/\n"}.items():
            (self.root / name).write_text(text)
        batch.write_text("".join(f'#include "{self.root / name}"\n' for name in sources))
        words = [COMPILER, "-DLEVEL=1", f"-I{self.root}", "-o", "batch.o", "-c", str(batch)]
        (self.root / "build" / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(self.root / "build"), "command": shlex.join(words), "file": str(batch)}]))
        subprocess.run(words, check=True, cwd=self.root / "build")
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit()
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("checkout", "--quiet", "-b", "work")

    def change(self, *names):
        for name in names:
            (self.root / name).write_text((self.root / name).read_text() + "// changed\n")
        self.commit()

    def check(self, *arguments):
        process = python("check_syntax.py", "build", *arguments, cwd=self.root)
        return process.returncode, process.stdout

    def test_a_source_that_lacks_an_include_is_reported(self):
        self.change("right.cpp", "far/right.cpp")
        self.assertEqual(self.check(), (0, "syntax: no complaints in 2 of 3 sources, each by itself\n"))
        self.change("lacking.cpp")
        status, output = self.check()
        self.assertEqual((status, output.count("does not compile by itself")), (1, 1), output)
        self.assertIn(f"{self.root}/lacking.cpp: does not compile by itself", output)
        self.assertEqual(output.splitlines()[-1], "syntax: complaints about 1 of 3 sources, each by itself")

    def test_a_header_is_seen_by_one_source(self):
        self.change("one.hpp")
        self.assertEqual(self.check(), (0, "syntax: no complaints in 1 of 3 sources, each by itself\n"))
        (self.root / "one.hpp").write_text("inline int two() { return 2; }\n")
        self.assertIn("right.cpp: does not compile by itself", self.check()[1])

    def test_all(self):
        status, output = self.check("--all")
        self.assertEqual((status, output.count("does not compile by itself")), (1, 1), output)
        self.assertEqual([path.name for path in self.root.rglob("*.o")], ["batch.o"], "nothing is compiled")


if __name__ == "__main__":
    main()

"""Completions and manual pages, compared with --help."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import shells  # noqa: E402
from unittest_main import main  # noqa: E402

GPUMINER = os.environ.get("GPUMINER", "gpuminer")
FOLDER = pathlib.Path(os.environ.get("CLI_DOCUMENTS", "."))
ROOT = pathlib.Path(__file__).resolve().parents[2]


def help_of(*command):
    return subprocess.run([GPUMINER, *command, "--help"], capture_output=True, text=True, check=True).stdout


def options_of(*command):
    """{long name: (short name, value, description)} as the help has it."""
    found = {}
    for line in help_of(*command).splitlines():
        if match := re.match(r"  (?:(-\w),)?(--[a-z-]+)(?: (\S+))?  *(\S.*)", line):
            found[match[2]] = (match[1], match[3], match[4])
    return found


def names_of(*command):
    options = options_of(*command)
    return set(options) | {short for short, _, _ in options.values() if short}


COMMANDS = re.findall(r"^  ([a-z]+) ", help_of().split("Commands:")[1].split("\n\n")[0], re.MULTILINE)
BLOCKS = set(re.findall(r"^  ([\w-]+) ", help_of("mine").split("embedded real block:")[1].split("\n\n")[0], re.MULTILINE))
WORKLOADS = set(re.findall(r"^  ([\w-]+) ", help_of("bench").split("Workloads")[1].split("\n\n")[0], re.MULTILINE))


class Completions(unittest.TestCase):
    def each_shell(self, lines, check):
        """Calls check(shell, answers) for each shell of this machine, with a file of which the lines may speak."""
        for shell in shells.SCRIPTS:
            with self.subTest(shell=shell):
                if not shells.is_installed(shell):
                    self.skipTest(f"{shell} is not installed")
                check(shell, shells.offered(shell, FOLDER, lines))

    def test_commands(self):
        self.assertGreater(len(COMMANDS), 8)
        self.each_shell(["gpuminer ", "gpuminer -t 4 ", "gpuminer po"], lambda _, answers: self.assertEqual(
            answers, [{*COMMANDS, "help", "version"}] * 2 + [{"pool"}]))

    def test_options_of_each_command(self):
        lines = [f"gpuminer {command} --" for command in COMMANDS]
        wanted = [{name for name in names_of(command) if name.startswith("--")} for command in COMMANDS]
        self.each_shell(lines, lambda shell, answers: self.assertEqual(dict(zip(lines, answers)), dict(zip(lines, wanted))))

    def test_options_without_a_command(self):
        self.each_shell(["gpuminer --pa", "gpuminer -t 2 --deter"], lambda _, answers: self.assertEqual(
            answers, [{"--partition", "--pass", "--pass-file", "--pause-on-battery"}, {"--deterministic"}]))

    def test_values(self):
        x86, arm64 = re.match(r"auto, (.*); on ARM64 (.*) \(default", options_of("mine")["--isa"][2]).groups()
        isa = {"auto", *(arm64 if platform.machine() == "aarch64" else x86).split(", ")}
        chains = set(options_of("solo")["--chain"][2].split(":")[0].split(", "))
        lines = ["gpuminer mine --partition ", "gpuminer mine --isa ", "gpuminer solo --chain ", "gpuminer pool -a ",
                 "gpuminer pool -u ", "gpuminer mine --cuda-code p"]
        wanted = [{"static", "dynamic"}, isa, chains, {"sha256d", "verushash"}, set(), {"ptx"}]
        self.each_shell(lines, lambda _, answers: self.assertEqual(answers, wanted))

    def test_the_value_after_an_equals_sign(self):
        def check(shell, answers):
            self.assertEqual([{word.removeprefix("--partition=") for word in answer} for answer in answers],
                             [{"static", "dynamic"}, {"static"}], shell)
        self.each_shell(["gpuminer mine --partition=", "gpuminer mine --partition=st"], check)

    def test_lists(self):
        def check(shell, answers):
            self.assertEqual({word.rsplit(",", 1)[-1] for word in answers[0]}, {"opencl"}, shell)
        self.each_shell(["gpuminer mine --backend cpu,o"], check)

    def test_arguments(self):
        lines = ["gpuminer mine ", "gpuminer verify --difficulty 1 ", "gpuminer bench ", "gpuminer config ", "gpuminer devices ",
                 "gpuminer bench --header "]
        self.assertIn("genesis", BLOCKS)
        self.assertIn("all", WORKLOADS)
        wanted = [BLOCKS, BLOCKS, WORKLOADS, {"check", "show", "example"}, set(), BLOCKS]
        # (Where there is no argument zsh offers options.)
        self.each_shell(lines, lambda _, answers: self.assertEqual(
            [{word for word in answer if not word.startswith("-")} for answer in answers], wanted))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report-of-today.json"
            path.touch()
            lines = [f"gpuminer compare {folder}/rep", f"gpuminer pool --journal {folder}/rep", f"gpuminer mine @{folder}/rep"]
            self.each_shell(lines[:2], lambda _, answers: self.assertEqual(
                [{word.rsplit("/", 1)[-1].strip() for word in answer} for answer in answers], [{path.name}] * 2))
            self.assertEqual(shells.offered("bash", FOLDER, lines[2:]), [{f"@{path}"}])


class ManPages(unittest.TestCase):
    def pages(self):
        return sorted(FOLDER.glob("*.1"))

    def plain(self, name):
        """The page as text of one long line for each paragraph."""
        process = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=500", FOLDER / f"{name}.1"], capture_output=True, text=True, check=True)
        return re.sub(".\b", "", process.stdout)

    def test_one_for_each_command(self):
        self.assertEqual({page.stem for page in self.pages()}, {"gpuminer", *(f"gpuminer-{command}" for command in COMMANDS)})

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_complaints(self):
        process = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *self.pages()], capture_output=True, text=True)
        complaints = [line for line in process.stdout.splitlines() if "missing date" not in line]  # it would change every day
        self.assertEqual(complaints, [])

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_options_are_those_of_the_help(self):
        for command in [[], *([name] for name in COMMANDS)]:
            text = self.plain("-".join(["gpuminer", *command]))
            for name, (short, value, description) in options_of(*command).items():
                line = ", ".join(filter(None, [short, name])) + (f" {value}" if value else "")
                self.assertRegex(text, rf"\n +{re.escape(line)}[\n ]", command)
                self.assertIn(" ".join(description.replace("`", "").split()), " ".join(text.split()), command)

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_exit_codes_are_those_of_the_readme(self):
        text = " ".join(self.plain("gpuminer").split())
        table = (ROOT / "README.md").read_text().split("| exit code |")[1].split("\n\n")[0]
        rows = re.findall(r"^\| ([0-9, ]+) \| (.*) \|$", table, re.MULTILINE)
        self.assertGreater(len(rows), 8)
        for codes, meaning in rows:
            meaning = re.sub(r" \(`\\\| head`\)$", "", meaning).replace("`", "")
            self.assertIn(f"{codes} {meaning}", text)


if __name__ == "__main__":
    main()

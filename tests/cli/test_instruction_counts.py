"""bench/tools/instruction_counts.py on counts that differ from the recorded ones."""

import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

from support import GPUMINER, SKIPPED, Case, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench" / "tools" / "instruction_counts.py"
BUILD = pathlib.Path(GPUMINER).resolve().parent
# Counted in moments, and one of each section of the record.
MACHINES = {"x86_64": "search shani fixed", "aarch64": "search sha2 fixed"}
PROGRAM, MACHINE = "program avx512 fixed", MACHINES[platform.machine()]


class InstructionCounts(Case):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = pathlib.Path(cls.folder.name) / "counts.json"
        process = cls.script("--json")
        document = json.loads(process.stdout)
        cls.compiler = document["compiler"]
        cls.counts = {row["name"]: row["count"] for row in document["counts"]}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def script(cls, *arguments):
        return subprocess.run([sys.executable, SCRIPT, "--build", BUILD, "--counts", cls.file, "--only",
                               f"^({PROGRAM}|{MACHINE})$", *arguments], capture_output=True, text=True, timeout=300)

    def against(self, program_factor=1.0, machine_factor=1.0, compiler=None):
        """The finished script, where the record has the true counts times a factor."""
        self.file.write_text(json.dumps({"any compiler": {PROGRAM: self.counts[PROGRAM] * program_factor},
                                         compiler or self.compiler: {MACHINE: self.counts[MACHINE] * machine_factor}}))
        return self.script()

    def test_the_counts_themselves(self):
        self.assertEqual(set(self.counts), {PROGRAM, MACHINE})
        # By kernelgen's own table, for 16 lanes: the last words of the lines nonce, hash1 and hash2.
        text = subprocess.run([BUILD / "gpuminer-kernelgen", "--count"], capture_output=True, text=True, check=True).stdout
        column = text.splitlines()[0].split().index("avx512")
        operations = sum(int(line.split()[column]) for line in text.splitlines()
                         if re.match(r"(nonce|hash1|hash2)\b", line))
        self.assertAlmostEqual(self.counts[PROGRAM], operations / 16, delta=0.01)
        # At least the 62 instructions of two rounds (61 of ARM64's halves of four) for each of the two nonces.
        self.assertGreater(self.counts[MACHINE], 122)

    def test_equal_counts_pass(self):
        process = self.against()
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn(PROGRAM, process.stdout)

    def test_growth_above_one_percent_fails_and_is_named(self):
        for factors, name in (((0.985, 1), PROGRAM), ((1, 0.985), MACHINE)):
            process = self.against(*factors)
            self.assertEqual(process.returncode, 1, process.stderr)
            self.assertIn(f"{name}: ", process.stderr)
            self.assertIn("+1.5%", process.stderr)
            self.assertIn("--record", process.stderr)

    def test_growth_within_one_percent_passes(self):
        process = self.against(0.992, 0.992)
        self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_a_drop_is_good_news(self):
        process = self.against(1.05, 1)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(process.stderr, rf"Good news: {PROGRAM}: .*-4\.8%.*--record")

    def test_another_compiler_is_not_compared(self):
        process = self.against(1, 0.5, compiler="Other 1")
        self.assertEqual(process.returncode, SKIPPED, process.stderr)
        self.assertIn(f"SKIPPED: nothing is recorded for {self.compiler}, only for Other 1", process.stderr)
        self.assertRegex(process.stdout, rf"{MACHINE} +{self.counts[MACHINE]:.2f} ")
        # What does not depend on the compiler is compared all the same.
        self.assertEqual(self.against(0.5, 1, compiler="Other 1").returncode, 1)

    def test_a_count_that_is_not_recorded_is_named(self):
        # As after an instruction set was added: what is recorded is compared all the same.
        for factor, status in ((1, 0), (0.985, 1)):
            self.file.write_text(json.dumps({"any compiler": {}, self.compiler: {MACHINE: self.counts[MACHINE] * factor}}))
            process = self.script()
            self.assertEqual(process.returncode, status, process.stderr)
            self.assertRegex(process.stderr, rf"Remark: {PROGRAM}: {self.counts[PROGRAM]} operations per hash, nothing is "
                                             r"recorded\. Record it: .*--record")

    def test_the_record_of_the_project_has_every_row(self):
        record = json.loads((ROOT / "bench" / "tools" / "instruction_counts.json").read_text())
        self.assertIn(PROGRAM, record["any compiler"])
        for section, counts in record.items():
            if section != "any compiler":
                for row in ("search sha2 fixed", "search neon 8 versions") if "ARM64" in section else \
                        ("search shani fixed", "search avx2 8 versions"):
                    self.assertIn(row, counts, section)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""bench/tools/sass_count.py without a compiler: its counts of a disassembly, and its complaints."""
import importlib.util
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
SCRIPT = Path(__file__).resolve().parents[2] / "bench/tools/sass_count.py"
sys.path.insert(0, str(SCRIPT.parent))
spec = importlib.util.spec_from_file_location("sass_count", SCRIPT)
sass = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sass)


def kernel_of(lines):
    kernel = sass.Kernel("kernel")
    for line in lines:
        if line.endswith(":"):
            kernel.labels[line[:-1]] = len(kernel.code)
        else:
            kernel.code.append(line)
    return kernel


CANDIDATE_TEST = ["LOP3.LUT P0, RZ, R4, UR5, RZ, 0xc0, !PT", "@P0 BRA `(.L_past)",
                  "ISETP.EQ.U32.AND P0, PT, R8, R7, PT", "@P0 ATOMG.E.ADD.STRONG.GPU PT, R7, [R2.64], R7",
                  "@P0 BRA `(.L_past)", "STG.E [R2.64], R4", ".L_past:"]
PADDING = ["EXIT", ".L_end:", "BRA `(.L_end)", "NOP", "NOP"]


class Counting(unittest.TestCase):
    def test_groups(self):
        groups = {"SHF.L.W.U32.HI": "SHF", "LOP3.LUT": "LOP3", "VIADD": "VIADD", "IADD3.X": "add", "PRMT": "ALU, others",
                  "LEA.HI": "LEA",
                  "IMAD": "IMAD", "IMAD.IADD": "IMAD", "IMAD.MOV.U32": "IMAD", "IMAD.HI.U32": "IMAD.HI",
                  "IMAD.WIDE.U32": "IMAD.WIDE", "LDS.128": "other", "ULOP3.LUT": "other", "UIMAD": "other"}
        for opcode, group in groups.items():
            self.assertEqual(sass.group_of(opcode), group, opcode)

    def test_without_a_loop(self):
        kernel = kernel_of(["@P0 EXIT"] + ["SHF.R.W.U32 R6, R13, 0x19, R13"] * 100 + ["IMAD.HI.U32 R1, R2, UR4, RZ"]
                           + CANDIDATE_TEST + PADDING)
        # What runs only for a candidate is left out, and so is the padding. "other": two exits and the branch.
        # One register each is read: R13, R2, R4.
        self.assertEqual(sass.count(kernel, "fixed"), ({"SHF": 100, "IMAD.HI": 1, "LOP3": 1, "other": 3}, 100))

    def test_loop_over_versions(self):
        kernel = kernel_of(["SHF.R.W.U32 R6, R13, 0x19, R13"] * 8 + [".L_loop:"] + ["LOP3.LUT R1, R2, R3, R4, 0x96"] * 300
                           + CANDIDATE_TEST + ["ISETP.GE.U32.AND P0, PT, R5, UR4, PT", "@!P0 BRA `(.L_loop)"] + PADDING)
        self.assertEqual(sass.count(kernel, "rolled"),
                         ({"SHF": 1, "LOP3": 301, "ALU, others": 1, "other": 2 + 1 / 8}, 601))

    def test_register_reads(self):
        lines = {"LOP3.LUT R1, R2, R3, R4, 0x96, !PT": [2, 1], "@P0 IMAD R9, R2, UR4, R6.reuse": [2, 0],
                 "IMAD R9, R6, R2, R6": [2, 0],    # R6 is kept for the third operand alone, and read for the first
                 "IMAD R9, R2, 0x5, R6": [2, 0],   # and not kept any longer
                 "SHF.L.W.U32.HI R5, R7, 0x3, R7": [0, 1], "IMAD.HI.U32 R5, R7, c[0x0][0x160], RZ": [0, 1]}
        self.assertEqual(sass.register_reads(kernel_of(list(lines))), list(lines.values()))

    def test_a_wide_multiplication_takes_both_pipes(self):
        kernel = kernel_of(["IMAD.HI.U32 R1, R2, UR4, RZ"] * 10 + ["VIADD R1, R2, 0x5"] * 5 + CANDIDATE_TEST + PADDING)
        kernel.spills, kernel.registers = 0, 8
        row = sass.measure("machine", 90, 1, "fixed", kernel)
        self.assertEqual((row["alu"], row["fma_slots"]), (10 + 1, 20 + 5))

    def test_uniform_predicates(self):
        kernel = kernel_of([".L_loop:", "BRA.U !UP0, `(.L_loop)", "@!UP1 BRA `(.L_loop)"])
        self.assertEqual([kernel.opcode(1), kernel.target(0), kernel.conditional(0)], ["BRA", 0, True])

    def test_divergence_before_volta(self):
        kernel = kernel_of(["""@P0 SYNC                    (*"BRANCH_TARGETS .L_past"*)""", "ATOM.E.ADD R10, [R4], R10", ".L_past:", "EXIT"])
        self.assertEqual((kernel.target(0), kernel.cold()), (2, (1, 2)))

    def test_unknown_shapes_are_refused(self):
        with self.assertRaises(SystemExit):  # no candidate test
            sass.count(kernel_of(["SHF.R.W.U32 R6, R13, 0x19, R13", *PADDING]), "fixed")
        with self.assertRaises(SystemExit):  # no loop over versions
            sass.count(kernel_of([*CANDIDATE_TEST, *PADDING]), "rolled")


class Judging(unittest.TestCase):
    def setUp(self):
        self.rows = [{"kind": "machine", "architecture": "sm_90", "form": form, "mix": "adds", "registers": 40, "spilled_bytes": 0,
                      "alu": 1500.0, "fma_slots": 1400.0, "reads": 2300.0, "issued": 2900.0, "cycles": 23.4, "limit_ghs": {"H200": 12.0}}
                     for form in sass.FORMS]
        self.record = {"nvcc": "1.2.3", "kernels": {sass.key_of(row): sass.recorded_part(row) for row in self.rows}}

    def complaints(self, release="1.2.3"):
        return sass.judge(self.rows, self.record, release)

    def test_as_recorded_or_better(self):
        self.assertEqual(self.complaints(), ([], ""))
        self.rows[0]["alu"] -= 1
        self.assertEqual(self.complaints(), ([], ""))

    def test_a_count_grows_by_more_than_1_percent(self):
        for name in ("alu", "fma_slots", "reads", "issued", "registers"):
            recorded = self.rows[0][name]
            self.rows[0][name] = recorded * 1.011
            self.assertEqual(len(self.complaints()[0]), 1, name)
            self.rows[0][name] = recorded * 1.009
            self.assertEqual(self.complaints(), ([], ""), name)
            self.rows[0][name] = recorded

    def test_spills(self):
        self.rows[1]["spilled_bytes"] = 4
        self.assertEqual(self.complaints()[0], ["sm_90 rolled adds spills 4 bytes"])

    def test_targets_count_with_any_compiler(self):
        self.rows[0]["alu"], self.rows[1]["limit_ghs"]["H200"] = 1831.0, 10.5
        complaints, not_compared = self.complaints("9.9.9")
        self.assertEqual(len(complaints), 2)
        self.assertEqual(not_compared, "the record is of nvcc 1.2.3, and this is 9.9.9")

    def test_what_is_not_recorded(self):
        del self.record["kernels"]["sm_90 fixed adds"]
        self.assertTrue(self.complaints()[0])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""bench/tools/amd_count.py without a compiler: its counts of machine code, and its complaints."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/tools"))
import amd_code  # noqa: E402
import amd_count  # noqa: E402
import gpu_code  # noqa: E402
import gpu_counts  # noqa: E402

HASH = ["\tv_xor_b32_e32 v1, v2, v3 ; 2a020702"] * 1000
NOTE = ["\tv_cmp_le_u32_e32 vcc, s7, v1", "\tv_mov_b32_e32 v9, 0", "\tglobal_atomic_add v0, v1, v50, s[18:19] glc"]


def code_of(*lines):
    return amd_code.AmdCode("\n".join(lines), r"(\.?L?BB\w+)")


class Counting(unittest.TestCase):
    def test_one_header(self):
        code = code_of("BB0:", "\tv_cmp_gt_u32_e32 vcc, s0, v0", "\ts_cbranch_execz BB9", *HASH, "\ts_cbranch_execz BB9", *NOTE, "BB9:",
                       "\ts_endpgm", "\tv_nop")
        # Nothing of what notes a candidate, nor after the end.
        self.assertEqual(code.vector_instructions(False), 1001)

    def test_versions_as_mesa_orders_them(self):
        code = code_of("BB0:", "\tv_mov_b32_e32 v0, 0", *HASH[:80], "BB2:", "\ts_cbranch_scc1 BB9", *HASH, "\ts_cbranch_execz BB5", *NOTE,
                       "BB5:", "\tv_nop", "\ts_branch BB2", "BB9:", "\ts_endpgm")
        self.assertEqual(code.vector_instructions(True), 1001 + 81 / gpu_code.VERSIONS)

    def test_versions_as_llvm_orders_them(self):
        code = code_of("\tv_mov_b32_e32 v0, 0 ; in Loop", *HASH[:79], "\ts_branch .LBB3_4", ".LBB3_3: ; in Loop", "\ts_add_u32 s4, s4, 1",
                       "\ts_cbranch_scc0 .LBB3_8", ".LBB3_4:", *HASH, *HASH, "\ts_cbranch_execz .LBB3_3", *NOTE, "\ts_branch .LBB3_3",
                       ".LBB3_8:", "\ts_endpgm")
        self.assertEqual(code.vector_instructions(True), 2000 + 80 / gpu_code.VERSIONS)

    def test_unknown_shapes_are_refused(self):
        with self.assertRaises(ValueError):
            code_of(*HASH, "\ts_endpgm").vector_instructions(True)
        with self.assertRaises(ValueError):
            code_of("BB0:", *HASH, "\ts_branch BB0").vector_instructions(False)


class Judging(unittest.TestCase):
    def setUp(self):
        self.rows = [{"compiler": "clang 14", "chip": "gfx900", "form": "fixed", "mix": mix, "vector": 2898.0, "registers": 35,
                      "shared_bytes": 0, "code_bytes": 19652, "spills": 0, "scratch_bytes": 0} for mix in ("plain", "bfi", "adds")]
        self.record = {"clang 14": {gpu_counts.key_of(row): gpu_counts.recorded_part(amd_count.TOOL, row) for row in self.rows[:2]}}

    def complaints(self):
        return gpu_counts.judge(amd_count.TOOL, self.rows, self.record)[0]

    def test_as_recorded_or_better(self):
        self.assertEqual(gpu_counts.judge(amd_count.TOOL, self.rows, self.record), ([], []))
        self.rows[0]["vector"] -= 1
        self.assertEqual(self.complaints(), [])

    def test_a_count_grows_by_more_than_1_percent(self):
        self.rows[1]["vector"] *= 1.011
        self.assertEqual(len(self.complaints()), 1)
        self.rows[1]["vector"] = 2898 * 1.009
        self.assertEqual(self.complaints(), [])
        self.rows[1]["shared_bytes"] = 47104
        self.assertEqual(len(self.complaints()), 1)

    def test_spills_and_size_count_with_any_compiler(self):
        for row in self.rows:
            row["compiler"] = "Mesa 99"
        self.assertEqual(gpu_counts.judge(amd_count.TOOL, self.rows, self.record), ([], ["Mesa 99"]))
        for name in ("spills", "scratch_bytes"):
            self.rows[2][name] = 4
        self.rows[0]["code_bytes"] = 32769
        self.assertEqual(len(self.complaints()), 3)

    def test_what_is_not_recorded(self):
        del self.record["clang 14"]["gfx900 fixed bfi"]
        self.assertTrue(self.complaints())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""bench/tools/intel_count.py without a compiler: its counts of machine code."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/tools"))
import gpu_code  # noqa: E402
import intel_code  # noqa: E402

HASH = ["        rol (8|M0)               r10.0<1>:ud   r9.0<1;1,0>:ud   14:w    "] * 1000
WIDE_HASH = ["        bfn.(s0^s1^s2) (16|M0)   r1.0<1>:ud   r2.0<1;0>:ud   r3.0<1;0>:ud   r4.0<1>:ud   {I@1}",
             "        bfn.(s0^s1^s2) (16|M16)  r5.0<1>:ud   r6.0<1;0>:ud   r7.0<1;0>:ud   r8.0<1>:ud   {I@1}"] * 500
NOTE = ["(W)     cmp (8|M0)    (gt)f1.1   null<1>:ud    r11.0<0;1,0>:ud   0x10000:ud  ", "(f1.1)  goto (8|M0)    L900   L900  ", "L700:",
        "(W)     send.dc1 (1|M0)          r11      r4      r2:1    0x0            0x0414A7FF           {A@1,$10}"]
END = ["(W)     send.gtwy (8|M0)         null     r112    null:0  0x0            0x02000010           {EOT,A@1}", "L990:", "        illegal "]


def code_of(*lines):
    return intel_code.IntelCode("\n".join(lines))


class Counting(unittest.TestCase):
    def test_one_header(self):
        code = code_of("L0:", "(~f0.1) goto (8|M0)    L900   L900  ", "L10:", "(W)     mov (1|M0)  r2.0<1>:f  0xEC9FCD13:f ",
                       "        sync.nop   null    {Compacted,A@1}", *HASH, "(~f0.0) goto (8|M0)   L900    L900  ", "L600:", *NOTE, "L900:",
                       "        join (8|M0)   L990  ", *END)
        # Two gotos, a scalar move, which takes a whole slot, and the join; nothing of what notes a candidate.
        self.assertEqual((code.lanes, code.slots(False), code.sends(False)), (8, 1004, 0))
        with self.assertRaises(ValueError):
            code.slots(True)

    def test_versions(self):
        load = "        send.slm (8|M0)   r94   r2   null:0   0x0   0x02106E00   {$1}"
        code = code_of("L0:", *HASH[:79], "        send.ugm (8|M0)   r9   r2   null:0   0x0   0x02106E00   {$1}", "L100:", *HASH, load,
                       "(f1.0)  if (8|M0)    L900    L900  ", "L600:", *NOTE, "L900:", "        endif (8|M0)    L910  ", "L910:",
                       "(~f1.1) goto (8|M0)     L950    L950  ", "L920:", "(W)     jmpi       L100  ", "L950:", "        join (8|M0)   L990  ",
                       *END)
        self.assertEqual(code.slots(True), 1005 + 80 / gpu_code.VERSIONS)
        self.assertEqual(code.sends(True), 1 + 1 / gpu_code.VERSIONS)

    def test_threads_of_32_lanes(self):
        code = code_of("(f0.0)  if (32|M0)    L900   L900  ", *WIDE_HASH, "L900:", "        endif (32|M0)    L990  ", *END)
        self.assertEqual((code.lanes, code.slots(False)), (32, (4 + 2 * 1000 + 4) / 4))


class Descriptions(unittest.TestCase):
    def test_local_memory(self):
        tokens = "Unidentified PatchToken:\n\t4 Token 15\n\t4 Size 16\n\tHex 0 0 0 0 0 28 0 0\nUnidentified PatchToken:\n"
        self.assertEqual(intel_code.local_bytes(tokens), 10240)
        self.assertEqual(intel_code.local_bytes("Unidentified PatchToken:\n\t4 Token 8\n\t4 Size 20\n\tHex c0 0 0 0\n"), 0)


if __name__ == "__main__":
    unittest.main()

"""Wide vectors in gpuminer.exe: none is moved as if its place in memory were aligned, as Windows' stacks are not."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from unittest_main import main  # noqa: E402

WIDE = r".*%[yz]mm"
ALIGNED = re.compile(r"\tv(movdqa(32|64)?|movap[sd]) ")
UNALIGNED = re.compile(r"\tv(movdqu(8|16|32|64)?|movup[sd]) ")


def moves(lines, expression):
    """Those lines that move 32 or 64 bytes from or to memory."""
    return [line for line in lines if expression.search(line) and re.search(WIDE, line) and "(" in line]


class Vectors(unittest.TestCase):
    def test_the_expressions(self):
        lines = ["  1:\tc5\tvmovdqa %ymm0,0x20(%rsp)", "  2:\tc5\tvmovdqu %ymm0,0x20(%rsp)", "  3:\tc5\tvmovdqa %ymm1,%ymm2",
                 "  4:\t62\tvmovdqa64 0x40(%rbp),%zmm3", "  5:\tc5\tvmovdqa %xmm0,(%rsp)", "  6:\t62\tvmovaps (%rax),%ymm1"]
        self.assertEqual([line[2] for line in moves(lines, ALIGNED)], ["1", "4", "6"])
        self.assertEqual([line[2] for line in moves(lines, UNALIGNED)], ["2"])

    def test_the_program(self):
        listing = subprocess.run([os.environ["OBJDUMP"], "--disassemble", "--no-show-raw-insn", os.environ["GPUMINER"]],
                                 capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertGreater(len(moves(listing, UNALIGNED)), 100)  # or the listing has another form
        self.assertEqual(moves(listing, ALIGNED), [])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What the reader knows about each AArch64 instruction, against such a machine or QEMU: compiled, read, run on random operands.

usage: test_arm64_instructions.py [COMPILER]. Without a compiler for ARM64, or without QEMU on another machine, it is skipped.
"""
import os
import platform
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import listing
import snippets
from snippets import LANES, ROWS, random_rows

_TIMES = 20
_WORDS = ROWS * LANES
# Reads buffers with the number of a function before them, and writes them after it.
_MAIN = f""".globl _start
_start:
adrp x19, buffer
add x19, x19, :lo12:buffer
adrp x20, functions
add x20, x20, :lo12:functions
1: mov x21, #0
2: mov x0, #0
add x1, x19, x21
mov x2, #{4 * _WORDS + 8}
sub x2, x2, x21
mov x8, #63
svc #0
cmp x0, #0
b.le 3f
add x21, x21, x0
cmp x21, #{4 * _WORDS + 8}
b.lo 2b
ldr x3, [x19]
ldr x3, [x20, x3, lsl #3]
add x0, x19, #8
blr x3
mov x0, #1
add x1, x19, #8
mov x2, #{4 * _WORDS}
mov x8, #64
svc #0
b 1b
3: mov x0, #0
mov x8, #93
svc #0
.section .rodata
.balign 16
bits: .word 1, 2, 4, 8
offsets: .word 0, 0x1000000, 0x2000000, 0x3000000
.bss
.balign 16
buffer: .skip {4 * _WORDS + 8}
.section .note.GNU-stack,"",@progbits
"""


def _vectors():
    """[(what is tested, instructions)] with vectors v0 to v2 as operands and v0 as result; lane by lane, and words apart."""
    bits = [f"{verb} v0.16b, v1.16b, v2.16b" for verb in ("and", "orr", "eor", "bic", "orn", "bsl", "bit", "bif")]
    lanewise = bits + [
        "add v0.4s, v1.4s, v2.4s", "sub v0.4s, v1.4s, v2.4s", "mvn v0.16b, v1.16b", "rev32 v0.16b, v1.16b", "mov v0.16b, v1.16b",
        *(f"{verb} v0.4s, v1.4s, #{n}" for verb in ("ushr", "shl", "sli", "sri", "usra") for n in (3, 25)),
        "ushr v0.4s, v1.4s, #7; sli v0.4s, v1.4s, #25", "mov v0.16b, v1.16b; bsl v0.16b, v2.16b, v1.16b",
        "movi v0.4s, #0x80, lsl #24", "movi v0.4s, #7", "mvni v0.4s, #7, lsl #8", "movi v0.16b, #3",
        "movi v0.2d, #0xff00ff0000ffff00",
        "cmeq v0.4s, v1.4s, #0", "adrp x4, offsets; ldr q2, [x4, :lo12:offsets]; add v0.4s, v1.4s, v2.4s",
        "add x4, x0, #64; ldp q0, q1, [x4]", "str q1, [x0, #272]; ldr q0, [x0, #272]", "mov x5, #8; ldr q0, [x0, x5, lsl #4]"]
    apart = [
        *(f"zip{part} v0.{kind}, v1.{kind}, v2.{kind}" for part in (1, 2) for kind in ("4s", "2d")),
        "ext v0.16b, v1.16b, v2.16b, #4", "ext v0.16b, v1.16b, v2.16b, #12", "dup v0.4s, v1.s[2]", "dup v0.4s, w2",
        "mov v0.s[1], v1.s[3]", "mov v0.s[2], w2", "ldr s0, [x0, #68]", "ldr d0, [x0, #64]", "ldp s1, s0, [x0, #68]",
        "ldp d1, d0, [x0, #64]", "add x4, x0, #64; ld1r {v0.4s}, [x4]", "add x4, x0, #132; ld1 {v0.s}[1], [x4]", "fmov s0, w2",
        "fmov d0, x2", "mov w4, v1.s[3]; fmov s0, w4", "fmov w4, s1; dup v0.4s, w4", "movi d0, #0xff00ff0000ffff00",
        "stp d0, d1, [x0, #272]; ldp d1, d0, [x0, #272]", "str s1, [x0, #272]; ldr s0, [x0, #272]", "and v0.8b, v1.8b, v2.8b",
        "sha256h q0, q1, v2.4s", "sha256h2 q0, q1, v2.4s", "sha256su0 v0.4s, v1.4s", "sha256su1 v0.4s, v1.4s, v2.4s"]
    return lanewise, apart


def _scalars():
    """Instructions with w1 to w3 (x1 to x3 are zero-extended) as operands and w1 as result."""
    found = [f"{verb} w1, w1, w2{shift}" for verb in ("add", "sub", "and", "orr", "eor", "bic", "orn", "eon")
             for shift in ("", ", lsl #3", ", lsr #7")]
    found += [f"{verb} w1, w2, w1, ror #6" for verb in ("and", "orr", "eor", "bic")]
    found += ["neg w1, w1", "mvn w1, w1", "lsl w1, w1, #9", "lsr w1, w1, #9", "ror w1, w1, #9", "rev w1, w1", "mul w1, w1, w2",
              "madd w1, w1, w2, w3", "umull x1, w1, w2", "umaddl x1, w1, w2, x3", "ubfiz w1, w2, #3, #7", "ubfiz x1, x2, #2, #32",
              "ubfx w1, w2, #3, #7", "mov w1, #0x1234; movk w1, #0x5678, lsl #16", "mov w1, #-3", "add x1, x1, w2, uxtw",
              "add x1, x1, w2, uxtw #2", "add w1, w1, #0xa00, lsl #12", "add x1, x1, x2, lsl #4", "and x1, x2, #0xfffffffc",
              "orr w1, w1, #0x10000; rbit w1, w1; clz w1, w1",
              "orr w1, w1, #0x10000; rbit w1, w1; clz w1, w1; ubfiz x1, x1, #2, #6",
              "mov w1, wzr", "sub x1, x1, x2; add x1, x1, x3", "mov x1, x2", "mov w4, #1; cmp w4, #1; csel w1, w2, w3, eq",
              "mov w4, #1; cmp w4, #1; csel w1, w2, w3, ne", "mov w4, #1; cmp w4, #0; csinc w1, w2, w3, ls",
              "cmp wzr, wzr; cset w1, eq",
              "cmp wzr, wzr; cinc w1, w2, eq", "mov x4, #16; ldr w1, [x0, x4, lsl #2]", "mov w4, #64; ldr w1, [x0, w4, uxtw]",
              "add x4, x0, #64; ldr w2, [x4], #8; ldr w1, [x4]; add w1, w1, w2",
              "ldr w2, [x0, #4]!; ldr w1, [x0]; sub x0, x0, #4",
              "ldp w2, w1, [x0, #8]", "add x4, x0, #256; ldur w1, [x4, #-60]",
              "add x4, x0, #272; stp w1, w2, [x4]; ldp w3, w1, [x4]",
              "str x2, [sp, #-16]!; ldr x1, [sp], #16",
              "mov x9, x30; bl 1f; add w1, w1, #1; mov x30, x9; b 2f; 1: eor w1, w1, w2; ret; 2:",
              "adrp x4, bits; add x4, x4, :lo12:bits; ldr w1, [x4, #8]"]
    for relation in ("hi", "hs", "lo", "ls", "eq", "ne"):
        for compared in ("w1, w2", "w1, #7", "w1, w2, lsl #1"):
            found.append(f"cmp {compared}; mov w1, #1; b.{relation} 1f; mov w1, #2; 1:")
        found.append(f"cmp x1, w2, uxtw; mov w1, #1; b.{relation} 1f; mov w1, #2; 1:")
    for setting in ("tst w1, w2", "ands w4, w1, w2", "cmn w1, w2", "adds w4, w1, w2", "subs w4, w1, w2"):
        found += [f"{setting}; mov w1, #1; b.{relation} 1f; mov w1, #2; 1:" for relation in ("eq", "ne")]
    for branch in ("cbz w1,", "cbnz w1,", "tbz w1, #3,", "tbnz w1, #31,"):
        found.append(f"{branch} 1f; mov w1, #2; 1:")
    return found


def _functions():
    """[(what is tested, lanes, lines of assembler)]"""
    load = ["ldr q0, [x0]", "ldr q1, [x0, #64]", "ldr q2, [x0, #128]", "ldr w2, [x0, #64]"]
    lanewise, apart = _vectors()
    found = [(body, 4, [*load, *body.split("; "), "str q0, [x0, #256]"]) for body in lanewise]
    found += [(body, 1, [*load, *body.split("; "), "str q0, [x0, #256]"]) for body in lanewise + apart if "offsets" not in body]
    tested = ("and v0.16b, v0.16b, v1.16b; cmeq v0.4s, v0.4s, #0; adrp x4, bits; ldr q3, [x4, :lo12:bits]; "
              "and v0.16b, v0.16b, v3.16b")
    found.append((tested, 4, [*load, *tested.split("; "), "addv s0, v0.4s", "fmov w1, s0", "str w1, [x0, #256]"]))
    load = ["ldr w1, [x0]", "ldr w2, [x0, #64]", "ldr w3, [x0, #128]"]
    return found + [(body, 1, [*load, *body.split("; "), "str w1, [x0, #256]"]) for body in _scalars()]


def _build(compiler, folder, functions):
    source, program = os.path.join(folder, "snippets.s"), os.path.join(folder, "snippets")
    with open(source, "w", encoding="ascii") as file:
        file.write(".arch armv8-a+crypto\n.text\n")
        for i, (_, _, lines) in enumerate(functions):
            file.write(f".globl snippet{i}\n.type snippet{i}, @function\nsnippet{i}:\n" + "\n".join(lines) + "\nret\n")
        file.write(_MAIN + ".data\nfunctions: .quad " + ", ".join(f"snippet{i}" for i in range(len(functions))) + "\n")
    subprocess.run([compiler, "-static", "-no-pie", "-nostdlib", "-o", program, source], check=True)
    return program


def main():
    native = platform.machine() == "aarch64"
    compiler = sys.argv[1] if len(sys.argv) > 1 else "c++" if native else "aarch64-linux-gnu-g++"
    needed = [compiler] if native else [compiler, "qemu-aarch64"]
    missing = [tool for tool in needed if not shutil.which(tool)]
    if missing:
        print(f"SKIPPED: {' and '.join(missing)}: not installed")
        return 77
    functions, rng = _functions(), random.Random(8)
    tries = [(i, random_rows(rng)) for i in range(len(functions)) for _ in range(_TIMES)]
    data = b"".join(struct.pack(f"<Q{_WORDS}I", i, *(word for row in rows for word in row)) for i, rows in tries)
    with tempfile.TemporaryDirectory() as folder:
        program = _build(compiler, folder, functions)
        command = [program] if native else ["qemu-aarch64", "-cpu", "max", program]
        output = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
        reader = snippets.Reader(listing.Program(program))
        ends = [reader.ends(f"snippet{i}", lanes) for i, (_, lanes, _) in enumerate(functions)]
    for (i, rows), result in zip(tries, struct.iter_unpack(f"<{_WORDS}I", output), strict=True):
        name, lanes, _ = functions[i]
        expected = snippets.expected(ends[i], rows, lanes)
        actual = list(result[4 * LANES:4 * LANES + len(expected)])
        if actual != expected:
            print(f"{name}: the reader has {expected}, the machine {actual} for {rows}")
            return 1
    print(f"{len(functions)} instructions do on {'this machine' if native else 'QEMU'} what the reader has")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""What the reader knows about each instruction, against this machine: compiled, read, and run with random operands.

usage: test_instructions.py COMPILER. Instructions that this CPU does not have are skipped, and named.
"""
import ctypes
import os
import random
import subprocess
import sys
import tempfile

import listing
import snippets
from snippets import LANES, ROWS, random_rows

_LANES_OF = {"sse4_1": 4, "avx2": 8, "sha_ni": 1, "avx512vl": 8}
_CONSTANTS = """.section .rodata
.balign 64
reversed: .rept 4
.byte 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12
.endr
chosen: .quad 0, 1, 8, 9, 2, 15, 10, 11
mixed: .long 0, 31, 7, 16, 1, 2, 3, 9, 25, 14, 15, 8, 4, 30, 5, 6
"""
_THREE = ["paddd", "pxor", "pand", "por", "pandn", "psubd"]
_UNPACKED = ["punpckldq", "punpckhdq", "punpcklqdq", "punpckhqdq"]


def _loads(prefix, register, move):
    return [f"{prefix}{move} {register}{n}, [rdi+{64 * n}]" for n in range(3)]


def _vector_snippets(register, prefix, move, bodies):
    return [(body, [*_loads(prefix, register, move), body, f"{prefix}{move} [rdi+256], {register}0"]) for body in bodies]


def _snippets():
    """{feature as in /proc/cpuinfo: [(name, lines of assembler)]}"""
    sse = ([f"{verb} xmm0, xmm1" for verb in _THREE + _UNPACKED] +
           ["psrld xmm0, 7", "pslld xmm0, 9", "pshufd xmm0, xmm1, 0", "pshufd xmm0, xmm1, 0x1b", "movdqa xmm0, xmm1",
            "palignr xmm0, xmm1, 4", "palignr xmm0, xmm1, 12", "pshufb xmm0, xmmword ptr [rip+reversed]",
            "movq xmm0, qword ptr [rdi+64]", "movd xmm0, dword ptr [rdi+64]", "movsd xmm0, qword ptr [rdi+64]",
            "pslldq xmm0, 8", "psrldq xmm0, 4", "shufps xmm0, xmm1, 0x4e", "shufps xmm0, xmm1, 0xbb", "pblendw xmm0, xmm1, 0xcf",
            "pinsrd xmm0, dword ptr [rdi+64], 1", "movss xmm0, dword ptr [rdi+64]",
            "mov eax, [rdi+64]; pinsrd xmm0, eax, 1", "xorps xmm0, xmm1", "movaps xmm0, xmm1",
            "movups [rdi+320], xmm1; movups xmm0, [rdi+320]"])
    avx2 = ([f"v{verb} ymm0, ymm1, ymm2" for verb in _THREE + _UNPACKED] +
            ["vpsrld ymm0, ymm1, 7", "vpslld ymm0, ymm1, 9", "vpbroadcastd ymm0, xmm1", "vpxor xmm0, xmm1, xmm2",
             "vpaddd xmm0, xmm1, xmm2", "vpbroadcastq ymm0, xmm1", "vbroadcastss ymm0, xmm1",
             "vpbroadcastd ymm0, dword ptr [rdi+64]", "vpalignr ymm0, ymm1, ymm2, 8", "vbroadcasti128 ymm0, xmmword ptr [rdi+64]",
             "vinserti128 ymm0, ymm1, xmm2, 1", "vinserti128 ymm0, ymm1, xmmword ptr [rdi+128], 0", "vextracti128 xmm0, ymm1, 1",
             "vpshufb ymm0, ymm1, ymmword ptr [rip+reversed]", "vpblendd ymm0, ymm1, ymm2, 0xa6", "paddd xmm0, xmm1",
             "vpaddd xmm0, xmm1, xmm2; pshufd xmm0, xmm1, 0x1b", "vmovddup xmm0, qword ptr [rdi+64]",
             "vmovdqu [rdi+320], xmm1; vmovdqu [rdi+336], xmm2; vmovdqu ymm0, [rdi+320]",
             "vpinsrd xmm0, xmm1, dword ptr [rdi+128], 1", "mov eax, [rdi+128]; vpinsrd xmm0, xmm1, eax, 2",
             "vpshufd ymm0, ymm1, 0xcc", "vpslldq xmm0, xmm1, 8", "vpsrldq xmm0, xmm1, 8", "vshufps xmm0, xmm1, xmm2, 0x11",
             "vshufps xmm0, xmm1, xmmword ptr [rdi+128], 0x1b", "vxorps xmm0, xmm1, xmm2", "vmovaps ymm0, ymm1",
             "vmovdqa xmm0, xmm1", "vmovd xmm0, dword ptr [rdi+64]", "mov eax, [rdi+64]; vmovd xmm0, eax",
             "vmovsd xmm0, qword ptr [rdi+64]", "vmovups [rdi+320], ymm1; vmovups ymm0, [rdi+320]",
             "vmovq qword ptr [rdi+320], xmm1; vmovq xmm0, qword ptr [rdi+320]"])
    avx512 = ([f"v{verb}{'d' if verb[1] in 'xao' and verb != 'paddd' else ''} zmm0, zmm1, zmm2" for verb in _THREE] +
              [f"v{verb} zmm0, zmm1, zmm2" for verb in _UNPACKED] +
              ["vmovdqa32 zmm0, zmm1", "vmovdqa64 zmm0, zmm1"] + [f"vpternlogd zmm0, zmm1, zmm2, {table}" for table in (0x96, 0xca, 0xe8, 0x27, 0xd8)] +
              ["vprord zmm0, zmm1, 7", "vprold zmm0, zmm1, 9", "vpsrld zmm0, zmm1, 3",
               "vpaddd zmm0, zmm1, dword ptr [rdi+128]{1to16}", "vinserti32x4 zmm0, zmm1, xmm2, 3",
               "vextracti32x4 xmm0, zmm1, 2", "vbroadcasti32x4 zmm0, xmmword ptr [rdi+64]",
               "vmovdqu64 zmm3, [rip+chosen]; vpermt2q zmm0, zmm3, zmm1",
               "vmovdqu64 zmm0, [rip+chosen]; vpermi2q zmm0, zmm1, zmm2",
               "vmovdqu32 zmm3, [rip+mixed]; vpermt2d zmm0, zmm3, zmm1",
               "vmovdqu32 zmm3, [rip+mixed]; kxnorw k1, k2, k2; vpgatherdd zmm0{k1}, [rdi+zmm3*4+64]"])
    avx512vl = (["vmovdqu xmm3, [rip+mixed]; vpermt2d xmm0, xmm3, xmm1", "vmovdqu32 ymm3, [rip+mixed]; vpermt2d ymm0, ymm3, ymm1",
                 "vmovdqu xmm3, [rip+mixed]; kxnorw k1, k0, k0; vpgatherdd xmm0{k1}, [rdi+xmm3*4]"])
    sha = ["sha256msg1 xmm0, xmm1", "sha256msg2 xmm0, xmm1", "sha256rnds2 xmm1, xmm2, xmm0; movdqa xmm0, xmm1",
           "paddd xmm0, xmm1", "movd eax, xmm1; movd xmm0, eax",
           "vmovss dword ptr [rdi+320], xmm1; vmovss xmm0, dword ptr [rdi+320]",
           "mov eax, [rdi]; mov ecx, [rdi+64]; shl rax, 32; or rax, rcx; movq xmm0, rax",
           "mov eax, [rdi]; mov ecx, [rdi+64]; shl rax, 32; or rcx, rax; mov [rdi+320], rcx; movq xmm0, qword ptr [rdi+320]"]
    scalar = ["add eax, ecx", "sub eax, ecx", "xor eax, ecx", "and eax, ecx", "or eax, ecx", "ror eax, 7", "rol eax, 9",
              "shr eax, 3", "shl eax, 5", "lea eax, [rax+rcx*4+9]", "bswap eax", "neg eax", "shld eax, ecx, 13",
              "imul rax, rcx, 0x1700", "or eax, 0x10000; bsf eax, eax", "inc eax", "dec eax",
              "movzx eax, cl", "mov al, cl", "mov ax, cx", "mov al, 7", "xor eax, eax; mov al, cl", "movzx eax, byte ptr [rdi+66]",
              "mov [rdi+320], eax; mov byte ptr [rdi+321], cl; mov eax, [rdi+320]", "cmp ecx, ecx; sete al",
              "cmp ecx, ecx; setb al", "cmp ecx, ecx; setae al", "push rcx; pop rax", "push rbp; mov rbp, rsp; mov eax, ecx; leave", "add rax, rcx", "mov eax, ecx", "add eax, 0x80000000"]
    for relation in ("a", "ae", "b", "be", "e", "ne"):
        scalar.append(f"cmp eax, ecx; mov eax, 1; j{relation} 1f; mov eax, 2; 1:")
        scalar.append(f"cmp al, cl; mov eax, 1; j{relation} 1f; mov eax, 2; 1:")
        scalar.append(f"cmp eax, ecx; cmov{relation} eax, edx")
        scalar.append(f"cmp eax, 7; mov eax, 1; j{relation} 1f; mov eax, 2; 1:")
    scalar += ["dec eax; mov eax, 1; je 1f; mov eax, 2; 1:", "sub eax, ecx; ror ecx, 3; mov eax, 1; je 1f; mov eax, 2; 1:",
               "test eax, ecx; mov eax, 1; jne 1f; mov eax, 2; 1:",
               "test al, cl; mov eax, 1; jne 1f; mov eax, 2; 1:", "cmp eax, ecx; bswap edx; mov eax, 1; jb 1f; mov eax, 2; 1:"]
    prologue = ["mov eax, [rdi]", "mov ecx, [rdi+64]", "mov edx, [rdi+128]"]

    def tested(register, body):
        """A mask of lanes, with its bits in a general register."""
        move = {"xmm": "movdqu", "ymm": "vmovdqu", "zmm": "vmovdqu32"}[register]
        return body, [*_loads("", register, move), *body.split("; "), "mov [rdi+256], eax"]
    return {"sse4_1": _vector_snippets("xmm", "", "movdqu", sse) + [
                tested("xmm", "pxor xmm2, xmm2; pcmpeqd xmm0, xmm2; movmskps eax, xmm0")],
            "avx2": _vector_snippets("ymm", "v", "movdqu", avx2) + [
                tested("ymm", "vpxor xmm2, xmm2, xmm2; vpcmpeqd ymm0, ymm2, ymm0; vmovmskps eax, ymm0")],
            "sha_ni": _vector_snippets("xmm", "", "movdqu", sha),
            "avx512f": _vector_snippets("zmm", "v", "movdqu32", avx512) + [
                tested("zmm", "vptestnmd k0, zmm0, zmm1; kmovw eax, k0"),
                tested("zmm", "vptestnmd k0, zmm0, zmm1; kortestw k0, k0; mov eax, 1; je 1f; mov eax, 2; 1:"),
                tested("zmm", "vptestnmd k0, zmm0, dword ptr [rdi+64]{1to16}; kmovw eax, k0"),
                tested("zmm", "vmovdqu32 zmm3, [rip+mixed]; kxnorw k1, k1, k1; vpgatherdd zmm0{k1}, [rdi+zmm3*4]; kmovw eax, k1")],
            "avx512vl": _vector_snippets("ymm", "v", "movdqu", avx512vl) + [
                tested("ymm", "vptestnmd k0, ymm0, dword ptr [rdi+64]{1to8}; kmovw eax, k0; movzx eax, al")],
            "avx512bw": [("kmovq k3, rcx; kmovq rax, k3", [*prologue, "kmovq k3, rcx", "kmovq rax, k3", "mov [rdi+256], eax"]),
                         ("kmovq k3, rcx; kmovw eax, k3", [*prologue, "kmovq k3, rcx", "kmovw eax, k3", "mov [rdi+256], eax"])],
            "fpu": [(body, [*prologue, *body.split("; "), "mov [rdi+256], eax"]) for body in scalar]}


def main():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        flags = next((line.split(":")[1].split() for line in file if line.startswith("flags")), [])
    functions = [(name, lines, _LANES_OF.get(feature, LANES)) for feature, all_lines in _snippets().items() if feature in flags
                for name, lines in all_lines]
    skipped = [feature for feature in _snippets() if feature not in flags]
    if skipped:
        print(f"SKIPPED here: the instructions of {', '.join(skipped)}")
    if not functions:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "snippets.s"), os.path.join(folder, "snippets.so")
        with open(source, "w", encoding="ascii") as file:
            file.write(".intel_syntax noprefix\n.text\n")
            for i, (_, lines, _) in enumerate(functions):
                file.write(f".globl snippet{i}\n.type snippet{i}, @function\nsnippet{i}:\n" + "\n".join(lines) + "\nret\n")
            file.write(f".globl last\n.type last, @function\nlast:\nret\n{_CONSTANTS}.section .note.GNU-stack,\"\",@progbits\n")
        subprocess.run([sys.argv[1], "-shared", "-nostdlib", "-o", library, source], check=True)
        reader, native = snippets.Reader(listing.Program(library)), ctypes.CDLL(library)
        rng = random.Random(6)
        for i, (name, _, lanes) in enumerate(functions):
            ends = reader.ends(f"snippet{i}", lanes)
            for _ in range(20):
                rows = random_rows(rng)
                buffer = (ctypes.c_uint32 * (ROWS * LANES))(*(word for row in rows for word in row))
                getattr(native, f"snippet{i}")(buffer)
                expected = snippets.expected(ends, rows, lanes)
                actual = list(buffer[4 * LANES:4 * LANES + len(expected)])
                if actual != expected:
                    print(f"{name}: the reader has {expected}, the machine {actual} for {rows}")
                    return 1
    print(f"{len(functions)} instructions do on this machine what the reader has")
    return 0


if __name__ == "__main__":
    sys.exit(main())

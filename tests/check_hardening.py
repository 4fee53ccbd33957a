#!/usr/bin/env python3
"""Check of programs (ELF, 64 bits, with their symbols) for the hardening of cmake/Hardening.cmake, and for that of the
compilers and linkers of distributions. It only reads the files.

usage: check_hardening.py PROGRAM...
"""

import collections
import re
import struct
import sys

X86_64, ARM64 = 62, 183
Segment = collections.namedtuple("Segment", "kind flags offset address size")
Symbol = collections.namedtuple("Symbol", "name kind defined address size")


class Elf:
    """As elf(5) has it."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            sys.exit(f"{path}: expected a little-endian ELF file of 64 bits")
        self.type, self.machine = self.unpack("<HH", 16)
        program_headers, section_headers = self.unpack("<QQ", 32)
        size, number, section_size, sections = self.unpack("<HHHH", 54)
        self.segments = []
        for i in range(number):
            kind, flags, offset, address, _, file_size = self.unpack("<IIQQQQ", program_headers + i * size)
            self.segments.append(Segment(kind, flags, offset, address, file_size))
        self.symbols = []
        for i in range(sections):
            _, kind, _, _, offset, length, link = self.unpack("<IIQQQQI", section_headers + i * section_size)
            if kind in (2, 11):  # SYMTAB, DYNSYM
                names = self.unpack("<Q", section_headers + link * section_size + 24)[0]
                self.symbols += [self.symbol(offset + at, names) for at in range(0, length, 24)]
        self.dynamic = collections.defaultdict(list)
        for segment in self.segments:
            for at in range(segment.offset, segment.offset + segment.size, 16) if segment.kind == 2 else ():
                tag, value = self.unpack("<QQ", at)
                self.dynamic[tag].append(value)

    def unpack(self, form, offset):
        return struct.unpack_from(form, self.data, offset)

    def symbol(self, at, names):
        name, info, _, section, address, size = self.unpack("<IBBHQQ", at)
        begin = names + name
        return Symbol(self.data[begin:self.data.index(b"\0", begin)].decode(), info & 15, section != 0, address, size)

    def code(self, symbol):
        segment = next(s for s in self.segments if s.kind == 1 and s.address <= symbol.address < s.address + s.size)
        begin = segment.offset + symbol.address - segment.address
        return self.data[begin:begin + symbol.size]


def flaws(elf):
    """What is missing, a sentence each."""
    flags, flags_1 = elf.dynamic[30], elf.dynamic[0x6FFFFFFB]
    now = any(value & 8 for value in flags) or any(value & 1 for value in flags_1)
    if elf.type != 3 or not any(value & 0x08000000 for value in flags_1):
        yield "it is not position-independent (PIE)"
    if not any(segment.kind == 0x6474E552 for segment in elf.segments) or not now:
        yield "it has no full RELRO: -z relro -z now"
    if [segment.flags & 1 for segment in elf.segments if segment.kind == 0x6474E551] != [0]:
        yield "its stack is executable, or may be"
    if any(segment.kind == 1 and segment.flags & 3 == 3 for segment in elf.segments):
        yield "it has memory that is both writable and executable"
    if elf.dynamic[15] or elf.dynamic[29]:
        yield "it looks for libraries in folders of its own (RPATH)"
    names = {symbol.name.split("@")[0] for symbol in elf.symbols}
    if not any(name.startswith("__") and name.endswith("_chk") for name in names):
        yield "it calls none of libc's functions that check sizes: _FORTIFY_SOURCE"
    if "_ZSt21__glibcxx_assert_failPKciS0_S0_" not in names:
        yield "it does not check libstdc++'s preconditions: _GLIBCXX_ASSERTIONS"
    if "__stack_chk_fail" not in names:
        yield "it has no stack protector"
    if elf.machine == X86_64:
        yield from flaws_of_x86_code(functions_of(elf), elf)
    elif elf.machine == ARM64:
        yield from flaws_of_arm64_code(functions_of(elf), elf)


def functions_of(elf):
    return [symbol for symbol in elf.symbols if symbol.kind == 2 and symbol.defined and symbol.size]


def flaws_of_arm64_code(functions, elf):
    main = next((elf.code(function) for function in functions if function.name == "main"), b"")
    if not main.startswith((b"\x3f\x23\x03\xd5", b"\x5f\x24\x03\xd5")):
        yield "main() does not begin with paciasp or bti c: -mbranch-protection"


def flaws_of_x86_code(functions, elf):
    """Of our own functions: libraries that are linked statically are as their distribution has compiled them."""
    ours = [elf.code(function) for function in functions if "8gpuminer" in function.name]
    if not ours:
        yield "it has no symbols: there is nothing to look into"
        return
    canaries = sum(b"\x25\x28\x00\x00\x00" in code for code in ours)  # %fs:0x28
    if canaries < len(ours) / 20:
        yield f"only {canaries} of {len(ours)} functions have a stack protector"
    # sub $0x1000,%rsp and orq $0,(%rsp) of g++ or movq $0,(%rsp) of clang++: a page at a time
    if not any(re.search(rb"\x48\x81\xec\x00\x10\x00\x00\x48(\x83\x0c|\xc7\x04)\x24", code) for code in ours):
        yield "no function with a large frame touches each page of it: -fstack-clash-protection"
    main = next(elf.code(function) for function in functions if function.name == "main")
    if not main.startswith(b"\xf3\x0f\x1e\xfa"):
        yield "main() does not begin with endbr64: -fcf-protection"


def main():
    bad = False
    for path in sys.argv[1:]:
        for flaw in flaws(Elf(path)):
            bad = True
            print(f"{path}: {flaw}")
    return 1 if bad or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())

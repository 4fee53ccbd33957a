"""Headers solved by libgpuminer, in place of the loop of a test framework, and how much faster that is.

usage: solve.py [NBITS HEADERS]...      (default: 207fffff 2000 2000ffff 100 1f00ffff 3; LIBGPUMINER=FILE names the library)
"""

import ctypes
import hashlib
import os
import struct
import sys
import time


HeaderBytes = ctypes.c_uint8 * 80


class Search(ctypes.Structure):  # gm_search
    _fields_ = [("header", HeaderBytes), ("first", ctypes.c_uint32), ("last", ctypes.c_uint32),
                ("target", ctypes.c_void_p), ("nbits", ctypes.c_uint32), ("threads", ctypes.c_uint32),
                ("seconds", ctypes.c_double), ("cancel", ctypes.c_void_p)]


class Result(ctypes.Structure):  # gm_search_result
    _fields_ = [("end", ctypes.c_int), ("nonce", ctypes.c_uint32), ("hash", ctypes.c_uint8 * 32), ("hashes", ctypes.c_uint64)]


library = ctypes.CDLL(os.environ.get("LIBGPUMINER", "libgpuminer.so.0.1"))
library.gm_error_text.restype = ctypes.c_char_p


def solve(header):
    """The header, 80 bytes, with the lowest nonce that its nBits allow."""
    search = Search(HeaderBytes.from_buffer_copy(header), 0, 0xFFFFFFFF, None, 0, 1, 0, None)  # by the header's nBits, with one thread
    found = Result()
    if error := library.gm_search_header(ctypes.byref(search), ctypes.byref(found)):
        raise ValueError(library.gm_error_text(error).decode())
    if found.end != 0:  # GM_FOUND
        raise ValueError("no nonce solves this header")
    return header[:76] + struct.pack("<I", found.nonce)


def solve_in_python(header):
    """The same, as test frameworks do it."""
    nbits = struct.unpack("<I", header[72:76])[0]
    target = (nbits & 0x7FFFFF) << 8 * ((nbits >> 24) - 3)
    nonce = 0
    while True:
        solved = header[:76] + struct.pack("<I", nonce)
        if int.from_bytes(hashlib.sha256(hashlib.sha256(solved).digest()).digest(), "little") <= target:
            return solved
        nonce += 1


def main():
    arguments = sys.argv[1:] or "207fffff 2000 2000ffff 100 1f00ffff 3".split()
    for nbits, count in ((int(word, 16), int(number)) for word, number in zip(arguments[::2], arguments[1::2])):
        headers = [struct.pack("<I32s32sIII", 0x20000000, bytes(32), hashlib.sha256(b"%d" % i).digest(), 0, nbits, 0) for i in range(count)]
        solved, seconds = [], []
        for function in (solve_in_python, solve):
            start = time.process_time()
            solved.append([function(header) for header in headers])
            seconds.append((time.process_time() - start) / count)
        if solved[0] != solved[1]:
            raise SystemExit("the two find different nonces")
        print(f"nBits {nbits:08x}: {count} headers, each {seconds[0] * 1e6:.1f} µs in Python, {seconds[1] * 1e6:.1f} µs by the library: "
              f"{seconds[0] / seconds[1]:.1f} times as fast")


if __name__ == "__main__":
    main()

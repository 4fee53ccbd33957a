#!/usr/bin/env python3
"""What the host computes of a header before the search, tested (not proved) with 10,000 random headers against hashlib.

usage: test_header_words.py BUILD_FOLDER PROGRAM. The program (words_of_headers.cpp) has midstates, tails and tables from the
code under test; with them the textbook and the printed programs have to come to hashlib's SHA-256(SHA-256(header)).
"""
import array
import hashlib
import random
import subprocess
import sys

import fips180
import program

_HEADERS = 10000


class Lanes:
    """Words of all headers at once: a number of 64 bits each, of which the lower half is the word."""
    ONES = sum(1 << 64 * i for i in range(_HEADERS))
    MASK = 0xffffffff * ONES
    xor, maj = fips180.Numbers.xor, fips180.Numbers.maj
    const = staticmethod(lambda number: number * Lanes.ONES)
    add = staticmethod(lambda *words: sum(words) & Lanes.MASK)
    rotr = staticmethod(lambda x, n: (x >> n | x << (32 - n)) & Lanes.MASK)
    shr = staticmethod(lambda x, n: x >> n & Lanes.MASK)
    ch = staticmethod(lambda x, y, z: (x & y) ^ (x ^ Lanes.MASK) & z)


def lanes(words):
    return int.from_bytes(array.array("Q", words).tobytes(), "little")


def words_of(number):
    return array.array("Q", number.to_bytes(8 * _HEADERS, "little"))


def numbered(name, tables):
    return {f"{name}[{i}]": table for i, table in enumerate(tables)}


class Words:
    """The program's output, word by word, each of all headers at once."""

    def __init__(self, output):
        words = array.array("I", output)
        self._columns = len(words) // _HEADERS
        self._words, self._at = words, 0

    def take(self, count):
        columns = [lanes(self._words[at::self._columns]) for at in range(self._at, self._at + count)]
        self._at += count
        return columns

    def all_taken(self):
        return self._at == self._columns


def tables_of(instructions):
    """How many words a printed program's host stages make, by stage."""
    return {name: sum(1 for stage, result, _ in instructions if stage == name and result.startswith(f"{name}["))
            for name in ("job", "version")}


def top_words(instructions, nonce, job, version):
    """By a printed program's device stages, from the host's tables."""
    device = [each for each in instructions if each[0] not in ("job", "version")]
    inputs = numbered("job", job) | numbered("version", version) | {"nonce": nonce}
    return words_of(program.run(device, inputs, Lanes)["h7"])


def textbook(midstate, tail, nonce):
    return words_of(fips180.sha256_of_digest(Lanes, fips180.digest_of_header(Lanes, midstate, tail, nonce))[7])


def main():
    build, path = sys.argv[1:]
    rng = random.Random(41)
    headers = [rng.randbytes(80) for _ in range(_HEADERS)]
    words = Words(subprocess.run([path], input=b"".join(headers), stdout=subprocess.PIPE, check=True).stdout)
    nonce = lanes(int.from_bytes(header[76:], "big") for header in headers)

    def expected(version_of):
        hashes = (hashlib.sha256(hashlib.sha256(version_of(header) + header[4:]).digest()).digest() for header in headers)
        return array.array("Q", (int.from_bytes(each[28:], "big") for each in hashes))
    own = expected(lambda header: header[:4])
    inverted = expected(lambda header: bytes(byte ^ 0xff for byte in header[:4]))

    fixed, rolled = program.printed(build), program.printed(build, "--versions", "2")
    midstate, tail = words.take(8), words.take(3)
    job = words.take(tables_of(fixed)["job"])
    assert textbook(midstate, tail, nonce) == own, "midstate or tail"
    assert top_words(fixed, nonce, job, []) == own, "job words of one header"
    midstates, tail = [words.take(8), words.take(8)], words.take(3)
    sizes = tables_of(rolled)
    job = words.take(sizes["job"])
    for midstate, hashes in zip(midstates, (inverted, own)):
        version = words.take(sizes["version"])
        assert textbook(midstate, tail, nonce) == hashes, "midstate of a version"
        assert top_words(rolled, nonce, job, version) == hashes, "words of several versions"
    assert words.all_taken(), "words that nothing has asked for"
    print(f"midstates, tails, job words and version words of {_HEADERS} random headers lead to hashlib's hashes")


if __name__ == "__main__":
    main()

"""The part of Bitcoin that the tests need to check a miner's work, by hashlib alone. Hashes are bytes in internal order."""

import hashlib
import struct
from fractions import Fraction

DIFFICULTY_1 = 0xFFFF << 208
# Anybody can spend what is paid to it: P2WSH of the script OP_TRUE, whose witness is the script itself.
TRUE_SCRIPT = bytes.fromhex("00204ae81572f06e1b88fd5ced7a1a000945432e83e1551e6f721ee9c00b8cc33260")
COMMITMENT = bytes.fromhex("6a24aa21a9ed")  # what a witness commitment's script begins with (BIP 141)


def sha256d(data):
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def display(digest):
    """As nodes write a hash."""
    return digest[::-1].hex()


def target_of_bits(bits):
    exponent, mantissa = bits >> 24, bits & 0x7FFFFF
    return mantissa << 8 * (exponent - 3) if exponent >= 3 else mantissa >> 8 * (3 - exponent)


def target_of_difficulty(difficulty):
    return min(int(DIFFICULTY_1 / Fraction(difficulty)), 2**256 - 1)


def merkle_root(hashes):
    while len(hashes) > 1:
        if len(hashes) % 2:
            hashes = [*hashes, hashes[-1]]
        hashes = [sha256d(left + right) for left, right in zip(hashes[::2], hashes[1::2])]
    return hashes[0]


def merkle_branch(hashes):
    """What a first leaf that is not known yet is to be joined with, from the leaves after it."""
    level, branch = [None, *hashes], []
    while len(level) > 1:
        branch.append(level[1])
        if len(level) % 2:
            level = [*level, level[-1]]
        level = [None, *(sha256d(left + right) for left, right in zip(level[2::2], level[3::2]))]
    return branch


def compact_size(number):
    if number < 0xFD:
        return bytes([number])
    return b"\xfd" + struct.pack("<H", number) if number < 0x10000 else b"\xfe" + struct.pack("<I", number)


def push_number(number):
    """A script that pushes it, as BIP 34 wants the height."""
    if 1 <= number <= 16:
        return bytes([0x50 + number])
    size = number.bit_length() // 8 + 1
    return bytes([size]) + number.to_bytes(size, "little")


def output(value, script):
    return struct.pack("<q", value) + compact_size(len(script)) + script


def spend(txid, value, fee):
    """A transaction with a witness, from output 0 of one that pays TRUE_SCRIPT to TRUE_SCRIPT."""
    inputs = b"\x01" + txid + struct.pack("<I", 0) + b"\x00" + struct.pack("<I", 0xFFFFFFFD)
    outputs = b"\x01" + output(value - fee, TRUE_SCRIPT)
    return struct.pack("<I", 2) + b"\x00\x01" + inputs + outputs + b"\x01\x01\x51" + struct.pack("<I", 0)


def address(script, hrp):
    """Of a witness program of version 0 (BIP 173)."""
    def checksum(values):
        state = 1
        for value in values:
            top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ value
            for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
                state ^= generator if top >> bit & 1 else 0
        return state

    program = script[2:]
    bits = int.from_bytes(program, "big") << -len(program) * 8 % 5
    count = -(-len(program) * 8 // 5)
    data = [0, *(bits >> 5 * (count - 1 - place) & 31 for place in range(count))]
    head = [ord(letter) >> 5 for letter in hrp] + [0] + [ord(letter) & 31 for letter in hrp]
    rest = checksum(head + data + [0] * 6) ^ 1
    data += [rest >> 5 * (5 - place) & 31 for place in range(6)]
    return hrp + "1" + "".join("qpzry9x8gf2tvdw0s3jn54khce6mua7l"[value] for value in data)


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, size):
        self.place += size
        if self.place > len(self.data):
            raise ValueError("the data ends too early")
        return self.data[self.place - size:self.place]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def compact(self):
        first = self.number(1)
        return first if first < 0xFD else self.number({0xFD: 2, 0xFE: 4, 0xFF: 8}[first])


class Transaction:
    def __init__(self, reader):
        start = reader.place
        version = reader.take(4)
        segwit = reader.data[reader.place] == 0
        if segwit:
            reader.take(2)
        body = reader.place
        inputs = []
        for _ in range(reader.compact()):
            previous = reader.take(36)
            inputs.append((previous, reader.take(reader.compact()), reader.take(4)))
        _, self.script, self.sequence = inputs[0]  # the first input's
        self.outputs = [(reader.number(8), reader.take(reader.compact())) for _ in range(reader.compact())]
        end = reader.place
        self.witness = [[reader.take(reader.compact()) for _ in range(reader.compact())] for _ in inputs] if segwit else []
        lock_time = reader.take(4)
        self.lock_time = int.from_bytes(lock_time, "little")
        self.txid = sha256d(version + reader.data[body:end] + lock_time)
        self.wtxid = sha256d(reader.data[start:reader.place])


class Block:
    def __init__(self, data):
        reader = Reader(data)
        self.header = reader.take(80)
        self.version, self.time, self.bits = (int.from_bytes(self.header[at:at + 4], "little") for at in (0, 68, 72))
        self.hash = sha256d(self.header)
        self.transactions = [Transaction(reader) for _ in range(reader.compact())]
        self.rest = len(data) - reader.place

    def problems(self):
        """What a node would refuse it for, as far as it can be told from the block alone."""
        found = []
        if int.from_bytes(self.hash, "little") > target_of_bits(self.bits):
            found.append("the hash is above the target")
        if merkle_root([each.txid for each in self.transactions]) != self.header[36:68]:
            found.append("the merkle root is another")
        if self.rest:
            found.append("something follows the transactions")
        coinbase = self.transactions[0]
        commitments = [script[6:38] for _, script in coinbase.outputs if script.startswith(COMMITMENT)]
        if commitments:
            root = merkle_root([bytes(32), *(each.wtxid for each in self.transactions[1:])])
            if not coinbase.witness or commitments[-1] != sha256d(root + coinbase.witness[0][0]):
                found.append("the witness commitment is another")
        elif any(each.witness for each in self.transactions):
            found.append("there are witnesses without a commitment")
        return found


def mine(header, target, tries=2**32):
    """The first nonce that solves the 76 bytes; slowly, for stand-ins."""
    for nonce in range(tries):
        if int.from_bytes(sha256d(header + struct.pack("<I", nonce)), "little") <= target:
            return nonce
    return None

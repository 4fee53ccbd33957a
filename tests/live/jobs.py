"""A pool's jobs, of its own making or from a node's template; and the value of a share of one."""

import hashlib
import itertools
import struct
import time

from bitcoin import (COMMITMENT, TRUE_SCRIPT, compact_size, merkle_branch, output, push_number, sha256d, target_of_bits)


class Job:
    """Its coinbase has room for `room` bytes, extranonce1 and extranonce2 together."""

    def __init__(self, number, room, version, previous, bits, when, branch, height, value, commitment=None):
        self.id = f"{number:x}#0"  # as some pools write it
        self.version, self.previous, self.bits, self.time, self.branch = version, previous, bits, when, branch
        script = push_number(height) + compact_size(room)
        self.coinbase1 = (struct.pack("<I", 2) + b"\x01" + bytes(32) + b"\xff" * 4 + compact_size(len(script) + room) + script)
        outputs = [output(value, TRUE_SCRIPT)] + ([output(0, commitment)] if commitment else [])
        self.coinbase2 = b"\xff" * 4 + compact_size(len(outputs)) + b"".join(outputs) + bytes(4)
        self.segwit = commitment is not None
        self.transactions = []  # serialised, after the coinbase
        self.difficulty = None  # of its shares, once it has been sent

    def notification(self, clean):
        words = b"".join(self.previous[at:at + 4][::-1] for at in range(0, 32, 4))
        return {"id": None, "method": "mining.notify", "params": [
            self.id, words.hex(), self.coinbase1.hex(), self.coinbase2.hex(), [each.hex() for each in self.branch],
            f"{self.version:08x}", f"{self.bits:08x}", f"{self.time:08x}", clean]}

    def coinbase(self, extranonce):
        return self.coinbase1 + extranonce + self.coinbase2

    def header(self, extranonce, version, when, nonce):
        root = sha256d(self.coinbase(extranonce))
        for each in self.branch:
            root = sha256d(root + each)
        return struct.pack("<I", version) + self.previous + root + struct.pack("<III", when, self.bits, nonce)

    def solved_by(self, header):
        return int.from_bytes(sha256d(header), "little") <= target_of_bits(self.bits)

    def block(self, header, extranonce):
        coinbase = self.coinbase(extranonce)
        if self.segwit:
            coinbase = coinbase[:4] + b"\x00\x01" + coinbase[4:-4] + b"\x01\x20" + bytes(32) + coinbase[-4:]
        return header + compact_size(1 + len(self.transactions)) + coinbase + b"".join(self.transactions)


class OwnJobs:
    """Of a made-up chain whose blocks nobody solves, unless `bits` make it easy."""

    def __init__(self, room, version=0x20000000, bits=0x1800FFFF, branch=3):
        self.room, self.version, self.bits, self.branch = room, version, bits, branch
        self.numbers = itertools.count(1)
        self.tip = 0

    def next(self, new_block=False):
        if new_block:
            self.tip += 1
        number = next(self.numbers)
        leaves = [hashlib.sha256(f"{number} {each}".encode()).digest() for each in range(self.branch)]
        previous = hashlib.sha256(f"block {self.tip}".encode()).digest()[:24] + bytes(8)
        return Job(number, self.room, self.version, previous, self.bits, int(time.time()), leaves, 800000 + self.tip, 312500000)

    def submit(self, _):
        return None


class NodeJobs:
    """Of a node's templates. Its blocks go to the node."""

    def __init__(self, room, node, version_bits=0):
        self.room, self.node, self.version_bits = room, node, version_bits
        self.numbers = itertools.count(1)

    def next(self, new_block=False):
        del new_block  # the node knows
        template = self.node.template()
        commitment = template.get("default_witness_commitment")
        if commitment and len(commitment) == 64:  # btcd gives the hash alone
            commitment = COMMITMENT.hex() + commitment
        txids = [bytes.fromhex(each["txid"])[::-1] for each in template["transactions"]]
        job = Job(next(self.numbers), self.room, template["version"] | self.version_bits,
                  bytes.fromhex(template["previousblockhash"])[::-1], int(template["bits"], 16), template["curtime"],
                  merkle_branch(txids), template["height"], template["coinbasevalue"], commitment and bytes.fromhex(commitment))
        job.transactions = [bytes.fromhex(each["data"]) for each in template["transactions"]]
        return job

    def submit(self, block):
        """None, or why the node refuses it."""
        return self.node.rpc("submitblock", block.hex())

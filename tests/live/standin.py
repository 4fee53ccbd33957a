"""A miner in a page of Python, slow and without any care, to try the test's own servers with."""

import json
import socket

from bitcoin import mine, sha256d, target_of_difficulty
from patience import patience


class StandIn:
    """Logs in at a pool. `roll`: version bits to set; None: does not ask for version rolling."""

    def __init__(self, port, roll=None, session=None, user="worker"):
        self.user, self.roll = user, roll
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=patience())
        self.lines = self.stream.makefile("rb")
        self.count = 0
        self.difficulty, self.job = 1, None
        if roll is not None:
            self.ask("mining.configure", ["version-rolling"], {"version-rolling.mask": "1fffe000"})
        subscription, self.extranonce1, self.size = self.ask("mining.subscribe", "stand-in", *([session] if session else []))["result"]
        self.session = subscription[-1][1]
        self.ask("mining.authorize", user, "x")
        while not self.job:
            self.read()

    def read(self):
        """One message, which is also returned."""
        message = json.loads(self.lines.readline())
        if message.get("method") == "mining.set_difficulty":
            self.difficulty = message["params"][0]
        elif message.get("method") == "mining.notify":
            self.job = message["params"]
        return message

    def ask(self, method, *parameters):
        self.count += 1
        self.stream.sendall(json.dumps({"id": self.count, "method": method, "params": parameters}).encode() + b"\n")
        while True:
            message = self.read()
            if message.get("id") == self.count and "method" not in message:
                return message

    def share(self, number, easier=False):
        """The parameters of a share with extranonce2 `number`; `easier`: of one that does not reach the difficulty."""
        ident, previous, coinbase1, coinbase2, branch, version, bits, when, _ = self.job
        extranonce2 = number.to_bytes(self.size, "big").hex()
        root = sha256d(bytes.fromhex(coinbase1 + self.extranonce1 + extranonce2 + coinbase2))
        for each in branch:
            root = sha256d(root + bytes.fromhex(each))
        previous = b"".join(bytes.fromhex(previous[at:at + 8])[::-1] for at in range(0, 64, 8))
        version = (int(version, 16) ^ (self.roll or 0)).to_bytes(4, "little")
        head = version + previous + root + bytes.fromhex(when)[::-1] + bytes.fromhex(bits)[::-1]
        target = target_of_difficulty(self.difficulty)
        nonce = mine(head, target)
        while easier and int.from_bytes(sha256d(head + nonce.to_bytes(4, "little")), "little") <= target:
            nonce += 1
        rolled = [] if self.roll is None else [f"{self.roll:08x}"]
        return [self.user, ident, extranonce2, when, f"{nonce:08x}", *rolled]

    def submit(self, parameters):
        """True, or the reason."""
        reply = self.ask("mining.submit", *parameters)
        return reply["result"] or reply["error"][1]

    def close(self):
        self.lines.close()
        self.stream.close()

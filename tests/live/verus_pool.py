"""A pool of Verus for tests. It checks what the reference's pool checks (github.com/hellcatz/node-stratum-pool), on a
block as its node has it, and asks gpuminer itself, as `verify`, for the hash."""

import hashlib
import itertools
import json
import subprocess
import time

from pool_server import PoolServer, Refusal
from support import GPUMINER, SANITIZED

TARGET = ("0007ffff" if SANITIZED else "00003fff") + "f" * 56  # 8,192 or 262,144 hashes a share


class VerusJob:
    """A block of two chains that are mined together, of which the miner is not told the nonce."""

    def __init__(self, number):
        self.id, self.difficulty = f"{0xcccd + number:x}", None
        self.version, self.time, self.bits = "04000100", "00f15365", "ffff0f1e"
        self.previous, self.root, self.sapling, self.nonce = (hashlib.sha256(f"{name} {number}".encode()).hexdigest()
                                                              for name in ("previous", "root", "sapling", "nonce"))
        roots = hashlib.sha512(str(number).encode()).hexdigest()
        own = bytes.fromhex(self.previous + self.root + self.sapling + self.nonce + self.bits + roots)
        entry = "99" * 20 + hashlib.blake2b(own, digest_size=32, person=b"VerusDefaultHash").hexdigest()
        self.solution = "0700000000020000" + roots + "11" * 20 + "22" * 32 + entry

    def notification(self, clean):
        trimmed = self.solution.rstrip("0")
        return {"id": None, "method": "mining.notify", "params": [
            self.id, self.version, self.previous, self.root, self.sapling, self.time, self.bits, clean,
            trimmed + "0" * (len(trimmed) % 2)]}

    def hash(self, solution):
        header = (self.version + self.previous + self.root + self.sapling + self.time + self.bits + self.nonce + solution)
        process = subprocess.run([GPUMINER, "verify", "-a", "verushash", "--json", header], capture_output=True, check=False)
        return json.loads(process.stdout)["hash"]


class VerusJobs:
    def __init__(self):
        self.numbers = itertools.count(1)

    def next(self, new_block=False):
        del new_block
        return VerusJob(next(self.numbers))


class VerusPoolServer(PoolServer):
    def __init__(self, **options):
        super().__init__(jobs=VerusJobs(), resume=False, **options)

    def work_message(self):
        return {"id": None, "method": "mining.set_target", "params": [TARGET]}

    def mining_subscribe(self, client, parameters):
        time.sleep(1)  # the devices have begun by then, without a job
        super().mining_subscribe(client, parameters)
        return [None, client.session.extranonce1.hex()]

    def mining_configure(self, client, parameters):
        raise ValueError("mining.configure, which pools of Verus do not know")

    def mining_suggest_difficulty(self, client, parameters):
        raise ValueError("mining.suggest_difficulty, which pools of Verus do not know")

    def mining_extranonce_subscribe(self, _, __):
        raise Refusal(20, "Not supported.")

    def check(self, client, parameters, key):
        user, ident, when, nonce2, solution = parameters
        del user
        with self.lock:
            job = self.jobs.get(ident)
        if not job:
            raise Refusal(21, "job not found")
        if when != job.time:
            raise Refusal(20, "ntime out of range")
        if len(client.session.extranonce1.hex() + nonce2) != 64 or len(solution) != 2694:
            raise Refusal(20, "a parameter has the wrong length")
        if solution[6:14] != job.solution[:8]:
            raise Refusal(20, "invalid solution version")
        with self.lock:
            if key in client.session.seen:
                raise Refusal(22, "duplicate share")
            client.session.seen.add(key)
        if client.session.extranonce1.hex() not in solution[-30:]:
            raise Refusal(20, "invalid solution, pool nonce missing")
        if job.hash(solution) > TARGET:
            raise Refusal(23, "low difficulty share")

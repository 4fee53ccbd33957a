"""A Stratum V1 pool for tests, which hashes every share by hashlib and keeps every message."""

import itertools
import json
import socket
import ssl
import threading
from dataclasses import dataclass

from bitcoin import sha256d, target_of_difficulty
from jobs import OwnJobs

MASK = 0x1FFFE000  # BIP 320


class Refusal(Exception):
    def __init__(self, code, reason):
        super().__init__(reason)
        self.error = [code, reason, None]


@dataclass(frozen=True)
class Share:
    """One that was submitted; `key` is what makes it the same share as another."""
    connection: int
    session: str
    key: tuple  # job, extranonce2, ntime, nonce, version bits (zero where none came)
    rolled: bool  # the version bits were sent
    verdict: str  # "accepted", or the reason


class Session:
    def __init__(self, number, size):
        self.id = f"{number:08x}"
        self.extranonce1 = (0x5EED0000 + number).to_bytes(16, "big")[-size:] if size else b""
        self.seen = set()


class Client:
    """One connection."""

    def __init__(self, pool, number, stream):
        self.pool, self.number, self.stream = pool, number, stream
        self.session = self.mask = None
        self.user = self.suggested = None
        self.configured = False
        self.submitted = 0
        self.lock = threading.Lock()

    def send(self, *messages):
        self.send_bytes(b"".join(json.dumps(each).encode() + b"\n" for each in messages))

    def send_bytes(self, data):
        with self.lock:
            self.stream.sendall(data)

    def close(self):
        try:
            self.stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Listener:
    """A port of this machine, a thread for each connection: serve(stream, number) of the subclass, which keeps `clients`."""

    def open_port(self):
        self.connections = itertools.count(1)
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def close(self):
        if self.socket.fileno() < 0:
            return
        self.socket.shutdown(socket.SHUT_RDWR)  # else the thread that waits on it keeps it open
        self.socket.close()
        for client in list(self.clients.values()):
            client.close()

    def listen(self):
        while True:
            try:
                stream, _ = self.socket.accept()
            except OSError:
                return
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(stream, next(self.connections)), daemon=True).start()


class PoolServer(Listener):
    """Listens at once. `combine`: how the sixth parameter makes the version, "or" as ckpool does, "mask" as Stratum V2's
    translator (and BIP 310), or "xor" as public-pool.
    `mask` 0: no version rolling. `greet(client)`: called when a client has logged in. `judge`: in place of True."""

    def __init__(self, difficulty=1e-5, mask=MASK, combine="xor", extranonce1_size=4, extranonce2_size=4, jobs=None, tls=None,
                 resume=True, greet=None, judge=None, authorize=True, follow_suggestions=False):
        self.difficulty, self.mask, self.combine = difficulty, mask, combine
        self.sizes = extranonce1_size, extranonce2_size
        self.source = jobs or OwnJobs(extranonce1_size + extranonce2_size)
        self.tls, self.resume, self.greet, self.judge, self.authorize = tls, resume, greet, judge, authorize
        self.follow_suggestions = follow_suggestions
        self.lock = threading.RLock()
        self.sessions, self.jobs, self.clients = {}, {}, {}
        self.shares, self.messages, self.blocks, self.errors = [], [], [], []
        self.lowest_hash = 2**256  # of the shares accepted
        self.judging = 0  # shares that have come and have no verdict yet
        self.job = None
        self.next_job(new_block=True)
        self.open_port()

    @property
    def url(self):
        return f"stratum+{'ssl' if self.tls else 'tcp'}://127.0.0.1:{self.port}"

    def serve(self, stream, number):
        client = Client(self, number, stream)
        try:
            if self.tls:
                client.stream = stream = self.tls.wrap_socket(stream, server_side=True)
            with self.lock:
                self.clients[number] = client
            for line in stream.makefile("rb"):
                if not line.endswith(b"\n"):
                    break  # a connection that was cut
                self.handle(client, json.loads(line))
        except (OSError, ssl.SSLError):
            pass
        except Exception as error:  # what a client should not send
            self.errors.append(repr(error))
        finally:
            self.clients.pop(number, None)
            stream.close()

    # --- what the pool tells ----------------------------------------------------------------------------------

    def next_job(self, new_block=False):
        """A new job for all; with a new block the older ones are no good any more."""
        with self.lock:
            job = self.source.next(new_block)
            if new_block:
                self.jobs.clear()
            job.difficulty = self.difficulty  # a new one holds from the next job on
            self.job, self.jobs[job.id] = job, job
            clients = [client for client in self.clients.values() if client.session]
        for client in clients:
            try:
                client.send(job.notification(new_block))
            except OSError:
                pass

    def work_message(self):
        return {"id": None, "method": "mining.set_difficulty", "params": [self.difficulty]}

    def tell(self, *messages):
        for client in list(self.clients.values()):
            client.send(*messages)

    # --- what it is told --------------------------------------------------------------------------------------

    def handle(self, client, message):
        with self.lock:
            self.messages.append((client.number, message))
        method, parameters, ident = message.get("method"), message.get("params"), message.get("id")
        if method is None:
            return  # a reply
        if not client.session and method not in ("mining.configure", "mining.subscribe"):
            raise ValueError(f"{method} before mining.subscribe")  # ckpool hangs up on that
        try:
            result, error = getattr(self, method.replace(".", "_"), self.unknown)(client, parameters), None
        except Refusal as refusal:
            result, error = None, refusal.error
        client.send({"id": ident, "result": result, "error": error})
        if method == "mining.subscribe":
            with self.lock:
                job = self.job
            client.send(self.work_message(), job.notification(True))
        elif method == "mining.authorize" and self.greet:
            self.greet(client)

    @staticmethod
    def unknown(_, __):
        raise Refusal(20, "Unknown method")

    def mining_configure(self, client, parameters):
        extensions, options = parameters
        result = {}
        if "version-rolling" in extensions:
            client.configured = bool(self.mask)
            client.mask = self.mask & int(options["version-rolling.mask"], 16)
            result = {"version-rolling": client.configured, "version-rolling.mask": f"{client.mask:08x}"}
        if "minimum-difficulty" in extensions:
            if not isinstance(options["minimum-difficulty.value"], int):
                raise Refusal(20, "minimum-difficulty is no integer")
            result["minimum-difficulty"] = True
        return result

    def mining_subscribe(self, client, parameters):
        with self.lock:
            known = self.sessions.get(parameters[1]) if self.resume and len(parameters) > 1 else None
            client.session = known or Session(len(self.sessions) + 1, self.sizes[0])
            self.sessions[client.session.id] = client.session
        ident = client.session.id
        return [[["mining.set_difficulty", ident], ["mining.notify", ident]], client.session.extranonce1.hex(), self.sizes[1]]

    def mining_authorize(self, client, parameters):
        if not self.authorize:
            raise Refusal(24, "unauthorized worker")
        client.user = parameters[0]
        return True

    def mining_extranonce_subscribe(self, _, __):
        return True

    def mining_suggest_difficulty(self, client, parameters):
        client.suggested = parameters[0]
        if self.follow_suggestions and parameters[0] != self.difficulty:
            self.difficulty = parameters[0]
            client.send(self.work_message())
            self.next_job()
        return True

    def mining_submit(self, client, parameters):
        client.submitted += 1
        with self.lock:
            self.judging += 1
        key = (*parameters[1:5], *(parameters[5:] or ["00000000"]))
        try:
            self.check(client, parameters, key)
            verdict = "accepted"
            return True
        except Refusal as refusal:
            verdict = refusal.error[1]
            raise
        finally:
            with self.lock:
                self.judging -= 1
                self.shares.append(Share(client.number, client.session.id if client.session else "", key, len(parameters) > 5, verdict))

    def check(self, client, parameters, key):
        user, ident, extranonce2, when, nonce = parameters[:5]
        if not client.session or user != client.user:
            raise Refusal(24, "unauthorized worker")
        if (len(parameters) == 6) != client.configured:
            raise Refusal(20, "the version bits are missing" if client.configured else "version rolling was not agreed on")
        with self.lock:
            job = self.jobs.get(ident)
            if key in client.session.seen:
                raise Refusal(22, "Duplicate share")
            client.session.seen.add(key)
        if not job:
            raise Refusal(21, "Stale")
        if len(extranonce2) != 2 * self.sizes[1] or len(when) != 8 or len(nonce) != 8:
            raise Refusal(20, "a parameter has the wrong length")
        if not job.time <= int(when, 16) <= job.time + 7200:
            raise Refusal(20, "Ntime out of range")
        bits = int(parameters[5], 16) if client.configured else 0
        if bits & ~(client.mask or 0):
            raise Refusal(20, "Invalid version mask")
        if self.combine == "mask":
            version = job.version & ~(client.mask or 0) | bits
        else:
            version = job.version | bits if self.combine == "or" else job.version ^ bits
        extranonce = client.session.extranonce1 + bytes.fromhex(extranonce2)
        header = job.header(extranonce, version, int(when, 16), int(nonce, 16))
        value = int.from_bytes(sha256d(header), "little")
        if value > target_of_difficulty(job.difficulty):
            raise Refusal(23, "Above target")
        if self.judge:
            self.judge(client)
        with self.lock:
            self.lowest_hash = min(self.lowest_hash, value)
        if job.solved_by(header):
            self.take_block(job, job.block(header, extranonce))

    def take_block(self, job, block):
        with self.lock:
            if job.id not in self.jobs:
                return  # another share of the same job was first
            self.blocks.append((sha256d(block[:80]), self.source.submit(block)))
            self.next_job(new_block=True)

    # --- what came of it --------------------------------------------------------------------------------------

    def accepted(self):
        with self.lock:
            return [share for share in self.shares if share.verdict == "accepted"]

    def verdicts(self):
        """How many shares met with each."""
        counts = {}
        with self.lock:
            for share in self.shares:
                counts[share.verdict] = counts.get(share.verdict, 0) + 1
        return counts

    def repeated(self):
        """Shares that came twice on one connection."""
        with self.lock:
            keys = [(share.connection, share.key) for share in self.shares]
        return len(keys) - len(set(keys))

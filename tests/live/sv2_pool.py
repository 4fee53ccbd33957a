"""A Stratum V2 pool for tests: Noise by a second implementation (noise.py), every share hashed by hashlib."""

import contextlib
import itertools
import socket
import struct
import threading
import time

from bitcoin import sha256d, target_of_difficulty
from jobs import OwnJobs
from noise import NoiseAuthority, NoiseResponder, public
from pool_server import Listener

SETUP, SETUP_SUCCESS, SETUP_ERROR, RECONNECT = 0x00, 0x01, 0x02, 0x04
OPEN_STANDARD, OPEN_STANDARD_SUCCESS, OPEN_ERROR, OPEN_EXTENDED, OPEN_EXTENDED_SUCCESS = 0x10, 0x11, 0x12, 0x13, 0x14
NEW_JOB, UPDATE_CHANNEL, CLOSE_CHANNEL, SUBMIT_STANDARD, SUBMIT_EXTENDED, SUBMIT_SUCCESS, SUBMIT_ERROR = (
    0x15, 0x16, 0x18, 0x1A, 0x1B, 0x1C, 0x1D)
NEW_EXTENDED_JOB, SET_NEW_PREV_HASH, SET_TARGET = 0x1F, 0x20, 0x21
OF_CHANNEL = {NEW_JOB, UPDATE_CHANNEL, CLOSE_CHANNEL, SUBMIT_STANDARD, SUBMIT_EXTENDED, SUBMIT_SUCCESS, SUBMIT_ERROR,
              NEW_EXTENDED_JOB, SET_NEW_PREV_HASH, SET_TARGET}
REQUIRES_STANDARD_JOBS = 1  # of a client
REQUIRES_FIXED_VERSION, REQUIRES_EXTENDED_CHANNELS = 1, 2
ROLLABLE = 0x1FFFFFE0  # BIP 323


def text(value):
    data = value.encode()
    return bytes([len(data)]) + data


def frame_of(kind, payload):
    return struct.pack("<HB", 0x8000 if kind in OF_CHANNEL else 0, kind) + len(payload).to_bytes(3, "little") + payload


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def unpack(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def counted(self):
        size = self.unpack("B")
        self.at += size
        return self.data[self.at - size:self.at]


class Channel:
    def __init__(self, number, extended, prefix):
        self.number, self.extended, self.prefix = number, extended, prefix
        self.seen, self.unanswered = set(), []


class Client:
    """One connection: its Noise session, and the channels on it by their numbers."""

    def __init__(self, pool, number, stream):
        self.pool, self.number, self.stream = pool, number, stream
        self.noise = NoiseResponder(pool.server_secret, pool.certificate)
        self.lock = threading.Lock()
        self.flags = self.user = None
        self.channels = {}

    def send(self, kind, payload):
        """A client that has closed the connection hears nothing any more, but what it said before is still to be read."""
        with self.lock, contextlib.suppress(OSError):
            self.stream.sendall(self.noise.seal(frame_of(kind, payload)))

    def close(self):
        try:
            self.stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Sv2PoolServer(Listener):
    """Listens at once. `flags`: of SetupConnection.Success. `extended_only`: it refuses standard channels, by default where
    it says so in the flags. `batch`: so many accepted shares are answered at once.
    `future`: each new block's job comes before the block does, as a future job."""

    def __init__(self, difficulty=1e-5, flags=0, batch=1, future=True, valid=(-3600, 86400), extranonce_size=8, judge=None,
                 extended_only=None, most_channels=None):
        self.difficulty, self.flags, self.batch, self.future, self.judge = difficulty, flags, batch, future, judge
        self.prefix_size, self.extranonce_size, self.most_channels = 4, extranonce_size, most_channels
        self.extended_only = flags & REQUIRES_EXTENDED_CHANNELS if extended_only is None else extended_only
        self.authority, self.server_secret = NoiseAuthority(), 0x5EED
        self.certificate = self.authority.certificate(public(self.server_secret), *(int(time.time()) + each for each in valid))
        self.source = OwnJobs(self.prefix_size + extranonce_size)
        self.lock = threading.RLock()
        self.jobs, self.clients, self.shares, self.errors, self.kinds = {}, {}, [], [], []
        self.rates = []  # told by clients, hashes per second
        self.left = []  # numbers of clients that have closed their channel
        self.numbers = itertools.count(1)
        self.job = self.make_job(True)
        self.open_port()

    @property
    def bare_url(self):
        return f"stratum2+tcp://127.0.0.1:{self.port}"

    @property
    def url(self):
        return f"{self.bare_url}/{self.authority.text}"

    def serve(self, stream, number):
        client = Client(self, number, stream)
        self.clients[number], shaken = client, False
        try:
            received = bytearray()
            while data := stream.recv(65536):
                received += data
                if not shaken and len(received) >= NoiseResponder.FIRST_MESSAGE:
                    stream.sendall(client.noise.answer(bytes(received[:NoiseResponder.FIRST_MESSAGE])))
                    del received[:NoiseResponder.FIRST_MESSAGE]
                    shaken = True
                while shaken and (frame := client.noise.open(received)):
                    self.handle(client, frame)
        except OSError:
            pass
        except Exception as error:  # what a client should not send
            self.errors.append(repr(error))
        finally:
            self.clients.pop(number, None)
            stream.close()

    # --- what the pool tells ----------------------------------------------------------------------------------

    def make_job(self, new_block):
        job = self.source.next(new_block)
        job.number, job.target = next(self.numbers), target_of_difficulty(self.difficulty)
        if new_block:
            self.jobs.clear()
        self.jobs[job.number] = job
        return job

    def next_job(self, new_block=False):
        """A new job for all; with a new block the older ones are no good any more."""
        with self.lock:
            self.job = self.make_job(new_block)
            channels = [(client, channel) for client in self.clients.values() for channel in client.channels.values()]
        for client, channel in channels:
            self.tell_job(client, channel, new_block)

    def tell_job(self, client, channel, new_block):
        job = self.job
        job.target = min(job.target, target_of_difficulty(self.difficulty))
        future = new_block and self.future
        when = b"\x00" if future else b"\x01" + struct.pack("<I", job.time)
        prev_hash = struct.pack("<II", channel.number, job.number) + job.previous + struct.pack("<II", job.time, job.bits)
        head = struct.pack("<II", channel.number, job.number) + when + struct.pack("<I", job.version)
        if new_block and not future:
            client.send(SET_NEW_PREV_HASH, prev_hash)
        if channel.extended:
            branch = bytes([len(job.branch)]) + b"".join(job.branch)
            ends = b"".join(struct.pack("<H", len(each)) + each for each in (job.coinbase1, job.coinbase2))
            client.send(NEW_EXTENDED_JOB, head + b"\x01" + branch + ends)
        else:
            client.send(NEW_JOB, head + self.root_of(job, channel.prefix))
        if future:
            client.send(SET_NEW_PREV_HASH, prev_hash)

    def set_difficulty(self, difficulty):
        self.difficulty = difficulty
        target = target_of_difficulty(difficulty).to_bytes(32, "little")
        for client in list(self.clients.values()):
            for number in client.channels:
                client.send(SET_TARGET, struct.pack("<I", number) + target)

    def root_of(self, job, extranonce):
        extranonce += bytes(self.prefix_size + self.extranonce_size - len(extranonce))
        return job.header(extranonce, 0, 0, 0)[36:68]

    # --- what it is told --------------------------------------------------------------------------------------

    def handle(self, client, data):
        extension, kind = struct.unpack_from("<HB", data)
        reader = Reader(data[6:])
        if bool(extension & 0x8000) != (kind in OF_CHANNEL):
            raise ValueError(f"the channel bit of message {kind:#x}")
        with self.lock:
            self.kinds.append((client.number, kind))
        {SETUP: self.setup, OPEN_STANDARD: self.open, OPEN_EXTENDED: self.open, UPDATE_CHANNEL: self.update,
         CLOSE_CHANNEL: self.close_channel, SUBMIT_STANDARD: self.submit, SUBMIT_EXTENDED: self.submit}[kind](client, reader, kind)

    def setup(self, client, reader, _):
        protocol, least, most, client.flags = reader.unpack("BHHI")
        host, port = reader.counted().decode(), reader.unpack("H")
        strings = [reader.counted() for _ in range(4)]
        if protocol != 0 or not least <= 2 <= most or host != "127.0.0.1" or port != self.port or b"gpuminer" not in b"".join(strings):
            raise ValueError(f"SetupConnection: {protocol} {least} {most} {host} {port} {strings}")
        client.send(SETUP_SUCCESS, struct.pack("<HI", 2, self.flags))

    def open(self, client, reader, kind):
        request, client.user = reader.unpack("I"), reader.counted().decode()
        self.rates.append(reader.unpack("f"))
        extended = kind == OPEN_EXTENDED
        refusal = ("standard-channels-not-supported" if self.extended_only and not extended else
                   "extended-channels-not-supported-for-standard-jobs" if client.flags & REQUIRES_STANDARD_JOBS and extended else
                   "too-many-channels" if len(client.channels) == self.most_channels else None)
        if refusal:
            return client.send(OPEN_ERROR, struct.pack("<I", request) + text(refusal))
        number = 7 + client.number + 100 * len(client.channels)
        target = target_of_difficulty(self.difficulty).to_bytes(32, "little")
        prefix = (0x5EED0000 + number).to_bytes(4, "big")
        channel = Channel(number, extended, prefix if extended else prefix + bytes(self.extranonce_size))  # or all is the pool's
        client.channels[number] = channel
        if extended:
            client.send(OPEN_EXTENDED_SUCCESS, struct.pack("<II", request, number) + target +
                        struct.pack("<H", self.extranonce_size) + bytes([4]) + prefix + struct.pack("<I", 0))
        else:
            client.send(OPEN_STANDARD_SUCCESS, struct.pack("<II", request, number) + target +
                        bytes([len(channel.prefix)]) + channel.prefix + struct.pack("<I", 1))
        self.tell_job(client, channel, True)

    def update(self, client, reader, _):
        channel, rate = reader.unpack("If")
        if channel not in client.channels:
            raise ValueError("UpdateChannel of another channel")
        self.rates.append(rate)

    def close_channel(self, client, reader, _):
        channel, reason = reader.unpack("I"), reader.counted().decode("ascii")
        if client.channels.pop(channel, None) is None or not reason.isprintable():
            raise ValueError(f"CloseChannel: {channel} {reason!r}")
        with self.lock:
            self.left.append(client.number)

    def submit(self, client, reader, kind):
        channel, sequence, number, nonce, when, version = reader.unpack("IIIIII")
        on = client.channels.get(channel) or Channel(0, False, b"")
        extranonce = on.prefix + (reader.counted() if kind == SUBMIT_EXTENDED else b"")
        verdict = self.verdict(client, on, number, nonce, when, version, extranonce)
        with self.lock:
            self.shares.append((client.number, (number, nonce, when, version, extranonce), verdict))
        if verdict != "accepted":
            return client.send(SUBMIT_ERROR, struct.pack("<II", channel, sequence) + text(verdict))
        on.unanswered.append(sequence)
        if len(on.unanswered) >= self.batch:
            count, on.unanswered = len(on.unanswered), []
            client.send(SUBMIT_SUCCESS, struct.pack("<IIIQ", channel, sequence, count, count))

    def verdict(self, client, channel, number, nonce, when, version, extranonce):
        with self.lock:
            job = self.jobs.get(number)
        key = (number, nonce, when, version, extranonce)
        if not channel.number:
            return "invalid-channel-id"
        if key in channel.seen:
            return "duplicate-share"
        channel.seen.add(key)
        if not job:
            return "stale-share"
        if len(extranonce) != self.prefix_size + self.extranonce_size or not job.time <= when <= int(time.time()):  # never ahead of the clock
            return "invalid-job-id"
        if (version ^ job.version) & ~(0 if self.flags & REQUIRES_FIXED_VERSION else ROLLABLE):
            return "version-rolling-not-allowed"
        if int.from_bytes(sha256d(job.header(extranonce, version, when, nonce)), "little") > job.target:
            return "difficulty-too-low"
        return self.judge(client) if self.judge else "accepted"

    # --- what came of it --------------------------------------------------------------------------------------

    def accepted(self):
        with self.lock:
            return [share for share in self.shares if share[2] == "accepted"]

    def verdicts(self):
        """How many shares met with each."""
        counts = {}
        with self.lock:
            for _, _, verdict in self.shares:
                counts[verdict] = counts.get(verdict, 0) + 1
        return counts

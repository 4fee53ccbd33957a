"""A proxy between a client and a server on this machine that spoils connections as a test says."""

import itertools
import socket
import struct
import threading
import time
from dataclasses import dataclass


@dataclass
class Plan:
    """For one connection; "down" is from the server to the client."""
    cut_up: int | None = None    # after so many bytes both sides are closed
    cut_down: int | None = None
    reset: bool = False          # the client sees a reset instead of an end
    chunk: int | None = None     # so many bytes at a time
    stall_down: int | None = None  # after so many bytes nothing more comes,
    stall_time: float = 0          # for so many seconds
    reorder: bool = False        # two lines that come down together change places


class Link:
    def __init__(self, plan, client, server):
        self.plan, self.client, self.server = plan, client, server
        self.lock = threading.Lock()
        self.open = True
        self.pumps = 2  # that still run
        for pump in (self.up, self.down):
            threading.Thread(target=pump, daemon=True).start()

    def close(self):
        """Both sides hear of it at once. The pumps close the sockets when both have ended: else one of them might read from a
        new connection that has got the same descriptor."""
        with self.lock:
            if not self.open:
                return
            self.open = False
        if self.plan.reset:  # SO_LINGER with no time
            self.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for stream in (self.client, self.server):
            try:
                stream.shutdown(socket.SHUT_RDWR if stream is self.server or not self.plan.reset else socket.SHUT_RD)
            except OSError:
                pass

    def ended(self):
        self.close()
        with self.lock:
            self.pumps -= 1
            if self.pumps:
                return
        for stream in (self.client, self.server):
            stream.close()

    def up(self):
        self.pump(self.client, self.server, self.plan.cut_up)

    def down(self):
        self.pump(self.server, self.client, self.plan.cut_down, self.plan.stall_down, self.plan.reorder)

    def pump(self, source, sink, cut, stall=None, reorder=False):
        done = 0
        kept = b""
        try:
            while data := source.recv(65536):
                if reorder:
                    data, kept = self.swap(kept + data)
                if stall is not None and done + len(data) >= stall:
                    sink.sendall(data[:stall - done])
                    data, done, stall = data[stall - done:], stall, None
                    time.sleep(self.plan.stall_time)
                if cut is not None and done + len(data) >= cut:
                    self.send(sink, data[:cut - done])
                    break
                self.send(sink, data)
                done += len(data)
        except OSError:
            pass
        self.ended()

    def send(self, sink, data):
        size = self.plan.chunk or len(data) or 1
        for at in range(0, len(data), size):
            sink.sendall(data[at:at + size])

    @staticmethod
    def swap(data):
        """The complete lines with every two changed, and the rest."""
        *lines, rest = data.split(b"\n")
        for at in range(0, len(lines) - 1, 2):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        return b"".join(line + b"\n" for line in lines), rest


class FaultProxy:
    """`plan(number)` gives the Plan of each connection, from 1 on; None refuses it."""

    def __init__(self, port, plan):
        self.target, self.plan = port, plan
        self.links = []
        self.count = 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    @property
    def url(self):
        return f"stratum+tcp://127.0.0.1:{self.port}"

    def listen(self):
        for number in itertools.count(1):
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            self.count = number
            plan = self.plan(number)
            if plan is None:
                client.close()
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self.target), timeout=10)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            for stream in (client, server):
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.links = [link for link in self.links if link.open] + [Link(plan, client, server)]

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # else the thread that waits on it keeps it open
        self.socket.close()
        for link in self.links:
            link.close()

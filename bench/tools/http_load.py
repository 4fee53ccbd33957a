#!/usr/bin/env python3
"""Measurement of the cost of --http's clients to the search.

One thread mines on hardware thread 0 while clients on the others, now and then, send as many requests as they can,
stall, send nonsense and never finish; or (--watchers) the page is open in a browser, Prometheus scrapes each second,
and a hundred readers of events stall. Phases take turns; the ratio of their medians is the result.

    bench/tools/http_load.py build/release/gpuminer [--seconds 8] [--turns 8] [--watchers]

Watchers are those of the live tests (tests/live/get_servers.sh), in GPUMINER_TEST_SERVERS (build/test-servers).
"""

import argparse
import json
import os
import pathlib
import resource
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("GPUMINER_TEST_SERVERS", str(PROJECT / "build" / "test-servers"))
sys.path.insert(0, str(PROJECT / "tests" / "live"))
from pool_server import PoolServer  # noqa: E402
from watchers import StalledReaders, start_node, start_prometheus  # noqa: E402

ASK = b"GET /api/v1/history HTTP/1.1\r\nHost: localhost\r\n\r\n"
KINDS = [b"GET / HT", b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x00" * 5000,
         b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000\r\n\r\n"]


def load(port, stop):
    """A thousand connections that are of no use to anybody, and fifty that ask again as soon as they are answered."""
    selector, idle = selectors.DefaultSelector(), []

    def connect():
        client = socket.create_connection(("127.0.0.1", port), 30)
        client.setblocking(False)
        return client

    def ask():
        client = connect()
        client.send(ASK)
        selector.register(client, selectors.EVENT_READ)

    for number in range(1000):
        idle.append(connect())
        try:
            idle[-1].send(KINDS[number % len(KINDS)])
        except OSError:
            pass
    for _ in range(50):
        ask()
    while not stop.is_set():
        for key, _ in selector.select(0.1):
            try:
                if key.fileobj.recv(1 << 20):
                    key.fileobj.send(ASK)
                    continue
            except BlockingIOError:
                continue
            except OSError:
                pass
            selector.unregister(key.fileobj)
            key.fileobj.close()
            ask()
    for client in idle + [key.fileobj for key in selector.get_map().values()]:
        client.close()


def watch(port, stop):
    """What the soak test has look at a miner for an hour."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"http://127.0.0.1:{port}"
        page = start_node("page_open.js", url, subprocess.DEVNULL)
        prometheus, _ = start_prometheus(pathlib.Path(folder), f"127.0.0.1:{port}")
        readers = StalledReaders(url, 100)
        stop.wait()
        readers.end()
        page.communicate()
        prometheus.terminate()
        prometheus.wait()


class Events:
    """The latest rate event of the miner, as (hashes, seconds)."""

    def __init__(self, process):
        self.latest = None
        threading.Thread(target=self.read, args=(process,), daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "rate":
                self.latest = event["hashes"], event["seconds"]


def memory(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpuminer")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--watchers", action="store_true")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    os.sched_setaffinity(0, set(range(1, os.cpu_count())) or {0})
    pool = PoolServer(1e6)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            ["taskset", "-c", f"0-{os.cpu_count() - 1}", arguments.gpuminer, "pool", "-o", pool.url, "-u", "x", "--backend", "cpu", "-t", "1",
             "--cpu-affinity", "0", "--events", "-", "--http", str(port), "-q"], stdout=subprocess.PIPE,
            env={**os.environ, "XDG_STATE_HOME": folder})
        events = Events(process)
        time.sleep(15)  # the forms of the search are timed, and the rate settles
        before, rates = memory(process), {"quiet": [], "load": []}
        for _ in range(arguments.turns):
            for name in rates:
                stop = threading.Event()
                thread = threading.Thread(target=watch if arguments.watchers else load, args=(port, stop)) if name == "load" else None
                if thread:
                    thread.start()
                time.sleep(10 if arguments.watchers else 2)  # a browser takes some seconds to start
                first = events.latest
                time.sleep(arguments.seconds)
                last = events.latest
                rates[name].append((last[0] - first[0]) / (last[1] - first[1]))
                if thread:
                    stop.set()
                    thread.join()
        after = memory(process)
        process.terminate()
        process.wait()
    for name, values in rates.items():
        print(f"{name:6} {statistics.median(values) / 1e6:.2f} MH/s ({min(values) / 1e6:.2f} to {max(values) / 1e6:.2f}, {len(values)} turns)")
    print(f"ratio  {statistics.median(rates['load']) / statistics.median(rates['quiet']):.4f}")
    print(f"memory {before:.1f} MiB before, {after:.1f} MiB after")


main()

"""Watchers of a miner with --http for hours: a page in a browser, Prometheus, readers of events that do not read."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import urllib.parse

from nodes import free_port
from patience import patience

SERVERS = pathlib.Path(os.environ["GPUMINER_TEST_SERVERS"])
HERE = pathlib.Path(__file__).resolve().parent
NODE, MODULES = SERVERS / "bin" / "node", SERVERS / "npm" / "node_modules"
PROMETHEUS = SERVERS / "prometheus" / "usr" / "bin"
BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
# Programs of others run without what is preloaded for the program under test.
PLAIN = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def can_browse():
    return BROWSER and NODE.exists() and (MODULES / "playwright-core").exists() and (MODULES / "axe-core").exists()


def start_node(script, url, errors, **environment):
    """A script of Node.js with Playwright, with pipes."""
    return subprocess.Popen([NODE, HERE / script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
                            env={**PLAIN, "NODE_PATH": str(MODULES), "BROWSER": BROWSER, "URL": url,
                                 "PATIENCE": f"{patience():.0f}", **environment})


def start_prometheus(folder, target):
    """(process, port) of a Prometheus that scrapes `target` ("host:port") each second."""
    port = free_port()
    config = folder / "prometheus.yml"
    config.write_text(json.dumps({"global": {"scrape_interval": "1s"}, "scrape_configs": [
        {"job_name": "gpuminer", "static_configs": [{"targets": [target]}]}]}))
    with open(folder / "prometheus.log", "wb") as log:
        process = subprocess.Popen([PROMETHEUS / "prometheus", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{port}",
                                    f"--storage.tsdb.path={folder / 'tsdb'}"], stdout=log, stderr=log, env=PLAIN)
    return process, port


class StalledReaders:
    """Readers of events that never read; those that are hung up on come again."""

    def __init__(self, url, count):
        self.place, self.ended, self.connections = urllib.parse.urlsplit(url), threading.Event(), 0
        self.thread = threading.Thread(target=self.run, args=(count,), daemon=True)
        self.thread.start()

    def connect(self):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((self.place.hostname, self.place.port))
        client.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.connections += 1
        return client

    @staticmethod
    def hung_up(client):
        """What TCP says of it, as nothing is read."""
        closing = {2, 3, 4, 5, 6, 7, 8, 9, 11}  # any state but established and listening (linux/tcp_states.h)
        return client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in closing

    def run(self, count):
        clients = []
        while not self.ended.wait(1):
            try:
                for client in [client for client in clients if self.hung_up(client)]:
                    client.close()
                    clients.remove(client)
                while len(clients) < count:
                    clients.append(self.connect())
            except OSError:
                pass  # the miner has ended
        for client in clients:
            client.close()

    def end(self):
        self.ended.set()
        self.thread.join()

"""Full nodes on a chain of their own, for one test each, and what stands between them and a client."""

import base64
import hmac
import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from bitcoin import TRUE_SCRIPT, Block, address
from patience import patience

SERVERS = pathlib.Path(os.environ.get("GPUMINER_TEST_SERVERS", "build/test-servers"))
USER, PASSWORD = "tester", "secret-of-the-test"


class RpcError(Exception):
    def __init__(self, error):
        super().__init__(str(error))
        self.said = error  # by the node


def free_port():
    """For a server that starts. Not one of those that the kernel gives to connections, of which other tests make hundreds: one
    of them could have it by then."""
    ephemeral = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10000, ephemeral if ephemeral > 20000 else 65536)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def in_path(name):
    program = shutil.which(name)
    if not program:
        raise unittest.SkipTest(f"{name} is not in PATH")
    return program


def await_start(server, name, is_ready, log):
    """`server` has a process, and close() for when it does not start."""
    limit = time.monotonic() + patience()
    while not is_ready():
        if server.process.poll() is not None or time.monotonic() > limit:
            server.close()
            raise AssertionError(f"{name} does not start: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.05)


def post(port, body, user=USER, password=PASSWORD):
    """The status and the bytes of an HTTP reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience())
    try:
        credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
        connection.request("POST", "/", body, {"Authorization": f"Basic {credentials}", "Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


class Node:
    """Started at once; in `folder`, which the test removes."""

    hrp = name = None

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.process = None
        self.started = False  # and not told to stop
        self.start()

    @property
    def url(self):
        return f"http://{USER}:{PASSWORD}@127.0.0.1:{self.port}"

    @property
    def address(self):
        return address(TRUE_SCRIPT, self.hrp)

    def command(self):
        raise NotImplementedError

    def start(self):
        with open(self.folder / "output.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        limit = time.monotonic() + patience()
        while True:
            try:
                self.rpc("getblockcount")
                self.started = True
                return
            except (OSError, http.client.HTTPException, RpcError, ValueError):
                if self.process.poll() is not None or time.monotonic() > limit:
                    self.stop()
                    raise AssertionError(f"{self.name} does not start: {(self.folder / 'output.log').read_text()[-2000:]}") from None
            time.sleep(0.05)

    def stop(self, sign=signal.SIGTERM):
        self.started = False
        self.process.send_signal(sign)
        self.process.wait(timeout=patience())

    def rpc(self, method, *params):
        _, reply = post(self.port, json.dumps({"jsonrpc": "1.0", "id": 1, "method": method, "params": params}))
        document = json.loads(reply)
        if document.get("error"):
            raise RpcError(document["error"])
        return document["result"]

    def height(self):
        return self.rpc("getblockcount")

    def block(self, height):
        return Block(bytes.fromhex(self.rpc("getblock", self.rpc("getblockhash", height), 0)))

    def template(self):
        return self.rpc("getblocktemplate", {"rules": ["segwit"], "capabilities": ["coinbasevalue"]})

    def generate(self, count):
        """Blocks that the node finds itself."""
        raise NotImplementedError


class Btcd(Node):
    """btcd on simnet, where every second hash solves a block."""

    hrp, name = "sb", "btcd"

    @staticmethod
    def program():
        program = SERVERS / "bin" / "btcd"
        if not program.exists():
            raise unittest.SkipTest("btcd is not there; tests/live/get_servers.sh builds it")
        return str(program)

    def command(self):
        settings = self.folder / "btcd.conf"
        settings.touch()  # it would look for the sample beside its program
        return [self.program(), "--simnet", "--notls", "--nolisten", "--nodnsseed", f"--configfile={settings}",
                f"--datadir={self.folder}/data", f"--logdir={self.folder}/log", f"--rpclisten=127.0.0.1:{self.port}",
                f"--rpcuser={USER}", f"--rpcpass={PASSWORD}", "--rpcmaxclients=1000", f"--miningaddr={self.address}"]

    def generate(self, count):
        self.rpc("generate", count)


class Core(Node):
    """Bitcoin Core on regtest. Its port is in its bitcoin.conf, and it leaves a cookie, as on a user's machine."""

    hrp, name = "bcrt", "bitcoind"
    chain, settings = "regtest", ()

    @staticmethod
    def program():
        return in_path("bitcoind")

    def command(self):
        (self.folder / "bitcoin.conf").write_text(f"[{self.chain}]\nrpcport={self.port}\n")
        password = hmac.new(b"salt", PASSWORD.encode(), "sha256").hexdigest()
        return [self.program(), f"-{self.chain}", "-server", f"-datadir={self.folder}", f"-rpcauth={USER}:salt${password}",
                "-listen=0", "-connect=0", "-dnsseed=0", "-fixedseeds=0", "-acceptnonstdtxn=1", *self.settings]

    def generate(self, count):
        self.rpc("generatetoaddress", count, self.address)


class OpenSignet(Core):
    """A signet whose blocks nobody has to sign."""

    hrp, chain, settings = "tb", "signet", ("-signetchallenge=51", "-acceptnonstdtxn=0")


class Signet(Core):
    """The one that everybody means, at its first block and without peers."""

    hrp, chain, settings = "tb", "signet", ("-acceptnonstdtxn=0",)


class RpcShim:
    """A server between a client and a node, which keeps the calls and can give a test's answers for the node's. `node`: None
    for the answers alone. `answers`: method -> function(parameters, ask) that returns the result; ask(method, *parameters)
    asks the node. One that raises RpcError gives the error, one that raises Silence closes the connection without a reply."""

    class Silence(Exception):
        pass

    def __init__(self, node, **answers):
        self.node, self.answers = node, answers
        self.asked = []  # (method, parameters)
        self.credentials = set()  # USER:PASSWORD of the requests
        self.lock = threading.Lock()
        shim = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                shim.credentials.add(base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode())
                try:
                    reply = [shim.answer(each) for each in request] if isinstance(request, list) else shim.answer(request)
                except (RpcShim.Silence, OSError, ValueError):
                    self.close_connection = True
                    return
                body = json.dumps(reply).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that went away

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    url = Node.url

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def count(self, method):
        with self.lock:
            return sum(asked == method for asked, _ in self.asked)

    def answer(self, request):
        method, parameters = request["method"], request.get("params") or []
        with self.lock:
            self.asked.append((method, parameters))
        try:
            if method in self.answers:
                result = self.answers[method](parameters, self.node and self.node.rpc)
            elif self.node:
                result = self.node.rpc(method, *parameters)
            else:
                raise RpcError({"code": -32601, "message": "Method not found"})
        except RpcError as error:
            return {"result": None, "error": error.said, "id": request.get("id")}
        return {"result": result, "error": None, "id": request.get("id")}

"""Pools that gpuminer.exe mines for under Wine: Stratum V1 and V2, TLS, proxies, and what it says of servers."""

import contextlib
import hashlib
import json
import pathlib
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "live")]
from certificates import Authority  # noqa: E402
from documents import document_of  # noqa: E402
from pool_server import Listener, PoolServer  # noqa: E402
from support import PATIENCE, WINE, ProgramTest, environment, outlined  # noqa: E402
from sv2_pool import Sv2PoolServer  # noqa: E402
from unittest_main import main  # noqa: E402

CPU = ["--backend", "cpu", "-t", "1", "--isa", "scalar", "--max-hashrate", "500k"]
DIFFICULTY = 1e-5
# Registry: what the user trusts beside the system's own authorities (ROOT), and what not (Disallowed).
STORES = r"HKCU\Software\Microsoft\SystemCertificates"


class Proxy(Listener):
    """SOCKS5 (RFC 1928) without a login, or CONNECT of HTTP; `asked`: the places that it was asked for."""

    def __init__(self, http=False):
        self.http, self.asked, self.clients = http, [], {}
        self.open_port()

    def place(self, stream):
        if self.http:
            head = b""
            while b"\r\n\r\n" not in head:
                head += stream.recv(1)
            host, port = head.split()[1].decode().rsplit(":", 1)
            return (host, int(port)), b"HTTP/1.1 200 OK\r\n\r\n"
        version, methods = stream.recv(2)
        stream.recv(methods)
        stream.sendall(b"\x05\x00")
        version, command, _, kind = stream.recv(4)
        host = socket.inet_ntoa(stream.recv(4)) if kind == 1 else stream.recv(stream.recv(1)[0]).decode()
        return (host, struct.unpack(">H", stream.recv(2))[0]), b"\x05\x00\x00\x01" + bytes(6)

    def serve(self, stream, _):
        with contextlib.suppress(OSError), stream:
            place, reply = self.place(stream)
            self.asked.append(place)
            with socket.create_connection(place) as server:
                stream.sendall(reply)
                threading.Thread(target=self.pass_on, args=(server, stream), daemon=True).start()
                self.pass_on(stream, server)

    @staticmethod
    def pass_on(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


class Pools(ProgramTest):
    maxDiff = None

    def closing(self, server):
        self.addCleanup(server.close)
        return server

    def mine(self, url, *options, code=0, **variables):
        """The document, and the messages."""
        stdout, stderr = self.run_exe("pool", "-o", url, "-u", "worker", *CPU, "-r", 0, "--shares", 5, "--json", "--journal", "journal",
                                      *options, code=code, **variables)
        return document_of(stdout), stderr

    def accepted(self, pool, *options, **variables):
        document, messages = self.mine(pool.url, *options, **variables)
        self.assertEqual(pool.errors, [])
        self.assertGreaterEqual(document["accepted"], 5)
        return document, messages


class Stratum(Pools):
    def test_shares_and_the_document_as_on_linux(self):
        pool = self.closing(PoolServer(DIFFICULTY))
        document, _ = self.accepted(pool)
        self.assertGreaterEqual(len(pool.accepted()), 5)
        self.assertEqual(pool.repeated(), 0)
        journal = (self.folder / "journal").read_bytes()
        self.assertNotIn(b"\r", journal)
        self.assertGreaterEqual([json.loads(line)["event"] for line in journal.splitlines()].count("share"), 5)
        native = self.run_native("pool", "-o", pool.url, "-u", "worker", *CPU, "-r", 0, "--shares", 5, "--json", "--journal", "native",
                                 "--no-sandbox")
        self.assertEqual(outlined(document_of(native)), outlined(document))

    def test_stratum_v2(self):
        pool = self.closing(Sv2PoolServer(DIFFICULTY))
        self.accepted(pool)
        document, messages = self.mine(pool.bare_url + "/9bXiEd8boQVhq7WddEcERUL5tyyJVFYdU8th3HfbNXK3Yw6GRXh", code=6)
        self.assertIn("authority", document["error"] + messages)

    def test_probe(self):
        pool = self.closing(PoolServer(DIFFICULTY))
        text, _ = self.run_exe("pool", "--probe", pool.url, "-u", "worker")
        self.assertIn("protocol      Stratum V1\n", text)
        here = document_of(self.run_exe("pool", "--probe", pool.url, "-u", "worker", "--json")[0])
        native = document_of(self.run_native("pool", "--probe", pool.url, "-u", "worker", "--json"))
        differ = {"latency_ms": 0, "time": ""}
        self.assertEqual(here | differ, native | differ)

    def test_ctrl_c_ends_it_with_the_summary(self):
        pool = self.closing(PoolServer(DIFFICULTY))
        process = self.start("pool", "-o", pool.url, "-u", "worker", *CPU, "--json", "--journal", "journal")
        self.wait_for(lambda: len(pool.accepted()) >= 3 or process.poll() is not None, "no shares come")
        process.send_signal(signal.SIGINT)  # of which Wine makes a Ctrl-C
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, stderr)
        document = document_of(stdout.decode())
        self.assertEqual(document["ending"], "interrupted")
        self.assertGreaterEqual(document["accepted"], 1)

    def test_servers_that_cannot_be_reached(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        document, _ = self.mine(f"stratum+tcp://127.0.0.1:{port}", code=6)
        self.assertIn(f"127.0.0.1:{port} cannot be reached: Connection refused", document["error"])
        document, _ = self.mine("stratum+tcp://pool.invalid:3333", code=6)
        self.assertRegex(document["error"], "pool.invalid:3333 cannot be reached: (Name or service not known|"
                                            "Temporary failure in name resolution|No address associated with hostname)")

    def test_proxies(self):
        pool = self.closing(PoolServer(DIFFICULTY))
        for scheme, http in (("socks5", False), ("http", True)):
            with self.subTest(scheme):
                proxy = self.closing(Proxy(http))
                self.accepted(pool, "-x", f"{scheme}://127.0.0.1:{proxy.port}")
                self.assertEqual(proxy.asked, [("127.0.0.1", pool.port)])


class Tls(Pools):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.folder / "authority")

    def pool(self, *certificate):
        context, fingerprint = self.authority.server(*certificate)
        return self.closing(PoolServer(DIFFICULTY, tls=context)), fingerprint

    def refused(self, pool, words, *options):
        document, _ = self.mine(pool.url, *options, code=6)
        self.assertIn(words, document["error"])
        self.assertEqual(pool.messages, [])  # not a word was said to it

    def test_certificates(self):
        pool, fingerprint = self.pool("right", "IP:127.0.0.1,DNS:localhost")
        self.refused(pool, "is not signed by an authority that this system trusts")
        self.refused(pool, "fingerprint", "--tls-fingerprint", "00" * 32)
        self.accepted(pool, "--cert", "authority/authority.pem")
        self.mine(f"stratum+tls://localhost:{pool.port}", "--cert", "authority/authority.pem")
        self.accepted(pool, "--tls-fingerprint", fingerprint)
        self.accepted(pool, SSL_CERT_FILE="authority/authority.pem")
        self.assertIn("insecure", self.accepted(pool, "--insecure")[1])
        pool, _ = self.pool("wrong", "DNS:other.example")
        self.refused(pool, "is for other names ('other.example')", "--cert", "authority/authority.pem")
        pool, _ = self.pool("expired", "IP:127.0.0.1", "20200101000000Z", "20200201000000Z")
        self.refused(pool, "expired", "--cert", "authority/authority.pem")

    def test_no_tls_where_some_is_expected(self):
        pool = self.closing(PoolServer(DIFFICULTY))
        document, _ = self.mine(pool.url.replace("tcp", "ssl"), code=6)
        self.assertIn("the TLS handshake with", document["error"])

    def registry(self, *words):
        subprocess.run([WINE, "reg", *words, "/f"], check=True, capture_output=True, timeout=PATIENCE, env=environment())

    def put_into(self, store):
        certificate = ssl.PEM_cert_to_DER_cert(self.authority.file.read_text())
        key = rf"{STORES}\{store}\Certificates\{hashlib.sha1(certificate).hexdigest().upper()}"
        blob = struct.pack("<III", 32, 1, len(certificate)) + certificate  # the property that is the certificate itself
        self.addCleanup(self.registry, "delete", key)
        self.registry("add", key, "/v", "Blob", "/t", "REG_BINARY", "/d", blob.hex())

    def test_authorities_of_the_system(self):
        pool, _ = self.pool("right", "IP:127.0.0.1")
        self.put_into("ROOT")
        self.accepted(pool)
        self.put_into("Disallowed")
        pool, _ = self.pool("right", "IP:127.0.0.1")
        self.refused(pool, "is not signed by an authority that this system trusts")


if __name__ == "__main__":
    main()

"""gpuminer.exe's page and API under Wine: with the token and without it, commands of both systems' programs for a running miner, the
token's file that others may not read, and a webhook."""

import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import sys
import threading

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "live")]
from support import ENDLESS, OTHERS, PATIENCE, ProgramTest  # noqa: E402
from test_solo import MINER, RegtestNode  # noqa: E402
from unittest_main import main  # noqa: E402

ANOTHER_USER = 65534


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(503 if len(self.server.received) == 1 else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Http(ProgramTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.umask, os.umask(0))  # what is closed to others is so by its access list

    def begin(self, *arguments):
        """One that runs, and its port. Its messages are in the file `log`."""
        process = self.start(*arguments, "--log-file", "log", "-q")
        self.addCleanup(process.communicate)
        self.addCleanup(process.send_signal, signal.SIGKILL)
        log = self.folder / "log"
        shown = re.compile(r"shown on http://127\.0\.0\.1:(\d+)/")
        self.wait_for(lambda: process.poll() is not None or (log.exists() and shown.search(log.read_text())), "nothing is shown")
        self.assertIsNone(process.poll(), process.stderr.read() if process.poll() is not None else "")
        self.port = int(shown.search(log.read_text())[1])
        return process

    def ask(self, path, method="GET", token=None, **headers):
        """(status, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request(method, path, None, {**headers, **({"Authorization": f"Bearer {token}"} if token else {})})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()

    def summary(self):
        status, text = self.ask("/api/v1/summary")
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def test_page_and_api_with_and_without_the_token(self):
        self.begin(*ENDLESS, "--http", "0", "--http-token-file", "töken/file")
        file = self.folder / "töken" / "file"
        token = file.read_text().strip()
        self.assertRegex(token, "^[0-9a-f]{64}$")
        self.assertEqual([path.stat().st_mode & OTHERS for path in (file, file.parent)], [0, 0])
        status, page = self.ask("/")
        self.assertEqual(status, 200)
        self.assertIn("<html", page)
        self.assertEqual(self.summary()["command"], "mine")
        self.assertEqual(self.ask("/api/v1/summary", Host="evil.example")[0], 403)
        self.assertEqual(self.ask("/metrics")[0], 200)
        for wrong in (None, token[:-1] + ("0" if token[-1] != "0" else "1")):
            self.assertEqual(self.ask("/api/v1/pause", "POST", wrong)[0], 401)
        self.assertFalse(self.summary()["paused"])
        self.assertEqual(self.ask("/api/v1/pause", "POST", token)[0], 200)
        self.wait_for(lambda: self.summary()["paused"], "no pause")
        # Commands of both systems' programs, with the token's file and without it.
        at = ["--http", f"127.0.0.1:{self.port}"]
        self.assertIn("--http-token-file", self.run_exe("resume", *at, code=1)[1])
        for run in (lambda *arguments: self.run_exe(*arguments)[0], self.run_native):
            self.assertIn("paused", run("status", *at))
            self.assertEqual(json.loads(run("status", *at, "--json"))["command"], "mine")
        self.assertEqual(self.run_exe("resume", *at, "--http-token-file", "töken/file")[0], "resumed\n")
        self.wait_for(lambda: not self.summary()["paused"], "no end of the pause")
        file.chmod(0o600)
        self.assertEqual(self.run_native("pause", *at, "--http-token-file", file), "paused\n")
        self.assertRegex(self.run_exe("pair", *at, "--http-token-file", "töken/file")[0], r"type \d{4} \d{4}")
        self.assertIn("Address already in use", self.run_exe(*ENDLESS, *at, code=1)[1])

    def test_what_is_refused(self):
        def refused(*arguments):
            return self.run_exe(*ENDLESS, *arguments, code=1)[1]

        exposed = self.folder / "exposed"
        exposed.write_text("correct-horse-battery-staple\n")
        for mode in (0o644, 0o602):
            exposed.chmod(mode)
            stderr = refused("--http", "0", "--http-token-file", "exposed")
            self.assertIn("expected a file that only its owner may read and write, got 'exposed', which is open to 'Everyone': `icacls", stderr)
        if os.geteuid() == 0:
            exposed.chmod(0o600)
            os.chown(exposed, ANOTHER_USER, -1)
            stderr = refused("--http", "0", "--http-token-file", "exposed")
            self.assertIn("expected a file of this user, got 'exposed', which belongs to '", stderr)
        self.assertIn("expected a regular file as the token's file, but 'NUL' is a device", refused("--http", "0", "--http-token-file", "NUL"))
        self.assertIn("--http-token-file, as other machines can reach it", refused("--http", "0.0.0.0:0"))
        self.assertIn("Connection refused", self.run_exe("status", "--http", "127.0.0.1:1", code=6)[1])

    def test_a_webhook_hears_of_a_block(self):
        node = RegtestNode()
        self.addCleanup(node.close)
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        receiver.received = []
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        self.begin("solo", "--node", node.url, *MINER, "--max-hashrate", "10", "--journal", "journal", "--http", "0", "--webhook",
                   f"http://127.0.0.1:{receiver.server_port}/secret")
        self.wait_for(lambda: len(receiver.received) >= 2, "it was not told again")
        self.assertEqual(receiver.received[0], receiver.received[1])
        self.assertEqual(receiver.received[0]["event"], "block")
        self.assertNotIn("secret", (self.folder / "log").read_text())
        self.assertIn("; retrying", (self.folder / "log").read_text())
        summary = self.summary()
        self.assertEqual((summary["command"], summary["server"]["connected"]), ("solo", True))
        status = self.run_exe("status", "--http", f"{self.port}")[0]
        self.assertIn(f"{node.url.split('@')[1]}, connected", status)


if __name__ == "__main__":
    main()

"""Letting a browser in by a one-time secret, and pair, status, pause and resume, which talk to a running miner."""

import contextlib
import http.client
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time

from pool_server import PoolServer
from support import CPU, GPUMINER, Case, Screen, main, needs_pyte, patience

MINER = ["-u", "worker", *CPU, "--isa", "scalar", "--max-hashrate", "200k"]
DIGITS = re.compile(r"type (\d{4}) (\d{4})")


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes a webhook, and has a document to read."""

    def do_GET(self):
        text = self.server.document.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        self.server.received += self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Pairing(Case):
    def setUp(self):
        super().setUp()
        self.pool = PoolServer(1e-5)
        self.addCleanup(self.pool.close)
        self.token = self.folder / "token"

    def pool_arguments(self, address):
        return ["pool", "-o", self.pool.url, *MINER, "--http", address, "--http-token-file", self.token]

    def post(self, secret):
        """(status, cookie or None)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience())
        self.addCleanup(connection.close)
        connection.request("POST", "/api/v1/pair", json.dumps({"secret": secret}))
        reply = connection.getresponse()
        reply.read()
        return reply.status, reply.headers["Set-Cookie"]

    def control(self, *arguments, code=0, config=None):
        """Standard output and standard error of a command that talks to the miner."""
        environment = {**os.environ, "XDG_CONFIG_HOME": str(config), "NO_COLOR": "1"}
        if config:
            environment.pop("GPUMINER_NO_CONFIG", None)
        process = subprocess.run([GPUMINER, *map(str, arguments)], capture_output=True, text=True, timeout=patience(), env=environment)
        self.assertEqual(process.returncode, code, process.stdout + process.stderr)
        return process.stdout, process.stderr

    def at(self, address):
        return "--http", address, "--http-token-file", self.token

    def wait_for(self, screen, found):
        end = time.monotonic() + patience()
        while not found(screen.text) and time.monotonic() < end:
            if not screen.read(0.2):
                break
        self.assertTrue(found(screen.text), screen.text[-3000:])

    def digits(self, screen, count):
        """That it has shown last, of so many."""
        self.wait_for(screen, lambda text: len(set(DIGITS.findall(text))) == count)  # they are drawn again and again
        return "".join(DIGITS.findall(screen.text)[-1])

    def test_a_secret_is_on_the_terminal_and_nowhere_else(self):
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        receiver.received = ""
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        log, events, history = self.folder / "log", self.folder / "events", self.folder / "journal"
        screen = Screen([GPUMINER, *map(str, self.pool_arguments("0.0.0.0:0")), "-D", "--log-file", log, "--events", events, "--journal",
                         history, "--webhook", f"http://127.0.0.1:{receiver.server_port}/"], 100, stdin=True)
        self.addCleanup(screen.close)
        shown = [self.digits(screen, 1)]
        self.port = int(re.search(r"shown on http://[\d.]+:(\d+)/", screen.text)[1])
        os.write(screen.terminal, b"w")
        shown.append(self.digits(screen, 2))
        self.assertEqual(self.post(shown[0])[0], 401)  # the new one is in its place
        status, cookie = self.post(shown[1])
        self.assertEqual(status, 200)
        self.assertNotIn(self.token.read_text().strip(), cookie)
        self.assertEqual(self.post(shown[1])[0], 404)
        self.check_that_it_goes(screen)

        document = json.loads(self.control("pair", *self.at(f"127.0.0.1:{self.port}"), "--json")[0])
        self.assertEqual(document["format"], "gpuminer pairing")
        secrets = [*shown, document["secret"], document["digits"], self.token.read_text().strip(), cookie.split(";")[0].split("=")[1]]
        for wrong in range(5):
            self.assertEqual(self.post(f"{wrong}")[0], 401)
        self.assertEqual(self.post(document["secret"])[0], 404)
        api_log = self.get("log")
        self.wait_for(screen, lambda text: "accepted" in text)
        os.write(screen.terminal, b"q")
        self.assertEqual(screen.read_to_the_end(patience()), 130)
        texts = {"log file": log.read_text(), "events": events.read_text(), "journal": history.read_text(), "API's log": api_log,
                 "webhook": receiver.received}
        self.assertIn("shown on", texts["log file"])
        for name, text in texts.items():
            for secret in secrets:
                self.assertNotIn(secret, text, name)
            self.assertNotRegex(text, r"type \d{4} \d{4}|http://[\d.:]+/#", name)

    def check_that_it_goes(self, screen):
        """From the screen, as far as there is a model of it."""
        if not hasattr(screen, "model"):
            return
        end = time.monotonic() + patience()
        while any("type" in line for line in screen.shown()) and time.monotonic() < end:
            screen.read(0.2)
        self.assertFalse([line for line in screen.shown() if "type" in line])

    @needs_pyte
    def test_the_code_stays_on_a_small_screen(self):
        screen = Screen([GPUMINER, *map(str, self.pool_arguments("0.0.0.0:0")), "--http-host", "192.168.1.7", "--journal",
                         self.folder / "journal"], 80, 24, env={**os.environ, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}, stdin=True)
        self.addCleanup(screen.close)
        self.wait_for(screen, lambda text: text.count("accepted (") >= 8)  # which would have moved it off the screen
        rows = [line for line in screen.shown() if re.fullmatch("[ █▀▄]+", line)]
        self.assertGreaterEqual(len(rows), 15)  # of 17, as lines of blanks are not shown
        self.assertEqual(self.rows_of_digits(screen), 1, screen.shown())
        for size, (columns, rows) in enumerate(((80, 40), (60, 20)), 2):
            os.write(screen.terminal, b"x")
            self.wait_for(screen, lambda text: "keys: h rate" in text.rsplit("accepted (", 1)[0])
            self.check_that_it_goes(screen)
            screen.resize(columns, rows=rows)
            os.write(screen.terminal, b"w")
            self.digits(screen, size)
            self.wait_for_redraws(screen)
            self.assertEqual(self.rows_of_digits(screen), 1, screen.shown())
        # They are broken anew where the terminal became wider.
        self.assertFalse([line for line in screen.shown() if "open http" in line and "type" in line])
        screen.resize(120)
        self.wait_for_redraws(screen)
        self.assertRegex("\n".join(screen.shown()), r"open http://\S+ and type \d{4} \d{4}")
        self.assertEqual(self.rows_of_digits(screen), 1, screen.shown())
        os.write(screen.terminal, b"x")
        self.check_that_it_goes(screen)

        # Nor are they left at the end, if they are there until then.
        os.write(screen.terminal, b"w")
        self.digits(screen, 4)
        screen.process.send_signal(signal.SIGINT)
        self.assertEqual(screen.read_to_the_end(patience()), 130)
        self.assertEqual(self.rows_of_digits(screen), 0, screen.shown())

    def rows_of_digits(self, screen):
        return sum("type" in line for line in screen.shown())

    def wait_for_redraws(self, screen):
        """Also those that began with the terminal's last size."""
        drawn = screen.text.count("type ")
        self.wait_for(screen, lambda text: text.count("type ") > drawn + 4)

    def get(self, name):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience())) as connection:
            connection.request("GET", f"/api/v1/{name}", headers={"Authorization": f"Bearer {self.token.read_text().strip()}"})
            return connection.getresponse().read().decode()

    def summary(self):
        """What `status` reads, without the start of a program."""
        return json.loads(self.get("summary"))

    @staticmethod
    def is_without_pool(summary):
        return not summary["server"]["connected"] and not summary["server"]["logged_in"] and summary["details"]["pools"][0]["last_error"]

    def test_without_a_terminal_there_is_none_until_pair_asks(self):
        miner = self.start(*self.pool_arguments("0"))
        self.wait_until(self.pool.accepted, "a share", miner)
        place = re.search(r"shown on http://([\d.:]+)/", miner.messages)[1]
        self.port = int(place.rsplit(":", 1)[1])
        self.assertNotRegex(miner.messages, DIGITS)
        self.assertEqual(self.post("12345678")[0], 404)
        text, _ = self.control("pair", *self.at(place))
        self.assertIn("others reach it", text)  # why a phone does not
        self.assertEqual(self.post("".join(DIGITS.search(text).groups()))[0], 200)
        self.assertNotRegex(miner.messages, DIGITS)

        config = self.folder / "config" / "gpuminer"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(f'http = "{place}"\nhttp-token-file = "{self.token}"\nuser = "x"\n')
        run = lambda name, code=0: self.control(name, code=code, config=config.parent)[0]  # noqa: E731
        whole = re.compile(r"^pool +[\d.]+ .?H/s\n(.*\n)*server +\S+, connected\nshares +\d+ accepted, 0 rejected, last ")
        self.wait_until(lambda: self.summary()["last_accepted_seconds"], self.summary, miner)
        self.assertRegex(run("status"), whole)
        self.assertEqual(run("pause"), "paused\n")
        self.wait_until(lambda: self.summary()["idle"] == "paused", self.summary, miner)
        self.assertTrue(run("status").startswith("pool        idle: paused\n"))
        self.assertEqual(run("resume"), "resumed\n")
        self.assertEqual(json.loads(self.control("status", "--http", place, "--json")[0])["format"], "gpuminer summary")
        self.pool.close()
        dead = re.compile(rf"(?m)^server +{re.escape(self.pool.url)}, not connected: \S.*$")  # and why
        self.wait_until(lambda: self.is_without_pool(self.summary()), self.summary, miner)
        self.assertRegex(run("status"), dead)

        node = f"http://127.0.0.1:{self.pool.port}/"  # there is nobody, either
        alone = self.start("solo", "--node", node, "--coinbase-addr", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", *MINER[2:], *self.at("0"))
        self.wait_until(lambda: "shown on http" in alone.messages, "the address", alone)
        at = self.at(re.search(r"shown on http://([\d.:]+)/", alone.messages)[1])
        silent = re.compile(rf"(?m)^server +http://127.0.0.1:{self.pool.port}\S*, not connected: \S.*cannot be reached")
        self.wait_until(lambda: silent.search(self.control("status", *at)[0]), lambda: self.control("status", *at)[0], alone)

        other = self.folder / "other"
        other.write_text("0123456789abcdef\n")
        other.chmod(0o600)
        self.assertIn("Bearer TOKEN", self.control("pause", "--http", place, "--http-token-file", other, code=6)[1])
        self.assertIn("--http-token-file FILE", self.control("pause", "--http", place, code=1)[1])
        self.assertIn("there is no file", self.control("pair", "--http", place, "--http-token-file", self.folder / "none", code=1)[1])
        self.assertEqual(miner.interrupt(), 130)
        self.assertIn("cannot be reached", self.control("status", "--http", place, code=6)[1])

    def test_over_a_unix_socket(self):
        path = self.folder / "socket"
        miner = self.start(*self.pool_arguments(f"unix:{path}"))
        self.wait_until(lambda: "shown on" in miner.messages, "the line that says where", miner)
        self.assertIn("Unix socket", self.control("pair", *self.at(f"unix:{path}"))[0])
        self.assertEqual(self.control("pause", *self.at(f"unix:{path}"))[0], "paused\n")
        self.assertEqual(miner.interrupt(), 130)
        self.assertIn("No such file", self.control("status", "--http", f"unix:{path}", code=6)[1])

    def test_the_token_goes_nowhere_else(self):
        self.token.write_text("0123456789abcdef-token\n")
        self.token.chmod(0o600)
        for address in ("192.0.2.1:8080", "[2001:db8::1]:8080"):
            self.assertIn("within this machine or over https:// alone", self.control("pause", *self.at(address), code=1)[1])
        self.assertIn("expected --http ADDRESS", self.control("pair", code=1)[1])
        self.assertIn("the port of a running miner", self.control("pair", "--http", "0", code=1)[1])
        for address in ("https://", "https://a@b", "https://b/path", "https://b:0"):
            self.assertIn("expected https://HOST[:PORT]", self.control("pair", *self.at(address), code=1)[1])

    def test_what_answers_is_no_gpuminer(self):
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        address = f"127.0.0.1:{receiver.server_port}"
        receiver.document = "no JSON"
        self.assertIn("is no gpuminer", self.control("status", "--http", address, code=6)[1])
        # Or it says that it is one, and anything else.
        receiver.document = json.dumps({"format": "gpuminer summary", "command": "m" * 100000, "hash_rate": -1e308, "accepted": 1e308,
                                        "uptime_seconds": 1e300, "last_accepted_seconds": 1e300, "best_difficulty": 1e308,
                                        "server": {"connected": False, "name": 1}, "details": {"pools": [7, {"last_error": ["\n"]}]}})
        lines = self.control("status", "--http", address)[0].splitlines()
        self.assertLessEqual(max(map(len, lines[1:])), 80, lines)
        self.assertLessEqual(len(lines[0]), 520)


main()

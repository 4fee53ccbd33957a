"""--http over real sockets: access, hostile clients, the API against its own description (schemathesis), and the
metrics as Prometheus takes them."""

import http.client
import json
import os
import socket
import stat
import subprocess
import urllib.parse

from pool_server import PoolServer, Refusal
from support import CPU, GPUMINER, SANITIZED, Case, main, patience
from watchers import PLAIN, PROMETHEUS, SERVERS, start_prometheus

SCHEMATHESIS = SERVERS / "schemathesis" / "bin" / "schemathesis"
DIFFICULTY = 1e-5  # at 200 kH/s five shares a second: little work even for a sanitized build on a busy machine
MINER = ["-u", "worker", *CPU, "--isa", "scalar", "--max-hashrate", "200k"]

AXEOS_TYPES = {"version": str, "hostname": str, "uptimeSeconds": int, "miningPaused": bool, "hashRate": float, "bestDiff": float,
               "bestSessionDiff": float, "sharesAccepted": int, "sharesRejected": int, "sharesRejectedReasons": list, "blockFound": int,
               "autofanspeed": int, "poolDifficulty": float, "networkDifficulty": float, "responseTime": float, "temp": float, "power": float,
               "stratumURL": str, "stratumPort": int, "stratumUser": str}


def in_axeos_form(summary, pool):
    reasons = summary["reject_reasons"]
    form = {"version": summary["program_version"], "hostname": summary["host"], "miningPaused": summary["paused"],
            "hashRate": summary["hash_rate"] / 1e9, "bestDiff": summary["best_difficulty_ever"],
            "bestSessionDiff": summary["best_difficulty"], "sharesAccepted": summary["accepted"], "sharesRejected": sum(reasons.values()),
            "sharesRejectedReasons": [{"message": reason, "count": reasons[reason]} for reason in sorted(reasons)],
            "blockFound": summary["blocks"], "autofanspeed": 1, "poolDifficulty": summary["difficulty"],
            "networkDifficulty": summary["network_difficulty"], "responseTime": summary["server"]["latency_ms"],
            "power": summary["power_w"], "stratumURL": "127.0.0.1", "stratumPort": pool.port, "stratumUser": "worker"}
    return {name: value for name, value in form.items() if value is not None}


class Http(Case):
    def mine(self, address="0", *arguments, pools=1, difficulty=DIFFICULTY):
        self.pools = [PoolServer(difficulty) for _ in range(pools)]
        for pool in self.pools:
            self.addCleanup(pool.close)
        self.token_file = self.folder / "token"
        urls = [part for pool in self.pools for part in ("-o", pool.url)]
        miner = self.start("pool", *MINER[:2], *urls, *MINER[2:], "--http", address, "--http-token-file", self.token_file, *arguments)
        self.wait_until(lambda: "shown on " in miner.messages, "the line that says where", miner)
        self.place = miner.messages.split("shown on ")[1].split()[0]
        self.port = urllib.parse.urlsplit(self.place).port if self.place.startswith("http") else None
        self.token = self.token_file.read_text().strip()
        return miner

    def ask(self, path, method="GET", host=None, token=None, body=None, **headers):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience())
        self.addCleanup(connection.close)
        if host:
            headers["Host"] = host
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        return reply.status, reply.headers, reply.read().decode()

    def json(self, path):
        status, _, text = self.ask(path)
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def document(self, name):
        return self.json(f"/api/v1/{name}")

    def refused(self, *arguments):
        """The message of a program that does not begin."""
        process = subprocess.run([GPUMINER, "pool", *map(str, arguments), "-o", "127.0.0.1:1", "-u", "x", *CPU],
                                 capture_output=True, text=True, env={**os.environ, "XDG_STATE_HOME": str(self.folder)}, timeout=patience())
        self.assertEqual(process.returncode, 1, process.stderr)
        return process.stderr

    def test_documents_agree_with_the_summary_at_the_end(self):
        miner = self.mine("0", "--json", pools=2)
        self.wait_until(lambda: self.document("summary")["accepted"] >= 5, "shares", miner)
        summary = self.document("summary")
        self.assertEqual(summary["command"], "pool")
        self.assertGreater(summary["hash_rate"], 0)
        self.assertGreater(summary["last_accepted_seconds"], 0)
        self.assertEqual([pool["active"] for pool in summary["details"]["pools"]], [True, False])
        self.assertEqual(self.document("job")["job"]["height"], 800001)
        shares = self.document("shares")["shares"]
        self.assertEqual({share["verdict"] for share in shares}, {"accepted"})
        self.assertGreaterEqual(len(shares), 5)
        # Pause, wait until nothing is hashed any more, and go on with the other pool.
        self.assertEqual(self.ask("/api/v1/pause", "POST", token=self.token)[0], 200)
        self.wait_until(lambda: self.document("summary")["paused"], "the pause", miner)
        self.expect_idle("paused", miner)
        self.assertEqual(self.ask("/api/v1/pools/1/activate", "POST", token=self.token)[0], 200)
        self.assertEqual(self.ask("/api/v1/resume", "POST", token=self.token)[0], 200)
        self.wait_until(lambda: self.document("summary")["details"]["pools"][1]["accepted"] > 0, "shares of the other pool", miner)
        self.assertEqual(miner.interrupt(), 130)
        accepted = [pool["accepted"] for pool in miner.document()["details"]["pools"]]
        self.assertGreater(min(accepted), 0)
        self.assertEqual(sum(accepted), sum(len(pool.accepted()) for pool in self.pools))

    def expect_agreement(self, miner):
        """The document in AxeOS' form says what the summary says, without anything that is unknown; returns it."""
        pairs = []  # the two are of one moment if no sample came between them

        def agree():
            summary, info = self.document("summary"), self.json("/api/system/info")
            pairs.append((in_axeos_form(summary, self.pools[0]), {name: info[name] for name in info.keys() - {"uptimeSeconds", "temp"}}))
            return pairs[-1][0] == pairs[-1][1]

        self.wait_until(agree, lambda: f"agreement of {pairs[-1]}", miner)
        info = self.json("/api/system/info")
        types = {name: type(value) for name, value in info.items()}
        self.assertEqual(types, {name: AXEOS_TYPES.get(name) for name in types})
        return info

    def test_the_form_of_axeos_agrees_with_the_summary(self):
        miner = self.mine(difficulty=1e9)
        pool, = self.pools
        self.wait_until(lambda: self.document("summary")["difficulty"], "a job", miner)
        info = self.expect_agreement(miner)
        self.assertEqual((info["sharesAccepted"], info["sharesRejectedReasons"], "responseTime" in info), (0, [], False))
        # Two of the first three shares are refused.
        refusals = iter([None, Refusal(20, "not today"), Refusal(20, "not today")])

        def judge(_):
            if refusal := next(refusals, None):
                raise refusal

        pool.judge, pool.difficulty = judge, DIFFICULTY
        pool.tell(pool.work_message())
        pool.next_job()
        self.wait_until(lambda: self.document("summary")["accepted"] >= 2, "shares", miner)
        self.assertEqual(self.ask("/api/v1/pause", "POST", token=self.token)[0], 200)
        self.expect_idle("paused", miner)
        self.wait_until(lambda: self.json("/api/system/info")["sharesAccepted"] == len(pool.accepted()), "every answer", miner)
        info = self.expect_agreement(miner)
        self.assertEqual(info["sharesRejectedReasons"], [{"message": "not today (20)", "count": 2}])
        self.assertEqual(miner.interrupt(), 130)

    def expect_idle(self, reason, miner):
        """Nothing is mined, and page, API and metrics say why, with a rate of 0 from which no odds follow."""
        self.wait_until(lambda: self.document("summary")["idle"] == reason, reason, miner)
        self.wait_until(lambda: self.document("summary")["hash_rate"] == 0, "a rate of 0", miner)
        odds = self.document("summary")["odds"]
        self.assertEqual((odds["block_seconds"], odds["warning"]), (None, None))
        metrics = self.ask("/metrics")[2]
        self.assertIn(f'gpuminer_idle{{reason="{reason}"}} 1\n', metrics)
        self.assertIn("gpuminer_hashes_per_second 0\n", metrics)

    def test_nothing_is_mined_while_each_device_is_paused_or_there_is_no_work(self):
        miner = self.mine()
        self.wait_until(lambda: self.document("summary")["hash_rate"] > 0, "a rate", miner)
        self.assertIsNone(self.document("summary")["idle"])
        self.assertEqual(self.ask("/api/v1/devices/0/pause", "POST", token=self.token)[0], 200)
        self.expect_idle("every device is paused", miner)
        self.assertFalse(self.document("summary")["paused"])  # the search as a whole is not
        self.assertEqual(self.ask("/api/v1/devices/0/resume", "POST", token=self.token)[0], 200)
        self.wait_until(lambda: self.document("summary")["hash_rate"] > 0, "a rate again", miner)
        for pool in self.pools:
            pool.close()
        self.expect_idle("no work from a server", miner)
        self.assertEqual(miner.interrupt(), 130)

    def test_events(self):
        miner = self.mine()
        with socket.create_connection(("127.0.0.1", self.port), 60) as reader:
            reader.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            text = ""
            while text.count("event: share\n") < 3 or text.count("event: rate\n") < 2:
                text += reader.recv(65536).decode()
        events = [block.splitlines() for block in text.split("\r\n\r\n", 1)[1].split("\n\n")[1:-1]]
        for name, data in events:
            event = json.loads(data.removeprefix("data: "))
            self.assertEqual(name, f"event: {event['event']}")
        self.assertEqual(miner.interrupt(), 130)

    def test_who_may_what(self):
        self.mine("0", "--http-host", "miner.example")
        self.assertEqual(stat.S_IMODE(self.token_file.stat().st_mode), 0o600)
        self.assertEqual(self.ask("/api/v1/summary", host="evil.example")[0], 403)
        self.assertEqual(self.ask("/api/v1/summary", host="miner.example:1", token=self.token)[0], 200)
        self.assertEqual(self.ask("/api/v1/summary", Origin="http://evil.example")[0], 403)
        self.assertEqual(self.ask("/api/v1/pause", "POST")[0], 401)
        self.assertEqual(self.ask("/api/v1/pause", "POST", token="0" * 64)[0], 401)
        self.assertEqual(self.ask("/api/v1/pause", "POST", token=self.token, Origin="null")[0], 403)
        status, headers, _ = self.ask("/api/v1/session", "POST", body=json.dumps({"token": self.token}))
        cookie = headers["Set-Cookie"]
        self.assertEqual((status, self.token in cookie), (200, False))
        self.assertIn("HttpOnly; SameSite=Strict", cookie)
        self.assertEqual(self.ask("/api/v1/pause", "POST", Cookie=cookie.split(";")[0])[0], 200)
        # A proxy may be in front, and what it passes on comes from this machine, whoever asks.
        self.expect_locked()

    def test_what_a_proxy_passes_on_is_read_with_the_token(self):
        self.mine()
        self.assertIn(self.document("summary")["paused"], (True, False))
        self.expect_locked(**{"X-Forwarded-For": "192.0.2.60"})
        self.expect_locked(Forwarded="for=192.0.2.60")

    def expect_locked(self, **headers):
        """All but /health needs the token."""
        self.assertEqual(self.ask("/health", **headers)[0], 200)
        for path in ("/", "/metrics", "/api/v1/summary", "/api/v1/log", "/api/v1/events", "/api/system/info", "/nothing"):
            self.assertEqual(self.ask(path, **headers)[0], 401, path)
            if path not in ("/nothing", "/api/v1/events"):
                self.assertEqual(self.ask(path, token=self.token, **headers)[0], 200, path)
        self.assertIn("token-form", self.ask("/", **headers)[2])

    def test_elsewhere_the_token_is_needed(self):
        self.assertIn("--http '0.0.0.0:0' needs --http-token-file, as other machines can reach it",
                      self.refused("--http", "0.0.0.0:0"))
        self.mine("0.0.0.0:0")
        self.expect_locked()

    def test_addresses(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        self.assertIn("Address already in use", self.refused("--http", taken.getsockname()[1]))
        self.assertIn("--http: expected PORT", self.refused("--http", "example.com:80"))
        self.assertIn("--http-token-file and --http-host need --http", self.refused("--http-host", "x"))
        self.assertIn("--http-host: expected a name or an address without a port, got 'miner.example:8080'",
                      self.refused("--http", "0", "--http-host", "miner.example:8080"))
        self.assertIn("--http-host needs --http-token-file, as a proxy may pass on requests of other machines",
                      self.refused("--http", "0", "--http-host", "miner.example"))
        exposed = self.folder / "exposed"
        exposed.write_text("0123456789abcdef\n")
        exposed.chmod(0o644)
        self.assertIn("only its owner may read", self.refused("--http", "0", "--http-token-file", exposed))
        path = self.folder / "socket"
        miner = self.mine(f"unix:{path}")
        self.assertEqual(self.place, str(path))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(65536))
        self.assertEqual(miner.interrupt(), 130)
        self.assertFalse(path.exists())

    def test_very_many_clients_that_are_slow_stalled_or_malformed(self):
        miner = self.mine()
        self.wait_until(lambda: self.document("summary")["accepted"] >= 1, "a share", miner)
        before = miner.memory()
        clients = []
        for number in range(400 if SANITIZED else 1000):  # 256 at once have room
            client = socket.create_connection(("127.0.0.1", self.port), 60)
            clients.append(client)
            self.addCleanup(client.close)
            try:
                client.sendall([b"GET / HT", b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
                                b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * (50 if number < 100 else 1), b"\x16\x03\x01\x00" * 5000,
                                b"POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000\r\n\r\n"][number % 5])
            except OSError:
                pass  # it was hung up on
        # One who asks is still answered, shares still come, and nothing has grown.
        accepted = self.document("summary")["accepted"]
        self.wait_until(lambda: self.document("summary")["accepted"] >= accepted + 3, "shares", miner)
        self.assertLess(miner.descriptors(), 400)
        if not SANITIZED:
            self.assertLess(miner.memory(), before + 50 * 1024)  # KiB
        for client in clients:
            client.close()
        self.wait_until(lambda: miner.descriptors() < 60, "the end of the connections", miner)
        self.assertEqual(miner.interrupt(), 130)

    def test_the_history_goes_on_in_the_next_run(self):
        for _ in range(5):  # one that ends waits 200 ms for the disk, and a busy machine may take longer
            miner = self.mine()
            self.wait_until(lambda: self.document("summary")["best_difficulty"] > 0 and self.document("summary")["accepted"] > 0,
                            "a share", miner)
            self.assertEqual(miner.interrupt(), 130)
            file = miner.folder / "state" / "gpuminer" / "pool-history.json"
            if file.exists():
                break
        kept = json.loads(file.read_text())
        self.assertGreater(kept["best_difficulty"], 0)
        self.mine()
        summary = self.document("summary")
        self.assertGreaterEqual(summary["best_difficulty_ever"], kept["best_difficulty"])
        self.assertGreaterEqual(len(self.document("history")["day"]["hash_rate"]), 1)

    def test_the_description_is_true(self):
        if not SCHEMATHESIS.exists():
            self.skipTest("schemathesis cannot be had here")
        miner = self.mine(pools=2)
        process = subprocess.run(
            [SCHEMATHESIS, "run", f"{self.place}api/v1/openapi.json", "--exclude-path", "/api/v1/events", "--seed", "1",
             "--max-time", "30", "--max-examples", "15", "--phases", "examples,coverage,fuzzing", "--generation-database", "none",
             "--header", f"Authorization: Bearer {self.token}", "--no-color"],
            capture_output=True, text=True, cwd=self.folder, timeout=patience(), env=PLAIN)
        self.assertEqual(process.returncode, 0, process.stdout[-6000:] + process.stderr[-2000:])
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])

    def test_prometheus(self):
        if not (PROMETHEUS / "prometheus").exists():
            self.skipTest("Prometheus cannot be had here")
        miner = self.mine()
        self.wait_until(lambda: self.document("summary")["accepted"] >= 3, "shares", miner)
        lint = subprocess.run([PROMETHEUS / "promtool", "check", "metrics"], input=self.ask("/metrics")[2], capture_output=True,
                              text=True, env=PLAIN, timeout=patience())
        self.assertEqual((lint.returncode, lint.stdout, lint.stderr), (0, "", ""))
        server, port = start_prometheus(self.folder, f"127.0.0.1:{self.port}")
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)

        def value(expression):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience())
                connection.request("GET", "/api/v1/query?query=" + urllib.parse.quote(expression))
                result = json.loads(connection.getresponse().read())["data"]["result"]
                connection.close()
                return float(result[0]["value"][1]) if result else 0
            except (OSError, ValueError, http.client.HTTPException):
                return 0  # it is not there yet

        self.wait_until(lambda: value('up{job="gpuminer"}') == 1, "the first scrape")
        self.wait_until(lambda: value('gpuminer_shares_total{result="accepted"}') >= 3, "the shares")
        self.wait_until(lambda: value("sum(rate(gpuminer_device_hashes_total[30s]))") > 1e4, "a rate of hashes")


main()

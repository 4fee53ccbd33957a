"""Commands and webhooks on events (--on-block and the like)."""

import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

from jobs import OwnJobs
from pool_server import PoolServer
from support import CPU, GPUMINER, Case, main, patience

EASY = 0x1F00FFFF  # a block in 65,536 hashes
MINER = ["-u", "worker", *CPU, "--isa", "scalar", "--max-hashrate", "200k"]


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(503 if len(self.server.received) == 1 else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def helper_of(miner):
    """The process that runs its hooks; None: there is none yet."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"\nPPid:\t{miner.process.pid}\n" in (folder / "status").read_text() and b"hook-helper" in (folder / "cmdline").read_bytes():
                return int(folder.name)
        except OSError:
            pass  # it has ended
    return None


class Alerts(Case):
    def pool(self):
        pool = PoolServer(1e-5, jobs=OwnJobs(8, bits=EASY))
        self.addCleanup(pool.close)
        return pool

    def test_a_command_has_the_facts_in_its_environment(self):
        pool, seen = self.pool(), self.folder / "seen"
        for name, value in (("GPUMINER_PASS", "secret"), ("NOTIFY_SOCKET", str(self.folder / "nobody"))):
            os.environ[name] = value
            self.addCleanup(os.environ.pop, name)
        miner = self.start("pool", "-o", pool.url, *MINER, "--on-block", f"env > {seen}.new; mv {seen}.new {seen}")
        self.wait_until(seen.exists, "the command's output", miner)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        facts = dict(line.split("=", 1) for line in seen.read_text().splitlines() if line.startswith("GPUMINER_"))
        self.assertEqual(facts["GPUMINER_EVENT"], "block")
        self.assertEqual(facts["GPUMINER_SERVER"], pool.url)
        self.assertIn(facts["GPUMINER_HASH"], [block[0][::-1].hex() for block in pool.blocks])
        self.assertIn(facts["GPUMINER_HASH"], facts["GPUMINER_TEXT"])
        self.assertNotIn("GPUMINER_PASS", facts)
        self.assertNotIn("NOTIFY_SOCKET", seen.read_text())

    def test_a_command_that_fails_or_hangs_is_logged_and_nothing_more(self):
        pool = self.pool()
        miner = self.start("pool", "-o", pool.url, *MINER, "--on-block", "echo it is broken; : SECRET; exit 3", "--log-shares")
        self.wait_until(lambda: "--on-block failed: exit code 3: it is broken" in miner.messages, "the failure", miner)
        self.assertNotIn("SECRET", miner.messages)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        hangs = self.start("pool", "-o", pool.url, *MINER, "--on-block", "sleep 1000", "--blocks", 3)
        self.assertEqual(hangs.wait(), 0, hangs.messages[-2000:])  # and does not wait for it

    def test_the_end_of_the_helper_is_told_at_once(self):
        pool = PoolServer(1e-5)  # which sees no block: nothing else happens
        self.addCleanup(pool.close)
        miner = self.start("pool", "-o", pool.url, *MINER, "--on-block", "true")
        self.wait_until(lambda: helper_of(miner), "the helper", miner)
        helper = helper_of(miner)
        os.kill(helper, signal.SIGKILL)
        self.wait_until(lambda: "their helper has ended by signal 9" in miner.messages, "the end of the helper", miner)
        self.assertFalse(pathlib.Path(f"/proc/{helper}").exists())  # nor a zombie
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        self.assertEqual(miner.messages.count("helper"), 1, miner.messages)

    def status_of(self, command, name):
        """What `$?` is after this in the shell of a hook; `name` is of the file that tells it, and no hook's of another miner."""
        pool, seen = self.pool(), self.folder / name
        miner = self.start("pool", "-o", pool.url, *MINER, "--on-block", command.replace("STATUS", f"echo $? > {seen}.new; mv {seen}.new {seen}"))
        self.wait_until(seen.exists, "the command's end", miner)
        status = seen.read_text().strip()
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])
        return status

    def test_a_command_has_pipes_as_commands_expect_them(self):
        self.assertEqual(self.status_of("head -c 300000 /dev/zero; STATUS", "much"), "0")  # more output than a pipe holds
        self.assertEqual(self.status_of("{ yes; STATUS; } | head -n 1", "cut"), "141")  # SIGPIPE

    def test_output_ends_with_the_miner(self):
        """What the miner was piped into does not wait for a helper or a command."""
        pool = self.pool()
        started = time.monotonic()
        process = subprocess.run([GPUMINER, "pool", "-o", pool.url, *MINER, "--on-block", "sleep 1000", "--blocks", "1"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=patience(),
                                 env={**os.environ, "XDG_STATE_HOME": str(self.folder)})
        self.assertEqual(process.returncode, 0, process.stdout[-2000:])
        self.assertIn(b"accepted", process.stdout)
        self.assertLess(time.monotonic() - started, 100)

    def test_a_webhook_is_told_again_until_it_answers(self):
        pool = self.pool()
        receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
        receiver.received = []
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        url = f"http://127.0.0.1:{receiver.server_port}/secret"
        miner = self.start("pool", "-o", pool.url, *MINER, "--webhook", url)
        self.wait_until(lambda: len(receiver.received) >= 2, "the second attempt", miner)
        self.assertEqual(receiver.received[0], receiver.received[1])
        self.assertEqual(receiver.received[0]["event"], "block")
        self.assertIn("; retrying", miner.messages)
        self.assertNotIn("secret", miner.messages)
        self.assertEqual(miner.interrupt(), 130)

    def test_a_webhook_that_does_not_answer_holds_nobody_up(self):
        pool, silent = self.pool(), socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        miner = self.start("pool", "-o", pool.url, *MINER, *["--webhook", url] * 20)
        self.wait_until(lambda: "accepted" in miner.messages or pool.blocks, "a block", miner)
        started = time.monotonic()
        self.assertEqual(miner.interrupt(), 130)
        self.assertLess(time.monotonic() - started, 20)  # not 2 s for each


main()

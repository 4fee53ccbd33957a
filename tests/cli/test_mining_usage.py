"""pool and solo: what is accepted on the command line, and what happens without any server."""

import json
import os
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

from support import GPUMINER, Case, main, run

ADDRESS = "bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c"


def closed_port():
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class MiningUsage(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.journal = os.path.join(folder.name, "journal.jsonl")

    def pool(self, *arguments):
        return ["pool", "--journal", self.journal, "-t", "1", "--backend", "cpu", *arguments]

    def solo(self, *arguments):
        return ["solo", "--journal", self.journal, "-t", "1", "--backend", "cpu", *arguments]

    def test_help(self):
        for command, words in (("pool", ("--url", "--user", "--suggest-diff", "--time-limit", "--max-temp")),
                               ("solo", ("--node", "--coinbase-addr", "--max-diff", "--blocks"))):
            text = run(command, "--help").stdout.decode()
            for word in words:
                self.assertIn(word, text)
            self.assertNotIn("--start", text)

    def test_what_is_missing_is_named(self):
        self.expect_error(1, "expected a pool after -o", *self.pool())
        self.expect_error(1, "expected a pool after -o", *self.pool("-u", "x"))
        self.expect_error(1, "expected a user name after -u", *self.pool("-o", "127.0.0.1:1"))
        self.expect_error(1, "after --coinbase-addr", *self.solo("--node", "http://127.0.0.1:1"))

    def test_bad_values(self):
        server = ("-o", "127.0.0.1:1", "-u", "x")
        for arguments, words in (
            (("-o", "pool.example", "-u", "x"), "port"),
            (("-o", "pool.example:0", "-u", "x"), "port"),
            (("-o", "pool.example:65536", "-u", "x"), "port"),
            (("-o", "http://pool.example:3333", "-u", "x"), "getwork"),
            (("-o", "", "-u", "x"), "expected"),
            ((*server, "-O", "nocolon"), "-O: expected USER:PASSWORD"),
            ((*server, "-x", "ftp://a:1"), "proxy"),
            ((*server, "-r", "-2"), "-r: expected"),
            ((*server, "-R", "0"), "seconds"),
            ((*server, "--tls-fingerprint", "abcd"), "64 hex digits"),
            ((*server, "--tls-fingerprint", "x" * 64), "hex"),
            ((*server, "--suggest-diff", "0"), "--suggest-diff"),
            ((*server, "--shares", "0"), "--shares"),
            ((*server, "--max-hashrate", "fast"), "--max-hashrate"),
            ((*server, "--journal", ""), "--journal"),
            ((*server, "--cert", "/nonexistent/cert.pem"), "/nonexistent/cert.pem"),
            ((*server, "--target", "00"), "--target has no meaning for pool"),
            ((*server, "--node", "http://a:1"), "--node has no meaning for pool"),
        ):
            self.expect_error(1, words, *self.pool(*arguments))
        for arguments, words in (
            (("--coinbase-addr", "nonsense"), "nonsense"),
            (("--coinbase-addr", ADDRESS[:-1] + "q"), "checksum"),
            (("--coinbase-addr", ADDRESS, "--coinbase-sig", "x" * 100), "75 bytes of text"),
            (("--coinbase-addr", ADDRESS, "--chain", "moon"), "moon"),
            (("--coinbase-addr", ADDRESS, "--chain", "main"), "main"),
            (("--coinbase-addr", ADDRESS, "--url", "a:1"), "--url has no meaning for solo"),
        ):
            self.expect_error(1, words, *self.solo("--node", "http://a:b@127.0.0.1:1", *arguments))

    def test_a_journal_that_cannot_be_written(self):
        for path in ("/dev/null/journal", "/proc/journal"):
            self.expect_error(1, path, "pool", "-o", "127.0.0.1:1", "-u", "x", "--journal", path)

    def test_nobody_there(self):
        port = closed_port()
        for arguments in (self.pool("-o", f"127.0.0.1:{port}", "-u", "x", "-r", "0"),
                          self.pool("-o", f"127.0.0.1:{port}", "-u", "x", "-r", "1", "-R", "0.1"),
                          self.solo("--node", f"http://a:secret@127.0.0.1:{port}", "--coinbase-addr", ADDRESS, "-r", "0")):
            process = run(*arguments)
            self.assertEqual(process.returncode, 6)
            self.assertEqual(process.stdout, b"")
            self.assertIn(f"127.0.0.1:{port}", process.stderr.decode().splitlines()[-1])

    def test_a_refusal_as_a_document(self):
        port = closed_port()
        process = run(*self.pool("-o", f"127.0.0.1:{port}", "-u", "x", "-r", "0", "--json"))
        self.assertEqual(process.returncode, 6)
        document = json.loads(process.stdout)
        self.assertEqual(document["exit_code"], 6)
        self.assertIn(str(port), document["error"])

    def logins(self, *arguments):
        """What reaches pools that refuse everybody: [user, password] of each, in order."""
        seen = []

        def talk(connection):  # (a file for both ways would lose lines that it has read ahead)
            try:
                for line in connection.makefile("r"):
                    message = json.loads(line)
                    result, error = {"mining.subscribe": ([[], "00", 4], None),
                                     "mining.authorize": (False, None)}.get(message["method"], (None, [20, "no", None]))
                    if message["method"] == "mining.authorize":
                        seen.append(message["params"])
                    reply = json.dumps({"id": message["id"], "result": result, "error": error}) + "\n"
                    connection.sendall(reply.encode())
            except (OSError, ValueError):
                pass  # the miner has gone

        def serve(listener):
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    talk(connection)

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener,), daemon=True).start()
            url = f"127.0.0.1:{listener.getsockname()[1]}"
            process = run(*self.pool(*(url if word == "POOL" else word for word in arguments)))
            self.assertEqual(process.returncode, 6, process.stderr)
            listener.shutdown(socket.SHUT_RDWR)
        return seen

    def test_logins_belong_to_the_pool_before_them(self):
        for words, wanted in (
            ("-o POOL -u U -p P", [["U", "P"]]),
            ("-u U -o POOL -p P", [["U", "P"]]),
            ("-p P -o POOL -u U", [["U", "P"]]),
            ("-o POOL -O U:P:Q", [["U", "P:Q"]]),
            ("-u U -p P -o POOL", [["U", "P"]]),
            ("-o POOL -u U", [["U", "x"]]),
            ("-o POOL -u U -p P -o POOL", [["U", "P"], ["U", "P"]]),
            ("-o POOL -u U -p P -o POOL -u V", [["U", "P"], ["V", "x"]]),
            ("-o POOL -u U -p P -o POOL -p Q", [["U", "P"], ["U", "Q"]]),
        ):
            self.assertEqual(self.logins(*words.split()), wanted, words)

    def test_pools_in_a_configuration_file(self):
        first, second, other = closed_port(), closed_port(), closed_port()
        config = self.journal + ".conf"
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'url = ["127.0.0.1:{first}", "127.0.0.1:{second}"]\nuser = ["a", "b"]\nretries = 0\n')
        message = run(*self.pool("-c", config)).stderr.decode().splitlines()[-1]
        self.assertLess(message.index(f":{first} "), message.index(f":{second} "))
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'url = "127.0.0.1:{first}"\nuser = "a"\nurl = "127.0.0.1:{second}"\nretries = 0\n')
        message = run(*self.pool("-c", config)).stderr.decode().splitlines()[-1]
        self.assertLess(message.index(f":{first} "), message.index(f":{second} "))
        process = run(*self.pool("-c", config, "-o", f"127.0.0.1:{other}"))
        self.assertEqual(process.returncode, 6)
        self.assertIn(f":{other}", process.stderr.decode())
        self.assertNotIn(f":{first}", process.stderr.decode())

    def test_passwords_are_not_shown(self):
        port = closed_port()
        process = run(*self.pool("-o", f"127.0.0.1:{port}", "-O", "me:topsecret", "-r", "0", "-D"))
        self.assertNotIn(b"topsecret", process.stderr + process.stdout)
        process = run(*self.solo("--node", f"http://me:topsecret@127.0.0.1:{port}", "--coinbase-addr", ADDRESS, "-r", "0",
                                 "-D"))
        self.assertNotIn(b"topsecret", process.stderr + process.stdout)

    def test_stopping_while_nobody_answers(self):
        with socket.socket() as silent:  # takes connections and says nothing
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                process = subprocess.Popen(
                    [GPUMINER, *self.pool("-o", f"127.0.0.1:{silent.getsockname()[1]}", "-u", "x", "--json")],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertIn(b"gpuminer", process.stderr.readline())
                time.sleep(0.3)
                process.send_signal(number)
                out, _ = process.communicate(timeout=60)
                self.assertEqual(process.returncode, code)
                document = json.loads(out)
                self.assertEqual(document["ending"], "interrupted")
                self.assertEqual(document["accepted"], 0)

    def test_a_limit_of_file_sizes(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            process = run(*self.pool("-o", f"127.0.0.1:{silent.getsockname()[1]}", "-u", "x", "--json", "--time-limit", "0.5"),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
            self.assertEqual(process.returncode, 3)

    def test_a_time_limit(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            process = run(*self.pool("-o", f"127.0.0.1:{silent.getsockname()[1]}", "-u", "x", "--json",
                                     "--time-limit", "0.5"))
            self.assertEqual(process.returncode, 3)
            self.assertEqual(json.loads(process.stdout)["ending"], "limit")


if __name__ == "__main__":
    main()

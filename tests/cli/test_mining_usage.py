"""pool and solo: their command lines, and their behaviour without any server."""

import contextlib
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

from support import GPUMINER, Case, environment, main, not_emulated, run

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "live"))
from pool_server import PoolServer  # noqa: E402

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
        # Without that option it measures its rate, to suggest a difficulty, before it connects.
        suggested = [] if "--suggest-diff" in arguments else ["--suggest-diff", "1"]
        return ["pool", "--journal", self.journal, "-t", "1", "--backend", "cpu", *suggested, *arguments]

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
        self.expect_error(1, "no pool given: -o", *self.pool())
        self.expect_error(1, "no pool given: -o", *self.pool("-u", "x"))
        self.expect_error(1, "no user given for the pool", *self.pool("-o", "127.0.0.1:1"))
        self.expect_error(1, "--coinbase-addr ADDRESS", *self.solo("--node", "http://127.0.0.1:1"))

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
            ((*server, "-R", "0"), "duration"),
            ((*server, "--tls-fingerprint", "abcd"), "64 hex digits"),
            ((*server, "--tls-fingerprint", "x" * 64), "hex"),
            ((*server, "--suggest-diff", "0"), "--suggest-diff"),
            ((*server, "--shares", "0"), "--shares"),
            ((*server, "--max-hashrate", "fast"), "--max-hashrate"),
            ((*server, "--journal", ""), "--journal"),
            ((*server, "--cert", "/nonexistent/cert.pem"), "/nonexistent/cert.pem"),
            ((*server, "--target", "00"), "--target does not apply to pool"),
            ((*server, "--node", "http://a:1"), "--node does not apply to pool"),
        ):
            self.expect_error(1, words, *self.pool(*arguments))
        for arguments, words in (
            (("--coinbase-addr", "nonsense"), "nonsense"),
            (("--coinbase-addr", ADDRESS[:-1] + "q"), "checksum"),
            (("--coinbase-addr", ADDRESS, "--coinbase-sig", "x" * 100), "75 bytes of text"),
            (("--coinbase-addr", ADDRESS, "--chain", "moon"), "moon"),
            (("--coinbase-addr", ADDRESS, "--chain", "main"), "main"),
            (("--coinbase-addr", ADDRESS, "--url", "a:1"), "--url does not apply to solo"),
        ):
            self.expect_error(1, words, *self.solo("--node", "http://a:b@127.0.0.1:1", *arguments))

    def test_a_journal_that_cannot_be_written(self):
        for path in ("/dev/null/journal", "/proc/journal"):
            self.expect_error(1, path, "pool", "-o", "127.0.0.1:1", "-u", "x", "--journal", path)

    def test_a_journal_that_is_no_regular_file(self):
        pipe, link = self.journal + ".pipe", self.journal + ".link"
        os.mkfifo(pipe)
        os.symlink(self.journal, link)
        for path, kind in ((pipe, "a pipe"), (link, "a symbolic link"), ("/dev/null", "a device"), (os.path.dirname(pipe), "a folder")):
            for command in (("pool", "-o", "127.0.0.1:1", "-u", "x"),
                            ("solo", "--node", "http://a:b@127.0.0.1:1", "--coinbase-addr", ADDRESS)):
                self.expect_error(1, f"is {kind}", *command, "--journal", path)
        self.assertFalse(os.path.exists(self.journal))

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

    def logins(self, *arguments, **kwargs):
        """What reaches pools that refuse everybody: [user, password] of each, in order."""
        with contextlib.closing(PoolServer(authorize=False)) as pool:
            process = run(*self.pool(*(pool.url if word == "POOL" else word for word in arguments)), **kwargs)
        self.assertEqual(process.returncode, 6, process.stderr)
        return [message["params"] for _, message in pool.messages if message["method"] == "mining.authorize"]

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
        process = run(*self.pool("-c", config))
        self.assertEqual(process.returncode, 1)
        self.assertIn('line 3: expected one line with url, such as `url = ["...", "..."]`', process.stderr.decode())
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'url = ["127.0.0.1:{first}", "127.0.0.1:{second}"]\nuser = "a"\nretries = 0\n')
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

    def file(self, name, content, mode=0o600):
        path = os.path.join(os.path.dirname(self.journal), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def test_passwords_from_elsewhere(self):
        secret = self.file("secret", "P:Q \n")
        config, other = self.file("config", 'pass = "Q"\n'), self.file("other", f'pass-file = "{secret}"\n')
        for words, wanted, settings in (
            ("-o POOL -u U", [["U", "P"]], {"env": environment(GPUMINER_PASS="P")}),
            ("-o POOL", [["U", "P:Q"]], {"env": environment(GPUMINER_USERPASS="U:P:Q")}),
            ("-o POOL -u U -p Q", [["U", "Q"]], {"env": environment(GPUMINER_PASS="P")}),
            ("-o POOL -u U -o POOL -u V", [["U", "P"], ["V", "x"]], {"env": environment(GPUMINER_PASS="P")}),
            (f"-o POOL -u U --pass-file {secret}", [["U", "P:Q "]], {}),
            (f"-o POOL -u U -p A -o POOL -u V --pass-file {secret}", [["U", "A"], ["V", "P:Q "]], {}),
            ("-o POOL -u U --pass-file -", [["U", "P"]], {"stdin": b"P\r\nnot this"}),
            (f"-o POOL -u U --pass-file {secret} -c {config}", [["U", "P:Q "]], {}),
            (f"-o POOL -u U -c {config}", [["U", "P"]], {"env": environment(GPUMINER_PASS="P")}),
            (f"-o POOL -u U -c {other}", [["U", "P:Q "]], {}),
        ):
            self.assertEqual(self.logins(*words.split(), **settings), wanted, words)

    def test_password_files_that_are_none(self):
        server = ("-o", "127.0.0.1:1", "-u", "x")
        self.expect_error(1, "cannot read '/nonexistent'", *self.pool(*server, "--pass-file", "/nonexistent"))
        for content in ("", "\nSECRET\n", "SECRET" * 500):
            message = self.expect_error(1, "a password of 1 to 1024 bytes", *self.pool(*server, "--pass-file", self.file("s", content)))
            self.assertNotIn("SECRET", message)
        self.expect_error(1, "got a longer line", *self.pool(*server, "--pass-file", "/dev/zero"))
        self.expect_error(1, "of standard input, got none", *self.pool(*server, "--pass-file", "-"))

    def test_usage_errors_show_no_password(self):
        server = ("-o", "127.0.0.1:1", "-u", "x")
        for arguments in (
            ("-o", "stratum+tcp://user:SECRET"), ("-o", "user:SECRET", "-u", "x"), (*server, "-x", "socks5://user:SECRET"),
            (*server, "-x", "proxy:SECRET"), ("-o", "stratum+tcp://a:1#x?pass=SECRET"), (*server, "-pass", "SECRET"),
            (*server, "--passwd=SECRET"), (*server, "--password", "SECRET"), (*server, "--passwd", "-tSECRET"), (*server, "--passwd", "-rpcSECRET"), (*server, "-PSECRET"), (*server, "-p", "a", "SECRET"),
            (*server, "-O", "SECRET"), (*server, "-x", "ftp://user:SECRET"), (*server, "-p", "SECRET", "-r", "x"),
            (*server, "-c", self.file("a", "pass SECRET\n")), (*server, "-c", self.file("b", "SECRET\n")),
            (*server, "-c", self.file("c", "pass: SEC=RET, SECRET\n")), (*server, "-c", self.file("d", "password = SECRET\n")),
        ):
            self.assertNotIn("SECRET", self.expect_error(1, "", *self.pool(*arguments)).replace(self.journal, ""), arguments)
        for arguments in (["pol", *server, "-p", "SECRET"], ["-pass", "SECRET"], ["mine", "genesis", "-p", "SECRET"],
                          self.solo("--node", "http://user:SECRET", "--coinbase-addr", ADDRESS)):
            self.assertNotIn("SECRET", self.expect_error(1, "", *arguments), arguments)
        self.expect_error(1, "unknown option '--passwd' and what follows it", *self.pool("--passwd=SECRET"))
        self.expect_error(1, "unknown option 'password'", *self.pool("-c", self.file("d", "password = SECRET\n")))

    @not_emulated("it shows QEMU's own arguments")
    def test_the_list_of_processes_shows_no_password(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            place = f"127.0.0.1:{silent.getsockname()[1]}"
            for arguments in (("-u", "U", "-p", "SECRET"), ("-u", "U", "-pSECRET"), ("-u", "U", "--pass=SECRET"), ("-O", "U:SECRET"),
                              ("-u", "U", "-x", f"socks5://me:SECRET@{place}")):
                process = subprocess.Popen([GPUMINER, *self.pool("-o", place, *arguments)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                with process.stderr:
                    words = process.stderr.readline() + process.stderr.readline()
                    self.assertRegex(words, b"warning: a password after --(pass|userpass|proxy) stays in the shell's history")
                    with open(f"/proc/{process.pid}/cmdline", "rb") as file:
                        shown = file.read()
                    self.assertNotIn(b"SECRET", shown)
                    self.assertIn(place.encode(), shown)
                    process.kill()
                    process.wait()

    def test_warnings_of_passwords_that_others_can_read(self):
        server = ("-o", f"127.0.0.1:{closed_port()}", "-u", "x", "-r", "0")
        for arguments, warned in (
            (("-c", self.file("a", 'pass = "P"\n', 0o644)), True), (("-c", self.file("b", 'pass = "P"\n', 0o640)), False),
            (("-c", self.file("c", 'pass = "x"\n', 0o644)), False),
            (("-c", self.file("h", f'webhook = "http://{server[1]}/P"\n', 0o644)), False),  # it is named as what it is
            (("-p", "d=1"), False), (("-p", "x,m=solo,d=0.5"), False), (("-c", self.file("d", "threads = 1\n", 0o644)), False),
            (("-c", self.file("e", 'proxy = "u:p@127.0.0.1:1"\n', 0o604)), True), (("--pass-file", self.file("f", "P", 0o644)), True),
            (("--pass-file", self.file("g", "P", 0o600)), False), (("--pass-file", "/dev/fd/0"), False), (("-p", "x"), False),
        ):
            process = run(*self.pool(*server, *arguments), stdin=b"P\n")
            self.assertEqual(process.returncode, 6, process.stderr)
            self.assertEqual(b"warning: every user of this machine can read the password in" in process.stderr, warned, arguments)
            self.assertNotIn(b"shell's history", process.stderr)

    def test_without_a_folder_for_the_journal(self):
        for changes in ({"HOME": "/dev/null"}, {"HOME": ""}):
            env = {key: value for key, value in environment(**changes).items() if not key.startswith("XDG_")}
            for command in (self.pool("-o", f"127.0.0.1:{closed_port()}", "-u", "x", "-r", "0"),
                            self.solo("--node", f"http://x:x@127.0.0.1:{closed_port()}", "--coinbase-addr", ADDRESS, "-r", "0")):
                command = command[:command.index("--journal")] + command[command.index("--journal") + 2:]
                process = run(*command, env=env)
                self.assertEqual(process.returncode, 6, process.stderr)  # as far as the server, which is not there
                self.assertIn(b"warning: mining without a journal: ", process.stderr)
                self.assertIn(b"would be lost at exit (--journal FILE", process.stderr)
        self.expect_error(1, "/dev/null", "pool", "-o", "127.0.0.1:1", "-u", "x", "-r", "0", "--journal", "/dev/null/b.jsonl")

    def test_warnings_of_passwords_name_what_keeps_them_out(self):
        pool = ("-o", f"127.0.0.1:{closed_port()}", "-r", "0")
        solo = ("--coinbase-addr", ADDRESS, "-r", "0")
        for arguments, secret, instead in (
            (self.pool(*pool, "-u", "x", "-p", "SECRET"), "a password after --pass", "GPUMINER_PASS, --pass-file"),
            (self.pool(*pool, "-O", "x:SECRET"), "a password after --userpass", "GPUMINER_USERPASS, --pass-file"),
            (self.pool(*pool, "-u", "x", "-x", f"socks5://x:SECRET@{pool[1]}"), "a password after --proxy", "GPUMINER_PROXY"),
            (self.pool(*pool, "-u", "x", "--webhook", f"http://{pool[1]}/SECRET"), "a URL after --webhook", "GPUMINER_WEBHOOK"),
            (self.solo(*solo, "--node", f"http://x:SECRET@{pool[1]}"), "a password after --node", "GPUMINER_NODE, --cookie"),
        ):
            process = run(*arguments)
            self.assertEqual(process.returncode, 6, process.stderr)
            self.assertRegex(process.stderr.decode(), f"warning: {secret} stays in the shell's history.*; {instead} or a configuration file avoids both")

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

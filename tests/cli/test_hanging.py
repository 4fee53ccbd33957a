"""solo and pool beside a name server and file systems that do not answer, and pipes in place of files.
Signals and limits end them all the same."""

import json
import os
import signal
import socket
import subprocess
import tempfile
import time

from support import BLOCK, GPUMINER, Case, document_of, environment, main, preloading, run, wait_until_it_hears

ADDRESS = "bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c"
HANGING = os.environ["GPUMINER_HANGING"]
SIGNALS = ((signal.SIGINT, 130), (signal.SIGTERM, 143))


class Hanging(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def pipe(self, name):
        os.mkfifo(self.path(name))
        return self.path(name)

    def arguments(self, command, *more):
        return [command, "--journal", self.path("journal"), "-t", "1", "--backend", "cpu", *more]

    def solo(self, *more):
        return self.arguments("solo", "--coinbase-addr", ADDRESS, *more)

    def pool(self, *more):
        return self.arguments("pool", "-u", "x", "--suggest-diff", "1", *more)  # else it measures its rate before it connects

    def start_hanging(self, what, arguments):
        """One that hangs in a call about `what`; its line before has been read. None: it has ended before."""
        process = subprocess.Popen([GPUMINER, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(**preloading(HANGING), GPUMINER_HANGS=what))
        self.addCleanup(lambda: process.poll() is None and process.kill())
        lines = []
        while not (lines and lines[-1].startswith(b"hangs: ")):
            lines.append(process.stderr.readline())
            if not lines[-1]:
                process.communicate()
                return None
        return process

    def start_with_limit(self, what, arguments):
        """One whose limit comes while it hangs. On a busy machine a short limit may come before."""
        for limit in (0.3, 1, 3, 10):
            if process := self.start_hanging(what, [*arguments, "--time-limit", str(limit)]):
                return process
        return self.fail("it does not hang")

    def end(self, process, code):
        """A signal or a limit has come: it has to end, whatever hangs. (Half a second is too little for a busy machine.)"""
        out, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, messages)
        return out

    def ends_while_it_hangs(self, what, arguments):
        for number, code in SIGNALS:
            process = self.start_hanging(what, arguments)
            process.send_signal(number)
            self.assertEqual(json.loads(self.end(process, code))["ending"], "interrupted")
        out = self.end(self.start_with_limit(what, arguments), 3)
        self.assertEqual(json.loads(out)["ending"], "limit")

    def ends_before_it_begins(self, what, arguments):
        for number, code in SIGNALS:
            process = self.start_hanging(what, arguments)
            process.send_signal(number)
            self.end(process, code)

    def test_a_name_server(self):
        self.ends_while_it_hangs("node.example", self.solo("--node", "http://u:p@node.example:8332", "--json"))
        self.ends_while_it_hangs("pool.example", self.pool("-o", "pool.example:3333", "--json"))

    def test_the_file_system_of_a_cookie(self):
        open(self.path("cookie"), "w", encoding="ascii").close()
        self.ends_while_it_hangs("/cookie", self.solo("--node", "http://127.0.0.1:1", "--cookie", self.path("cookie"), "--json"))

    def test_file_systems_of_files_that_are_read_first(self):
        open(self.path("bitcoin.conf"), "w", encoding="ascii").close()
        self.ends_before_it_begins("/bitcoin.conf", self.solo("--datadir", self.folder))
        self.ends_before_it_begins("/ca.pem", self.solo("--node", "https://u:p@127.0.0.1:1", "--cert", self.path("ca.pem")))
        self.ends_before_it_begins("/ca.pem", self.pool("-o", "stratum+ssl://127.0.0.1:1", "--cert", self.path("ca.pem")))

    def start_mining(self, *more):
        """One without work, which has said that it has begun."""
        process = subprocess.Popen([GPUMINER, *self.pool("-o", "127.0.0.1:1", *more)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.assertIn(b"gpuminer ", process.stderr.readline())
        return process

    def test_pipes_that_nobody_reads(self):
        for option in ("--events", "--log-file"):
            pipe = self.pipe(option)
            for number, code in SIGNALS:
                process = self.start_mining(option, pipe)
                process.send_signal(number)
                self.end(process, code)
            self.end(self.start_mining(option, pipe, "--time-limit", "0.5"), 3)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("listener"))
            for option in ("--events", "--log-file"):
                self.expect_error(1, "No such device or address", *self.pool("-o", "127.0.0.1:1", option, self.path("listener")))

    def test_a_pipe_that_is_read_later(self):
        pipe = self.pipe("events")
        process = self.start_mining("--events", pipe, "--log-file", self.pipe("log"))
        with open(pipe, encoding="utf-8") as events, open(self.path("log"), encoding="utf-8") as log:
            self.assertEqual(json.loads(events.readline())["event"], "start")
            self.assertIn("gpuminer ", log.readline())
            process.send_signal(signal.SIGTERM)
            self.end(process, 143)
            self.assertEqual(json.loads(events.readlines()[-1])["event"], "end")

    def test_a_log_is_opened_anew_in_place_of_a_pipe_that_nobody_reads(self):
        pipe = self.pipe("log")
        process = self.start_mining("--log-file", pipe)
        while b"connect" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        os.remove(pipe)
        process.send_signal(signal.SIGHUP)
        until = time.monotonic() + 60
        while not os.path.exists(pipe) or os.path.getsize(pipe) == 0:
            self.assertLess(time.monotonic(), until, "it does not open the new file")
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        self.end(process, 143)
        with open(pipe, encoding="utf-8") as log:
            self.assertIn("gpuminer ", log.readline())

    def test_pipes_that_nobody_writes_to(self):
        pipe = self.pipe("bitcoin.conf")
        words = "it is not a regular file"
        self.expect_error(1, words, *self.solo("--datadir", self.folder))
        self.expect_error(1, words, *self.solo("--node", "https://u:p@127.0.0.1:1", "--cert", pipe))
        self.expect_error(1, words, *self.pool("-o", "stratum+ssl://127.0.0.1:1", "--cert", pipe))
        process = run(*self.solo("--node", "http://127.0.0.1:1", "--cookie", pipe, "-r", "0"))
        self.assertEqual(process.returncode, 6)
        self.assertIn(words, process.stderr.decode())

    # What may come from a pipe, whose writer may come later or never.

    def mine(self, *more):
        return ["mine", *more, "--start", "0", "--end", "1", "-t", "1", "--backend", "cpu", "--isa", "scalar"]

    def uses(self, pipe):
        """Arguments that have the pipe read, and what it is to bring."""
        server = self.pool("-o", "127.0.0.1:1", "-r", "0")
        return ((self.mine(f"@{pipe}"), BLOCK, 2), (self.mine("genesis", "-c", pipe), "threads = 1\n", 2),
                ([*server, "--pass-file", pipe], "secret\n", 6))

    def test_input_that_nobody_writes(self):
        pipe = self.pipe("pipe")
        for arguments, _, _ in self.uses(pipe):
            self.expect_error(3, "the limit was reached before all input was read", *arguments, "--time-limit", "0.2")
            process = run(*arguments, "--time-limit", "0.2", "--json")
            self.assertEqual(process.returncode, 3)
            document_of(process.stdout)
            for number, code in SIGNALS:
                process = subprocess.Popen([GPUMINER, *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
                wait_until_it_hears(process)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=60), code)

    def test_input_of_a_writer_that_brings_nothing(self):
        pipe = self.pipe("pipe")
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        for arguments, _, _ in self.uses(pipe):
            self.expect_error(3, "the limit was reached before all input was read", *arguments, "--time-limit", "0.2")

    def test_input_of_a_writer_that_comes_later(self):
        pipe = self.pipe("pipe")
        for arguments, text, code in self.uses(pipe):
            process = subprocess.Popen([GPUMINER, *arguments, "-q"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       env=environment())
            wait_until_it_hears(process)
            with open(pipe, "w", encoding="ascii") as writer:
                writer.write(text)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, code)

    def test_a_limit_that_is_over_when_all_is_there(self):
        with open(self.path("file"), "w", encoding="ascii") as file:
            file.write(BLOCK)
        process = run(*self.mine(f"@{self.path('file')}"), "--time-limit", "1e-6")
        self.assertIn(process.returncode, (2, 3))
        self.assertNotIn(b"the limit was reached before all input was read", process.stderr)


if __name__ == "__main__":
    main()

"""gpuminer config check, and config show."""

import os
import pathlib
import re
import tempfile

from support import BLOCK, FAULTY, Case, document_of, environment, main, run, tomllib


class ConfigCommand(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "gpuminer").mkdir()
        self.user = self.folder / "gpuminer/config.toml"
        self.system = self.folder / "system.toml"

    def config(self, *arguments, code=0, **variables):
        """What it prints; nothing else happens in the folder."""
        before = sorted(self.folder.rglob("*"))
        env = environment(**{"GPUMINER_NO_CONFIG": "", "XDG_CONFIG_HOME": str(self.folder), "XDG_STATE_HOME": str(self.folder / "state"),
                             "GPUMINER_FAULTY_CONFIG": str(self.system), **variables})
        process = run("config", *arguments, program=FAULTY, env=env)
        text = process.stdout.decode()
        self.assertEqual((process.returncode, process.stderr), (code, b""), text)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return text

    def complaints(self, text):
        """{line: sentences} about a file with this text."""
        self.user.write_text(text)
        found = {}
        for line in self.config("check", code=1).splitlines():
            match = re.fullmatch(rf"configuration file '{re.escape(str(self.user))}', line (\d+): (.+)", line)
            self.assertTrue(match, line)
            found.setdefault(int(match[1]), []).append(match[2])
        return found

    def test_a_file_that_cannot_be_reached_is_no_missing_one(self):
        def make_pipe():
            os.mkfifo(self.user)

        for make in (lambda: self.user.symlink_to("config.toml"), lambda: self.user.symlink_to("nowhere"), make_pipe):
            make()
            self.assertRegex(self.config("check", code=1), r"^cannot read configuration file '[^']+config\.toml': .+\n$")
            self.user.unlink()
        self.user.symlink_to("/dev/null")
        self.assertEqual(self.config("check"), f"configuration file '{self.user}': no complaints\n")

    def test_there_is_no_document(self):
        for what in ("check", "show", "example"):
            process = run("config", what, "--json")
            self.assertEqual(process.returncode, 1)
            self.assertIn("takes no --json", document_of(process.stdout)["error"])

    def test_every_wrong_line_is_named(self):
        found = self.complaints("thread = 4\n"                      # 1: no such option
                                "threads = 0\n"                     # 2: no such value
                                "\nlog-time = true\n"
                                "user = bc1q.rig\n"                 # 5: no TOML
                                "quiet = 'yes'\n"                   # 6: no truth value
                                "url = ['a:1', 'ftp://b:2']\n"      # 7: one of two
                                "help = true\n"                     # 8: of command lines
                                "backend = 'cpu,fpga'\n"            # 9: nothing that is built in anywhere
                                "time-limit = soon\n"               # 10
                                "on-block = ''\nmax-temp = 80\n"    # 11
                                "node = 'ftp://x:1'\n")             # 13
        words = {1: "unknown option 'thread'; did you mean threads?", 2: "-t: expected a number from 1 to 4096, got '0'",
                 5: 'expected `user = "bc1q.rig"` (TOML)', 6: "quiet: expected true or false", 7: "-o: expected a URL with stratum+tcp://",
                 8: "expected an option allowed in a file", 9: "--backend: expected auto, ", 10: "got 'soon'", 11: "--on-block: expected a command",
                 13: "--node: expected a node's address"}
        self.assertEqual(list(found), list(words))  # in the order of the file
        for line, (sentence,) in found.items():
            self.assertIn(words[line], sentence)

    def test_a_run_names_the_first_of_them(self):
        self.complaints("threads = 0\nthread = 4\nuser = x\n")
        env = environment(GPUMINER_NO_CONFIG="", XDG_CONFIG_HOME=str(self.folder))
        self.expect_error(1, "line 3: expected `user", "mine", BLOCK, env=env)
        self.user.write_text("threads = 0\nthread = 4\n")
        self.expect_error(1, "line 2: unknown option 'thread'", "mine", BLOCK, env=env)

    def test_lines_after_one_that_is_no_toml(self):
        for text, lines in (("a\nb\nthreads = 0\n", [1, 2, 3]), ("isa = 'avx2'\nisa = 'sse41'\nthreads = 0", [2, 3]), ("[mine\nthreads = 0\n", [1, 2]),
                            ("url = [\n'a:1',\nb:2\n]\nthreads = 0\n", [3, 5]), ("url = [\na:1,\nb:2\n]\nthreads = 0\n", [2, 3, 5]),
                            ("url = [a:1,\nb:2\n]\nthreads = 0\n", [1, 2, 4]), ("url = [\n'a:1'\nthreads = 0\nthread = 1\n", [3, 4]),
                            ("thread = 1\nuser = '''x\nthreads = 0\n", [1, 3]), ("isa = \"\xe9\nthreads = 0\n", [1, 2])):
            found = self.complaints(text)
            self.assertEqual(list(found), lines, (text, found))
        found = self.complaints("isa = [\n'a'\nthreads = 0\n")  # which the list without an end does not hide
        self.assertEqual([sentence[:10] for sentence in found[3]], ["expected t", "-t: expect"])
        found = self.complaints("threads = 0\nuser = '''x\ny\n\n")
        self.assertEqual((found[2][0], list(found)), ("not checked from here on", [1, 2, 4]))
        self.assertEqual(self.complaints("x\n" * 150 + "threads = 0\n")[100][1], "not checked from here on")

    def test_right_ones(self):
        self.assertRegex(self.config("check"), rf"^there is no configuration file: '{self.user}', '{self.system}'\n$")
        self.assertIn("no configuration file is read", self.config("check", "--no-config"))
        self.assertIn("no configuration file is read", self.config("check", GPUMINER_NO_CONFIG="1"))
        self.system.write_text("http = 'https://miner.example'\nhttp-token-file = 'token'\n")  # of a running miner
        self.assertEqual(self.config("check"), f"configuration file '{self.system}': no complaints\n")
        self.user.write_text(f"url = ['a:1', 'stratum+ssl://b:2']\nuser = 'x'\npass-file = '-'\nlog-file = '{self.folder}/log'\nevents = '-'\n"
                             f"journal = '{self.folder}/journal'\ncheckpoint = '{self.folder}/c'\nalgorithm = 'verushash'\nisa = 'aesni'\nagainst = 5\n")
        self.assertEqual(self.config("check"), "".join(f"configuration file '{file}': no complaints\n" for file in (self.user, self.system)))
        other = self.folder / "other"
        other.write_text("threads = 1\n")
        self.assertEqual(self.config("check", "-c", str(other)), f"configuration file '{other}': no complaints\n")
        self.assertIn("cannot read configuration file", self.config("check", "-c", f"{other}.missing", code=1))

    def test_the_example_has_no_wrong_line(self):
        """Its values are words for people; of the defaults among them none is refused."""
        example = run("config", "example").stdout.decode()
        self.user.write_text("".join(line[1:] for line in example.splitlines(True) if re.search(r"^#[a-z-]+ = .*\(default \w+[);:]", line)))
        self.config("check")

    def test_what_another_file_or_the_environment_overrides_is_checked(self):
        self.user.write_text("threads = 1\n")
        self.system.write_text("threads = 0\nthread = 1\n")
        text = self.config("check", code=1, GPUMINER_TIME_LIMIT="soon", GPUMINER_POOL_URL="ftp://a:1")
        self.assertRegex(text, "GPUMINER_TIME_LIMIT: --time-limit: expected .*'soon'\n")
        self.assertIn("GPUMINER_POOL_URL: -o: ", text)
        self.assertIn(f"configuration file '{self.system}', line 1: -t: ", text)
        self.assertIn(f"configuration file '{self.system}', line 2: unknown option", text)
        self.assertIn(f"configuration file '{self.user}': no complaints", text)
        self.expect_error(1, "-t: expected a number", "config", "check", "-t", "0")

    def test_contradictions(self):
        for text, words, lines in (("nbits = '1d00ffff'\nall = true\ndifficulty = 1\n", "exclude each other", (1, 3)), ("resume-temp = 70\n", "needs --max-temp", (1,)),
                                   ("end = 5\n\nstart = 9\n", "expected --start at or before --end, got 9 and 5", (1, 3)),
                                   ("max-temp = 60\nresume-temp = 70", "below --max-temp", (1, 2)), ("http = '0.0.0.0:8080'\n", "needs --http-token-file", (1,)),
                                   ("http-host = 'a.example'\n", "need --http ADDRESS", (1,)), ("json = true\nevents = '-'\n", "--json and --events - exclude", (1, 2)),
                                   ("algorithm = 'verushash'\nroll-versions = '20'", "--roll-versions does not apply to verushash", (2,)),
                                   ("isa = 'fast'\n", "--isa: expected one of auto, ", (1,))):
            self.user.write_text(f"threads = 0\n{text}")  # each beside another mistake
            first, second = self.config("check", code=1).splitlines()
            self.assertIn("line 1: -t: ", first)
            self.assertIn(words, second)
            self.assertEqual({int(line) - 1 for line in re.findall(rf"'{self.user}', line (\d+)", second)}, set(lines), second)
        self.user.write_text("max-temp = 'x'\nresume-temp = 70\n")  # one mistake
        self.assertEqual(self.config("check", code=1).count("\n"), 1)

    def test_passwords_that_others_can_read(self):
        self.user.write_text("pass = 'SECRET'\n")
        self.user.chmod(0o644)
        text = self.config("check")
        self.assertRegex(text, "warning: every user of this machine can read the password")
        self.assertNotIn("SECRET", text)

    def test_what_is_in_force_and_from_where(self):
        self.assertEqual(self.config("show"), "# Nothing is set: every option has its default.\n")
        self.system.write_text("threads = 1\nmax-temp = 80\nbackend = ['cpu', 'opencl']\n")
        self.user.write_text("# mine\nthreads = 2\ntime-limit = '5m'\nurl = ['a:1', 'b:2']\nlog-file = 'C:\\x'\nquiet = true\nlabel = \"a\\u001b'\\u202e\\\"\"\n")
        text = self.config("show", "-i", "007", GPUMINER_TIME_LIMIT="1e2", GPUMINER_POOL_USER="me")
        shown = dict(re.findall(r"(?m)^([a-z-]+ = .*?) +# (.*)$", text))
        at = f"configuration file '{self.user}', line "
        self.assertEqual(shown, {"threads = 2": f"{at}2", "time-limit = 1e2": "GPUMINER_TIME_LIMIT", 'url = ["a:1", "b:2"]': f"{at}4", 'user = "me"': "GPUMINER_POOL_USER",
                                 "log-file = 'C:\\x'": f"{at}5", "quiet = true": f"{at}6", 'label = "a\\U0000001b\'\\U0000202e\\""': f"{at}7",
                                 'intensity = "007"': "command line", "max-temp = 80": f"configuration file '{self.system}', line 2",
                                 'backend = "cpu,opencl"': f"configuration file '{self.system}', line 3"})
        self.assertTrue(text.endswith("# Every other option has its default.\n"))
        self.user.write_text(text)  # as a file of its own it says the same
        again = self.config("show", "-c", str(self.user))
        self.assertEqual(re.findall(r"(?m)^([a-z-]+ = .*?) +# ", again), list(shown))
        if tomllib is not None:  # another reader
            self.assertEqual(tomllib.loads(text)["label"], "a\x1b'\u202e\"")
        self.user.write_text("threads = 2\nthread = 1\n")
        env = environment(GPUMINER_NO_CONFIG="", XDG_CONFIG_HOME=str(self.folder))
        self.expect_error(1, "line 2: unknown option 'thread'", "config", "show", env=env)

    def test_no_secret_is_shown(self):
        settings = {"url": ["stratum+tcp://me:SECRET@pool.example:3333", "a:1#x?pass=SECRET", "stratum+ssl://x:SECRET", "tcp://a:b@SECRET", "c:3#xnsub"],
                    "user": ["me"], "pass": ["SECRET", "x"], "userpass": ["me:SECRET", "SECRET"], "proxy": "socks5://me:SE@/SECRET@proxy.example:1080",
                    "node": ["http://me:SECRET@[::1]:8332", "http://me:SECRET", "me:SECRET@h:1"], "http": "https://me:SECRET@h:1", "http-host": ["https://me:SECRET@h"],
                    "webhook": ["https://chat.example/hook/SECRET", "https://h/x@SECRET", "http://a:SECRET@h:1/", "https://h?SECRET"], "on-block": "notify SECRET",
                    "on-best": "SECRET", "on-stall": "SECRET", "on-device-error": "a SECRET"}
        self.user.write_text("".join(f"{name} = {value!r}\n" for name, value in settings.items()))
        text = self.config("show")
        self.assertNotIn("SECRET", text)
        self.assertEqual(set(re.findall(r"(?m)^([a-z-]+) = ", text)), set(settings))
        for words in ('"stratum+tcp://***@pool.example:3333", "a:1#***", "stratum+ssl://x:***", "tcp://***", "c:3#xnsub"', '"***", "x"', '"me:***", "***"',
                      '"http://***@[::1]:8332"', '"https://chat.example/***"', 'on-block = "***"'):
            self.assertIn(words, text)
        self.user.write_text("".join(line for line in self.user.read_text().splitlines(True) if not line.startswith("http-host")))
        self.assertNotIn("SECRET", self.config("check", code=1))
        names = [name for name, value in settings.items() if name not in ("user", "http-host") and not name.startswith("on-")]
        self.user.unlink()
        for name in names:
            value = settings[name] if isinstance(settings[name], str) else settings[name][0]
            self.assertNotIn("SECRET", self.config("show", f"--{name}", value))
            self.assertNotIn("SECRET", self.config("show", **{f"GPUMINER_{name.upper()}": value}))


if __name__ == "__main__":
    main()

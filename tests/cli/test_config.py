"""The configuration file under the command line."""

import itertools
import os
import pathlib
import re
import tempfile

from support import BLOCK, BLOCK_NONCE, EVERYTHING, FAULTY, Case, environment, main, run, tomllib


class Config(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "gpuminer.toml")

    def write(self, text):
        with open(self.path, "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def test_options_from_the_file(self):
        self.write(f"# near block 100000\nthreads = 2\nstart = {BLOCK_NONCE - 100}\nend = \"0x{BLOCK_NONCE + 100:x}\"\n"
                   "partition = 'static'\nquiet = true\n")
        for option in ("-c", "--config"):
            process = run("mine", BLOCK, option, self.path)
            self.assertEqual((process.returncode, process.stderr), (0, b""))
            self.assertIn(f"nonce {BLOCK_NONCE} ", process.stdout.decode())
            self.assertIn("#1", process.stdout.decode())

    def test_the_command_line_prevails(self):
        self.write(f"start = 5\nend = 6\ntarget = \"{'0' * 64}\"\n")
        self.assertEqual(run("mine", BLOCK, "-c", self.path).returncode, 2)
        self.assertEqual(run("mine", BLOCK, "-c", self.path, "--difficulty", "1e-9", "--end", "200").returncode, 0)
        self.assertEqual(run("mine", BLOCK, "-c", self.path, "--target", EVERYTHING, "--end", "5").returncode, 0)

    def test_lists_and_flags(self):
        self.write("devices = [0, 1]\nthreads = 2\nall = true\njson = false\nend = 3\n")
        process = run("mine", BLOCK, "-c", self.path, "--target", EVERYTHING)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("4 found", process.stdout.decode())

    def test_one_file_for_every_command(self):
        self.write("threads = 1\nstart = 5\n")
        for arguments in (["devices"], ["verify", BLOCK], ["explain", BLOCK]):
            self.assertEqual(run(*arguments, "-c", self.path).returncode, 0, arguments)

    def test_the_command_line_prevails_over_a_goal_of_the_file(self):
        self.write("all = true\nend = 9\n")
        process = run("mine", BLOCK, "-c", self.path, "--target", EVERYTHING, "--deterministic")
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn("found nonce 0 ", process.stdout.decode())
        self.assertEqual(run("grind", BLOCK, "-c", self.path, "--target", EVERYTHING).returncode, 0)
        self.write("deterministic = true\nend = 9\n")
        process = run("mine", BLOCK, "-c", self.path, "--target", EVERYTHING, "--all")
        self.assertIn("10 found", process.stdout.decode())

    def test_a_file_without_end(self):
        self.expect_error(1, "it has more than 65536 bytes", "mine", BLOCK, "-c", "/dev/zero")

    def test_bad_files(self):
        for text, words in (("frobnicate = 1\n", "frobnicate"), ("threads = [1, 2]\n", "-t: expected a number"),
                            ("threads = 0\n", "-t: expected a number"), ("[mine]\nthreads = 1\n", "sections"),
                            ("target = 'ff'\n", "--target"), ("nbits = '1d00ffff'\ndifficulty = 1\n", "exclude each other"),
                            ("json = perhaps\n", "--json: expected true or false (TOML)"), ("json = 1\n", "json: expected true or false"),
                            ("isa = { a = 1 }\n", "isa: expected one value, or a list of them"), ("isa = 'a\\u0000'\n", "got 'a\\u0000'"),
                            ("isa = \"a\\u0000\"\n", "isa: expected a text without \\u0000"), ("isa = \"\xe9\n", "--isa: expected one of its words in quotes (TOML), got "),
                            ("\0\1\2\3\n", "unknown option")):
            self.write(text)
            self.expect_error(1, words, "mine", BLOCK, "-c", self.path)
        self.expect_error(1, "cannot read", "mine", BLOCK, "-c", self.path + ".missing")
        self.expect_error(1, "cannot read", "mine", BLOCK, "-c", os.path.dirname(self.path))
        self.expect_error(1, "exactly one value", "mine", BLOCK, "-c")

    def test_what_only_the_command_line_may_say(self):
        for line in ("help = true", "version = true", "no-config = true", "config = 'another.toml'", "help = false"):
            self.write(f"threads = 1\n{line}\n")
            name = line.split()[0]
            for command in (["devices"], ["mine", BLOCK], ["verify", BLOCK]):
                self.expect_error(1, f"line 2: expected an option allowed in a file, got {name}\n", *command, "-c", self.path)

    def test_a_byte_order_mark_is_passed_over(self):
        for text in ("\ufeffthreads = 0\n", "\ufeff# a comment\r\nthreads = 0\r\n", "\ufeff\ufeffthreads = 0\n"):
            self.write(text)
            self.expect_error(1, "-t: expected a number from 1 to 4096, got '0'", "mine", BLOCK, "-c", self.path)

    def test_a_text_is_taken_whole(self):
        """As TOML 1.0 has it: by the name of a log file, which each of them is."""
        for text, name in (("'a.b#1'", "a.b#1"), ('"a #1" # a comment', "a #1"), (r'"a\"b"', 'a"b'), (r'"\u00e9\\x"', "é\\x"), (r"'a\\b'", r"a\\b"),
                           ("\'\'\'a\'b\'\'\'", "a'b"), ('"""a, "b\\\n   c"""', 'a, "bc'), ("1_0.50", "1_0.50"), ("['x']", "x")):
            with tempfile.TemporaryDirectory() as folder:
                self.write(f"log-file = {text}\n")
                process = run("mine", BLOCK, "--end", "0", "-c", self.path, cwd=folder)
                self.assertEqual((process.returncode, os.listdir(folder)), (2, [name]), process.stderr)

    def test_letters_and_signs_where_white_space_may_stand(self):
        """Which toml++ 3.3 declares to be unreachable (its issues 294 and 295)."""
        self.write("[%sec]\nthreads = 1\n")
        self.expect_error(1, "line 1: ", "mine", BLOCK, "-c", self.path)
        for letter in "\u02a5\xa7\u2c5f\u3001\ufc27\U00010010":
            texts = f"{letter}--", f"isa = 1{letter}", f"isa = [1, {letter}]", f"isa {letter}= 1", f'isa = """\\{letter}"""'
            for text in texts if letter == "\u02a5" else texts[len(letter.encode()) - 2:][:2]:  # each place, and two of each letter
                self.write(f"threads = 1\n{text}\n")
                self.expect_error(1, "line 2: ", "mine", BLOCK, "-c", self.path)
            self.write(f'isa = """\\\n  {letter}"""\n')
            self.expect_error(1, f"got '{repr(letter.encode())[2:-1]}'", "mine", BLOCK, "-c", self.path)

    def test_a_number_is_the_text_of_the_file(self):
        texts = ("0.10", "1e-9", "0x10", "1_000", "+0.1", "-0", "0o7", "1.50e308", "inf", "1979-05-27 07:32:00", "true")
        for text, before in zip(texts, itertools.cycle(("isa = ", "# é\nlog-time = true\n\"isa\" =\t"))):
            self.write(f"{before}{text} # é\n")
            self.expect_error(1, f"got '{text}'", "mine", BLOCK, "-c", self.path)
        for some in (texts[:3], texts[3:6], texts[6:9], texts[9:]):
            self.write(f"isa = [\n  'é', '\u2028', # é\n  {', '.join(some)}\n]")
            self.expect_error(1, f",{','.join(some)}'", "mine", BLOCK, "-c", self.path)

    def test_what_is_no_toml_is_shown_as_it_should_read(self):
        for text, line in (("user = bc1q.rig # mine", 'user = "bc1q.rig" # mine'), ("user = a.b#1", 'user = "a.b#1"'), ('user = "bc1q', 'user = "bc1q"'),
                           ("threads = 007", 'threads = "007"'), ("threads =", "threads = 1"), ("threads", "threads = 1"), ("time-limit = 5m", 'time-limit = "5m"'),
                           ("quiet = yes", "quiet = true"), ("quiet = Off", "quiet = false"), ("quiet", "quiet = true"), ('log-file = "C:\\x"', "log-file = 'C:\\x'"),
                           ("backend = cpu, opencl", 'backend = ["cpu", "opencl"]'), ('url = "a:1", "b:2"', 'url = ["a:1", "b:2"]'), ("url = [a:1,b:2]", 'url = ["a:1", "b:2"]'),
                           ("pass = SECRET", 'pass = "..."'), ("pass = #SECRET", 'pass = "..."'), ("user = a ; me@SECRET", 'user = "a"'), ("node = http://u:SECRET@h", 'node = "..."'), ("on-block = echo SECRET", 'on-block = "..."'),
                           ("url = a:1, tcp://u:SECRET@b", 'url = ["a:1", "..."]')):
            self.write(f"# a comment\n{text}\n")
            message = self.expect_error(1, f"line 2: expected `{line}` (TOML)", "mine", BLOCK, "-c", self.path)
            self.assertNotIn("SECRET", message)
        for text, words in (("url = 'a'\nurl = 'b'", 'line 2: expected one line with url, such as `url = ["...", "..."]`'), ("isa = 'a'\n\nisa = 'b'", "line 3: expected one line with isa"),
                            ("url = [\n'a',\nb\n]", "line 3: expected the rest of a list"), ("[mine\n", "no [sections]"), ("a.b = 1", "no [sections]")):
            self.write(text)
            self.expect_error(1, words, "mine", BLOCK, "-c", self.path)
        pathlib.Path(self.path).write_bytes(b"# caf\xe9\n")
        self.expect_error(1, "line 1: expected a file in UTF-8", "mine", BLOCK, "-c", self.path)

    def test_the_line_that_is_suggested_is_taken(self):
        """Or no line is, and the option says what it expects."""
        for text, line in (("threads = 1; c", "threads = 1 # c"), ("time-limit = 5m ; five", 'time-limit = "5m" # five'), ("quiet = no ; x", "quiet = false # x"),
                           ("threads == 1", "threads = 1"), ("threads = = 1 ;", "threads = 1"), ("devices = cpu opencl", 'devices = ["cpu", "opencl"]'),
                           ("url = [a:1 b:2]", 'url = ["a:1", "b:2"]'), ("cpu-affinity = 0 1", "cpu-affinity = [0, 1]"), ('label = "a" ; b', 'label = "a" # b'),
                           ('log-file = "C:\\" ; c', "log-file = 'C:\\' # c"), ("label = a;b", 'label = "a;b"'), ('label = "say \\"hi', 'label = \'say \\"hi\''),
                           ("user =", 'user = "NAME"'), ("isa = scalar", 'isa = "scalar"'), (f"label = {'x' * 300}", 'label = "..."'), ("chain = mainnet", 'chain = "mainnet"')):
            self.write(text)
            self.expect_error(1, f"line 1: expected `{line}` (TOML)\n", "mine", BLOCK, "-c", self.path)
            self.write(line)
            command = ("pool", "-u", "x", "--retries", "0") if "url" in line else ("devices",)
            process = run(*command, "-c", self.path, cwd=os.path.dirname(self.path))
            self.assertNotEqual(process.returncode, 1, process.stderr)
        for text, words in (("threads = one", "-t: expected a number from 1 to 4096, got 'one'"), ("threads = 1 2", "-t: expected a number"),
                            ("time-limit = soon ; five", "--time-limit: expected a duration such as 90, 250ms, 90s, 5m or 2h, got 'soon'"),
                            ("isa = fast", "--isa: expected one of its words in quotes (TOML), got 'fast'"), ("target =", "--target: expected a target of 64 hex digits"),
                            ("url = ftp://h:1", "-o: expected a URL with stratum+tcp://"), ("http = :80", "--http: expected PORT"), ("max-diff = many", "--max-diff: expected a positive number"),
                            ("chain = Signet", "--chain: expected one of main, "), ("coinbase-addr = x", "--coinbase-addr: 'x' is not a Bitcoin address"),
                            (f"coinbase-sig = {'x' * 76}", "--coinbase-sig: expected at most 75 bytes"), ("quiet = never", "--quiet: expected true or false (TOML)"),
                            ("max-temp = 80°C", "--max-temp: expected"), ("http-host = a/b", "--http-host: expected a name or an address"), ("help = yes", "expected an option allowed in a file")):
            self.write(text)
            self.assertNotIn("`", self.expect_error(1, "line 1: " + words, "mine", BLOCK, "-c", self.path))
        self.write("threads = 1\nurl = 'a'\nproxy = 'h'")
        self.expect_error(1, f"(configuration file '{self.path}', line 2)", "pool", "-u", "x", "-c", self.path)

    def test_messages_say_where(self):
        for text, words in (("# a comment\n\nthread = 1\n", "line 3: unknown option 'thread'; did you mean threads?"),
                            ("Threads = 1\n", "unknown option 'Threads'; did you mean threads?"),
                            ("threads 1\n", "line 1: unknown option on a line unlike `threads = 4`"),
                            ('{"threads": 1}\n', "line 1: unknown option"),
                            ("isa = 'scalar'\nthreads = 0\n", f"-t: expected a number from 1 to 4096, got '0' (configuration file '{self.path}', line 2)"),
                            ("time-limit = 'soon'\n", "got 'soon' (configuration file")):
            self.write(text)
            self.expect_error(1, words, "mine", BLOCK, "-c", self.path)
        self.expect_error(1, "missing': No such file or directory", "mine", BLOCK, "-c", self.path + ".missing")


class Places(Case):
    """Where options come from when the command line says nothing of them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "gpuminer").mkdir()
        self.user = self.folder / "gpuminer/config.toml"
        self.system = self.folder / "system.toml"

    def limits(self, *arguments, **variables):
        """The time limit that wins, by the message about one that is wrong."""
        env = environment(GPUMINER_NO_CONFIG="", XDG_CONFIG_HOME=str(self.folder), GPUMINER_FAULTY_CONFIG=str(self.system),
                          GPUMINER_FAULTY_DEVICES="good", **variables)
        process = run("mine", BLOCK, "--end", "5", *arguments, program=FAULTY, env=env)
        found = re.search(r"--time-limit: .*got '(\w+)'", process.stderr.decode())
        return found[1] if found else process.returncode

    def test_order(self):
        self.assertEqual(self.limits(), 2)
        self.system.write_text("time-limit = 'system'\n")
        self.assertEqual(self.limits(), "system")
        self.user.write_text("time-limit = 'user'\n")
        self.assertEqual(self.limits(), "user")
        self.assertEqual(self.limits(GPUMINER_TIME_LIMIT="environment"), "environment")
        self.assertEqual(self.limits("--time-limit", "command", GPUMINER_TIME_LIMIT="environment"), "command")
        other = self.folder / "other.toml"
        other.write_text("time-limit = 'other'\n")
        self.assertEqual(self.limits("-c", str(other)), "other")

    def test_none_is_read_when_asked(self):
        self.user.write_text("time-limit = 'user'\n")
        self.assertEqual(self.limits("--no-config"), 2)
        self.assertEqual(self.limits(), "user")
        env = environment(GPUMINER_NO_CONFIG="1", XDG_CONFIG_HOME=str(self.folder))
        self.assertEqual(run("mine", BLOCK, "--end", "5", env=env).returncode, 2)

    def test_grind_verify_and_explain_read_none(self):
        self.user.write_text("frobnicate = 1\n")
        env = environment(GPUMINER_NO_CONFIG="", XDG_CONFIG_HOME=str(self.folder), GPUMINER_TIME_LIMIT="x", GPUMINER_LOG_FILE="/")
        for command in ("grind", "verify", "explain"):
            self.assertEqual(run(command, BLOCK, *(["--nbits", "207fffff"] if command == "grind" else []), env=env).returncode, 0)
        self.assertEqual(run("config", "example", env=env).returncode, 0)
        self.expect_error(1, "line 1: unknown option 'frobnicate'", "mine", BLOCK, env=env)

    def test_the_environment_says_where_a_value_came_from(self):
        self.expect_error(1, "got 'x' (GPUMINER_TIME_LIMIT)", "mine", BLOCK, env=environment(GPUMINER_TIME_LIMIT="x"))

    def test_the_example_is_a_configuration(self):
        example = run("config", "example").stdout.decode()
        self.user.write_text(example)
        self.assertEqual(self.limits(), 2)  # all of it are comments
        for name in ("threads", "url", "time-limit", "max-temp", "log-file"):
            self.assertIn(f"#{name} = ", example)
        self.user.write_text(example.replace("#time-limit = ", "time-limit = 'now' # "))
        self.assertEqual(self.limits(), "now")
        with_values = re.sub(r"(?m)^#(?=[a-z-]+ = )", "", example)
        defaults = "".join(line for line in with_values.splitlines(True) if re.search(r"\(default \w+[);:]", line))
        self.assertGreater(defaults.count("\n"), 7)
        self.user.write_text(defaults)
        self.assertEqual(self.limits(), 2)
        if tomllib is not None:  # another reader
            self.assertEqual(tomllib.loads(example), {})
            self.assertEqual(len(tomllib.loads(with_values)), len(re.findall(r"(?m)^#[a-z-]+ = ", example)))
            self.assertEqual(tomllib.loads(defaults)["end"], 0xffffffff)
        self.expect_error(1, "expected check, show or example, got nothing", "config")
        self.expect_error(1, "got 'sample'", "config", "sample")
        self.user.write_text("frobnicate = 1\n")
        self.assertEqual(run("config", "example").stdout.decode(), example)


if __name__ == "__main__":
    main()

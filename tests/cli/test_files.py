"""Files that are not what their names promise: pipes, links, devices, folders, files of others, huge ones, a full disk."""

import concurrent.futures
import os
import pathlib
import re
import resource
import select
import signal
import subprocess
import tempfile
import typing

from support import BLOCK, GPUMINER, NOTHING, Case, environment, main, recorded_documents, run, wait_until_it_hears

QUICK_BENCH = ["bench", "kernel", "-t", "1", "--isa", "scalar", "--seconds", "1ms", "--rounds", "1", "-q"]
CPU = ["-t", "1", "--backend", "cpu", "--isa", "scalar"]
QUICK_SCAN = ["bench", "scan", *CPU, "--seconds", "1ms", "--rounds", "1", "-q"]


# Before a program: no file grows any more. (What it prints goes through pipes.)
FULL_DISK = ["sh", "-c", 'ulimit -S -f 0; exec "$@"', "sh"]


class Folder(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Results(Folder):
    def refused(self, words, *arguments, before=()):
        program, *rest = [*before, GPUMINER]
        process = run(*rest, *arguments, program=program)
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn(words, process.stderr.decode())

    def read_by(self, pipe, *arguments):
        """What a reader of the pipe gets until its writer leaves; then the reader leaves, too."""
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        process = subprocess.Popen([GPUMINER, *arguments, pipe], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        self.addCleanup(lambda: process.poll() is None and process.kill())
        events = select.poll()
        events.register(reader, select.POLLIN)
        text = b""
        while events.poll() and (piece := os.read(reader, 1 << 16)):
            text += piece
        os.close(reader)
        self.assertEqual(process.wait(timeout=60), 0)
        return text

    def test_a_pipe(self):
        pipe = str(self.folder / "pipe")
        os.mkfifo(pipe)
        for arguments in (["explain", BLOCK, "--html"], [*QUICK_BENCH, "--csv"]):
            self.refused(f"expected a file that can be written, got '{pipe}': nobody reads it", *arguments, pipe)
            self.assertGreater(len(self.read_by(pipe, *arguments)), 100)

    def test_a_full_disk_leaves_nothing_behind(self):
        link = self.folder / "link"
        link.symlink_to("nothing")
        for name, arguments in (("file", ["explain", BLOCK, "--html"]), ("link", ["explain", BLOCK, "--html"]), ("file", [*QUICK_BENCH, "--csv"])):
            self.refused(f"cannot write '{self.folder / name}': File too large", *arguments, str(self.folder / name), before=FULL_DISK)
            self.assertEqual(os.listdir(self.folder), ["link"])
            self.assertTrue(link.is_symlink())


class History(Case):
    def test_a_folder_in_its_place_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as state:
            folder = pathlib.Path(state) / "gpuminer"
            (folder / "mine-history.json").mkdir(parents=True)
            for limit in ("1.2", "5", "20"):  # there is something to keep once a second has been sampled
                process = run("mine", BLOCK, *NOTHING, *CPU, "--on-stall", "true", "--time-limit", limit,
                              env=environment(XDG_STATE_HOME=state))
                self.assertEqual(process.returncode, 3, process.stderr)
                if b"the history of --http is not kept for the next run: cannot write" in process.stderr:
                    break
            self.assertEqual(process.stderr.count(b"the history of --http is not kept"), 1, process.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["mine-history.json", "mine-history.json.lock"])


QUICK = [BLOCK, "--start", "0", "--end", "1", *CPU]
MINE = ["mine", *QUICK]  # exit code 2
POOL = ["pool", "-o", "127.0.0.1:1", "-u", "x", "--suggest-diff", "1", "-r", "0", *CPU]  # exit code 6, as nobody is there
SOLO = ["solo", "--coinbase-addr", "bcrt1qzyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3lgth6c", "--chain", "regtest", "-r", "0", *CPU]
RECORDED = min(recorded_documents().values(), key=len)
UNPACKED = tempfile.NamedTemporaryFile(mode="w", suffix=".json")
UNPACKED.write(RECORDED)
UNPACKED.flush()
DOCUMENT = UNPACKED.name
TOKEN = "correct-horse-battery-staple"
KINDS = ("pipe", "link", "device", "folder", "another user's", "huge", "full disk")
PATIENT = "waits"  # for its writer, until a signal comes (and, as test_hanging.py tests, until the limit)


class Use(typing.NamedTuple):
    """An option with a path, on a command line; "{}" is the path."""
    arguments: list
    codes: dict  # expected exit codes by kind, or PATIENT
    content: str = ""  # of the file that a link leads to, and of another user's


def codes(*row):
    return dict(zip(KINDS, row))


def reads(code, wrong=1, pipe=PATIENT):
    """What is read whole, of whatever user; `code`: where it makes sense."""
    return codes(pipe, code, wrong, wrong, code, wrong, wrong)  # on a full disk there is no file


def writes(code):
    """A result: a pipe needs a reader by now."""
    return codes(1, code, 1, 1, code, code, 1)


def streams(code):
    """Lines while it runs: what becomes of them is no reason to stop."""
    return codes(code, code, code, 1, code, code, code)


OWN = codes(1, 1, 1, 1, 1, 1, 1)  # of this user alone
JSON = "--json"  # a flag, and the name of a file after `bench`

# Every option whose value is a path, and the operands that are.
USES = {
    "HEADER": [Use(["mine", "@{}", *QUICK[1:]], reads(2), BLOCK), Use(["grind", "@{}", *QUICK[1:]], reads(2), BLOCK),
               Use(["verify", "@{}"], reads(0), BLOCK), Use(["explain", "@{}"], reads(0), BLOCK)],
    "FILE": [Use(["compare", "{}", DOCUMENT], reads(0), RECORDED),
             Use(["compare", DOCUMENT, "{}"], reads(0), RECORDED), Use(["journal", "{}"], reads(0, pipe=1), "{}\n")],
    "--checkpoint": [Use([*MINE, "--checkpoint", "{}"], OWN)],
    "--resume": [Use([*MINE, "--resume", "{}"], OWN)],
    "--pass-file": [Use([*POOL, "--pass-file", "{}"], {**reads(6), "huge": 6}, "secret\n")],
    "--cookie": [Use([*SOLO, "--node", "http://127.0.0.1:1", "--cookie", "{}"], reads(6, wrong=6, pipe=6), "user:password")],
    "--datadir": [Use([*SOLO, "--datadir", "{}"], {**reads(1, pipe=1), "folder": 6})],
    "--cert": [Use([*POOL[:1], "-o", "stratum+ssl://127.0.0.1:1", *POOL[3:], "--cert", "{}"], reads(1, pipe=1), "no certificate")],
    "--journal": [Use([*POOL, "--journal", "{}"], {**OWN, "huge": 6, "full disk": 6})],
    "--events": [Use([*POOL, "--events", "{}"], streams(6))],
    "--http": [Use([*MINE, "--http", "unix:{}"], {**OWN, "full disk": 2})],
    "--http-token-file": [Use([*MINE, "--http", "0", "--http-token-file", "{}"], {**OWN, "link": 2}, TOKEN)],
    "--header": [Use(["bench", "pseudo-miner", "--header", "@{}"], reads(1), "no header")],
    "--block": [Use(["bench", "block", "--block", "{}"], reads(1), "no block")],
    "--baseline": [Use([*QUICK_BENCH, "--baseline", "{}"], reads(0), RECORDED)],
    "--report": [Use(["compare", DOCUMENT, DOCUMENT, "--report", "{}"], writes(0))],
    "--csv": [Use(["compare", DOCUMENT, DOCUMENT, "--csv", "{}"], writes(0))],
    "--markdown": [Use(["compare", DOCUMENT, DOCUMENT, "--markdown", "{}"], writes(0))],
    JSON: [Use([*QUICK_BENCH, "--json", "{}"], writes(0))],
    "--submit": [Use([*QUICK_SCAN, "--submit", "{}"], writes(0))],
    "--html": [Use(["explain", BLOCK, "--html", "{}"], writes(0))],
    "--against": [Use(["bench", "pseudo-miner", "--against", "{}"], reads(1), "no report")],
    "--config": [Use([*MINE, "--config", "{}"], reads(2), "threads = 1\n")],
    "--log-file": [Use([*MINE, "--log-file", "{}"], streams(2))],
}
# What --help calls values that are no paths.
NO_PATHS = set("ADDR C COMMAND D HEX HEX64 HEX8 HOW KIND LIST MASK N NAME PCT RATE TEXT TIME U:P URL X".split())


class Openings(Folder):
    """Each of USES with each of KINDS: as expected or one sentence, nothing left behind, no hang, memory bounded."""

    def test_every_path_is_in_the_table(self):
        values = dict(re.findall(r"^  (?:-\w,)?(--[a-z-]+) (\S+)", run("--help").stdout.decode(), re.MULTILINE))
        paths = {option for option, value in values.items() if value not in NO_PATHS}
        self.assertEqual(paths, set(USES) - {"HEADER", "FILE", JSON})

    def put(self, kind, path, content):
        """What is at the path, as far as it is not there already (a device) or not yet (on a full disk)."""
        if kind == "pipe":
            os.mkfifo(path, 0o600)
        elif kind == "folder":
            path.mkdir()
        elif kind == "link":
            self.put("file", path.with_name("victim"), content)
            path.symlink_to("victim")
        elif kind in ("file", "huge", "another user's"):
            path.write_text(content)
            path.chmod(0o600)
        if kind == "huge":
            os.truncate(path, 1 << 40)
        elif kind == "another user's":
            if os.geteuid() != 0:
                self.skipTest("only root can give files to others")
            os.chown(path, 65534, 65534)

    def start(self, use, kind, path):
        if kind == "device":  # the one that does most harm: full to a writer, endless to a reader
            path = "/dev/full" if use.codes in (writes(0), streams(2), streams(6)) else "/dev/zero"
        state = self.folder / "state"
        program = [*(FULL_DISK if kind == "full disk" else []), GPUMINER]
        return subprocess.Popen([*program, *(part.replace("{}", str(path)) for part in use.arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=environment(XDG_STATE_HOME=str(state), HOME=str(state), GPUMINER_NO_CONFIG="1"))

    def check(self, use, kind, folder):
        path = folder / "path"
        self.put(kind, path, use.content)
        before = sorted(os.listdir(folder))
        expected = use.codes[kind]
        process = self.start(use, kind, path)
        if expected == PATIENT:
            wait_until_it_hears(process)
            process.send_signal(signal.SIGTERM)
            expected = 128 + signal.SIGTERM
        messages = process.communicate(timeout=120)[1].decode()
        self.assertEqual(process.returncode, expected, messages)
        if expected == 1:
            sentences = [line for line in messages.splitlines() if not line.startswith("gpuminer: warning: ")]
            self.assertEqual(len(sentences), 1, messages)
            self.assertRegex(sentences[0], "^gpuminer: .")
        if kind == "link":
            self.assertTrue(path.is_symlink())
            changes = use.codes in (writes(0), streams(2), streams(6))
            self.assertEqual(path.with_name("victim").read_text() == use.content, not changes)
        made = ["path"] if kind == "full disk" and expected != 1 and path.exists() else []
        self.assertEqual(sorted(os.listdir(folder)), [*before, *made])

    def check_in_a_folder(self, use, kind):
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.check(use, kind, pathlib.Path(folder))

    def test_each(self):
        with concurrent.futures.ThreadPoolExecutor(4) as executor:  # most wait
            cells = [(option, use, kind, executor.submit(self.check_in_a_folder, use, kind))
                     for option, uses in USES.items() for use in uses for kind in KINDS]
            for option, use, kind, cell in cells:
                with self.subTest(option=option, command=use.arguments[0], kind=kind):
                    cell.result()
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 1 << 20)  # KiB: of any of them


if __name__ == "__main__":
    main()

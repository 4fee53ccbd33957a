"""--checkpoint and --resume: searches killed at any moment, which resume without a gap and repeat nothing recorded."""

import hashlib
import json
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

from support import BLOCK, BLOCK_NONCE, DATA, EVERYTHING, FAULTY, GPUMINER, NOTHING, Case, faulty, hits_of, main, oracle, run

EASY = "0f" + "f" * 62  # one hash in sixteen
RARE = "000f" + "f" * 60  # one in 4096
KILLS = 30
OFTEN = {"GPUMINER_FAULTY_CHECKPOINTS": "0.01"}  # seconds between checkpoints
PATIENCE = 60  # seconds; far more than is needed, for slow builds on busy machines


def sealed(body):
    return f"{body}sha256 {hashlib.sha256(body.encode()).hexdigest()}\n"


class Checkpoints(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "search"

    def start(self, *arguments, devices="good"):
        """A `mine` whose devices hash by OpenSSL, and which often writes."""
        return subprocess.Popen([FAULTY, "mine", BLOCK, *arguments, "--json", "-q"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=faulty(devices, **OFTEN)["env"])

    def mine(self, *arguments, devices="good", code=0):
        process = self.start(*arguments, devices=devices)
        stdout, stderr = process.communicate(timeout=300)
        self.assertEqual(process.returncode, code, stderr.decode())
        if "--max-results" not in arguments:  # a cut list is said to be one
            self.assertEqual(stderr.decode(), "")
        return json.loads(stdout)

    def wait_for_work(self, record="done"):
        """Until the file says that something is done, or found."""
        limit = time.monotonic() + PATIENCE
        while f"\n{record} " not in (self.file.read_text() if self.file.exists() else ""):
            self.assertLess(time.monotonic(), limit, "nothing is recorded")
            time.sleep(0.005)

    def refuse(self, words, *arguments):
        return self.expect_error(1, words, *arguments, program=GPUMINER)

    def test_a_lowest_hit_that_may_not_be_it(self):
        """The block's own nonce begins the upper half of the range; the lower one is a device's that takes minutes for it."""
        half = 5_000_000
        way = ["--start", str(BLOCK_NONCE - half), "--end", str(BLOCK_NONCE + half - 1), "--deterministic", "--partition", "static"]
        process = self.start(*way, "--checkpoint", self.file, devices="slow,good")
        self.wait_for_work("hit")
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, stderr.decode())
        self.assertEqual(len(json.loads(stdout)["results"]), 1)
        self.assertIn("a lower one is possible", stderr.decode())

    def test_killed_at_random_moments(self):
        """And gone on with by other numbers of devices, goals and partitions."""
        search = ["--target", RARE, "--end", "59999", "--roll-versions", "0000e000"]
        wanted = oracle(BLOCK, RARE, 0, 59999, [1 | bits << 13 for bits in range(8)])
        chance = random.Random(19)
        kills = 0
        recorded = 0
        while kills < KILLS:
            way = chance.choice((["--deterministic"], ["--all"], ["--all", "--partition", "static"]))
            devices = ",".join(["good", "card"][:chance.randint(1, 2)] + ["good"] * chance.randint(0, 2))
            process = self.start(*search, *way, "--checkpoint", self.file, "--resume", self.file, devices=devices)
            if chance.random() < 0.7:
                self.wait_for_work()
            time.sleep(chance.random() * 0.1)
            process.send_signal(signal.SIGKILL)
            stdout, stderr = process.communicate()
            if process.returncode != -signal.SIGKILL:  # it was over
                self.assertEqual(process.returncode, 0, stderr.decode())
                document = json.loads(stdout)
                if "--all" in way:
                    self.assertEqual(hits_of(document), wanted)
                    self.file.unlink()
                    recorded = 0
                continue
            kills += 1
            if not self.file.exists():
                continue
            now = self.done()
            self.assertGreaterEqual(now, recorded, "what was recorded stays so")
            recorded = now
        document = self.mine(*search, "--all", "--checkpoint", self.file, "--resume", self.file, devices="good,good")
        self.assertEqual(hits_of(document), wanted)
        self.assertEqual(document["hashes"] + document["resumed_hashes"], 60000 * 8)
        print(f"{KILLS} kills; the last run did {document['hashes']} of {60000 * 8} hashes")

    def done(self):
        """Positions that the file has."""
        lines = [line.split() for line in self.file.read_text().splitlines() if line.startswith("done ")]
        return sum(int(last) - int(first) + 1 for _, first, last in lines)

    def test_gpuminer_itself(self):
        """With the pauses that users have: killed once, stopped once, and ended by a limit."""
        search = ["mine", BLOCK, *NOTHING, "--backend", "cpu", "--isa", "scalar", "--json", "-q"]
        process = subprocess.Popen([GPUMINER, *search, "-t", "1", "--checkpoint", self.file], stdout=subprocess.DEVNULL)
        self.wait_for_work()
        process.kill()
        process.wait()
        killed = self.done()
        process = subprocess.Popen([GPUMINER, *search[:-1], "-t", "2", "--resume", self.file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not process.stderr.readline().startswith(b"resumes from "):
            self.assertIsNone(process.poll())
        time.sleep(0.3)
        process.terminate()
        stopped = json.loads(process.communicate()[0])
        self.assertEqual((process.returncode, stopped["ending"], stopped["resumed_hashes"]), (143, "interrupted", killed))
        self.assertEqual(self.done(), killed + stopped["hashes"], "all that was done is recorded at the end")
        limited = json.loads(run(*search, "-t", "3", "--partition", "static", "--resume", self.file, "--time-limit", "0.3").stdout)
        self.assertEqual(limited["resumed_hashes"], killed + stopped["hashes"])
        self.assertEqual(self.done(), limited["resumed_hashes"] + limited["hashes"])

    def test_goals_may_differ(self):
        wanted = oracle(BLOCK, EASY, 0, 2000)
        search = ["--target", EASY, "--end", "2000"]
        first = self.mine(*search, "--checkpoint", self.file)
        for goal, hits in (([], hits_of(first)), (["--deterministic"], wanted[:1]), (["--all", "--max-results", "3"], wanted[:3]),
                           (["--all"], wanted), ([], hits_of(first)), (["--deterministic"], wanted[:1])):
            document = self.mine(*search, *goal, "--resume", self.file, devices="good,good")
            self.assertEqual(hits_of(document), hits, goal)
        self.assertEqual((document["hashes"], document["resumed_hashes"]), (0, 2001))

    def test_what_is_finished_needs_no_device(self):
        for name, arguments, code in (("found", ["--target", EASY], 0), ("nothing", NOTHING, 2)):
            file = self.folder / name
            before = self.mine(*arguments, "--end", "3000", "--checkpoint", file, code=code)
            after = self.mine(*arguments, "--end", "3000", "--resume", file, devices="absent", code=code)
            self.assertEqual((after["results"], after["ending"], after["devices"]), (before["results"], "finished", []))
            self.assertEqual(after["resumed_hashes"], before["hashes"])
        text = run("mine", BLOCK, "--target", EASY, "--end", "3000", "--resume", self.folder / "found").stdout.decode()
        self.assertIn("found nonce", text)
        self.assertIn("hashes done earlier", text)

    def test_grind_goes_on_too(self):
        solved = run("grind", BLOCK, "--target", EASY, "--deterministic", "--checkpoint", self.file)
        again = run("grind", BLOCK, "--target", EASY, "--deterministic", "--resume", self.file)
        self.assertEqual((again.returncode, again.stdout), (0, solved.stdout))
        self.assertEqual(again.stderr, b"")

    def test_messages(self):
        process = self.start(*NOTHING, "--checkpoint", self.file)
        self.wait_for_work()
        process.terminate()
        process.communicate()
        self.assertEqual(process.returncode, 143)
        process = run("mine", BLOCK, *NOTHING, "--time-limit", "0.2", "--resume", self.file, "-t", "1")
        self.assertRegex(process.stderr.decode(), rf"resumes from '{self.file}': \d+\.\d % of the range done, 0 hits found\n")
        self.assertRegex(process.stdout.decode(), r"resumed     [\d,]+ hashes done earlier\n")

    def test_a_file_of_commit_0bb928f(self):
        """Begun before BIP 323, with all bits of BIP 320, and stopped after half of it: nothing is lost, nothing done twice."""
        shutil.copy(DATA / "checkpoints" / "0bb928f", self.file)
        target = "0003ffff" + "0" * 56
        document = self.mine("--target", target, "--roll-versions", "1fffe000", "--start", "0", "--end", "7", "--all", "--resume", self.file)
        versions = [1 + (bits << 13) for bits in range(1 << 16)]
        self.assertEqual(hits_of(document), oracle(BLOCK, target, 0, 7, versions))
        self.assertEqual((document["resumed_hashes"], document["hashes"]), (34160 * 8, (8 << 16) - 34160 * 8))

    def test_another_search(self):
        self.mine(*NOTHING, "--start", "5", "--end", "9", "--checkpoint", self.file, code=2)
        again = ["mine", BLOCK, *NOTHING, "--start", "5", "--end", "9", "--resume", str(self.file)]
        self.assertEqual(run(*again).returncode, 2)
        for words, arguments in (("expected a checkpoint of header 0100", ["mine", "genesis", *again[2:]]),
                                 (f"target {EVERYTHING}, got one of 0000", [*again[:2], "--target", EVERYTHING, *again[4:]]),
                                 ("nonces 5 to 10, got one of 5 to 9", [*again, "--end", "10"][:6] + ["--end", "10", *again[8:]]),
                                 ("version bits 1fffe000, got one of 00000000", [*again, "--roll-versions", "1fffe000"])):
            message = self.refuse(words, *arguments)
            self.assertIn(f"--resume '{self.file}': ", message)

    def test_damaged_files(self):
        self.mine("--target", EASY, "--end", "9999", "--all", "--checkpoint", self.file)
        text = self.file.read_text()
        body = text[:text.rindex("sha256")]
        again = ["mine", BLOCK, "--target", EASY, "--end", "9999", "--all", "--resume", str(self.file)]
        nonce = next(nonce for nonce in range(10000) if f" {nonce}\n" not in text)
        for words, damaged in (("truncated", text[:500]), ("the file was changed", text.replace("done 0", "done 1")),
                               ("in line 1, got nothing", ""), ("in line 1, got '\\x00\\x00", "\0" * 100),
                               ("got 'gpuminer checkpoint 7'", sealed(body.replace("checkpoint 1", "checkpoint 7"))),
                               (f"expected hits of this search, got nonce {nonce}", sealed(f"{body}hit 00000001 {nonce}\n"))):
            self.file.write_text(damaged)
            self.refuse(words, *again)
            self.assertEqual(self.file.read_text(), damaged, "it is left as it was")

    def test_places(self):
        new = ["mine", BLOCK, *NOTHING, "--end", "99", "--checkpoint"]
        self.refuse("No such file or directory", *new, str(self.folder / "missing" / "search"))
        self.refuse("expected a new file for", *new, "/dev/null")
        self.refuse("expected a file name, got nothing", *new, "")
        self.refuse("expected a file name, got '-'", *new, "-")
        self.refuse("cannot open the checkpoint", "mine", BLOCK, "--resume", str(self.file))
        self.file.write_text("precious")
        self.refuse("--resume continues it", *new, str(self.file))
        self.assertEqual(self.file.read_text(), "precious")
        self.refuse("'gpuminer checkpoint 1' in line 1, got 'precious'", *new, str(self.file), "--resume", str(self.file))
        headers = self.folder / "headers"
        headers.write_text(f"{BLOCK}\n{BLOCK}\n")
        self.refuse("--checkpoint and --resume take one header, got 2", "mine", f"@{headers}", "--checkpoint", str(self.folder / "x"))
        self.refuse("--checkpoint", "verify", BLOCK, "--checkpoint", str(self.folder / "x"))

    def test_another_file_to_go_on_with(self):
        """--resume OLD --checkpoint NEW leaves the old one as it was."""
        search = ["--target", EASY, "--end", "2000"]
        self.mine(*search, "--checkpoint", self.file)
        old, new = self.file.read_text(), self.folder / "new"
        self.assertEqual(hits_of(self.mine(*search, "--all", "--resume", self.file, "--checkpoint", new)), oracle(BLOCK, EASY, 0, 2000))
        self.assertEqual(self.file.read_text(), old)
        self.assertEqual(self.mine(*search, "--all", "--resume", new)["hashes"], 0)
        # Also where there is nothing left to do.
        newer = self.folder / "newer"
        self.mine(*search, "--all", "--resume", new, "--checkpoint", newer)
        self.assertEqual(newer.read_text(), new.read_text())
        self.refuse("expected a new file for", "mine", BLOCK, *search, "--all", "--resume", str(new), "--checkpoint", str(newer))

    def test_one_file_by_two_names(self):
        search = ["--target", EASY, "--end", "2000", "--all", "--checkpoint", self.folder / "." / "search", "--resume", f"{self.folder}/./search"]
        self.assertEqual(self.mine(*search)["resumed_hashes"], 0)
        self.assertEqual(self.mine(*search)["resumed_hashes"], 2001)

    def test_two_at_once(self):
        search = [*NOTHING, "--checkpoint", self.file, "--resume", self.file]
        process = self.start(*search)
        try:
            self.wait_for_work()
            for _ in range(10):
                self.refuse("another process uses the checkpoint", "mine", BLOCK, *[str(word) for word in search])
                time.sleep(0.01)
        finally:
            process.terminate()
            process.communicate()
        self.assertEqual(process.returncode, 143)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["search"])

    def obstruct(self):
        """A folder where the next file is to be, as a full disk would be in its way."""
        while True:
            try:
                return (self.folder / "search.new").mkdir()
            except FileExistsError:  # it is just being written
                time.sleep(0.001)

    def test_a_disk_that_fails(self):
        """The search goes on, says so once, and in the end once more."""
        process = self.start(*NOTHING, "--checkpoint", self.file, "--time-limit", "600")
        self.wait_for_work()
        self.obstruct()
        time.sleep(0.3)
        process.terminate()
        _, stderr = process.communicate()
        self.assertEqual(process.returncode, 143)
        self.assertEqual(stderr.decode().count("is a folder; retrying\n"), 1, stderr.decode())
        self.assertEqual(len(stderr.decode().splitlines()), 2, stderr.decode())
        (self.folder / "search.new").rmdir()
        self.assertGreater(self.mine(*NOTHING, "--resume", self.file, "--time-limit", "0.1", code=3)["resumed_hashes"], 0)


if __name__ == "__main__":
    main()

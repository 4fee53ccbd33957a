"""The stream of events of a miner, and its messages where there is no terminal."""

import fcntl
import json
import os
import re
import subprocess

from pool_server import PoolServer
from support import CPU, GPUMINER, Case, document_of, main, patience, validate

F_SETPIPE_SZ = 1031  # Linux; a name in fcntl from Python 3.10 on
DIFFICULTY = 3e-6  # 13,000 hashes a share: little work even for a sanitized build on a busy machine
MINER = [*CPU, "--isa", "scalar", "--max-hashrate", "200k", "-u", "x"]


class Events(Case):
    def pool(self):
        pool = PoolServer(DIFFICULTY)
        self.addCleanup(pool.close)
        return pool

    def check(self, lines):
        events = [json.loads(line) for line in lines]
        for event in events:
            validate(event)
        kinds = [event["event"] for event in events]
        self.assertEqual((kinds[0], kinds[-1]), ("start", "end"))
        self.assertLessEqual({"start", "device", "job", "share", "rate", "notice", "end"}, set(kinds))
        shares = [event for event in events if event["event"] in ("share", "block") and event["verdict"] == "accepted"]
        document = events[-1]["document"]
        document_of(json.dumps(document))
        self.assertEqual(document["format"], "gpuminer pool")
        self.assertEqual(document["accepted"], len(shares))
        self.assertGreaterEqual(len(shares), 5)
        return events

    def test_on_standard_output(self):
        pool = self.pool()
        miner = self.start("pool", "-o", pool.url, *MINER, "--shares", 5, "--events", "-", "--status-interval", "100ms")
        self.assertEqual(miner.wait(), 0, miner.messages[-2000:])
        self.check(miner.stdout.read_text().splitlines())

    def test_in_a_file_beside_the_document(self):
        pool = self.pool()
        file = self.folder / "events"
        document, _ = self.run_miner("pool", "-o", pool.url, *MINER, "--shares", 5, "--events", file)
        events = self.check(file.read_text().splitlines())
        self.assertEqual({**events[-1]["document"], "time": ""}, {**document, "time": ""})

    def test_a_reader_that_leaves_does_not_stop_mining(self):
        pool = self.pool()
        process = subprocess.Popen([GPUMINER, "pool", "-o", pool.url, *MINER, "--shares", "5", "--events", "-"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": str(self.folder)})
        self.assertIn(b'"event":"start"', process.stdout.readline())
        process.stdout.close()
        messages = process.stderr.read().decode()
        self.assertEqual(process.wait(patience()), 0, messages)
        self.assertIn("events end here, mining continues: cannot write standard output: Broken pipe", messages)

    def test_a_reader_that_hangs_is_not_waited_for(self):
        pool = self.pool()
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)  # full after some fifteen events
        miner = subprocess.Popen([GPUMINER, "pool", "-o", pool.url, *MINER, "--shares", "40", "--events", "-"],
                                 stdout=writer, stderr=subprocess.DEVNULL, env={**os.environ, "XDG_STATE_HOME": str(self.folder)})
        os.close(writer)
        self.assertEqual(miner.wait(patience()), 0)

    def test_a_pool_that_cannot_be_reached_ends_it_with_the_error(self):
        miner = self.start("pool", "-o", "127.0.0.1:1", *MINER, "-r", 0, "--events", "-")
        self.assertEqual(miner.wait(), 6, miner.messages[-2000:])
        document = json.loads(miner.stdout.read_text().splitlines()[-1])["document"]
        self.assertEqual((document["format"], document["exit_code"]), ("gpuminer error", 6))

    def test_what_cannot_be_written(self):
        pool = self.pool()
        for arguments, words in ((["--events", "/nonexistent/x"], "--events: cannot write the file '/nonexistent/x': No such file"),
                                 (["--events", ""], "--events: expected a file name or -"),
                                 (["--events", "-", "--json"], "--json and --events - exclude each other")):
            miner = self.start("pool", "-o", pool.url, *MINER, *arguments)
            self.assertEqual(miner.wait(), 1)
            self.assertIn(words, miner.messages)


class Messages(Case):
    TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d "

    def messages(self, *arguments, journal_stream=None):
        pool = PoolServer(DIFFICULTY)
        self.addCleanup(pool.close)
        if journal_stream:
            os.environ["JOURNAL_STREAM"] = journal_stream
            self.addCleanup(os.environ.pop, "JOURNAL_STREAM")
        miner = self.start("pool", "-o", pool.url, *MINER, "--shares", 3, *arguments)
        self.assertEqual(miner.wait(), 0, miner.messages[-2000:])
        return miner.messages.splitlines()

    def test_time_and_no_shares(self):
        lines = self.messages()
        self.assertTrue(lines and all(re.match(self.TIME, line) for line in lines), lines)
        self.assertFalse([line for line in lines if "accepted (" in line], lines)

    def test_rates_as_scripts_of_other_miners_read_them(self):
        pool = PoolServer(DIFFICULTY)
        self.addCleanup(pool.close)
        miner = self.start("pool", "-o", pool.url, *MINER, "--status-interval", "100ms")
        self.wait_until(lambda: re.search(r"speed 10s/60s/15m (n/a|[\d.]+) (n/a|[\d.]+) (n/a|[\d.]+) .?H/s", miner.messages),
                        "the line of rates", miner)
        self.assertEqual(miner.interrupt(), 130, miner.messages[-2000:])

    def test_shares_where_asked_for(self):
        self.assertTrue([line for line in self.messages("--log-shares") if re.search(r"accepted \(1/0\) diff \S+ of 3e-06 \(\d+ ms\)", line)])

    def test_the_journal_has_a_time_of_its_own(self):
        self.assertFalse([line for line in self.messages(journal_stream="8:1") if re.match(self.TIME, line)])


if __name__ == "__main__":
    main()

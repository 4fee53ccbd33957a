"""INT, TERM, USR1, USR2, HUP and PIPE."""

import contextlib
import ctypes
import fcntl
import json
import os
import pathlib
import platform
import re
import resource
import signal
import struct
import subprocess
import tempfile
import termios
import time

from support import BLOCK, EVERYTHING, GPUMINER, NOTHING, Case, main, not_emulated, run, wait_until_it_hears

PATIENCE = 60  # seconds; far more than is needed, for slow builds on busy machines


class Running:
    """A gpuminer at work, past its start-up line."""

    def __init__(self, *arguments, command="mine", stdout=subprocess.PIPE):
        self.process = subprocess.Popen([GPUMINER, command, BLOCK, "-t", "1", *arguments], stdin=subprocess.DEVNULL, stdout=stdout,
                                        stderr=subprocess.PIPE)
        wait_until_it_hears(self.process)
        os.set_blocking(self.process.stderr.fileno(), False)
        self.messages = ""

    def read(self):
        self.messages += (self.process.stderr.read() or b"").decode()
        return self.messages

    def wait_for(self, pattern, asking=lambda: None):
        limit = time.monotonic() + PATIENCE
        next_question = 0
        while time.monotonic() < limit:
            if time.monotonic() >= next_question:
                asking()
                next_question = time.monotonic() + 1
            found = re.search(pattern, self.read())
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"no {pattern!r} in {self.messages!r}")

    def statistics(self):
        """Hashes done, as SIGUSR1 makes it say. (One that comes before the search has begun says nothing.)"""
        self.messages = ""
        answer = self.wait_for(r"([\d,]+) hashes in", lambda: self.process.send_signal(signal.SIGUSR1))
        return int(answer.group(1).replace(",", ""))

    def wait_for_progress(self, hashes):
        """Until it has done more than that many. Its low priority makes it wait long on a busy machine."""
        limit = time.monotonic() + PATIENCE
        while self.statistics() <= hashes:
            if time.monotonic() > limit:
                raise AssertionError(f"still at {hashes} hashes after {PATIENCE} s")
            time.sleep(0.1)

    def wait_for_standstill(self):
        """Hashes done, once that number stays the same for a while."""
        limit = time.monotonic() + PATIENCE
        before = -1
        while (now := self.statistics()) != before:
            if time.monotonic() > limit:
                raise AssertionError(f"still at work after {PATIENCE} s")
            before = now
            time.sleep(0.7)
        return now

    def wait_for_output(self):
        """Until the pipe that nobody reads is well filled."""
        limit = time.monotonic() + PATIENCE
        unread = bytearray(4)
        while int.from_bytes(unread, "little") < fcntl.fcntl(self.process.stdout, fcntl.F_GETPIPE_SZ) // 4:
            if time.monotonic() > limit:
                raise AssertionError(f"only {int.from_bytes(unread, 'little')} bytes written after {PATIENCE} s")
            time.sleep(0.02)
            fcntl.ioctl(self.process.stdout, termios.FIONREAD, unread)

    def stop(self, number):
        began = time.monotonic()
        self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=PATIENCE)
        print(f"{signal.Signals(number).name}: ended after {time.monotonic() - began:.3f} s")
        return output.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()
        if self.process.stdout:
            self.process.stdout.close()


def refuse_system_call(number):
    """By seccomp (seccomp(2)), for this process and what it executes: EPERM."""
    instructions = ((0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(instructions), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


class Signals(Case):
    def test_no_room_for_pending_signals(self):
        """Real-time signals are refused then, standard ones never are."""
        process = run("mine", BLOCK, *NOTHING, "--end", "99", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_SIGPENDING, (0, 0)))
        self.assertEqual(process.returncode, 2, process.stderr.decode())

    @not_emulated("seccomp is not there")
    def test_tgkill_is_refused(self):
        number = {"x86_64": 234, "aarch64": 131}[platform.machine()]
        process = run("mine", BLOCK, *NOTHING, "--end", "99", preexec_fn=lambda: refuse_system_call(number))
        self.assertEqual(process.returncode, 2, process.stderr.decode())

    def test_int_and_term_stop_after_the_summary(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with Running(*NOTHING) as miner:
                miner.wait_for("gpuminer .*\n")
                time.sleep(0.3)
                output = miner.stop(number)
                self.assertEqual(miner.process.returncode, code)
                self.assertIn("interrupted", output)
                self.assertIn("total time", output)

    def test_json_after_a_signal(self):
        with Running(*NOTHING, "--json") as miner:
            miner.wait_for("gpuminer .*\n")
            document = json.loads(miner.stop(signal.SIGTERM))
            self.assertEqual(miner.process.returncode, 143)
            self.assertEqual(document["ending"], "interrupted")
            self.assertFalse(document["found"])

    def test_grind_interrupted(self):
        with Running(*NOTHING, "-D", command="grind") as miner:
            miner.wait_for("gpuminer .*\n")
            self.assertEqual(miner.stop(signal.SIGINT), "")
            self.assertEqual(miner.process.returncode, 130)

    def test_second_int_leaves_at_once(self):
        # Nobody reads the pipe, so the summary cannot be finished.
        with Running("--target", EVERYTHING, "--all", "--end", "20000") as miner:
            miner.wait_for_output()
            miner.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            self.assertIsNone(miner.process.poll())
            miner.process.send_signal(signal.SIGINT)
            self.assertEqual(miner.process.wait(timeout=PATIENCE), 130)

    def test_int_while_the_header_is_awaited(self):
        with subprocess.Popen([GPUMINER, "mine", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            wait_until_it_hears(process)
            for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
                process.send_signal(number)
            time.sleep(0.1)
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=PATIENCE), 130)

    def test_statistics_even_when_quiet(self):
        for arguments in ([], ["-q"]):
            with Running(*NOTHING, *arguments) as miner:
                miner.wait_for_progress(miner.statistics())
                self.assertIsNone(miner.process.poll())

    def test_pause_and_resume(self):
        with Running(*NOTHING) as miner:
            miner.wait_for("gpuminer .*\n")
            miner.process.send_signal(signal.SIGUSR2)
            miner.wait_for("paused")
            paused = miner.wait_for_standstill()  # after the batch in hand
            time.sleep(0.7)
            self.assertEqual(miner.statistics(), paused)
            miner.process.send_signal(signal.SIGUSR2)
            miner.wait_for("resumed")
            miner.wait_for_progress(paused)

    def test_int_while_paused(self):
        with Running(*NOTHING) as miner:
            miner.wait_for("gpuminer .*\n")
            miner.process.send_signal(signal.SIGUSR2)
            miner.wait_for("paused")
            miner.stop(signal.SIGINT)
            self.assertEqual(miner.process.returncode, 130)

    def test_hup_reopens_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            log, moved = os.path.join(folder, "log"), os.path.join(folder, "log.1")
            with Running(*NOTHING, "-D", "--log-file", log) as miner:
                miner.wait_for("gpuminer .*\n")
                os.rename(log, moved)
                miner.process.send_signal(signal.SIGHUP)
                miner.wait_for("the log file was reopened")
                miner.statistics()
                miner.stop(signal.SIGINT)
            with open(log) as new, open(moved) as old:
                self.assertIn("hashes in ", new.read())
                text = old.read()
            self.assertIn("gpuminer", text)
            self.assertNotIn("hashes in ", text)

    def test_standard_error_that_nobody_reads(self):
        """A full pipe: limits and signals take effect, and the summary is printed."""
        for arguments, signals, code in ((["--time-limit", "1"], [], 3), ([], [signal.SIGUSR1, signal.SIGTERM], 143)):
            reader, writer = os.pipe()
            os.set_blocking(writer, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(writer, b"x" * 4096)
            os.set_blocking(writer, True)
            with tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / "log"
                process = subprocess.Popen([GPUMINER, "mine", BLOCK, *NOTHING, "--backend", "cpu", "--log-file", log, *arguments],
                                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer)
                os.close(writer)
                while process.poll() is None and not (log.exists() and b"gpuminer" in log.read_bytes()):
                    time.sleep(0.01)
                for each in signals:
                    process.send_signal(each)
                output = process.communicate(timeout=60)[0]
                os.close(reader)
            self.assertEqual(process.returncode, code)
            self.assertIn(b"nothing found", output)

    def test_closed_pipe(self):
        reader, writer = os.pipe()
        with Running("--end", "5", "-q", stdout=writer) as miner:
            os.close(reader)
            os.close(writer)
            self.assertEqual(miner.process.wait(timeout=PATIENCE), 141)
            self.assertEqual(miner.read(), "")


if __name__ == "__main__":
    main()

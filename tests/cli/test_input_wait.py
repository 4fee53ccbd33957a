"""A header that arrives late on standard input: a message about the wait, which the measured time leaves out."""

import array
import fcntl
import json
import subprocess
import termios
import time

from support import BLOCK, BLOCK_NONCE, GPUMINER, NEAR_BLOCK, Case, environment, main, mine, run

WAIT = 1.0  # seconds


def wait_until_read(process):
    """Until nothing that was written to its standard input is left."""
    left = array.array("i", [1])
    while left[0] and process.poll() is None:
        time.sleep(0.01)
        fcntl.ioctl(process.stdin, termios.FIONREAD, left)


def run_with_late_input(*arguments):
    """Its standard output, when the header's end comes WAIT seconds after it read the beginning, and the time that it ran."""
    start = time.monotonic()
    process = subprocess.Popen([GPUMINER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=environment())
    process.stdin.write(BLOCK[:10].encode())
    process.stdin.flush()
    wait_until_read(process)
    time.sleep(WAIT)
    output, _ = process.communicate(BLOCK[10:].encode() + b"\n", timeout=60)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}")
    return output.decode(), time.monotonic() - start


class InputWait(Case):
    def test_json(self):
        text, elapsed = run_with_late_input("mine", "-", *NEAR_BLOCK, "--backend", "cpu", "--json")
        document = json.loads(text)
        self.assertEqual(document["results"][0]["nonce"], BLOCK_NONCE)
        self.assertGreater(document["input_wait_seconds"], WAIT * 0.99)
        self.assertLess(document["seconds"] + document["input_wait_seconds"], elapsed)  # the time does not contain the wait

    def test_text(self):
        text, _ = run_with_late_input("mine", "-", *NEAR_BLOCK, "--backend", "cpu", "-q")
        self.assertRegex(text, r"\ninput       waited \d+\.\d{3} s for standard input \(not counted\)\n")
        self.assertIn("\nclock       covers self-tests and the search, not input and opening devices\n", text)

    def test_no_wait_worth_a_line(self):
        text = run("mine", "100000", *NEAR_BLOCK, "--backend", "cpu").stdout.decode()
        self.assertIn("\ntotal time  ", text)
        self.assertNotIn("waited", text)

    def test_not_from_standard_input(self):
        self.assertIsNone(mine(BLOCK, *NEAR_BLOCK, "--backend", "cpu")["input_wait_seconds"])


if __name__ == "__main__":
    main()

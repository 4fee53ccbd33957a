"""A header that standard input brings late: the wait is told, and it is no part of the time."""

import json
import subprocess
import time

from support import BLOCK, BLOCK_NONCE, GPUMINER, NEAR_BLOCK, Case, environment, main, mine, run, wait_until_it_hears

WAIT = 2.0  # seconds; far more than the start of the program and the search of a thousand nonces take


def run_with_late_input(*arguments):
    """Its standard output, when the header comes WAIT seconds after its start, and the time that it ran."""
    start = time.monotonic()
    process = subprocess.Popen([GPUMINER, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               env=environment())
    wait_until_it_hears(process)
    time.sleep(WAIT)
    output, _ = process.communicate(BLOCK.encode() + b"\n", timeout=60)
    if process.returncode != 0:
        raise AssertionError(f"exit code {process.returncode}")
    return output.decode(), time.monotonic() - start


class InputWait(Case):
    def test_json(self):
        text, elapsed = run_with_late_input("mine", "-", *NEAR_BLOCK, "--backend", "cpu", "--json")
        document = json.loads(text)
        self.assertEqual(document["results"][0]["nonce"], BLOCK_NONCE)
        self.assertGreater(document["input_wait_seconds"], WAIT / 2)
        self.assertLess(document["seconds"] + document["input_wait_seconds"], elapsed)  # the time does not contain the wait

    def test_text(self):
        text, _ = run_with_late_input("mine", "-", *NEAR_BLOCK, "--backend", "cpu", "-q")
        self.assertRegex(text, r"\ninput       waited \d+\.\d{3} s for standard input \(not counted\)\n")
        self.assertIn("\nclock       covers self-tests and the search, not reading input and opening devices\n", text)

    def test_no_wait_worth_a_line(self):
        text = run("mine", "100000", *NEAR_BLOCK, "--backend", "cpu").stdout.decode()
        self.assertIn("\ntotal time  ", text)
        self.assertNotIn("waited", text)

    def test_not_from_standard_input(self):
        self.assertIsNone(mine(BLOCK, *NEAR_BLOCK, "--backend", "cpu")["input_wait_seconds"])


if __name__ == "__main__":
    main()

"""Streams: the output on each, and its failures."""

import subprocess
import time

from support import BLOCK, GPUMINER, NEAR_BLOCK, Case, environment, main, run, run_on_terminal


class Streams(Case):
    def write_to(self, stdout, *arguments):
        return subprocess.run([GPUMINER, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, timeout=300)

    def test_full_disk(self):
        for arguments in (["mine", BLOCK, *NEAR_BLOCK], ["mine", BLOCK, *NEAR_BLOCK, "--json"], ["grind", BLOCK, *NEAR_BLOCK],
                          ["verify", BLOCK], ["explain", BLOCK], ["devices"], ["--help"], ["-V"]):
            with open("/dev/full", "wb") as full:
                process = self.write_to(full, *arguments)
            self.assertEqual(process.returncode, 1, arguments)
            self.assertIn("cannot write to standard output", process.stderr.decode())

    def test_closed(self):
        for arguments in (f"mine {BLOCK} {' '.join(NEAR_BLOCK)}", "devices", f"grind {BLOCK} {' '.join(NEAR_BLOCK)} --log-file /dev/null"):
            process = subprocess.run(f"'{GPUMINER}' {arguments} >&-", shell=True, stderr=subprocess.PIPE, timeout=300)
            self.assertEqual(process.returncode, 1, arguments)
        process = subprocess.run(f"'{GPUMINER}' grind {BLOCK} {' '.join(NEAR_BLOCK)} <&- 2>&-", shell=True, stdout=subprocess.PIPE, timeout=300)
        self.assertEqual(process.stdout.decode().strip(), BLOCK)

    def test_quiet(self):
        self.assertEqual(run("mine", BLOCK, *NEAR_BLOCK, "-q").stderr, b"")
        self.assertRegex(run("mine", BLOCK, *NEAR_BLOCK).stderr.decode(), r"^gpuminer \d.*: \d+ × cpu:")
        self.assertIn("target", run("mine", BLOCK, *NEAR_BLOCK, "-D").stderr.decode())

    def test_colours(self):
        self.assertIn("\033[", run_on_terminal("mine", "nonsense"))
        self.assertNotIn("\033[", run_on_terminal("mine", "nonsense", env=environment(NO_COLOR="1")))
        self.assertNotIn("\033[", run_on_terminal("mine", BLOCK, "--no-color", "--log-file", "/"))
        self.assertNotIn(b"\033[", run("mine", "nonsense").stderr)

    def test_log_file(self):
        self.expect_error(1, "cannot write the log file", "mine", BLOCK, "--log-file", "/nowhere/at/all")
        self.expect_error(1, "cannot write the log file", "mine", BLOCK, "--log-file", "/")
        self.expect_error(1, "--log-file: expected", "mine", BLOCK, "--log-file", "")

    def test_it_ends_soon_after_an_easy_job(self):
        began = time.monotonic()
        for _ in range(10):
            run("mine", BLOCK, *NEAR_BLOCK, "-q")
        print(f"mine with 1,001 nonces: {(time.monotonic() - began) * 100:.1f} ms from start to end")


if __name__ == "__main__":
    main()

"""The configuration file under the command line."""

import os
import tempfile

from support import BLOCK, BLOCK_NONCE, EVERYTHING, Case, main, run


class Config(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "gpuminer.toml")

    def write(self, text):
        with open(self.path, "w") as file:
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
        self.expect_error(1, "at most 65536 bytes", "mine", BLOCK, "-c", "/dev/zero")

    def test_bad_files(self):
        for text, words in (("frobnicate = 1\n", "frobnicate"), ("threads = [1, 2]\n", "-t: expected a number"),
                            ("threads = 0\n", "-t: expected a number"), ("[mine]\nthreads = 1\n", "sections"),
                            ("target = 'ff'\n", "--target"), ("nbits = '1d00ffff'\ndifficulty = 1\n", "got both"),
                            ("json = perhaps\n", "json"), ("\0\1\2\3\n", "unknown option")):
            self.write(text)
            self.expect_error(1, words, "mine", BLOCK, "-c", self.path)
        self.expect_error(1, "cannot read", "mine", BLOCK, "-c", self.path + ".missing")
        self.expect_error(1, "cannot read", "mine", BLOCK, "-c", os.path.dirname(self.path))
        self.expect_error(1, "exactly one value", "mine", BLOCK, "-c")


if __name__ == "__main__":
    main()

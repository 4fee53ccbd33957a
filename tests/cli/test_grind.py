"""grind as Bitcoin Core's contrib/signet/miner calls it: --grind-cmd='gpuminer grind'."""

import os
import subprocess
import time

from support import BLOCK, GPUMINER, NEAR_BLOCK, NOTHING, Case, block_hash, faulty, main, run, target_of_nbits


def grind_as_signet_miner_does(grind_cmd, headhex):
    """finish_block() of contrib/signet/miner: the command, one argument, its standard output stripped."""
    command = grind_cmd.split(" ") + [headhex]
    return subprocess.run(command, stdout=subprocess.PIPE, input=b"", check=True).stdout.strip()


def template(nbits, number):
    """A header to grind, 80 bytes, with nonce 0."""
    return ((0x20000000).to_bytes(4, "little") + bytes([number]) * 32 + bytes([255 - number]) * 32 +
            (1700000000).to_bytes(4, "little") + nbits.to_bytes(4, "little") + bytes(4))


class Grind(Case):
    def test_as_the_signet_miner_calls_it(self):
        for number, nbits in enumerate((0x207FFFFF, 0x1F00FFFF, 0x1E0FFFFF, 0x1E0377AE)):  # the last is the default signet's first
            header = template(nbits, number)
            solved = bytes.fromhex(grind_as_signet_miner_does(GPUMINER + " grind", header.hex()).decode("utf8"))
            self.assertEqual(solved[:76], header[:76])
            self.assertLessEqual(block_hash(solved)[0], target_of_nbits(nbits))

    def test_every_hardware_thread_is_used(self):  # as bitcoin-util does; mine leaves one to the system
        threads = len(os.sched_getaffinity(0))
        for command, count in (("grind", threads), ("mine", max(1, threads - 1))):
            messages = run(command, BLOCK, *NEAR_BLOCK, "-D", "--backend", "cpu").stderr.decode()
            self.assertRegex(messages, rf"gpuminer \S+: {count} × cpu:")

    def test_output_is_the_header_alone(self):
        process = run("grind", BLOCK[:152], *NEAR_BLOCK)
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, BLOCK.encode() + b"\n", b""))

    def test_nothing_found(self):
        self.expect_error(2, "no nonce of the range meets the target", "grind", BLOCK, "--end", "1000")
        self.expect_error(3, "limit", "grind", BLOCK, *NOTHING, "--time-limit", "0.2")

    def test_deterministic_is_the_same_everywhere(self):
        header = template(0x1F00FFFF, 9)
        solved = {run("grind", header.hex(), "--deterministic", "-t", threads, "--partition", partition).stdout
                  for threads in "123" for partition in ("static", "dynamic")}
        self.assertEqual(len(solved), 1)
        nonce = int.from_bytes(bytes.fromhex(solved.pop().decode())[76:], "little")
        for lower in range(nonce):
            self.assertGreater(block_hash(header[:76] + lower.to_bytes(4, "little"))[0], target_of_nbits(0x1F00FFFF))

    def test_it_does_not_wait_for_the_cycle_counter(self):
        # Measuring its frequency takes 10 ms, for a figure that only a report shows.
        arguments = ["genesis", "--end", "9999", "--target", "0" + "f" * 63]
        self.assertEqual(run("grind", *arguments, **faulty("good", counter="unused")).returncode, 0)
        self.assertIn("the counter was measured", run("mine", *arguments, **faulty("good", counter="unused")).stderr.decode())

    def test_start_up_time(self):
        began = time.monotonic()
        for number in range(10):
            run("grind", template(0x207FFFFF, number).hex())
        print(f"grind of an easy header: {(time.monotonic() - began) * 100:.1f} ms from start to end")


if __name__ == "__main__":
    main()

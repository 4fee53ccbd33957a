"""Files that are not what their names promise: pipes, links, devices, folders, files of others, huge ones, a full disk."""

import os
import pathlib
import resource
import select
import subprocess
import tempfile

from support import BLOCK, GPUMINER, NOTHING, Case, environment, main, run

QUICK_BENCH = ["bench", "kernel", "-t", "1", "--isa", "scalar", "--seconds", "1ms", "--rounds", "1", "-q"]
CPU = ["-t", "1", "--backend", "cpu", "--isa", "scalar"]


def full_disk():
    """In the child: no file grows any more. (What it prints goes through pipes.)"""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


class Folder(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Results(Folder):
    def refused(self, words, *arguments, **kwargs):
        process = run(*arguments, **kwargs)
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
            self.refused(f"cannot write '{self.folder / name}': File too large", *arguments, str(self.folder / name), preexec_fn=full_disk)
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


if __name__ == "__main__":
    main()

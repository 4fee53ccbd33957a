"""Files that are not what their names promise: pipes, links, devices, folders, files of others, huge ones, a full disk."""

import os
import pathlib
import tempfile

from support import BLOCK, NOTHING, Case, environment, main, run

CPU = ["-t", "1", "--backend", "cpu", "--isa", "scalar"]


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

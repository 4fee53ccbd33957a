"""The command journal: tables of 80 columns, documents, and files that are no journal."""

import json
import pathlib
import tempfile

from support import Case, document_of, environment, main, run

HASH = "00000000839a8e6886ab5951d76f411475428afc90947ee320161bbf18eb6048"
NOON = 1763899200  # 2025-11-23
ENTRIES = [
    {"event": "journal", "program": "gpuminer", "shares": 1200, "accepted": 1100, "accepted_difficulty": 55, "best_difficulty": 123456},
    *({"event": "share", "id": f"{i}", "time": NOON + 86400 * i, "pool": "stratum+tcp://a.pool.with.a.very.long.name:3333", "block": i == 2,
       "hash": HASH} for i in range(3)),
    {"event": "reply", "share": "0", "accepted": True, "difficulty": 0.5, "reason": ""},
    {"event": "reply", "share": "1", "accepted": False, "difficulty": 0.5, "reason": "Above \x1b[31mtarget‮ " + "x" * 90},
    {"event": "block", "chain": "signet", "hash": "ab" * 32, "height": 123456, "time": NOON},
    {"event": "submitted", "hash": "ab" * 32, "node": "n", "accepted": True},
]


class Journal(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, path, entries):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries) + '{"event":"sha')  # cut off by a crash
        return path

    def test_text(self):
        process = run("journal", str(self.write(self.folder / "x.jsonl", ENTRIES)))
        self.assertEqual((process.returncode, process.stderr), (0, b""))
        text = process.stdout.decode()
        self.assertLessEqual(max(map(len, text.splitlines())), 80, text)
        self.assertNotRegex(text, "[\x1b‮]")
        for row in (r"^earlier +1,200 +1,100 +0 +0 +123,456$", r"^2025-11-23  a\.pool\S+… +1 +1 +0 +0 +\d", r"^2025-11-24 .* 1 +0 +1 +0 ",
                    r"^ +1 Above ", r"^2025-11-25 .* 1 +0 +0 +1 ", r"^1,203 shares, 1,101 accepted;", r"^2025-11-23T12:00:00Z  signet 123456: accepted$",
                    r"^2025-11-25T12:00:00Z  a\.pool\S+: no reply yet$"):
            self.assertRegex(text, f"(?m){row}")

    def test_document(self):
        document = document_of(run("journal", "--json", str(self.write(self.folder / "x.jsonl", ENTRIES))).stdout)
        self.assertEqual(document["files"], [str(self.folder / "x.jsonl")])
        self.assertEqual([day["day"] for day in document["days"]], ["2025-11-23", "2025-11-24", "2025-11-25"])
        self.assertEqual(document["total"]["best_difficulty"], 123456)
        self.assertEqual([block["result"] for block in document["blocks"]], [None, "accepted"])

    def test_two_algorithms(self):
        """Their difficulties are not added, in what files that are gone had either; without a name the algorithm is SHA-256d."""
        def entries(algorithm, difficulty):
            own = {"algorithm": algorithm} if algorithm else {}
            return [{"event": "share", "id": f"{algorithm} {difficulty}", "time": NOON, "pool": "p", "hash": HASH, **own},
                    {"event": "reply", "share": f"{algorithm} {difficulty}", "accepted": True, "difficulty": difficulty, "reason": ""},
                    {"event": "shares", "time": NOON, "pool": "p", "shares": 2, "accepted": 2, "accepted_difficulty": 2 * difficulty, **own}]
        first = {"event": "journal", "program": "gpuminer", "shares": 5, "accepted": 5, "accepted_difficulty": 10,
                 "verushash": {"shares": 7, "accepted": 7, "accepted_difficulty": 0.5}}
        path = str(self.write(self.folder / "x.jsonl", [first, *entries("", 1), *entries("verushash", 1e-3), *entries("sha256d", 2)]))
        document = document_of(run("journal", "--json", path).stdout)
        sums = {each["algorithm"]: each["total"] for each in document["algorithms"]}
        self.assertEqual({name: (total["shares"], total["accepted"]) for name, total in sums.items()}, {"sha256d": (11, 11), "verushash": (10, 10)})
        self.assertAlmostEqual(sums["sha256d"]["accepted_difficulty"], 19)
        self.assertAlmostEqual(sums["verushash"]["accepted_difficulty"], 0.503)
        self.assertEqual((document["total"]["shares"], document["total"]["accepted_difficulty"]), (21, None))
        self.assertEqual([day["algorithm"] for day in document["days"]], ["sha256d", "verushash"])
        for algorithm, total in sums.items():
            alone = document_of(run("journal", "--json", "-a", algorithm, path).stdout)
            self.assertEqual((alone["total"], [each["algorithm"] for each in alone["algorithms"]]), (total, [algorithm]))
        text = run("journal", path).stdout.decode()
        self.assertRegex(text, "(?s)^sha256d\n.*11 shares, 11 accepted; the sum of their difficulties is 19\n.*\nverushash\n.*10 shares, 10 accepted")
        self.assertNotIn("sha256d", run("journal", "-a", "verushash", path).stdout.decode())

    def test_default_files(self):
        own = {"env": environment(XDG_STATE_HOME=str(self.folder))}
        self.assertEqual(run("journal", **own).stdout, b"no shares and no blocks yet\n")
        for name in ("pool.jsonl.1", "pool.jsonl", "pool-2.jsonl", "solo.jsonl"):
            self.write(self.folder / "gpuminer" / name, [{"event": "share", "id": name, "time": NOON, "pool": "p"}])
        document = document_of(run("journal", "--json", **own).stdout)
        self.assertEqual([pathlib.Path(file).name for file in document["files"]], ["pool.jsonl.1", "pool.jsonl", "pool-2.jsonl", "solo.jsonl"])
        self.assertEqual((document["total"]["shares"], document["total"]["open"]), (4, 4))

    def test_errors(self):
        self.expect_error(1, "the journal '/nowhere' does not exist", "journal", "/nowhere")
        self.expect_error(1, "it is no regular file", "journal", "/dev/null")
        self.expect_error(1, "--threads does not apply to journal", "journal", "-t", "1")


if __name__ == "__main__":
    main()

"""The documents recorded in bench/history: each is readable and verified, and names its machine and commit."""

import json
import re
import tempfile

from support import Case, main, recorded_documents, run

FEWEST_ROUNDS = 4  # with fewer there is no confidence interval


class History(Case):
    @classmethod
    def setUpClass(cls):
        cls.texts = recorded_documents()
        cls.documents = {file: json.loads(text) for file, text in cls.texts.items()}

    def test_is_a_verified_run(self):
        for file, document in self.documents.items():
            with self.subTest(file.name):
                self.assertEqual(document["format"], "gpuminer bench")
                self.assertEqual((document["ending"], document["verified"], document["failures"]), ("finished", True, []))
                self.assertTrue(document["measurements"])

    def test_the_name_is_machine_date_and_commit(self):
        for file, document in self.documents.items():
            with self.subTest(file.name):
                match = re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*-(\d{4}-\d\d-\d\d)-([0-9a-f]{12})\.json\.gz", file.name)
                self.assertTrue(match, "expected MACHINE-DATE-COMMIT.json.gz")
                self.assertEqual(match[1], document["time"][:10])
                self.assertEqual(match[2], document["program"]["commit"], "the commit of a clean checkout")
                self.assertTrue(document["machine"]["cpu"])
                self.assertTrue(document["program"]["compiler"])

    def test_equals_itself(self):
        for file, document in self.documents.items():
            with self.subTest(file.name):
                with tempfile.NamedTemporaryFile(suffix=".json") as unpacked:
                    unpacked.write(self.texts[file].encode())
                    unpacked.flush()
                    self.compare_with_itself(unpacked.name, document)

    def compare_with_itself(self, file, document):
        process = run("compare", file, file, "--json", "--fail-below", "100")
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        comparison = json.loads(process.stdout)
        self.assertEqual((comparison["alarms"], comparison["differences"]), ([], []))
        rounds = {(row["workload"], row["name"]): len(row["rounds"]) for row in document["measurements"]}
        self.assertEqual(len(comparison["measurements"]), len(rounds))
        for row in comparison["measurements"]:
            enough = rounds[row["workload"], row["name"]] >= FEWEST_ROUNDS
            self.assertEqual(row["verdict"], "noise" if enough else "cannot tell", row["name"])
            self.assertAlmostEqual(row["ratio"]["estimate"], 1)


if __name__ == "__main__":
    main()

"""The benchmark and the configuration of gpuminer.exe under Wine: documents that `compare` sets beside Linux'."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from documents import document_of  # noqa: E402
from support import ProgramTest  # noqa: E402
from unittest_main import main  # noqa: E402

SHORT = ["--rounds", "3", "--seconds", "0.03"]
OS_ROWS = ["create thread", "create process", "launch program", "create file", "allocate memory"]


def rows_of(document, workload):
    return [row["name"] for row in document["measurements"] if row["workload"] == workload]


class Bench(ProgramTest):
    def bench(self, *arguments):
        """The document, written to a file and to standard output."""
        document = document_of(self.run_exe("bench", *arguments, "--json")[0])
        self.assertTrue(document["verified"], document["failures"])
        self.assertEqual(document["ending"], "finished")
        for row in document["measurements"]:
            self.assertEqual(row["count"], len(row["rounds"]))
            if row["workload"] != "scheduler":  # the CPU time of a process is known in steps of 10 ms
                self.assertGreater(row["median"], 0, row["name"])
        return document

    def test_the_system_has_its_figures(self):
        document = self.bench("os", "--rounds", "1")
        self.assertEqual(rows_of(document, "os"), OS_ROWS, document["notes"])
        details = {row["name"]: row["details"] for row in document["measurements"]}
        self.assertEqual(details["create process"]["per_round"], 100)
        self.assertGreater(details["create file"]["per_round"], 0)
        self.assertRegex(document["machine"]["system"], r"^Windows [0-9]+\.[0-9]+\.[0-9]+, by Wine [0-9]")
        self.assertGreaterEqual(document["machine"]["hardware_threads"], document["machine"]["cores"])
        self.assertNotIn(str(self.folder), json.dumps(document))

    def test_every_workload_is_measured(self):
        names = ["scan", "kernel", "ladder", "sha256d64", "block", "input", "latency", "scheduler"]
        document = self.bench(*names, "-t", "1", "--rounds", "1", "--seconds", "0.01")
        for name in names:
            self.assertTrue(rows_of(document, name), name)
        self.assertIn("naive", rows_of(document, "ladder"))
        self.assertIn("OpenSSL (beside)", rows_of(document, "ladder"))
        self.assertEqual(len(rows_of(document, "input")), 9)

    def test_documents_of_both_systems_stand_beside_each_other(self):
        arguments = ["bench", "kernel", "--isa", "scalar", *SHORT]
        (self.folder / "linux.json").write_text(self.run_native(*arguments, "--json"))
        self.run_exe(*arguments, "--json", "windows.json")
        systems = [json.loads((self.folder / f"{name}.json").read_text())["machine"]["system"] for name in ("linux", "windows")]
        self.assertTrue(systems[0].startswith("Linux ") and systems[1].startswith("Windows "), systems)
        compare = ["compare", "linux.json", "windows.json", "--report", "page.html"]
        for run in (self.run_native, lambda *words: self.run_exe(*words)[0]):
            text = run(*compare)
            self.assertRegex(text, rf"(?m)^A is linux.json: gpuminer .*, {systems[0]}, ")
            self.assertRegex(text, rf"(?m)^B is windows.json: gpuminer .*, {systems[1]}, ")
            self.assertIn(f"machine, system: '{systems[0]}' in A, '{systems[1]}' in B", text)
            self.assertIn("scalar", text)
            page = (self.folder / "page.html").read_text()
            for system in systems:
                self.assertIn(system, page)
        text = self.run_exe("compare", "linux.json", "windows.json", "linux.json")[0]
        self.assertIn("kernel, medians side by side", text)
        for number, system in enumerate([*systems, systems[0]], 1):
            self.assertRegex(text, rf"(?m)^{number}: [a-z]+.json, gpuminer .*, {system}, ")
        here, there = (json.loads(run(*compare[:3], "--json"))["measurements"]
                       for run in (lambda *words: self.run_exe(*words)[0], self.run_native))
        self.assertEqual(here, there)

    def test_configuration(self):
        """%APPDATA% is a folder of Wine's own, so a file is named; where the default one would be is said."""
        where = self.run_exe("config", "check")[0]
        self.assertRegex(where, r"^there is no configuration file: '[A-Z]:.*AppData.*gpuminer.*config.toml'\n$")
        name = "einstellungen ü.toml"
        (self.folder / name).write_text("threads = 1\r\nisa = 'scalar'\r\n", newline="")
        self.assertIn("no complaints", self.run_exe("config", "check", "-c", name)[0])
        shown = self.run_exe("config", "show", "-c", name, GPUMINER_CPU_PRIORITY="2")[0]
        self.assertRegex(shown, r'(?m)^threads = 1 .*einstellungen .*, line 1$')
        self.assertRegex(shown, r'(?m)^isa = "scalar" ')
        self.assertRegex(shown, r"(?m)^cpu-priority = 2 .*GPUMINER_CPU_PRIORITY$")
        text = self.run_exe("mine", "genesis", "--start", "2083236890", "--end", "2083236899", "-c", name, "-D")[1]
        self.assertIn("cpu:scalar", text)
        self.assertIn('log-file = "ü 😀"', self.run_exe("config", "show", GPUMINER_LOG_FILE="ü 😀")[0])
        (self.folder / name).write_text("thread = 1\n")
        self.assertIn("did you mean threads?", self.run_exe("config", "check", "-c", name, code=1)[0])
        example = self.run_exe("config", "example")[0]
        self.assertIn(r"%APPDATA%\gpuminer\config.toml", example)
        self.assertNotIn("on-block", example)
        (self.folder / name).write_text(example)
        self.assertIn("no complaints", self.run_exe("config", "check", "-c", name)[0])


if __name__ == "__main__":
    main()

"""Text of others (files, drivers) on terminals and in files: no control sequences, no invisible characters."""

import json
import pathlib
import re
import tempfile
import unicodedata

import report_sample
from support import BLOCK, NEAR_BLOCK, Case, faulty, main, run, run_on_terminal

# Control characters, formatting (bidirectional controls, zero-width characters, tags), line and paragraph separators.
UNSEEN = "".join(c for c in map(chr, range(1, 0x110000)) if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))
HOSTILE = f"a{UNSEEN}z\x1b[2J\u202egnp.exe\u2066\u200bcafé\u2069"


class ForeignText(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, text, lines="\n"):
        """`text`: UTF-8, in which nobody finds such a character; "café" has stayed."""
        found = {hex(ord(c)) for c in text.decode() if c in UNSEEN and c not in lines}
        self.assertEqual(found, set())
        self.assertIn("café".encode(), text)

    def document(self, name, factor=1):
        whole = report_sample.document(notes=[HOSTILE], command=HOSTILE)
        whole["machine"]["cpu"] = HOSTILE + name
        whole["measurements"] = [report_sample.measurement(HOSTILE, HOSTILE, "hashes/s", 1e6 * factor, {"remark": HOSTILE})]
        path = self.folder / name
        path.write_text(json.dumps(whole))
        return path

    def test_documents(self):
        files = self.document("a.json"), self.document("b.json", 0.5)
        log = self.folder / "log"
        process = run("compare", *files, "--fail-below", "90", "--log-file", log)
        self.assertEqual(process.returncode, 2)
        self.check(process.stdout)
        self.check(process.stderr)
        self.check(log.read_bytes())

    def test_json_keeps_every_character(self):
        process = run("compare", self.document("a.json"), self.document("b.json", 0.5), "--json")
        self.check(process.stdout)
        self.assertEqual(json.loads(process.stdout)["measurements"][0]["name"], HOSTILE)

    def test_names_of_devices(self):
        setting = faulty("good,card", GPUMINER_FAULTY_MODEL=HOSTILE)
        self.check(run("devices", **setting).stdout)
        process = run("devices", "--json", **setting)
        self.check(process.stdout)
        self.assertEqual(json.loads(process.stdout)["devices"][0]["model"], HOSTILE)
        setting = faulty("good,sleepy", GPUMINER_FAULTY_MODEL=HOSTILE)  # it joins late, and is named then
        shown = run_on_terminal("mine", BLOCK, *NEAR_BLOCK, "-d", "cuda:sleepy#0", "-D", "--no-color", **setting)
        self.check(re.sub(r"\033\[\d*[AJK]", "", shown).encode(), "\r\n")  # of the live lines


if __name__ == "__main__":
    main()

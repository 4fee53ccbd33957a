"""The pages that gpuminer writes, of `bench --report` and `explain --html`: contents, and rendering by a real browser."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import report_sample
from html_elements import Elements
from support import Case, main, recorded_documents, run

LARGEST = 450_000  # bytes of a page
RESULTS = pathlib.Path(__file__).parents[2] / "docs/results"
REPORT_OF = os.environ.get("REPORT_OF", "report_of")
BROWSER = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
SECTIONS = ["comparison", *(f"workload-{name}" for name in (
    "scan", "kernel", "ladder", "sha256d64", "latency", "scheduler", "os", "input", "pseudo-miner")), "context"]
# The test's own, at the end of the page: how wide it is shown, how wide it would have to be, its colour, what it has
# loaded, and in a frame, with all that is folded opened, what is cut or overlaps.
PROBE = """<script>{
    const cut = () => {
        const found = [], width = document.documentElement.clientWidth, about = (node) => `${node.tagName} ${node.textContent.slice(0, 60)}`;
        for (const node of document.body.querySelectorAll("*")) {
            const box = node.getBoundingClientRect();
            if (node.closest("svg") || node.closest("thead")?.offsetWidth <= 1 || box.width === 0) continue;
            const scrolls = node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline";
            if (scrolls || box.left < -0.5 || box.right > width + 0.5) found.push(about(node));
        }
        for (const svg of document.querySelectorAll("svg")) {
            const frame = svg.getBoundingClientRect(), places = (selector) => [...svg.querySelectorAll(selector)].map((node) => [node, node.getBoundingClientRect()]);
            for (const [node, box] of places("text")) if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(about(node));
            places(".axis text").forEach(([node, box], i, all) => {
                for (const [, other] of all.slice(0, i)) {
                    if (box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top) found.push(`over another: ${about(node)}`);
                }
            });
        }
        return found;
    };
    const tell = () => {
        const root = document.documentElement, colour = getComputedStyle(document.body).backgroundColor;
        const loaded = performance.getEntriesByType("resource").map(({name}) => name).join(" ");
        const seen = {shown: root.clientWidth, needed: root.scrollWidth, colour, loaded};
        Object.assign(root.dataset, seen);
        if (parent !== window) parent.postMessage({...seen, cut: cut()}, "*");
    };
    addEventListener("load", () => {
        if (parent !== window) document.querySelectorAll("details").forEach((node) => node.open = true);
        setTimeout(tell, 500);
    });
}</script>"""
# The page in frames of these widths, because a browser's own window has a least width.
WIDTHS = (360, 390, 961, 1280)  # two telephones, the narrowest screen that has tables, a desk
FRAMES = "<!doctype html><title>frames</title>" + "".join(
    f'<iframe src="report.html" style="width: {width}px; height: 120000px; border: 0"></iframe>' for width in WIDTHS) + """
<script>addEventListener("message", ({data}) => document.documentElement.dataset[`at${data.shown}`] = JSON.stringify(data));</script>"""


class ReportCase(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, document, baseline=None, *others):
        """The page of these documents."""
        files = []
        for content in filter(None, (document, baseline, *others)):
            files.append(self.folder / f"{len(files)}.json")
            files[-1].write_text(json.dumps(content))
        return run(*files, program=REPORT_OF).stdout.decode()

    def need_plots(self, page):
        if Elements(page).scripts["library"].strip() == "":
            self.skipTest("gpuminer was built without D3")


def without_library(page):
    """The page that a build without D3 makes."""
    return re.sub(r'(<script[^>]* id="(?:library|licences)">).*?(</script>)', r"\1\n\2", page, flags=re.DOTALL)


def rounds_of(measurement):
    """Its rounds as (at, value), from the page's short form: [ms since the round before, 1e-5 of the median, …]."""
    at, rounds, short = 0, [], measurement["rounds"]
    for step, distance in zip(short[::2], short[1::2]):
        at += step
        rounds.append((at / 1e3, measurement["median"] * (1 + distance / 1e5)))
    return rounds


class Page(ReportCase):
    """Without a browser."""

    def test_nothing_is_loaded(self):
        page = self.report(report_sample.document())
        self.assertIn("default-src 'none'", page)
        for tag, attributes in Elements(page).elements:
            self.assertNotIn("src", attributes, tag)
            self.assertRegex(attributes.get("href") or "data:,", "^data:", tag)
        self.assertNotRegex(page, r"@import|url\(|sourceMappingURL|\bfetch\(|XMLHttpRequest|WebSocket")

    def test_document_is_in_it(self):
        document = report_sample.document()
        data = json.loads(Elements(self.report(document)).scripts["data"])
        self.assertEqual(data["document"]["machine"], document["machine"])
        for made, original in zip(data["document"]["measurements"], document["measurements"], strict=True):
            self.assertEqual((made["name"], made["details"]), (original["name"], original["details"]))
            for (at, value), exact in zip(rounds_of(made), original["rounds"], strict=True):
                self.assertAlmostEqual(at, exact["at"], delta=0.00051)
                self.assertAlmostEqual(value, exact["value"], delta=0.000006 * made["median"])
        self.assertIsNone(data["baseline"])
        self.assertIsNone(data["comparison"])

    def test_size(self):
        document = report_sample.document()
        self.assertLess(len(self.report(document, report_sample.earlier(document)).encode()), LARGEST)
        for file, text in recorded_documents().items():  # everything that there is to measure, on real machines
            self.assertLess(len(self.report(json.loads(text)).encode()), LARGEST, file.name)

    def test_figures_of_others(self):
        """They are what docs/results says."""
        references = json.loads(Elements(self.report(report_sample.document())).scripts["references"])
        self.assertGreater(len(references), 4)
        for reference in references:
            text = (RESULTS / reference["file"]).read_text()
            for figure in (reference["fixed"], reference["rolled"], reference["date"]):
                self.assertRegex(text, rf"(?<![\d.,]){re.escape(figure)}(?![\d.,]*\d)", reference)

    def test_nobody_is_identified(self):
        uuid, host, user = "1a2b3c4d-0011-2233-4455-66778899aabb", "planted-host", "planted-user"
        document = report_sample.document(
            command=f"/home/{user}/gpuminer bench --report=/srv/{user}/a.html", label="my machine",
            notes=[f"cannot open '/home/{user} name/x': denied", f"cuda: nvidia-smi -i 0000:1b:00.0 and GPU-{uuid} or {uuid.replace('-', '')}"],
            warnings=[f"(~/{user}/file)"], ending="failed")
        document["devices"][1] |= {"driver": f"in /opt/{user}", "uuid": uuid}
        document["measurements"][0]["details"]["host"] = host
        page = self.report(document, document)
        for identity in (uuid, uuid.replace("-", ""), "1b:00.0", host, user, str(self.folder)):
            self.assertNotIn(identity, page)
        for words in ("[path] bench --report=[path]", "nvidia-smi -i [PCI address] and GPU-[UUID] or [UUID]", "my machine", '"host 1"'):
            self.assertIn(words, page)

    def test_licence(self):
        page = self.report(report_sample.document())
        self.need_plots(page)
        scripts = Elements(page).scripts
        self.assertIn("Mike Bostock", scripts["licences"])
        self.assertIn("Redistribution and use in source and binary forms", scripts["licences"])
        for part in re.findall(r"https://d3js.org/(d3-[a-z-]+)/", scripts["library"]):
            self.assertIn(f"==== {part} ====", scripts["licences"])

    def test_names_cannot_become_markup(self):
        name = "</script><img src=x><!-- <script> ]]> &lt; \u2028 \\"
        document = report_sample.document(devices=[{"name": name}])
        plain, evil = Elements(self.report(report_sample.document())), Elements(self.report(document))
        self.assertEqual([tag for tag, _ in evil.elements], [tag for tag, _ in plain.elements])
        self.assertEqual(json.loads(evil.scripts["data"])["document"]["devices"], [{"name": name.replace("\u2028", "\ufffd")}])


@unittest.skipUnless(BROWSER, "no Chromium is installed")
class Browser(ReportCase):
    def open(self, page, *, dark=False):
        """The document's elements as the browser has them after scripts ran, and as text; no message on its console."""
        file = self.folder / "report.html"
        file.write_text(page.replace("</body>", PROBE + "</body>"))
        for attempt in range(6):  # a busy machine draws no frame within the time
            text = self.dump(file, dark, 3000 << attempt)
            elements = Elements(text)
            if "data-needed" in text and (elements.charts() or not elements.count("div", "chart")):
                return elements, text
        self.fail(f"not drawn: {text[-2000:]}")

    def check_that_all_fits(self, page):
        """At each width, with everything opened: nothing scrolls sideways, is cut or overlaps."""
        (self.folder / "report.html").write_text(page.replace("</body>", PROBE + "</body>"))
        frames = self.folder / "frames.html"
        frames.write_text(FRAMES)
        for attempt in range(6):
            root = self.root(Elements(self.dump(frames, False, 3000 << attempt)))
            seen = {width: json.loads(root.get(f"data-at{width}", "null")) for width in WIDTHS}
            if all(seen.values()):
                break
        for width, found in seen.items():
            self.assertIsNotNone(found, width)
            self.assertEqual((found["needed"], found["cut"]), (width, []))

    def dump(self, file, dark, milliseconds):
        """The page after so much of the browser's virtual time."""
        process = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--enable-logging=stderr", "--v=0", f"--user-data-dir={self.folder}/profile", "--window-size=1000,900",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--virtual-time-budget={milliseconds}", "--dump-dom",
             file.as_uri()], capture_output=True, timeout=120)
        messages = [line for line in process.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
        self.assertEqual(messages, [])
        self.assertEqual(process.returncode, 0)
        return process.stdout.decode()

    def root(self, elements):
        return next(attributes for tag, attributes in elements.elements if tag == "html")

    def test_everything_is_shown(self):
        document = report_sample.document()
        page = self.report(document, report_sample.earlier(document))
        self.need_plots(page)
        elements, text = self.open(page)
        self.assertEqual(elements.ids("section"), SECTIONS)
        self.assertGreaterEqual(elements.count("svg", "bar-plot"), 8)
        self.assertGreaterEqual(elements.count("svg", "dot-plot") + elements.count("svg", "point-plot"), 13)
        self.assertEqual(self.root(elements)["data-loaded"], "")
        headings = [tag for tag, _ in elements.elements if tag in ("h1", "h2", "h3")]
        self.assertEqual(headings, ["h1"] + ["h2"] * len(SECTIONS))
        for tag, attributes in elements.elements:
            if tag == "svg":
                self.assertEqual(attributes.get("role"), "img")
                title, description = attributes["aria-labelledby"].split()
                self.assertRegex(elements.texts[title], r"\w")
                self.assertRegex(elements.texts[description], r"\w")
        self.assertNotRegex(text, r"<(line|rect|circle|polyline|g)\b[^>]*(NaN|undefined|Infinity)")
        for made in document["measurements"]:
            self.assertIn(made["name"], text)
            if made["workload"] == "scan":
                scale, unit = (1e9, "GH/s") if made["median"] > 1e9 else (1e6, "MH/s")
                digits = 3 - len(str(int(made["median"] / scale))) + 1
                self.assertIn(f"{made['median'] / scale:.{digits}f} {unit}", text)
        for figure in ["✓ Verified", "AMD EPYC 9B14 96-Core Processor<span>2 cores · 16 GB · NVIDIA H100 80GB HBM3</span></h1>", "2026-11-21 20:39 UTC", "95.1 %", "880 J/GH",
                       "× 1.72", "AAAAAAAA – FFFFFFFE", "2,678 (261 s)", "fedcba987654", "slower", "faster", "noise",
                       "8.772 GH/s</td>", "10.075 GH/s</td>", "emulated in software"]:
            self.assertIn(figure, text)
        self.assertEqual(text.count('class="row own"'), 1)  # among those of other machines
        self.assertNotRegex(text, r">[^<]*\b(NaN|undefined|Infinity|null)\b[^<]*</(td|th|text|p|span)>")

    def test_ticks_of_a_timer(self):
        document = report_sample.document()
        document["machine"] |= {"cycle_unit": "timer ticks", "tsc_hz": 54e6}
        del document["machine"]["cores"]
        document["measurements"].append(report_sample.measurement("scan", "disturbed", "hashes/s", 1e6, {}, drift=20))
        text = re.sub("<script.*?</script>", "", self.open(self.report(document))[1], flags=re.DOTALL)
        for words in ["<span>4 hardware threads · 16 GB ·", "ticks per hash</th>", "ticks per hash of each thread (timer ticks, by cntvct_el0)", "total ticks", "261 s", '<p class="much">too noisy</p>']:
            self.assertIn(words, text)
        self.assertNotRegex(text, r"(?i)cycles|2,678")  # published ones: not for comparison

    def test_without_the_library(self):
        document = report_sample.document()
        whole = self.report(document, report_sample.earlier(document))
        elements, text = self.open(without_library(whole))
        self.assertEqual(elements.ids("section"), SECTIONS)
        self.assertEqual(elements.count("svg") + elements.count("figure") + elements.count("div", "chart"), 0)
        self.assertIn("This page has no plots", re.sub("<script.*?</script>", "", text, flags=re.DOTALL))
        self.assertGreater(elements.count("table"), 10)
        for figure in ["✓ Verified", "95.1 %", "× 1.72", "slower"]:
            self.assertIn(figure, text)

    def test_any_width(self):
        document = report_sample.document()
        document["devices"][1]["name"] = "opencl:" + "extraordinarily-long-name-of-a-device" * 4
        document["measurements"][2]["name"] = "a name of a device that is much longer than a telephone is wide " * 3
        self.check_that_all_fits(self.report(document, report_sample.earlier(document)))

    def test_runs_side_by_side(self):
        first, own = report_sample.document(label="one"), "a measurement that the others lack"
        third = report_sample.document(label="a <b>third</b>", verified=False, failures=["wrong"], measurements=[
            report_sample.measurement("scan", "cpu:avx512#0 fixed", "hashes/s", 2e8),
            report_sample.measurement("os", own, "ns", 42)])
        page = self.report(first, report_sample.earlier(first), third)
        self.need_plots(page)
        self.assertNotIn('"rounds":[', page)
        elements, text = self.open(page)
        self.assertEqual(elements.ids("section"), ["runs", *SECTIONS[1:]])
        self.assertGreaterEqual(elements.count("svg", "bar-plot") + elements.count("svg", "dot-plot"), 1)
        text = re.sub("<script.*?</script>", "", text, flags=re.DOTALL)
        for words in ("3 runs side by side", "a &lt;b&gt;third&lt;/b&gt;", "✗ NOT verified", "These figures mean nothing", own, '<span class="verdict good">× 5.'):
            self.assertIn(words, text)
        self.assertNotRegex(text, r"\b(NaN|undefined|Infinity)\b")
        self.check_that_all_fits(page)

    def test_lesson_at_any_width(self):
        file = self.folder / "lesson.html"
        process = run("explain", "100000", "--against", "0", "--html", file)
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        page = file.read_text()
        self.assertNotIn("<script", page)
        self.check_that_all_fits(re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page))  # for the probe

    def test_light_and_dark(self):
        page = self.report(report_sample.document())
        light, dark = (self.root(self.open(page, dark=dark)[0])["data-colour"] for dark in (False, True))
        self.assertGreater(min(map(int, re.findall(r"\d+", light))), 200, light)
        self.assertLess(max(map(int, re.findall(r"\d+", dark))), 60, dark)

    def test_names_cannot_become_markup(self):
        evil = "</script><img src=x onerror='document.documentElement.dataset.broken=1'><b>bold</b>"
        document = report_sample.document(command=evil, notes=[evil], failures=[evil], verified=False)
        document["machine"]["cpu"] = evil
        document["program"]["version"] = evil
        document["devices"][0]["name"] = evil
        document["measurements"][0]["name"] = evil
        document["measurements"][0]["details"]["setup"] = evil
        document["measurements"][1]["unit"] = evil
        elements, text = self.open(self.report(document, report_sample.earlier(document)))
        self.assertNotIn("data-broken", self.root(elements))
        self.assertEqual(elements.count("img") + elements.count("b"), 0)
        self.assertGreaterEqual(text.count("&lt;b&gt;bold&lt;/b&gt;"), 8)

    def test_failed(self):
        missed = report_sample.measurement("scan", "cpu:avx512#0 fixed", "hashes/s", 1, rounds=0)
        elements, text = self.open(self.report(report_sample.document(
            verified=False, ending="failed", failures=["cpu:avx512#0 missed nonce 274148111."], measurements=[missed])))
        self.assertEqual(elements.ids("section"), ["workload-scan", "context"])
        self.assertIn("NOT verified", text)
        self.assertIn("<li>cpu:avx512#0 missed nonce 274148111.</li>", text)
        self.assertNotIn("✓ Verified", re.sub("<script.*?</script>", "", text, flags=re.DOTALL))
        self.assertEqual(elements.count("svg"), 0)

    def test_interrupted_at_once(self):
        elements, text = self.open(self.report(report_sample.document(
            ending="interrupted", measurements=[], devices=[], job={}, notes=[])))
        self.assertEqual(elements.ids("section"), [None, "context"])
        self.assertIn("The run was interrupted", text)
        self.assertIn("Nothing was measured", text)

    def test_few_rounds_and_odd_figures(self):
        measurement = report_sample.measurement
        made = [measurement("scan", f"{rounds} rounds", "hashes/s", 1e6, rounds=rounds) for rounds in (1, 2, 3)]
        still = measurement("scan", "stood still", "hashes/s", 0, {"share_of_limit": 0}, rounds=3)
        other = measurement("a new workload", "row", "µs per thing", 1e-12, {"list": [1], "yes": True, "text": "t"})
        document = report_sample.document(measurements=[*made, still, other])
        elements, _ = self.open(self.report(document, document))
        self.assertEqual(elements.ids("section"), ["comparison", "workload-scan", "workload-a new workload", "context"])

    def test_odd_documents(self):
        """Names that every object of JavaScript has, and values of other types than the schema's."""
        names = ["constructor", "toString", "__proto__"]
        details = dict.fromkeys(names, 1) | {"threads": [None], "published": [None]}
        made = [report_sample.measurement(name, name, "ns", 42, details) for name in [*names, "pseudo-miner"]]
        made += [report_sample.measurement("scan", gain, "hashes/s", 1e6, {"gain": value}) for gain, value in (("text", "1"), ("object", {}))]
        odd = report_sample.document(measurements=made)
        odd["machine"] |= {"cpu": 5, "constructor": "x"}
        odd["devices"][1]["model"] = 7
        sections = [*(f"workload-{name}" for name in (*names, "pseudo-miner", "scan")), "context"]
        elements, text = self.open(self.report(odd))
        self.assertEqual(elements.ids("section"), sections)
        self.assertIn("<h2>toString</h2>", text)
        self.assertNotIn("[native code]", text)
        elements, text = self.open(self.report(odd, odd, odd))
        self.assertEqual(elements.ids("section"), ["runs", *sections])
        self.assertIn("<h2>toString</h2>", text)

    def test_any_number_of_values(self):
        page = self.report(report_sample.document())
        script = "<script>document.documentElement.dataset.most = highestOf(Array.from({length: 1e6}, (_, i) => i)) - lowestOf(Array(1e6).fill(9));</script>"
        elements, _ = self.open(page.replace("</body>", script + "</body>"))
        self.assertEqual(self.root(elements)["data-most"], "999990")

    def test_of_a_real_run(self):
        file = self.folder / "real.html"
        process = run("bench", "scan", "--backend", "cpu", "-t", "1", "--rounds", "3", "--seconds", "0.3",
                      "--report", file)
        self.assertEqual(process.returncode, 0, process.stderr.decode())
        page = file.read_text()
        self.need_plots(page)
        elements, text = self.open(page)
        self.assertEqual(elements.ids("section"), ["workload-scan", "context"])
        self.assertIn("✓ Verified", text)
        self.assertGreaterEqual(elements.count("svg"), 2)


if __name__ == "__main__":
    main()

// The page, from top to bottom.

/// "Intel(R) Xeon(R) Processor" as people write it.
function withoutMarks(name) {
    return String(name).replace(/\((?:R|TM|C)\)/gi, " ").replace(/\s+/g, " ").trim();
}

/// "2 × NVIDIA H100": graphics cards, by model.
function gpus(devices) {
    const counts = new Map();
    for (const {backend, model, software} of devices) {
        if (backend !== "cpu" && !software && model) counts.set(withoutMarks(model), (counts.get(withoutMarks(model)) ?? 0) + 1);
    }
    return [...counts].map(([model, count]) => (count > 1 ? `${count} × ${model}` : model));
}

/// What the CPU's name does not say: "2 cores", "24 GB", "NVIDIA H100".
function equipment({machine, devices}) {
    const threads = isFigure(machine.hardware_threads) ? plural(machine.hardware_threads, "hardware thread") : null;
    const cores = isFigure(machine.cores) ? plural(machine.cores, "core") : threads;
    const memory = machine.memory_bytes > 0 ? `${Math.max(1, Math.round(machine.memory_bytes / 2 ** 30))} GB` : null;
    return [cores, memory, ...gpus(devices)].filter(Boolean);
}

function header(run) {
    const cpu = withoutMarks(run.machine.cpu ?? "unknown machine"), has = equipment(run);
    const machine = [cpu, ...has].join(" · ");
    const system = run.machine.system ? `${run.machine.system} · ` : "";
    const commit = run.program.commit ? `, commit ${run.program.commit}` : "";
    document.title = `${run.label || "gpuminer bench"}: ${machine}, ${date(run.time)}`;
    const title = run.label ? [run.label] : [cpu, has.length > 0 ? element("span", {}, has.join(" · ")) : null];
    return element("header", {}, element("p", {class: "brand"}, "gpuminer bench"), element("h1", {}, title),
        run.label ? element("p", {class: "lead"}, machine) : null,
        element("p", {class: "lead"}, `${date(run.time)} · ${system}version ${run.program.version ?? "unknown"}${commit} · ` +
                                      `${duration(run.seconds)} in all`));
}

/// Whether the figures may be believed.
function banner(run) {
    const rounds = run.measurements.reduce((sum, {rounds}) => sum + rounds.length, 0);
    if (!run.verified) {
        return element("div", {class: "banner bad", role: "alert"}, element("strong", {}, "✗ NOT verified"),
            element("p", {}, "A check found wrong results: these speeds mean nothing."),
            element("ul", {}, run.failures.map((sentence) => element("li", {}, sentence))));
    }
    if (run.ending !== "finished") {
        return element("div", {class: "banner warn"}, element("strong", {}, run.ending === "failed" ? "! The run could not go on" : "! The run was interrupted"),
                       element("p", {}, `${plural(rounds, "round")} counted, and what they computed was right.`));
    }
    return element("div", {class: "banner good"}, element("strong", {}, "✓ Verified"), element("p", {},
        `${plural(run.measurements.length, "measurement")} of ${plural(rounds, "round")}; what was computed was ` +
        "checked against known results, off the clock."));
}

/// What is verified may still be slow for a reason that is not the machine's.
function warnings(run) {
    if (run.warnings.length === 0) return null;
    return element("div", {class: "banner warn", role: "alert"}, element("strong", {}, "! The figures may be too low"),
                   run.warnings.map((sentence) => element("p", {}, sentence)));
}

function notes(run) {
    if (run.notes.length === 0) return null;
    return element("details", {class: "notes"}, element("summary", {}, plural(run.notes.length, "note")),
                   element("ul", {}, run.notes.map((sentence) => element("li", {}, sentence))));
}

function card(title, figure, remark) {
    return element("div", {class: "card"}, element("p", {class: "what"}, title),
                   element("p", {class: "much"}, figure), element("p", {class: "which"}, remark));
}

/// The few figures to remember.
function cards(run) {
    const scans = measured(run.measurements).filter(({workload}) => workload === "scan");
    const made = [];
    const quickest = fastest(scans);
    if (quickest) made.push(card("Highest rate", quantity(quickest.median, quickest.unit), quickest.name));
    const full = best(scans.filter(({details}) => details.share_of_limit > 0), ({details}) => details.share_of_limit);
    if (full) made.push(card("Nearest to its limit", percent(full.details.share_of_limit), full.name));
    const frugal = best(scans.filter(({details}) => details.joules_per_gh > 0), ({details}) => -details.joules_per_gh);
    if (frugal) made.push(card("Least energy", `${digits(frugal.details.joules_per_gh)} J/GH`, frugal.name));
    const drifting = best(scans.filter(({rounds}) => rounds.length > 2), ({drift}) => Math.abs(Math.log(drift.ratio)));
    if (drifting) {
        const {ratio, window_seconds: window} = drifting.drift, kMost = 2;  // beyond this the machine was not quiet
        made.push(card("Largest drift", ratio > kMost || ratio < 1 / kMost ? "too noisy" : change(ratio),
                       `${drifting.name}, last against first ${duration(window)}`));
    }
    return made.length > 0 ? element("div", {class: "cards"}, made) : null;
}

/// More charts of rounds than this are drawn when they are asked for.
const kManyCharts = 12;

/// Screens on which tables are tables (style.css); elsewhere, and beside charts, they are shown when they are asked for.
const kWide = matchMedia("(min-width: 961px)");

function workloadSection(workload, measurements, algorithm) {
    const [title, about] = kAbout[workload] ?? [workload, ""];
    const section = element("section", {id: `workload-${workload}`}, element("h2", {}, title),
        element("p", {class: "lead"}, about ? `${about} ` : null, element("code", {}, `bench ${workload}`)));
    section.append(...workloadCharts(workload, measurements).filter(Boolean),
                   ...(workload === "scan" ? references(measurements, algorithm) : []).filter(Boolean),
                   element("details", {class: "figures", ...(kWide.matches && {open: ""})},
                           element("summary", {}, "All figures"), measurementTables(workload, measurements),
                           threadTables(measurements)));
    const moving = measurements.filter(({rounds, median}) => rounds.length > 1 && median > 0);
    if (kPlots && moving.length > 0) {
        const open = workload === "scan" && moving.length <= kManyCharts ? {open: ""} : {};
        section.append(element("details", {class: "over-time", ...open},
            element("summary", {}, "Rounds over time: distance from the median, the middle 80 % shaded"),
            element("div", {class: "multiples"}, moving.map(roundsChart))));
    }
    return section;
}

function context(run, baseline) {
    const other = (key) => (baseline ? baseline[key] : null);
    const runFacts = ({command, time, seconds, ending}) =>
        ({command, time: date(time), took: duration(seconds), ending});
    const byName = (devices) => Object.fromEntries(devices.map(({name, ...facts}) => [name, facts]));
    return element("section", {id: "context"}, element("h2", {}, "Where and with what"), [
        factTable("Run", runFacts(run), baseline && runFacts(baseline)),
        factTable("Program", run.program, other("program")),
        factTable("Machine", run.machine, other("machine")),
        factTable("Devices", byName(run.devices), baseline && byName(baseline.devices)),
        factTable("Job", run.job, other("job")),
    ].filter(Boolean));
}

function nothing() {
    return element("section", {}, element("h2", {}, "Nothing was measured"),
                   element("p", {class: "lead"}, "The run ended before its first round."));
}

const kNoPlots = "This page has no plots, because this gpuminer was built without the D3 library (packages " +
    "node-d3-axis, node-d3-scale and node-d3-selection); the tables have every figure.";

/// Licences of the library that draws the plots.
function licences() {
    const text = document.getElementById("licences").textContent.trim();
    if (text === "") return null;
    return element("details", {class: "notes"}, element("summary", {}, "Licences of the plotting library, D3"),
                   element("pre", {}, text));
}

/// Rounds as {at, value}, of which html_report() writes only differences.
function expandRounds(measurement) {
    const {rounds, median} = measurement;
    if (typeof rounds[0] !== "number") return;
    let at = 0;
    measurement.rounds = rounds.filter((_, i) => i % 2 === 0).map((step, i) => {
        at += step;
        return {at: at / 1e3, value: median * (1 + rounds[2 * i + 1] / 1e5)};
    });
}

function report({document: run, baseline, comparison}) {
    if (run.machine.cycle_unit === "timer ticks") counter = kTicks;
    run.measurements.forEach(expandRounds);
    const workloads = [...new Set(run.measurements.map(({workload}) => workload))];
    const page = document.getElementById("report");
    page.replaceChildren(...[header(run), warnings(run), banner(run), notes(run), cards(run),
        kPlots ? null : element("p", {class: "notes"}, kNoPlots), comparison ? comparisonSection(comparison) : null,
        ...workloads.map((name) => workloadSection(name, run.measurements.filter(({workload}) => workload === name), run.algorithm)),
        workloads.length === 0 ? nothing() : null,
        context(run, baseline), licences(),
        element("footer", {}, "Medians over rounds that devices took in turns; a warm-up is not among them. The page " +
                              "loads nothing and sends nothing. gpuminer bench --json writes every round in full."),
    ].filter(Boolean));
}

const kData = JSON.parse(document.getElementById("data").textContent);
(kData.documents ? runsReport : report)(kData);

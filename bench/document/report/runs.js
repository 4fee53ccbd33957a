// The page of several runs side by side: the first, and each that was compared with it.

const runNumbers = (runs) => runs.map((_, i) => `${i + 1}`);

/// "Intel Xeon · 2 cores · 24 GB"
const machineOf = (run) => [withoutMarks(run.machine.cpu ?? "unknown machine"), ...equipment(run)].join(" · ");

/// Whether the figures of a run may be believed, in a word.
function stateOf({verified, ending}) {
    return verified ? (ending === "finished" ? "✓ verified" : ending) : element("strong", {}, "✗ NOT verified");
}

function runsTable(runs) {
    const columns = [{title: "run", cell: (run) => `${runs.indexOf(run) + 1}`}];
    if (runs.some(({label}) => label)) columns.push({title: "label", text: true, cell: ({label}) => label || kUnknown});
    columns.push({title: "machine", text: true, cell: machineOf},
                 {title: "system", text: true, cell: ({machine}) => machine.system ?? kUnknown},
                 {title: "when", text: true, cell: ({time}) => date(time)},
                 {title: "version", text: true, cell: ({program}) => program.version ?? kUnknown},
                 {title: "results", text: true, cell: stateOf});
    return table("The runs, by the numbers that they have on this page", columns, runs);
}

const keyOf = ({workload, name}) => JSON.stringify([workload, name]);

/// The measurement of that name that a run has, or that a comparison compares; undefined where there is none.
const measurementOf = ({byKey}, like) => byKey.get(keyOf(like));

/// Every measurement that any run has, in the order of the first run that has it.
function allMeasurements(runs) {
    const all = new Map();
    for (const [key, made] of runs.flatMap(({byKey}) => [...byKey])) {
        if (!all.has(key)) all.set(key, made);
    }
    return [...all.values()];
}

/// More bars than this nobody reads, and a browser takes long to draw them.
const kMostBars = 2000;

/// Under each measurement's name a row for each run that has it.
function runsChart(runs, measurements) {
    const {unit, better} = measurements[0];
    const rows = measurements.flatMap((row) => runs.flatMap((run, i) => {
        const made = measurementOf(run, row);
        if (!(made && made.unit === unit && isFigure(made.median))) return [];
        return [{name: `${i + 1}: ${row.name}`, text: quantity(made.median, unit), value: made.median, low: made.p10,
                 high: made.p90, tone: i === 0 ? "" : "second"}];
    }));
    if (rows.length === 0) return null;
    if (rows.length > kMostBars) return figureBox(unit, `${plural(rows.length, "bar")} would be too many; the table has the figures.`);
    const label = spoken(unit, rows), values = rows.map(({value}) => value), smallest = lowestOf(values);
    const note = better === "lower" ? "less is better" : "more is better";
    if (smallest > 0 && highestOf(values) > kWidestLinear * smallest) {
        const scale = logarithmicScale(rows, (value) => quantity(value, unit));
        return figureBox(unit, `on a logarithmic scale; ${note}.`, dotChart(label, rows, scale));
    }
    const scale = scaleFromZero(rows.flatMap(({value, high}) => [value, high ?? 0]), unit);
    return figureBox(unit, `${note}. ${kIntervalNote}.`, barChart(label, rows, scale));
}

/// A run's median, and from the second on its performance over the first one's.
function runCell(comparisons, i, made, like) {
    if (!made || !isFigure(made.median)) return kUnknown;
    const text = quantity(made.median, made.unit);
    const compared = i === 0 ? undefined : measurementOf(comparisons[i - 1], like);
    if (!compared || !isFigure(compared.performance.estimate)) return text;
    return element("span", {}, `${text} `, element("span", {class: `verdict ${kVerdictTones[compared.verdict] ?? ""}`},
                                                   `× ${compared.performance.estimate.toFixed(3)}`));
}

/// `open`: with the charts shown.
function runsSection(workload, runs, comparisons, measurements, open) {
    const [title] = kAbout[workload] ?? [workload];
    const units = [...new Set(measurements.map(({unit}) => unit))];
    const columns = [{title: "measurement", cell: ({name}) => name},
                     ...runNumbers(runs).map((number, i) => ({
                         title: `run ${number}`, cell: (row) => runCell(comparisons, i, measurementOf(runs[i], row), row)})),
                     ...(units.length > 1 ? [{title: "unit", text: true, cell: ({unit}) => unit}] : [])];
    const unit = units.length === 1 ? `; ${units[0]}` : "";
    return element("section", {id: `workload-${workload}`}, element("h2", {}, title),
        tables(`${workload}: medians; × performance over run 1's, above 1 is better, in colour where it is more than noise${unit}`, columns, measurements),
        kPlots ? element("details", {class: "over-time", ...(open && {open: ""})}, element("summary", {}, "As charts"),
                         units.map((one) => runsChart(runs, measurements.filter((row) => row.unit === one))).filter(Boolean)) : null);
}

function runsFacts(caption, runs, facts) {
    const all = runs.map((run) => new Map(factRows(facts(run)).map(([name, ...value]) => [name, value])));
    const names = [...new Set(all.flatMap((facts) => [...facts.keys()]))];
    if (names.length === 0) return null;
    const columns = [{title: "fact", cell: (name) => name}, ...all.map((facts, i) => ({
        title: `run ${i + 1}`, text: true, cell: (name) => factCell(...(facts.get(name) ?? [kUnknown]))}))];
    return tables(caption, columns, names).map((made) => {
        made.classList.add("facts");
        return made;
    });
}

/// `comparisons` as `gpuminer compare --json` writes them: of each run from the second on with the first.
function runsReport({documents: runs, comparisons}) {
    document.title = `gpuminer compare: ${plural(runs.length, "run")} side by side`;
    for (const one of [...runs, ...comparisons]) one.byKey = new Map(one.measurements.map((made) => [keyOf(made), made]));
    const measurements = allMeasurements(runs);
    const workloads = [...new Set(measurements.map(({workload}) => workload))];
    const byName = ({devices}) => Object.fromEntries(devices.map(({name, ...facts}) => [name, facts]));
    const different = comparisons.map(({differences}, i) => sentences("warn", `Not like for like (A: run 1, B: run ${i + 2})`, differences));
    document.getElementById("report").replaceChildren(...[
        element("header", {}, element("p", {class: "brand"}, "gpuminer compare"), element("h1", {}, `${plural(runs.length, "run")} side by side`)),
        sentences("bad", "These figures mean nothing", [...new Set(comparisons.flatMap(({alarms}) => alarms))]),
        kPlots ? null : element("p", {class: "notes"}, kNoPlots),
        element("section", {id: "runs"}, element("h2", {}, "The runs"), runsTable(runs)), ...different,
        ...workloads.map((name, i) => runsSection(name, runs, comparisons, measurements.filter(({workload}) => workload === name), i === 0)),
        element("section", {id: "context"}, element("h2", {}, "Where and with what"),
            [runsFacts("Program", runs, ({program}) => program), runsFacts("Machine", runs, ({machine}) => machine),
             runsFacts("Devices", runs, byName), runsFacts("Job", runs, ({job}) => job)].flat().filter(Boolean)),
        licences(),
        element("footer", {}, "The page loads nothing and sends nothing. gpuminer compare --json writes every interval."),
    ].filter(Boolean));
}

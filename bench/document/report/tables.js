// Tables. None scrolls sideways: where the page is narrow, each row is a card.

/// `columns`: [{title, text (left-aligned), cell(row)}]; the first one names the row. `headless`: the headings say
/// nothing that one does not see.
function table(caption, columns, rows, {headless = false} = {}) {
    const titles = columns.map(({title}) => title);
    const cells = (row) => columns.map(({text, cell}, i) => {
        const kind = (text || i === 0) && {class: "text"};
        if (i === 0) return element("th", {scope: "row", ...kind}, cell(row));
        return element("td", {...(!headless && {"data-title": titles[i]}), ...kind}, cell(row));
    });
    return element("div", {class: `table${headless ? " headless" : ""}`},
        element("table", {},
            element("caption", {}, caption),
            element("thead", {}, element("tr", {}, columns.map(({title, text}, i) =>
                element("th", {scope: "col", ...((text || i === 0) && {class: "text"})}, title)))),
            element("tbody", {}, rows.map((row) => element("tr", {}, cells(row))))));
}

/// Columns that fit side by side on the smallest screen that does not show cards, besides that with the row's name.
const kFitting = 6;

/// As few tables of equal width as it takes.
function tables(caption, [name, ...columns], rows) {
    const count = Math.ceil(columns.length / kFitting), width = Math.ceil(columns.length / count);
    return Array.from({length: count}, (_, i) => table(i === 0 ? caption : `${caption.split(/[:;]/)[0]}, further figures`,
        [name, ...columns.slice(i * width, (i + 1) * width)], rows));
}

/// "median of 9 rounds"
function roundsText(measurements) {
    const counts = measurements.map((measurement) => measurement.rounds.length);
    const least = lowestOf(counts), most = highestOf(counts);
    if (most === 0) return "no round was finished";
    return least === most ? `median of ${plural(most, "round")}` : `medians of ${least} to ${plural(most, "round")}`;
}

function spreadText({median, p10, p90, rounds}) {
    if (!isFigure(median) || median === 0 || rounds.length < 2) return kUnknown;
    return `± ${(50 * (p90 - p10) / Math.abs(median)).toFixed(1)} %`;
}

/// What the details of some measurements have in common: keys of figures and remarks, in order of appearance.
function detailKeys(measurements) {
    const keys = new Set();
    for (const {details} of measurements) {
        for (const [key, value] of Object.entries(details)) {
            if (value !== null && typeof value !== "object") keys.add(key);
        }
    }
    return [...keys];
}

/// Columns for the details of measurements. None for what no row has, or what each row's name says.
function detailColumns(measurements) {
    const isSaid = (key) => measurements.every(({name, details: {[key]: value}}) =>
        value === null || value === undefined || (typeof value === "string" && name.includes(value)));
    return detailKeys(measurements).filter((key) => !isSaid(key)).map((key) => ({
        title: headingOf(key), text: measurements.every(({details}) => typeof (details[key] ?? "") === "string"),
        cell: ({details}) => detail(key, details[key])}));
}

/// All measurements of a workload with everything that is known of them.
function measurementTables(workload, measurements) {
    const units = new Set(measurements.map(({unit}) => unit)), counts = new Set(measurements.map(({rounds}) => rounds.length));
    const columns = [
        {title: "measurement", cell: ({name}) => name},
        {title: "median", cell: ({median, unit}) => quantity(median, unit)},
        ...(units.size > 1 ? [{title: "unit", text: true, cell: ({unit}) => unit}] : []),
        {title: "10 % – 90 %", cell: (m) => (m.rounds.length > 1 ? range(m.p10, m.p90, m.unit, m.median) : kUnknown)},
        {title: "spread", cell: spreadText},
        ...(counts.size > 1 ? [{title: "rounds", cell: ({rounds}) => digits(rounds.length)}] : []),
        {title: "last / first", cell: ({drift, rounds}) => (rounds.length > 2 ? change(drift.ratio) : kUnknown)},
    ];
    const all = detailColumns(measurements), shown = (column) => new Set(measurements.map(column.cell));
    const common = all.filter((column) => measurements.length > 1 && shown(column).size === 1);
    columns.push(...all.filter((column) => !common.includes(column)));
    const unit = units.size === 1 ? `; ${[...units][0]}` : "";
    const about = measured(measurements).length > 0 ? "; 10 % of the rounds were below, 10 % above the range" : "";
    const made = tables(`${workload}: ${roundsText(measurements)}${about}${unit}`, columns, measurements);
    if (common.length === 0) return made;
    const said = common.map((column) => `${column.title} ${column.cell(measurements[0])}`).join(", ");
    return [...made, element("p", {class: "common"}, `In each row: ${said}.`)];
}

const kFactNames = {__proto__: null, cpu: "CPU", cpu_family: "CPU family", cpu_model_number: "CPU model number", cpu_stepping: "CPU stepping",
                    cpu_flags: "CPU flags", tsc_hz: "frequency of the cycle counter", api: "API", clock_mhz: "clock, MHz", software: "emulated in software"};

/// "memory_bytes": "memory", with its unit beside the value. Names of devices stay as they are.
function factName(key) {
    if (key.includes("#")) return key;
    return kFactNames[key] ?? key.replace(/_(?:bytes|hz)$/, "").replaceAll("_", " ");
}

/// The facts of an object as rows [name, value, number of values if it is a list]; objects within it as rows of their own, "scan: target".
function factRows(facts, prefix = "") {
    const rows = [];
    for (const [key, value] of Object.entries(facts)) {
        const name = prefix + factName(key);
        if (value === null || value === "") continue;
        if (Array.isArray(value)) {
            const flat = value.every((item) => item === null || typeof item !== "object");
            if (flat) rows.push([name, value.join(" "), value.length]);
            else value.forEach((item, i) => rows.push(...factRows({[`${i + 1}`]: item}, `${name} `)));
        } else if (typeof value === "object") {
            rows.push(...factRows(value, `${name}: `));
        } else {
            rows.push([name, factText(key, value)]);
        }
    }
    return rows;
}

function factText(key, value) {
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value !== "number") return value;
    if (key.endsWith("_bytes")) return `${digits(Number((value / 2 ** 30).toPrecision(3)))} GiB`;
    if (key.endsWith("_hz")) return `${digits(value / 1e9)} GHz`;
    return digits(value);
}

/// A long list is shown when it is asked for.
const kLongList = 12;

function factCell(text, count) {
    if (!(count > kLongList)) return text;
    return element("details", {}, element("summary", {}, `${count} of them`), text);
}

/// Facts of this run, beside those of the baseline where there is one; what differs stands out.
function factTable(caption, facts, baseline) {
    const of = (object) => new Map(factRows(object).map(([name, ...value]) => [name, value]));
    const mine = of(facts), theirs = baseline ? of(baseline) : new Map(), none = [kUnknown];
    const names = new Set([...mine.keys(), ...theirs.keys()]);
    const columns = [{title: "fact", cell: (name) => name},
                     {title: "this run", text: true, cell: (name) => factCell(...(mine.get(name) ?? none))}];
    if (baseline) {
        columns.push({title: "baseline", text: true, cell: (name) => {
            const [text, count] = theirs.get(name) ?? none;
            return mine.has(name) && text === mine.get(name)[0] ? "the same" : element("strong", {}, factCell(text, count));
        }});
    }
    if (names.size === 0) return null;
    const made = table(caption, columns, [...names], {headless: !baseline});
    made.classList.add("facts");
    return made;
}

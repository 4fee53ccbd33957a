// Tables. They scroll within their box where the page is narrow.

/// `columns`: [{title, text (left-aligned), cell(row)}]; the first one names the row.
function table(caption, columns, rows) {
    const cells = (row) => columns.map(({text, cell}, i) => {
        const attributes = {...(i === 0 && {scope: "row"}), ...((text || i === 0) && {class: "text"})};
        return element(i === 0 ? "th" : "td", attributes, cell(row));
    });
    return element("div", {class: "table", role: "region", tabindex: "0", "aria-label": caption},
        element("table", {},
            element("caption", {}, caption),
            element("thead", {}, element("tr", {}, columns.map(({title, text}, i) =>
                element("th", {scope: "col", ...((text || i === 0) && {class: "text"})}, title)))),
            element("tbody", {}, rows.map((row) => element("tr", {}, cells(row))))));
}

/// "median of 9 rounds"
function roundsText(measurements) {
    const counts = measurements.map((measurement) => measurement.rounds.length);
    const least = Math.min(...counts), most = Math.max(...counts);
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

/// All measurements of a workload with everything that is known of them.
function measurementTable(workload, measurements) {
    const units = new Set(measurements.map(({unit}) => unit));
    const columns = [
        {title: "measurement", cell: ({name}) => name},
        {title: "median", cell: ({median, unit}) => quantity(median, unit)},
        {title: "10 % – 90 %", cell: (m) => (m.rounds.length > 1 ? range(m.p10, m.p90, m.unit, m.median) : kUnknown)},
        {title: "spread", cell: spreadText},
        {title: "rounds", cell: ({rounds}) => digits(rounds.length)},
        {title: "last / first", cell: ({drift, rounds}) => (rounds.length > 2 ? change(drift.ratio) : kUnknown)},
    ];
    if (units.size > 1) columns.splice(2, 0, {title: "unit", text: true, cell: ({unit}) => unit});
    for (const key of detailKeys(measurements)) {
        const text = measurements.every(({details}) => typeof (details[key] ?? "") === "string");
        columns.push({title: headingOf(key), text, cell: ({details}) => detail(key, details[key])});
    }
    const unit = units.size === 1 ? `; ${[...units][0]}` : "";
    const about = measured(measurements).length > 0 ? "; 10 % of the rounds were below, 10 % above the range" : "";
    return table(`${workload}: ${roundsText(measurements)}${about}${unit}`, columns, measurements);
}

/// The facts of an object as rows; objects within it as rows of their own, "scan: target".
function factRows(facts, prefix = "") {
    const rows = [];
    for (const [key, value] of Object.entries(facts)) {
        const name = prefix + key.replaceAll("_", " ");
        if (value === null || value === "") continue;
        if (Array.isArray(value)) {
            const flat = value.every((item) => item === null || typeof item !== "object");
            if (flat) rows.push([name, value.join(" ")]);
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

/// Facts of this run, beside those of the baseline where there is one; what differs stands out.
function factTable(caption, facts, baseline) {
    const ours = factRows(facts), theirs = new Map(baseline ? factRows(baseline) : []);
    const names = new Set([...ours.map(([name]) => name), ...theirs.keys()]);
    const mine = new Map(ours);
    const columns = [{title: "", cell: (name) => name},
                     {title: "this run", text: true, cell: (name) => mine.get(name) ?? kUnknown}];
    if (baseline) {
        columns.push({title: "baseline", text: true, cell: (name) => {
            const value = theirs.get(name) ?? kUnknown;
            return value === mine.get(name) ? "the same" : element("strong", {}, value);
        }});
    }
    if (names.size === 0) return null;
    const made = table(caption, columns, [...names]);
    made.classList.add("facts");
    return made;
}

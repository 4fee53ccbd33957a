// Each workload's part of the page, above the table that all have: functions from its measurements to elements.

const kAbout = {
    __proto__: null,  // a document may name a workload "constructor"; so in other tables
    scan: ["Nonce search",
           "A real job, searched on each device and on all together. After every round the hits were compared with " +
           "the complete list of those in its range. “Fixed” searches one header version, “rolled” eight."],
    kernel: ["Kernels", "The search program of each instruction set on one core, without the host around it."],
    ladder: ["From the naive loop to the kernel",
             "Each step searches the same nonces with less work per nonce. The pale part of a bar is the step that " +
             "it is compared to, the strong part what it gains."],
    sha256d64: ["Double SHA-256 of 64-byte inputs", "As in merkle trees, in batches."],
    block: ["A block's transactions", "Their ids, witness ids and merkle root, in batches, one by one, and by OpenSSL."],
    latency: ["Latency", "From a new job to the beginning of its first scan, and from a stop to the end of the search."],
    scheduler: ["Scheduler", "What the host spends on a batch, with devices that only wait for their stated rate."],
    os: ["Operating system", "The primitives that bound such programs, by the method of the osbench suite."],
    input: ["Input on the clock", "Input and double SHA-256 of the same bytes, and what the clock covers besides the hash."],
    "pseudo-miner": ["The original experiment",
                     "A range in as many contiguous pieces as threads, and what each counted."],
};

/// Null in a page without charts.
function figureBox(title, note, ...content) {
    if (!kPlots) return null;
    const caption = element("figcaption", {}, element("strong", {}, title), note ? ` ${note}` : null);
    return element("figure", {}, caption, content);
}

/// A chart's label for screen readers.
function spoken(title, rows) {
    return {title, text: rows.map(({name, text}) => `${name} ${text}`).join("; ")};
}

function legend(entries) {
    return element("p", {class: "legend"}, entries.map(([className, text]) =>
        element("span", {}, element("i", {class: className}), text)));
}

const measured = (measurements) => measurements.filter(({median}) => isFigure(median));
/// The element with the largest value; null of none.
const best = (list, value) => list.reduce((a, b) => (a === null || value(b) > value(a) ? b : a), null);
const fastest = (measurements) => best(measured(measurements), ({median}) => median);
/// With version rolling or without.
const toneOf = ({name, details}) => (details.versions > 1 || name.endsWith(" rolled") ? "second" : "");

/// An axis from zero to the largest of `values`.
function scaleFromZero(values, unit) {
    const max = highestOf(values) || 1;
    return {max: max * 1.001, write: tickText(unit, max)};
}

function tickText(unit, size) {
    const {scale, name} = unitFor(unit, size);
    return (tick) => (tick === 0 ? "0" : `${Number((tick / scale).toPrecision(6))} ${name}`.trim());
}

/// Between the powers of ten around the rows' values and limits; `write` makes a value's text.
function logarithmicScale(rows, write) {
    const all = rows.flatMap(({value, limit}) => [value, limit ?? value]);
    const low = Math.floor(Math.log10(lowestOf(all))), high = Math.ceil(Math.log10(highestOf(all)));
    return {low: 10 ** low, high: 10 ** Math.max(high, low + 1), write, logarithmic: true};
}

const kIntervalNote = "Median; the thin line spans 10 % to 90 % of the rounds";

/// Beyond this ratio a bar of the smallest figure cannot be seen any more.
const kWidestLinear = 60;

function rateChart(measurements) {
    const rows = measurements.map((m) => {
        const limit = m.details.share_of_limit > 0 ? m.median / m.details.share_of_limit : null;
        return {name: m.name, text: quantity(m.median, m.unit), value: m.median, low: m.p10, high: m.p90, limit,
                tone: toneOf(m)};
    });
    const rates = rows.map(({value}) => value), unit = measurements[0].unit, label = spoken("Rate", rows);
    const limits = rows.some(({limit}) => limit !== null), smallest = lowestOf(rates);
    if (smallest > 0 && highestOf(rates) > kWidestLinear * smallest) {
        const write = (value) => quantity(value, unit);
        return figureBox("Rate", `on a logarithmic scale${limits ? "; the upright line is the device's limit" : ""}`,
                         dotChart(label, rows, logarithmicScale(rows, write)));
    }
    const scale = scaleFromZero(rows.flatMap(({value, high, limit}) => [value, high ?? 0, limit ?? 0]), unit);
    return figureBox("Rate", `${kIntervalNote}${limits ? "; the track ends at the device's limit" : ""}.`,
                     barChart(label, rows, scale));
}

function limitChart(measurements) {
    const known = measurements.filter(({details}) => details.share_of_limit > 0);
    if (known.length === 0) return null;
    const rows = known.map((m) => ({name: m.name, text: percent(m.details.share_of_limit), limit: 1,
                                    value: m.details.share_of_limit, tone: toneOf(m)}));
    const max = Math.max(1, highestOf(rows.map(({value}) => value)));
    const scale = {max, write: (tick) => percent(tick, 0)};
    return figureBox("Share of the limit",
                     "CPUs: of what the execution ports took just before and after; GPUs: of what their machine code " +
                     "allows at the highest clock.", barChart(spoken("Share of the limit", rows), rows, scale));
}

function energyChart(measurements) {
    const known = measurements.filter(({details}) => details.joules_per_gh > 0);
    if (known.length === 0) return null;
    const rows = known.map((m) => {
        const {joules_per_gh: value, power_w: power} = m.details;
        const at = isFigure(power) ? ` at ${digits(Number(power.toPrecision(3)))} W` : "";
        return {name: m.name, value, text: `${digits(value)} J/GH${at}`, tone: "energy"};
    });
    const scale = scaleFromZero(rows.map(({value}) => value), "J/GH");
    return figureBox("Energy", "Joules for a thousand million hashes: less is better.",
                     barChart(spoken("Energy", rows), rows, scale));
}

function rateCharts(measurements) {
    return [rateChart(measurements), limitChart(measurements), energyChart(measurements)];
}

/// Bars of each unit's measurements.
function plainCharts(measurements, what = "") {
    const units = [...new Set(measurements.map(({unit}) => unit))];
    return units.flatMap((unit) => {
        const own = measurements.filter((m) => m.unit === unit);
        if (unit === "hashes/s") return rateCharts(own);
        const rows = own.map((m) => ({name: m.name, value: m.median, low: m.p10, high: m.p90,
                                      text: quantity(m.median, unit), tone: toneOf(m)}));
        const better = own[0].better === "lower" ? "Less is better." : "More is better.";
        const scale = scaleFromZero(rows.flatMap(({value, high}) => [value, high ?? 0]), unit);
        return figureBox(`${what}${unit}`, `${better} ${kIntervalNote}.`, barChart(spoken(unit, rows), rows, scale));
    });
}

/// Times that differ by powers of ten, in one chart whatever their units.
function timeCharts(measurements) {
    const seconds = {ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1};
    const inSeconds = ({median, unit}) => median * seconds[unit.split(" ")[0]];
    if (!measurements.every((m) => inSeconds(m) > 0)) return plainCharts(measurements);
    const rows = measurements.map((m) => ({name: m.name, value: inSeconds(m), text: quantity(m.median, m.unit),
                                            low: seconds[m.unit.split(" ")[0]] * m.p10,
                                            high: seconds[m.unit.split(" ")[0]] * m.p90}));
    const write = (value) => {
        const [unit, size] = Object.entries(seconds).findLast(([, size]) => value >= size * 0.999) ?? ["ns", 1e-9];
        return `${Number((value / size).toPrecision(3))} ${unit}`;
    };
    return [figureBox("Time for each", "on a logarithmic scale; less is better.",
                      dotChart(spoken("Time for each", rows), rows, logarithmicScale(rows, write)))];
}

function ladderChart(measurements) {
    const medians = new Map(measurements.map(({name, median}) => [name, median]));
    const rows = measurements.map((m, i) => {
        const base = medians.get(m.details.compared_to) ?? 0;
        const gain = base > 0 && isFigure(m.details.gain) ? `  × ${m.details.gain.toFixed(2)}` : "";
        return {name: `${i + 1}. ${m.name}`, value: m.median, base, text: `${quantity(m.median, m.unit)}${gain}`};
    });
    const scale = scaleFromZero(rows.map(({value}) => value), measurements[0].unit);
    return [figureBox("Steps", "and what each gains over the one it is compared to.",
                      barChart(spoken("Steps", rows), rows, scale))];
}

const batchSize = ({name}) => Number((/^batch\D*(\d+)$/.exec(name) ?? [])[1]);

/// Time per input by batch size, the sizes on a logarithmic scale; what is no batch as bars.
function batchCharts(measurements) {
    const batches = measurements.filter((m) => batchSize(m) > 0).sort((a, b) => batchSize(a) - batchSize(b));
    const others = measurements.filter((m) => !(batchSize(m) > 0));
    if (batches.length < 2) return plainCharts(measurements);
    const points = (figure) =>
        batches.map((m) => ({x: Math.log2(batchSize(m)), y: figure(m)})).filter(({y}) => isFigure(y));
    const together = points(({median}) => median), alone = points(({details}) => details.nanoseconds_one_at_a_time);
    const high = highestOf([...together, ...alone].map(({y}) => y)), last = Math.ceil(together.at(-1).x);
    const sizes = Array.from({length: last + 1}, (_, i) => i).filter((power) => power % 4 === 0), unit = batches[0].unit;
    const label = {title: `${unit} for batches of ${batchSize(batches[0])} to ${batchSize(batches.at(-1))}`,
                   text: batches.map((m) => `${m.name} ${digits(m.median)}`).join("; ")};
    const chart = pointChart(label, 260,
        [...(alone.length > 0 ? [{className: "second", points: alone}] : []), {className: "value", points: together}],
        {low: 0, high: last, ticks: sizes, write: (power) => (2 ** power).toLocaleString("en-US")},
        {low: 0, high: high * 1.05, write: (tick) => `${Number(tick.toPrecision(6))} ${unitFor(unit, high).name}`},
        {showLine: true});
    const key = alone.length > 0 ? legend([["value", "batch"], ["second", "the same, one at a time"]]) : null;
    return [figureBox(unit, "by the number of inputs in a batch; less is better.", ...[key, chart].filter(Boolean)),
            ...plainCharts(others, "Each kernel: ")];
}

/// Cycles per hash of each thread, as the original experiment printed them.
function threadTables(measurements) {
    const counted = ({details: {threads}}) => Array.isArray(threads) && !threads.includes(null) && threads.some(({avg}) => isFigure(avg));
    return measurements.filter(counted).map((m) => {
        const nonce = (value) => (isFigure(value) ? value.toString(16).toUpperCase().padStart(8, "0") : kUnknown);
        const whole = (value) => (isFigure(value) ? value.toLocaleString("en-US") : kUnknown);
        const ranges = m.details.threads.some(({start}) => isFigure(start));
        return table(`${m.name}: ${counter.units} per hash of each thread (${counter.about})`, [
            {title: "thread", cell: ({name}) => name},
            ...(ranges ? [{title: "range", cell: ({start, end}) => `${nonce(start)} – ${nonce(end)}`}] : []),
            {title: "average", cell: ({avg}) => digits(avg)},
            {title: "maximum", cell: ({max}) => digits(max)},
            {title: "minimum", cell: ({min}) => digits(min)},
            {title: `total ${counter.units}`, cell: ({cycles}) => whole(cycles)},
            {title: "hashes", cell: ({hashes}) => whole(hashes)},
        ], m.details.threads);
    });
}

function originalCharts(measurements) {
    const known = measurements.filter(({details}) => isFigure(details.cycles_per_hash));
    const published = measurements.flatMap(({details}) => details.published ?? []).filter((row) => row !== null);
    const rows = [...known.map(({details: {threads, cycles_per_hash: value}}) => (
                      {name: `this run, ${plural(threads?.length ?? 0, "thread")}`, value, text: digits(value)})),
                  ...published.map(({system, seconds, cycles_per_hash: value}) => (
                      {name: system, value, text: `${digits(value)} (${seconds} s)`, tone: "pale"}))];
    const columns = [{title: "run", cell: ({system}) => system}, {title: "total time", cell: ({seconds}) => `${seconds} s`}];
    const publishedTable = () => table("Published by the experiment's author, 2³² nonces", columns, published);
    if (counter !== kCycles) return [publishedTable()];  // which counted cycles: the times alone can be compared
    columns.push({title: "cycles per hash", cell: ({cycles_per_hash: cycles}) => digits(cycles)});
    return [figureBox("Cycles per hash", "on average, beside those published for all 2³² nonces; less is better.",
                      barChart(spoken("Cycles per hash", rows), rows, scaleFromZero(rows.map(({value}) => value), ""))),
            publishedTable()];
}

const kCharts = {__proto__: null, scan: rateCharts, ladder: ladderChart, sha256d64: batchCharts, os: timeCharts, input: timeCharts,
                 "pseudo-miner": originalCharts};

function workloadCharts(workload, measurements) {
    const known = measured(measurements);
    return known.length === 0 ? [] : (kCharts[workload] ?? plainCharts)(known);
}

/// Every round of a measurement as a point: when it began, and how far it was from the median. Shaded: 10 % to 90 %.
function roundsChart(m) {
    const offsets = m.rounds.map(({at, value}) => ({x: at, y: 100 * (value / m.median - 1)}));
    const most = Math.max(1, highestOf(offsets.map(({y}) => Math.abs(y)))), first = offsets[0].x;
    const last = Math.max(offsets.at(-1).x, first + 0.001), margin = (last - first) * 0.04;
    const span = most < 10 ? Math.ceil(most * 10) / 10 : Math.ceil(most);
    const label = {title: `Rounds of ${m.name} over time`,
                   text: `${plural(offsets.length, "round")}, at most ${digits(most)} % from the median`};
    const chart = pointChart(label, 130, [{className: `value ${offsets.length > 60 ? "fine" : ""}`, points: offsets}],
        {low: first - margin, high: last + margin, write: (t) => `${Number(t.toPrecision(6))} s`},
        {low: -span, high: span, ticks: [-span, 0, span], mark: 0,
         write: (p) => `${p > 0 ? "+" : p < 0 ? "−" : ""}${Math.abs(p)} %`},
        {band: [m.p10, m.p90].map((value) => 100 * (value / m.median - 1))});
    return element("div", {class: "rounds"},
        element("p", {}, element("strong", {}, m.name),
                element("span", {}, `${quantity(m.median, m.unit)} ${spreadText(m)}`),
                m.rounds.length > 2 ? element("span", {}, `last / first: ${change(m.drift.ratio)}`) : null), chart);
}

// The section of the page that compares this run with a baseline.

const kVerdictTones = {faster: "good", slower: "bad"};

/// Whether there were enough rounds for a confidence interval.
function isBounded({low, high}) {
    return isFigure(low) && isFigure(high) && high > 0;
}

function ratioText(ratio) {
    if (!isFigure(ratio.estimate)) return kUnknown;
    const bounds = isBounded(ratio) ? ` (${ratio.low.toFixed(3)} – ${ratio.high.toFixed(3)})` : "";
    return `${ratio.estimate.toFixed(3)}${bounds}`;
}

/// How far to both sides of 1 a chart goes, so that one wild interval does not hide the others.
function reachOf(ratios) {
    const bounds = ratios.flatMap((ratio) => (isBounded(ratio) ? [ratio.low, ratio.high] : [ratio.estimate]));
    return Math.min(Math.max(0.02, highestOf(bounds.map((bound) => Math.abs(bound - 1)))) * 1.08, 1);
}

function comparisonChart(workload, rows) {
    const known = rows.filter(({performance}) => performance.estimate > 0);
    if (known.length === 0) return null;
    const reach = reachOf(known.map(({performance}) => performance)), low = 1 - reach, high = 1 + reach;
    const dots = known.map(({name, performance, verdict}) => ({
        name, text: `${change(performance.estimate)}  ${verdict}`,
        value: Math.min(Math.max(performance.estimate, low), high),
        low: isBounded(performance) ? performance.low : low, high: isBounded(performance) ? performance.high : high,
        tone: kVerdictTones[verdict] ?? "neutral",
    }));
    const write = (tick) => (tick === 1 ? "the same" : change(tick).replace(".0", ""));
    return dotChart(spoken(workload, dots), dots, {low, high, mark: 1, write});
}

/// "3 faster, 5 noise"
function countsOf(rows) {
    const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
    return [...new Set(rows.map(({verdict}) => verdict))].map((verdict) => `${count(verdict)} ${verdict}`).join(", ");
}

/// Chart and table of each workload, those of the first one open.
function comparedWorkloads(measurements) {
    const workloads = [...new Set(measurements.map(({workload}) => workload))];
    return workloads.map((name, i) => {
        const rows = measurements.filter(({workload}) => workload === name);
        return element("details", {class: "over-time", ...(i === 0 && {open: ""})},
                       element("summary", {}, `${name}: ${countsOf(rows)}`),
                       comparisonChart(name, rows), comparisonTable(rows));
    });
}

function comparisonTable(rows) {
    const verdictCell = ({verdict}) => element("span", {class: `verdict ${kVerdictTones[verdict] ?? ""}`}, verdict);
    return table("Performance of this run over the baseline's: above 1 is better; in brackets the 95 % interval", [
        {title: "measurement", cell: ({name}) => name},
        {title: "verdict", text: true, cell: verdictCell},
        {title: "performance", cell: ({performance}) => ratioText(performance)},
        {title: "baseline", cell: ({median_a: median, unit}) => quantity(median, unit)},
        {title: "this run", cell: ({median_b: median, unit}) => quantity(median, unit)},
        {title: "unit", text: true, cell: ({unit}) => unit},
    ], rows);
}

function sentences(className, title, list) {
    if (list.length === 0) return null;
    return element("div", {class: `banner ${className}`}, element("strong", {}, title),
                   element("ul", {}, list.map((sentence) => element("li", {}, sentence))));
}

/// `comparison` as `gpuminer compare --json` writes it, the baseline being A and this run B.
function comparisonSection({about_a: before, about_b: now, measurements, alarms, differences, only_in_a: gone, only_in_b: added}) {
    const lead = measurements.length > 0
        ? `${plural(measurements.length, "measurement")} in both runs: ${countsOf(measurements)}. Noise is a difference ` +
          "that the spread of the rounds explains. Right of the line is better; a bar is the 95 % confidence interval."
        : "The two runs have no measurement in common.";
    return element("section", {id: "comparison"}, element("h2", {}, "Against the baseline"),
        element("p", {class: "lead"}, `A, the baseline: ${before}`), element("p", {class: "lead"}, `B, this run: ${now}`),
        element("p", {class: "lead"}, lead),
        sentences("bad", "These figures mean nothing", alarms),
        sentences("warn", "Not like for like (A: the baseline, B: this run)", differences),
        comparedWorkloads(measurements),
        gone.length > 0 ? element("p", {class: "lead"}, `Only in the baseline: ${gone.join(", ")}.`) : null,
        added.length > 0 ? element("p", {class: "lead"}, `Only in this run: ${added.join(", ")}.`) : null);
}

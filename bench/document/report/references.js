// Rates of other machines beside those of this run.

/// What gpuminer's authors measured (docs/results): {machine, fixed, rolled, unit, date, file}, figures as texts.
const kReferences = JSON.parse(document.getElementById("references").textContent);

function hashesPerSecond(figure, unit) {
    return Number(figure.replaceAll(",", "")) * {"MH/s": 1e6, "GH/s": 1e9}[unit];
}

/// "8.772 GH/s": with as many digits as were measured.
function rateText(reference, kind) {
    const {scale, name} = unitFor("hashes/s", hashesPerSecond(reference[kind], reference.unit));
    const written = {"MH/s": 1e6, "GH/s": 1e9}[reference.unit], figure = reference[kind].replaceAll(",", "");
    const places = (figure.split(".")[1] ?? "").length + Math.round(Math.log10(scale / written));
    return `${(figure * written / scale).toFixed(places)} ${name}`;
}

/// The run's fastest row among others' rates of the same kind: one header version, or several.
function referenceChart(measurements) {
    const own = fastest(measurements), kind = toneOf(own) ? "rolled" : "fixed";
    const others = kReferences.map((reference) => {
        const value = hashesPerSecond(reference[kind], reference.unit);
        return {name: reference.machine, value, text: quantity(value, own.unit), tone: "neutral"};
    });
    const mine = {name: `This run: ${own.name}`, value: own.median, text: quantity(own.median, own.unit), tone: toneOf(own), own: true};
    const rows = [...others, mine].sort((a, b) => b.value - a.value);
    return figureBox("Beside other machines",
                     `as measured by gpuminer’s authors, with ${kind === "rolled" ? "rolled versions" : "one version"}; on a logarithmic scale.`,
                     dotChart(spoken("Beside other machines", rows), rows, logarithmicScale(rows, (rate) => quantity(rate, own.unit))));
}

function referenceTable() {
    return table("Others, measured by gpuminer’s authors; commands and spread are in gpuminer’s folder docs/results", [
        {title: "machine", cell: ({machine}) => machine},
        {title: "fixed", cell: (reference) => rateText(reference, "fixed")},
        {title: "rolled", cell: (reference) => rateText(reference, "rolled")},
        {title: "measured", cell: ({date}) => date},
        {title: "file", text: true, cell: ({file}) => file},
    ], kReferences);
}

/// Of SHA-256d alone: other hashes have other rates.
function references(measurements, algorithm) {
    if ((algorithm ?? "sha256d") !== "sha256d" || !(fastest(measurements)?.median > 0)) return [];
    return [referenceChart(measurements), foldedAway("The figures of other machines", referenceTable())];
}

// Lines over the last hour or day: SVG drawn with D3. The last figure of each is among the figures above, too.

/// False where gpuminer was built without D3: there are no plots then.
const kPlots = typeof d3 !== "undefined";

/// Kinds of values in a history, with how they are written.
const kKinds = [{name: "hash_rate", title: "Hash rate", write: rateText},
                {name: "temperature_c", title: "Temperature of the hottest device", write: (value) => `${Math.round(value)} °C`},
                {name: "power_w", title: "Power", write: (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} W`}];

/// At most one value for each pixel, the mean of those that fall on it; null where none is known.
function thinned(values, most) {
    const step = Math.max(1, Math.ceil(values.length / most)), result = [];
    for (let i = 0; i < values.length; i += step) {
        const known = values.slice(i, i + step).filter(isNumber);
        result.push({at: i + (step - 1) / 2, value: known.length > 0 ? d3.mean(known) : null});
    }
    return result;
}

/// Runs of known points: a line each. A few points without a figure do not break one.
function lines(points) {
    const kBridged = 3, runs = [];
    let missing = Infinity;
    for (const point of points) {
        if (point.value === null) {
            ++missing;
            continue;
        }
        if (missing > kBridged) runs.push([]);
        runs.at(-1).push(point);
        missing = 0;
    }
    return runs;
}

/// Takes away labels that have no room beside the one before, or before the end of the plot.
function thinOut(axis, x, width) {
    const kGap = 12;
    let end = -kGap;
    axis.selectAll(".tick text").each(function (time) {
        const half = this.getComputedTextLength() / 2, at = x(time);
        if (at - half < end + kGap || at + half > width) this.remove();
        else end = at + half;
    });
}

function drawPlot(box, title, write, values, step, end) {
    const width = Math.max(box.clientWidth, 200), height = 170, left = 76, right = 34, top = 8, bottom = height - 24;
    const known = values.filter(isNumber), low = d3.min(known), high = d3.max(known);
    const text = `${title} over ${durationText(values.length * step)}: last ${write(known.at(-1))}, ` +
        `mean ${write(d3.mean(known))}, between ${write(low)} and ${write(high)}`;
    const svg = d3.select(box).html("").append("svg").attr("role", "img").attr("aria-label", text)
        .attr("viewBox", `0 0 ${width} ${height}`);
    const kShortest = 60;  // steps; so that the first figures do not run over the whole width
    const timeOf = (index) => new Date((end - (values.length - 1 - index) * step) * 1000);
    const x = d3.scaleTime().domain([timeOf(Math.min(0, values.length - 1 - kShortest)), timeOf(values.length - 1)]).range([left, width - right]);
    const y = d3.scaleLinear().domain([0, (high || 1) * 1.08]).range([bottom, top]);
    svg.append("g").attr("class", "grid").attr("transform", `translate(${left},0)`).call(
        d3.axisLeft(y).tickValues(high > 0 ? y.ticks(4) : [0]).tickFormat(write).tickSize(left - width + right).tickPadding(8));
    const ticks = x.ticks(Math.max(2, Math.floor((width - left) / 110))), inMinutes = ticks.every((time) => time.getSeconds() === 0);
    const writeTime = (time) => (inMinutes ? time.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"}) : timeText(time));
    thinOut(svg.append("g").attr("transform", `translate(0,${bottom})`).call(
        d3.axisBottom(x).tickValues(ticks).tickSize(4).tickPadding(7).tickFormat(writeTime)), x, width);
    for (const run of lines(thinned(values, width - left))) {
        const points = run.map(({at, value}) => [x(timeOf(at)).toFixed(1), y(value).toFixed(1)]);
        if (run.length > 1) svg.append("polyline").attr("points", points.join(" "));
        else svg.append("circle").attr("cx", points[0][0]).attr("cy", points[0][1]).attr("r", 2);
    }
}

/// Behind the rate, without words: the last hour.
function drawSpark(box, values) {
    box.replaceChildren();
    if (!kPlots) return;
    const high = d3.max(values.filter(isNumber)), end = values.length - 1;
    if (!(high > 0) || end < 1) return;
    const x = (at) => (at / end * 100).toFixed(1), y = (value) => (100 - value / high * 90).toFixed(1);
    const svg = d3.select(box).append("svg").attr("viewBox", "0 0 100 100").attr("preserveAspectRatio", "none");
    for (const run of lines(thinned(values, 120))) {
        const top = run.map(({at, value}) => `${x(at)},${y(value)}`).join(" ");
        svg.append("polygon").attr("points", `${x(run[0].at)},100 ${top} ${x(run.at(-1).at)},100`);
    }
}

/// `history`: an hour or a day of the API.
function showPlots(history) {
    const box = byId("plots");
    if (!kPlots || history.end === null) {
        box.replaceChildren(element("p", {text: kPlots ? "nothing yet" : "gpuminer was built without the plotting library"}));
        return;
    }
    const shown = kKinds.filter(({name}) => history[name].some(isNumber));
    const figures = shown.map(({title}) => element("figure", {}, element("figcaption", {text: title}),
        element("div", {class: "plot"})));
    box.replaceChildren(...figures);
    shown.forEach(({name, title, write}, i) =>
        drawPlot(figures[i].querySelector(".plot"), title, write, history[name], history.step_seconds, history.end));
}

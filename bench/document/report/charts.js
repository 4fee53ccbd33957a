// Kinds of charts: SVG drawn with D3. Every figure in them is in a table of the page as well.

/// False where gpuminer was built without D3: the page then has tables only.
const kPlots = typeof d3 !== "undefined";

/// Draws each chart when its box gets a width or another one: not within closed details, and not before the window has
/// a size.
const drawing = new ResizeObserver((entries) => {
    for (const {target: box, contentRect} of entries) {
        const width = Math.floor(contentRect.width);
        if (width === 0 || width === box.drawnWidth) continue;
        box.drawnWidth = width;
        box.draw(width);
    }
});

let chartCount = 0;

/// A box of that height in which `draw(svg, width)` draws. `kind` is the class of the SVG; `label` {title, text} is what
/// a screen reader says: a name, and the figures.
function chartBox(kind, {title, text}, height, draw) {
    if (!kPlots) return null;
    const box = element("div", {class: "chart"}), id = `chart-${++chartCount}`;
    box.style.height = `${height}px`;
    box.draw = (width) => {
        const svg = d3.select(box).html("").append("svg").attr("class", kind).attr("role", "img")
            .attr("aria-labelledby", `${id}-title ${id}-text`).attr("viewBox", `0 0 ${width} ${height}`);
        svg.append("title").attr("id", `${id}-title`).text(title);
        svg.append("desc").attr("id", `${id}-text`).text(text);
        draw(svg, width);
    };
    drawing.observe(box);
    return box;
}

/// `text` as SVG, cut to `room` pixels where it is longer.
function drawText(group, text, className, x, y, room = Infinity) {
    const node = group.append("text").attr("class", className).attr("x", x).attr("y", y).text(text).node();
    const width = () => node.getComputedTextLength();
    if (width() > room) {
        let kept = Math.floor(text.length * room / width());
        do node.textContent = `${text.slice(0, kept--)}…`;
        while (kept > 0 && width() > room);
    }
    return node;
}

/// About as many ticks as have room on an axis of that length.
const tickCount = (pixels) => Math.max(2, Math.min(5, Math.floor(pixels / 65)));

/// Powers of ten, of which at most six are shown.
function logarithmicTicks([low, high]) {
    const first = Math.round(Math.log10(low)), last = Math.round(Math.log10(high));
    return d3.range(first, last + 1, Math.ceil((last - first + 1) / 6)).map((power) => 10 ** power);
}

/// Takes away labels {node, isMark, left, right} that have no room beside those before them, or beside the mark.
function keepApart(labels) {
    const kGap = 8, kept = [];
    for (const label of [...labels].sort((a, b) => b.isMark - a.isMark)) {
        if (kept.some(({left, right}) => label.left < right + kGap && label.right > left - kGap)) label.node.remove();
        else kept.push(label);
    }
}

/// The axis below, with a line up to `top` at each tick: `write` makes a tick's text, `mark` is the tick that stands out.
function drawAxisBelow(svg, scale, {ticks, write, mark}, width, top, bottom) {
    const axis = svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`).call(
        d3.axisBottom(scale).tickValues(ticks).tickFormat(write).tickSize(top - bottom).tickPadding(8));
    axis.select(".domain").remove();
    const shown = axis.selectAll(".tick").classed("mark", (tick) => tick === mark);
    const labels = [];
    shown.select("text").each(function (tick) {  // in the middle under its line, but within the box
        const half = this.getComputedTextLength() / 2, at = scale(tick);
        const shift = Math.max(half - at, 0) + Math.min(width - half - at, 0);
        this.setAttribute("x", shift);
        labels.push({node: this, isMark: tick === mark, left: at + shift - half, right: at + shift + half});
    });
    keepApart(labels);
}

const kRowHeight = 48, kAxisHeight = 28, kTop = 6, kSide = 22, kBar = 14;

/// A group for each row {name, text, own}, with its name at the left and its figure at the right above y = 0, and all of it as a
/// tooltip; `own`: it stands out.
function drawRows(svg, rows, width) {
    const groups = svg.selectAll(".row").data(rows).enter().append("g").attr("class", ({own}) => (own ? "row own" : "row"))
        .attr("transform", (_, i) => `translate(0,${kTop + i * kRowHeight + 34})`);
    groups.each(function ({name, text}) {
        const group = d3.select(this);
        const figure = drawText(group, text, "figure", width - 2, -14);
        figure.setAttribute("text-anchor", "end");
        drawText(group, name, "name", 2, -14, width - figure.getComputedTextLength() - 18);
        group.append("title").text(`${name}: ${text}`);
    });
    return groups;
}

const hasInterval = ({low, high}) => isFigure(low) && isFigure(high);

function drawLine(groups, className, x1, x2, y1 = 0, y2 = 0) {
    groups.append("line").attr("class", className).attr("x1", x1).attr("x2", x2).attr("y1", y1).attr("y2", y2);
}

/// A bar for each row {name, text, value, base, limit, low, high, tone}: up to `base` it is pale (what was there before),
/// up to `limit` there is a track, from `low` to `high` a thin line. `scale` {max, write}.
function barChart(label, rows, {max, write}) {
    const bottom = kTop + rows.length * kRowHeight + 4;
    return chartBox("bar-plot", label, bottom + kAxisHeight, (svg, width) => {
        const x = d3.scaleLinear().domain([0, max]).range([1, width - 1]).clamp(true);
        drawAxisBelow(svg, x, {ticks: x.ticks(tickCount(width)), write}, width, kTop, bottom);
        const groups = drawRows(svg, rows, width), baseOf = (row) => Math.min(row.base ?? 0, row.value);
        const bar = (some, className, from, to) =>
            some.append("rect").attr("class", className).attr("x", (row) => x(from(row))).attr("y", -kBar / 2)
                .attr("width", (row) => Math.max(x(to(row)) - x(from(row)), 0)).attr("height", kBar);
        bar(groups.filter(({limit}) => isFigure(limit)), "track", () => 0, ({limit}) => limit);
        bar(groups.filter((row) => baseOf(row) > 0), "bar pale", () => 0, baseOf);
        bar(groups, "bar", baseOf, ({value}) => value).each(function ({tone}) {
            if (tone) this.classList.add(tone);
        });
        const spread = groups.filter(hasInterval);
        drawLine(spread, "interval", ({low}) => x(low), ({high}) => x(high));
        for (const end of ["low", "high"]) drawLine(spread, "interval", (row) => x(row[end]), (row) => x(row[end]), -4, 4);
    });
}

/// A dot for each row {name, text, value, low, high, limit, tone}, with a broad line from low to high and a tick at the
/// limit. `scale` {low, high, write, mark, logarithmic}.
function dotChart(label, rows, {low, high, write, mark, logarithmic}) {
    const bottom = kTop + rows.length * kRowHeight + 4;
    return chartBox("dot-plot", label, bottom + kAxisHeight, (svg, width) => {
        const x = (logarithmic ? d3.scaleLog() : d3.scaleLinear()).domain([low, high]).range([kSide, width - kSide])
            .clamp(true);
        const ticks = logarithmic ? logarithmicTicks([low, high]) : x.ticks(Math.max(tickCount(width) - 1, 2));
        drawAxisBelow(svg, x, {ticks, write, mark}, width, kTop, bottom);
        const groups = drawRows(svg, rows, width), toneOfRow = ({tone}) => tone || "plain";
        drawLine(groups, "guide", kSide, width - kSide);
        drawLine(groups.filter(hasInterval), (row) => `whisker ${toneOfRow(row)}`, (row) => x(row.low), (row) => x(row.high));
        const limited = groups.filter((row) => isFigure(row.limit)), limitAt = (row) => x(row.limit);
        drawLine(limited, "limit", limitAt, limitAt, -8, 8);
        groups.append("circle").attr("class", (row) => `dot ${toneOfRow(row)}`).attr("cx", ({value}) => x(value))
            .attr("r", 5);
    });
}

/// Points or lines: `series` [{className, points: [{x, y}]}]. `x` and `y` {low, high, write, ticks (default: round
/// numbers), mark}; `band` [low, high]: the part of the y axis that is shaded.
function pointChart(label, height, series, x, y, {showLine = false, band} = {}) {
    return chartBox("point-plot", label, height, (svg, width) => {
        const left = 58, bottom = height - kAxisHeight;
        const toX = d3.scaleLinear().domain([x.low, x.high]).range([left, width - kSide]);
        const toY = d3.scaleLinear().domain([y.low, y.high]).range([bottom, 10]);
        if (band) {
            svg.append("rect").attr("class", "band").attr("x", left).attr("width", Math.max(width - kSide - left, 0))
                .attr("y", toY(band[1])).attr("height", toY(band[0]) - toY(band[1]));
        }
        drawAxisBelow(svg, toX, {...x, ticks: x.ticks ?? toX.ticks(tickCount(width - left))}, width, 10, bottom);
        const axis = svg.append("g").attr("class", "axis").attr("transform", `translate(${left},0)`).call(
            d3.axisLeft(toY).tickValues(y.ticks ?? toY.ticks(4)).tickFormat(y.write).tickSize(left - width + kSide)
                .tickPadding(8));
        axis.select(".domain").remove();
        axis.selectAll(".tick").classed("mark", (tick) => tick === y.mark);
        for (const {className, points} of series) {
            const group = svg.append("g").attr("class", className);
            const path = points.map((point) => `${toX(point.x)},${toY(point.y)}`).join(" ");
            if (showLine) group.append("polyline").attr("points", path);
            group.selectAll("circle").data(points).enter().append("circle").attr("cx", (point) => toX(point.x))
                .attr("cy", (point) => toY(point.y)).attr("r", 3);
        }
    });
}

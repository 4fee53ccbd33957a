// Charts: SVG by Chartist. Every figure in them is in a table of the page as well.

/// Draws each chart once its box has a width: not within closed details, and not before the window has a size.
const drawing = new ResizeObserver((entries) => {
    for (const {target: box, contentRect} of entries) {
        if (contentRect.width === 0) continue;
        drawing.unobserve(box);
        box.drawChart(box);
    }
});

/// A box that `draw(box)` fills. `label` is what a screen reader says.
function chartBox(label, height, draw) {
    const box = element("div", {class: "chart", role: "img", "aria-label": label});
    box.style.height = `${height}px`;
    box.drawChart = draw;
    drawing.observe(box);
    return box;
}

/// At most about `count` round numbers from `low` to `high`.
function roundTicks(low, high, count) {
    const rough = (high - low) / count;
    if (!(rough > 0)) return [low];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(i * step + 0);  // no −0
    return ticks;
}

/// An axis from `low` to `high`; `write` makes a tick's text.
function axis(low, high, ticks, write, offset) {
    return {type: Chartist.FixedScaleAxis, low, high, ticks, write, offset, showLabel: false};
}

/// `text` as SVG, cut to `room` pixels where it is longer (it then says the whole when pointed at).
function drawText(group, text, attributes, className, room = Infinity) {
    const node = group.elem("text", attributes, className).text(text).getNode();
    const width = () => node.getComputedTextLength();
    if (width() > room) {
        let kept = Math.floor(text.length * room / width());
        do node.textContent = `${text.slice(0, kept--)}…`;
        while (kept > 0 && width() > room);
        const title = document.createElementNS(node.namespaceURI, "title");
        title.textContent = text;
        node.append(title);
    }
    return node;
}

/// Labels of both axes as text, `mark` a tick that stands out; a viewBox, so that print may scale it.
function finishChart(chart, options, mark) {
    chart.on("draw", (drawn) => {
        if (drawn.type !== "grid") return;
        const horizontal = drawn.axis.units.pos === "x", own = horizontal ? options.axisX : options.axisY;
        const tick = drawn.axis.ticks[drawn.index];
        if (tick === mark) drawn.element.addClass("mark");
        if (!own.write) return;
        if (horizontal) {  // in the middle under its line, but within the box
            const text = drawText(drawn.group, own.write(tick), {y: drawn.y2 + 16}, "tick");
            const width = text.getComputedTextLength(), most = chart.container.clientWidth - width;
            text.setAttribute("x", Math.max(Math.min(drawn.x1 - width / 2, most), 0));
        } else {
            drawText(drawn.group, own.write(tick), {x: drawn.x1 - 8, y: drawn.y1 + 4, "text-anchor": "end"}, "tick");
        }
    });
    chart.on("created", ({svg}) => {
        svg.attr({viewBox: `0 0 ${svg.width()} ${svg.height()}`, preserveAspectRatio: "xMinYMin meet"});
    });
}

const kRowHeight = 48, kAxisHeight = 28, kSide = 22;

/// A row's name at the left and its figure at the right, above what is drawn at `y`.
function drawRowTexts(group, row, rect, y) {
    const figure = drawText(group, row.text, {x: rect.x2, y: y - 13, "text-anchor": "end"}, "figure");
    drawText(group, row.name, {x: rect.x1, y: y - 13}, "name", rect.x2 - rect.x1 - figure.getComputedTextLength() - 14);
}

/// A bar for each row {name, text, value, base, limit, tone}: up to `base` it is pale (what was there before), up to
/// `limit` there is a track. `scale` {max, ticks, write}.
function barChart(label, fromTop, scale) {
    const rows = fromTop.slice().reverse();  // Chartist begins at the bottom
    const height = rows.length * kRowHeight + kAxisHeight + 8;
    return chartBox(label, height, (box) => {
        const options = {
            horizontalBars: true, stackBars: true, low: 0, high: scale.max,
            chartPadding: {top: 6, right: 2, bottom: 0, left: 2},
            axisX: axis(0, scale.max, scale.ticks, scale.write, kAxisHeight),
            axisY: {offset: 0, showLabel: false, showGrid: false},
        };
        const bases = rows.map((row) => Math.min(row.base ?? 0, row.value));
        const chart = new Chartist.BarChart(box, {
            labels: rows.map((row) => row.name),
            series: [{data: bases, className: "base"},
                     {data: rows.map((row, i) => row.value - bases[i]), className: "value"}],
        }, options);
        chart.on("draw", (drawn) => {
            if (drawn.type !== "bar") return;
            const row = rows[drawn.index], {chartRect: rect, group, element: bar} = drawn;
            // So that labels above have their room.
            for (const y of ["y1", "y2"]) bar.attr({[y]: drawn.y1 + 10});
            if (drawn.seriesIndex === 1) {
                if (row.tone) bar.addClass(row.tone);
                return;
            }
            drawRowTexts(group, row, rect, drawn.y1 + 10);
            if (!isFigure(row.limit)) return;
            const x2 = Math.min(rect.x1 + drawn.axisX.projectValue(row.limit), rect.x2);
            group.elem("line", {x1: rect.x1, x2, y1: drawn.y1 + 10, y2: drawn.y1 + 10}, "track", true);
        });
        finishChart(chart, options);
    });
}

/// A dot for each row {name, text, value, low, high, limit, tone}, with a bar from low to high and a tick at the
/// limit. `scale` {low, high, ticks, write, mark, project}: `project` maps figures to the axis (logarithms).
function dotChart(label, rows, scale) {
    const height = rows.length * kRowHeight + kAxisHeight + 8;
    const project = scale.project ?? ((value) => value);
    return chartBox(label, height, (box) => {
        const options = {
            showLine: false, chartPadding: {top: 6, right: kSide, bottom: 0, left: kSide},
            axisX: axis(scale.low, scale.high, scale.ticks, scale.write, kAxisHeight),
            axisY: {...axis(0, rows.length, [], null, 0), showGrid: false},
        };
        const points = rows.map((row, i) => ({x: project(row.value), y: rows.length - i - 0.5}));
        const chart = new Chartist.LineChart(box, {series: [{data: points, className: "value"}]}, options);
        chart.on("draw", (drawn) => {
            if (drawn.type !== "point") return;
            const row = rows[drawn.index], {chartRect: rect, group} = drawn, y = drawn.y + 10;
            const place = (value) => {
                const x = rect.x1 + drawn.axisX.projectValue({x: project(value)});
                return Math.min(Math.max(x, rect.x1), rect.x2);
            };
            const tone = row.tone || "plain";
            drawn.element.attr({y1: y, y2: y}).addClass(tone);
            group.elem("line", {x1: rect.x1, x2: rect.x2, y1: y, y2: y}, "guide", true);
            drawRowTexts(group, row, {x1: 2, x2: rect.x2 + kSide - 4}, y);
            if (isFigure(row.low) && isFigure(row.high))
                group.elem("line", {x1: place(row.low), x2: place(row.high), y1: y, y2: y}, `whisker ${tone}`);
            if (isFigure(row.limit))
                group.elem("line", {x1: place(row.limit), x2: place(row.limit), y1: y - 8, y2: y + 8}, "limit");
        });
        finishChart(chart, options, scale.mark);
    });
}

/// Points or lines: `series` [{className, points: [{x, y}]}]; `x` and `y` as axis() makes them.
function pointChart(label, height, series, x, y, {showLine = false, mark} = {}) {
    return chartBox(label, height, (box) => {
        const options = {showLine, showPoint: true, lineSmooth: false, axisX: x, axisY: y,
                         chartPadding: {top: 10, right: kSide, bottom: 0, left: 0}};
        const data = series.map(({className, points}) => ({className, data: points}));
        finishChart(new Chartist.LineChart(box, {series: data}, options), options, mark);
    });
}

// Figures as text, and elements. Texts from outside reach the page as text nodes only.

const kNone = "–";
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/// `number` with a unit's prefix: 39812345 → "39.81 M".
function scaled(number, prefixes = ["", "k", "M", "G", "T", "P", "E", "Z"]) {
    if (!isNumber(number)) return kNone;
    let index = 0;
    while (Math.abs(number) >= 999.95 && index < prefixes.length - 1) {
        number /= 1000;
        ++index;
    }
    const digits = index === 0 && Number.isInteger(number) ? 0 : Math.abs(number) < 10 ? 3 : Math.abs(number) < 100 ? 2 : 1;
    return `${number.toFixed(digits)} ${prefixes[index]}`.trim();
}

function rateText(rate) {
    if (!isNumber(rate)) return kNone;
    const text = scaled(rate);
    return /\d$/.test(text) ? `${text} H/s` : `${text}H/s`;
}

const difficultyText = (difficulty) =>
    !isNumber(difficulty) ? kNone : difficulty < 1 && difficulty > 0 ? difficulty.toPrecision(3) : scaled(difficulty);

const groupedText = (count) => (isNumber(count) ? count.toLocaleString("en") : kNone);

/// "12", "3.2 thousand", "8 billion"
function inWords(count) {
    const kNames = ["", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion"];
    let index = 0;
    while (count >= 999.5 && index < kNames.length - 1) {
        count /= 1000;
        ++index;
    }
    return `${count < 9.95 && index > 0 ? Number(count.toFixed(1)) : groupedText(Math.round(count))}${kNames[index]}`;
}

/// "4.2 s", "3 min 07 s", "5 h 02 min", "12 days", "8 billion years"
function durationText(seconds) {
    if (!isNumber(seconds)) return kNone;
    const kMinute = 60, kHour = 3600, kDay = 86400, kYear = 365.25 * kDay;
    const pair = (big, bigName, small, smallName) => `${big} ${bigName} ${String(small).padStart(2, "0")} ${smallName}`;
    if (seconds < 10) return `${seconds.toFixed(1)} s`;
    if (seconds < kMinute) return `${Math.floor(seconds)} s`;
    if (seconds < kHour) return pair(Math.floor(seconds / kMinute), "min", Math.floor(seconds % kMinute), "s");
    if (seconds < kDay) return pair(Math.floor(seconds / kHour), "h", Math.floor(seconds % kHour / kMinute), "min");
    if (seconds < 2 * kYear) return `${groupedText(Math.floor(seconds / kDay))} days`;
    return `${inWords(seconds / kYear)} years`;
}

function chanceText(chance) {
    if (!isNumber(chance)) return kNone;
    const percent = chance * 100;
    return percent >= 0.1 || percent === 0 ? `${percent.toFixed(percent >= 10 ? 0 : 2)} %` : `1 in ${inWords(1 / chance)}`;
}

const unbroken = (text) => text.replaceAll(" ", "\u00a0");

const withoutScheme = (url) => url.replace(/^[\w+.-]+:\/\//, "");

/// A server's address, whose port stays whole.
function placeText(url) {
    const [, name, port] = /^(.*?)(:\d+)?$/s.exec(withoutScheme(url));
    return element("span", {title: url}, shortened(name, 34), port && element("span", {class: "port", text: port}));
}

/// Long names with their middle left out; the whole of it is in the title.
function shortened(text, most = 26) {
    if (text.length <= most) return text;
    const half = Math.floor((most - 1) / 2);
    return element("span", {title: text, text: `${text.slice(0, half)}…${text.slice(-half)}`});
}

const timeText = (date) => date.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit"});

/// An element with attributes (but for `text`) and children.
function element(name, {text, ...attributes} = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    if (text !== undefined && text !== null) node.textContent = text;
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

const byId = (id) => document.getElementById(id);

/// A table: `columns` [{title, kind, cell: (row) => text or node, tone: (row) => class}]. Narrow screens show each row as a card: the
/// roles stay those of a table then, too.
function table(caption, columns, rows) {
    const head = element("tr", {role: "row"}, ...columns.map(({title, kind}) =>
        element("th", {scope: "col", role: "columnheader", class: kind, text: title})));
    const body = rows.map((row) => element("tr", {role: "row"}, ...columns.map(({title, kind, cell, tone}) => {
        const value = cell(row);
        const node = element("td", {role: "cell", "data-title": title, class: [kind, tone?.(row)].filter(Boolean).join(" ") || null});
        node.append(value instanceof Node ? value : document.createTextNode(value ?? kNone));
        return node;
    })));
    return element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
        element("table", {role: "table", "aria-label": caption}, element("thead", {role: "rowgroup"}, head),
            element("tbody", {role: "rowgroup"}, ...body)));
}

/// Terms and their descriptions into a list: `facts` [term, text or node, class], those without a text left out.
function fillFacts(list, facts) {
    list.replaceChildren(...facts.filter(([, value]) => value !== null && value !== undefined).map(([term, value, kind]) =>
        element("div", {class: kind}, element("dt", {text: term}), element("dd", {}, value))));
}

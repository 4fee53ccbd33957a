// Elements of the page, and figures as people read them.

/// element("p", {class: "note"}, "text", otherElement): strings become text, never markup.
function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
}

function foldedAway(summary, ...content) {
    return element("details", {class: "over-time"}, element("summary", {}, summary), content);
}

const kUnknown = "–";

function isFigure(value) {
    return typeof value === "number" && Number.isFinite(value);
}

/// Of any number of values: Math.min() and Math.max() take as many as fit on a stack.
const lowestOf = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const highestOf = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/// Four significant digits, thousands grouped: 31.62, 2,989, 0.01234.
function digits(value) {
    if (!isFigure(value)) return kUnknown;
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e15 || size < 1e-6)) return value.toExponential(2);
    const rounded = Number(size.toPrecision(4));  // 9.9999 has one place less than 9.998
    const places = Number.isInteger(value) ? 0 : Math.min(Math.max(3 - Math.floor(Math.log10(rounded)), 0), 9);
    return value.toLocaleString("en-US", {minimumFractionDigits: places, maximumFractionDigits: places});
}

function percent(share, decimals = 1) {
    return isFigure(share) ? `${(100 * share).toFixed(decimals)} %` : kUnknown;
}

/// A change, with its sign: "−0.4 %".
function change(ratio) {
    if (!isFigure(ratio)) return kUnknown;
    const value = 100 * (ratio - 1), text = Math.abs(value).toFixed(Math.abs(value) < 10 ? 1 : 0);
    return `${Number(text) === 0 ? "±" : value < 0 ? "−" : "+"}${text} %`;
}

/// How a unit is written: `scale` divides figures that are about as large as `size`.
function unitFor(unit, size) {
    if (!unit.endsWith("/s")) return {scale: 1, name: unit.split(/ (?:per|of) /)[0]};
    const prefixes = ["", "k", "M", "G", "T", "P", "E"];
    const power = size > 0 ? Math.min(Math.max(Math.floor(Math.log10(size) / 3), 0), prefixes.length - 1) : 0;
    const name = unit === "hashes/s" ? `${prefixes[power]}H/s` : `${prefixes[power]} ${unit}`.trim();
    return {scale: 1000 ** power, name};
}

/// "31.62 MH/s", "36.14 ns"
function quantity(value, unit) {
    if (!isFigure(value)) return kUnknown;
    const {scale, name} = unitFor(unit, Math.abs(value));
    return name === "" ? digits(value / scale) : `${digits(value / scale)} ${name}`;
}

/// "31.50 – 31.71", in the unit of `like`.
function range(low, high, unit, like) {
    if (!isFigure(low) || !isFigure(high)) return kUnknown;
    const {scale} = unitFor(unit, Math.abs(like));
    return `${digits(low / scale)} – ${digits(high / scale)}`;
}

function duration(seconds) {
    if (!isFigure(seconds)) return kUnknown;
    if (seconds < 120) return `${Number(seconds.toPrecision(3))} s`;
    const minutes = Math.floor(seconds / 60);
    return minutes < 120 ? `${minutes} min ${Math.round(seconds % 60)} s`
                         : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/// "2026-11-21T20:39:06Z" → "2026-11-21 20:39 UTC"
function date(iso) {
    return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?Z$/, "$1 $2 UTC");
}

function plural(count, one, many = `${one}s`) {
    return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/// What the run's machine counts, where details speak of cycles. report() looks at machine.cycle_unit, which documents of
/// before ARM64 lack.
const kCycles = {units: "cycles", about: "reference cycles, by rdtscp"};
const kTicks = {units: "ticks", about: "timer ticks, by cntvct_el0"};
let counter = kCycles;

/// What Measurement::details calls its figures: the heading and the way to write them. Others are written as they are.
const kFigures = {
    __proto__: null,
    cycles_per_hash: ["cycles per hash"],
    share_of_limit: ["share of limit", percent],
    share_of_one_core: ["share of a core", percent],
    share_of_stated_rate: ["share of stated rate", percent],
    joules_per_gh: ["J/GH"],
    power_w: ["power, W"],
    max_temperature_c: ["highest, °C"],
    hashes_per_second: ["hash rate", (value) => quantity(value, "hashes/s")],
    rate_with_host: ["with the host's time", (value) => quantity(value, "hashes/s")],
    whole_range_seconds: ["all 2³² nonces", duration],
    counter_hz: ["counter, GHz", (value) => digits(value / 1e9)],
    limit: ["limit", (value) => quantity(value, "hashes/s")],
    port_operations_per_second: ["port operations", (value) => quantity(value, "/s")],
    inputs_per_second: ["inputs per second", (value) => quantity(value, "inputs/s")],
    batches_per_second: ["batches per second", (value) => quantity(value, "batches/s")],
    nanoseconds_one_at_a_time: ["one at a time, ns"],
    gain: ["gain", (value) => `× ${value.toFixed(2)}`],
    gain_in_all: ["gain in all", (value) => `× ${value.toFixed(2)}`],
};

function headingOf(key) {
    return (key in kFigures ? kFigures[key][0] : key.replaceAll("_", " ")).replace("cycles", counter.units);
}

function detail(key, value) {
    if (value === undefined || typeof value === "object") return kUnknown;
    if (typeof value === "string") return value;
    if (typeof value === "boolean") return value ? "yes" : "no";
    const write = key in kFigures && kFigures[key][1];
    if (write) return write(value);
    return key.startsWith("share_") ? percent(value) : digits(value);
}

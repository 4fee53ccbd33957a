// The parts of the page, each from the documents of the API.

const withSmall = (text, small) => {
    const node = document.createDocumentFragment();
    node.append(text, element("small", {text: small}));
    return node;
};

const ratesText = (rates) => [["10s", "10 s"], ["60s", "1 min"], ["15m", "15 min"]].filter(([window]) => isNumber(rates[window]))
    .map(([window, name]) => unbroken(`${name}: ${rateText(rates[window])}`)).join(", ");

/// Why a server gives no work, as far as it is known: of pools they say so, of nodes the last warning does.
function whyNoWork({details}, log) {
    if (details?.pools) return details.pools.find(({last_error: error}) => error)?.last_error;
    return log?.findLast(({severity}) => severity === "warning")?.text;
}

/// [text, tone] of the line at the top: at work, or why not.
function stateOf(summary, log) {
    if (summary.paused) return [summary.on_battery ? "paused: on battery" : "paused", "warn"];
    if (summary.idle === "every device is paused" || summary.waiting_for_devices) return [summary.idle, "warn"];
    if (summary.server && !summary.server.connected) {
        if (summary.server.logged_in) return [`logged in, ${summary.idle}`, "bad"];
        const why = whyNoWork(summary, log);
        return [`no work from a server${why ? `: ${why}` : ""}`, "bad"];
    }
    return ["mining", "good"];
}

/// The hottest device, as a card.
function heatCard(devices) {
    const hottest = devices.filter(({temperature_c: degrees}) => isNumber(degrees)).sort((a, b) => b.temperature_c - a.temperature_c)[0];
    return ["Hottest", hottest && withSmall(`${Math.round(hottest.temperature_c)} °C`, hottest.name)];
}

function serverCard(summary) {
    const {server} = summary;
    if (!server) return ["Server", null];
    const state = server.connected ? "gives work" : server.logged_in ? "logged in" : "gives no work";
    const answers = server.connected && isNumber(server.latency_ms) ? `, answers in ${server.latency_ms.toFixed(server.latency_ms < 10 ? 1 : 0)} ms` : "";
    const name = server.name ?? summary.details?.pools?.[0].url;
    return [summary.command === "solo" ? "Node" : "Pool", withSmall(name ? placeText(name) : kNone, state + answers),
        server.connected ? "whole" : "whole bad"];
}

function sharesCard(summary) {
    const found = summary.command === "solo" ? "Blocks" : "Shares";
    const last = isNumber(summary.last_accepted_seconds) ? `last one ${durationText(summary.last_accepted_seconds)} ago` : "none yet";
    const others = ["rejected", "stale", "unanswered"].filter((kind) => summary[kind] > 0)
        .map((kind) => `, ${groupedText(summary[kind])} ${kind}`).join("");
    return [`${found} accepted`, summary.server && withSmall(groupedText(summary.accepted), last + others), "whole"];
}

function showFigures(summary, {devices}) {
    byId("rate").textContent = rateText(summary.hash_rate);
    byId("rate").className = summary.idle === null ? "" : "idle";
    byId("rates").textContent = ratesText(summary.hash_rates);
    fillFacts(byId("figures"), [
        // mine looks for hashes that meet the target alone, and knows no others.
        ["Best difficulty ever", summary.command === "mine" ? null : withSmall(difficultyText(summary.best_difficulty_ever),
            `in this run ${difficultyText(summary.best_difficulty)}`)],
        heatCard(devices),
        ["Power", isNumber(summary.power_w) ? withSmall(`${Math.round(summary.power_w)} W`,
            `${scaled(summary.hash_rate / summary.power_w)} hashes per joule`) : null],
        ["Blocks found", summary.command === "pool" ? groupedText(summary.blocks) : null],
        serverCard(summary),
        sharesCard(summary),
    ]);
}

/// What somebody can mend, a sentence each.
function troubles(summary, devices) {
    const kMany = 10, kShare = 0.05, kHour = 3600;
    const found = devices.filter(({failure}) => failure).map(({name, failure}) => `${name} is quarantined: ${failure}.`);
    found.push(...devices.filter(({too_hot: hot}) => hot).map(({name}) => `${name} is paused until it is cooler.`));
    const refused = summary.rejected + summary.stale, answered = refused + summary.accepted;
    if (refused >= kMany && refused / answered > kShare) {
        const [reason, count] = Object.entries(summary.reject_reasons).sort(([, a], [, b]) => b - a)[0] ?? [];
        found.push(`${chanceText(refused / answered)} of the shares are refused` + (reason ? `, ${chanceText(count / refused)} of these for “${reason}”.` : "."));
    }
    if (summary.odds.share_seconds > kHour)
        found.push(`A share takes ${durationText(summary.odds.share_seconds)} on average: this pool's difficulty is too high for this rate. Ask for less (--suggest-diff).`);
    return found;
}

function showBanners(summary, {devices}) {
    byId("banners").replaceChildren(...troubles(summary, devices).map((text) => element("p", {class: "banner", text})));
}

function deviceState(device, summary) {
    if (device.failure) return `quarantined: ${device.failure}`;
    if (device.too_hot) return "paused: too hot";
    if (device.paused || summary.paused) return "paused";
    return summary.idle === null ? "at work" : "waits for work";
}

/// The button for all devices.
function showPause(summary, locked) {
    const button = byId("pause");
    button.hidden = locked;
    button.disabled = summary.on_battery;
    button.textContent = summary.on_battery ? "on battery" : summary.paused ? "Resume" : "Pause";
    button.dataset.action = summary.paused ? "resume" : "pause";
}

function showDevices(summary, {devices}, locked, change) {
    const button = (device) => element("button", {type: "button", "data-device": device.number,
        text: device.paused ? "Resume" : "Pause", "aria-label": `${device.paused ? "Resume" : "Pause"} ${device.name}`});
    const sensorColumn = (title, unit, value) => (devices.some((device) => isNumber(value(device))) ?
        [{title, kind: "number", cell: (row) => (isNumber(value(row)) ? `${Math.round(value(row))} ${unit}` : kNone)}] : []);
    const columns = [
        {title: "Device", cell: ({name, model}) => (model && model !== name ? `${name}, ${model}` : name)},
        {title: "10 s", kind: "number", cell: ({hash_rates: rates}) => rateText(rates["10s"])},
        {title: "1 min", kind: "number", cell: ({hash_rates: rates}) => rateText(rates["60s"])},
        {title: "15 min", kind: "number", cell: ({hash_rates: rates}) => rateText(rates["15m"])},
        ...sensorColumn("Temperature", "°C", ({temperature_c: degrees}) => degrees),
        ...sensorColumn("Power", "W", ({power_w: watts}) => watts),
        {title: "Errors", kind: "number", cell: ({wrong_candidates: count}) => groupedText(count)},
        {title: "State", cell: (device) => deviceState(device, summary), tone: ({failure}) => failure && "bad"}];
    if (!locked) columns.push({title: "Control", kind: "button", cell: button});
    replaceKeepingFocus(byId("devices"), devices.length > 0 ? table("Devices at work", columns, devices) :
        element("p", {text: "none at work yet"}), "data-device");
    for (const node of byId("devices").querySelectorAll("button")) {
        const device = devices[node.dataset.device];
        node.addEventListener("click", () => change(`devices/${device.number}/${device.paused ? "resume" : "pause"}`));
    }
}

/// New content in a box; who is on a button of the old one stays on the same button.
function replaceKeepingFocus(box, content, attribute) {
    const focused = box.contains(document.activeElement) ? document.activeElement.getAttribute(attribute) : null;
    box.replaceChildren(content);
    if (focused !== null) box.querySelector(`[${attribute}="${focused}"]`)?.focus();
}

function showJob(summary, {job}) {
    byId("job-section").hidden = summary.command === "mine";
    if (job === null) return fillFacts(byId("job"), [["State", "no job"]]);
    fillFacts(byId("job"), [
        ["Number", groupedText(job.number)],
        ["Chain", job.chain],
        ["Height", isNumber(job.height) ? groupedText(job.height) : null],
        ["Age", durationText(job.age_seconds)],
        ["Difficulty", difficultyText(job.difficulty)],
        ["Network difficulty", difficultyText(job.network_difficulty)],
        ["Version bits to roll", job.version_mask === "00000000" ? "none" : job.version_mask],
        ["Transactions", isNumber(job.transactions) ? groupedText(job.transactions) : null],
        ["Fees", isNumber(job.fees_sat) ? `${groupedText(job.fees_sat)} sat` : null],
        ["Pays", job.pays && shortened(job.pays)],
        ["Payment", job.payment],
    ]);
}

function showServer(summary, locked, change) {
    for (const section of ["server-section", "shares-section"]) byId(section).hidden = summary.server === null;
    if (summary.server === null) return;
    const pools = summary.details.pools;
    if (!pools) {
        const list = element("dl", {class: "facts"});
        fillFacts(list, [["Node", summary.server.name], ["State", summary.server.connected ? "gives work" : "gives no work"]]);
        return byId("server").replaceChildren(list);
    }
    const state = (pool) => (pool.active ? (summary.server.connected ? "in use" : "logged in") : pool.last_error || "not in use");
    const columns = [
        {title: "Pool", cell: ({url}) => shortened(url, 48)},
        {title: "User", cell: ({user}) => shortened(user)},
        {title: "Accepted", kind: "number", cell: ({accepted}) => groupedText(accepted)},
        {title: "Rejected", kind: "number", cell: ({rejected}) => groupedText(rejected)},
        {title: "Stale", kind: "number", cell: ({stale}) => groupedText(stale)},
        {title: "State", cell: state}];
    if (!locked && pools.length > 1) {
        columns.push({title: "Control", kind: "button", cell: (pool) => (pool.active ? kNone : element("button",
            {type: "button", "data-pool": pools.indexOf(pool), text: "Use", "aria-label": `Use ${pool.url}`}))});
    }
    replaceKeepingFocus(byId("server"), table("Pools by number", columns, pools), "data-pool");
    for (const node of byId("server").querySelectorAll("button"))
        node.addEventListener("click", () => change(`pools/${node.dataset.pool}/activate`));
}

/// The best of all runs, a line each.
const bestList = (best) => element("ol", {class: "best"}, ...best.map(({share_difficulty: difficulty, time, server}) =>
    element("li", {}, withSmall(difficultyText(difficulty), `${new Date(time).toLocaleDateString()}, ${withoutScheme(server)}`))));

function showShares(summary, {shares, best}, {blocks}) {
    const reasons = Object.entries(summary.reject_reasons).sort(([, a], [, b]) => b - a);
    const finds = [...shares, ...blocks].sort((a, b) => (a.time < b.time ? 1 : -1)).slice(0, 20);
    const parts = [];
    if (reasons.length > 0) {
        parts.push(element("ul", {}, ...reasons.map(([reason, count]) =>
            element("li", {text: `${groupedText(count)} × ${reason}`}))));
    }
    parts.push(finds.length === 0 ? element("p", {text: "none answered yet"}) : table("Last shares and blocks", [
        {title: "Time", cell: ({time}) => timeText(new Date(time))},
        {title: "Answer", cell: (find) => (blocks.includes(find) ? `block ${find.verdict}` : find.verdict) +
            (find.reason ? `: ${find.reason}` : ""), tone: ({verdict}) => verdict === "rejected" && "bad"},
        {title: "Difficulty", kind: "number", cell: ({difficulty, share_difficulty: own}) => `${difficultyText(own)} of ${difficultyText(difficulty)}`},
        {title: "After", kind: "number", cell: ({latency_ms: ms}) => (isNumber(ms) ? `${ms.toFixed(1)} ms` : kNone)},
    ], finds));
    if (best.length > 0) parts.push(element("h3", {text: "Best ever"}), bestList(best));
    byId("shares").replaceChildren(...parts);
}

function showOdds({odds}) {
    byId("odds-section").hidden = odds.share_seconds === null && odds.block_seconds === null;
    fillFacts(byId("odds"), [
        ["A share every", odds.share_seconds === null ? null : `${durationText(odds.share_seconds)} on average`],
        ["A block every", odds.block_seconds === null ? null : `${durationText(odds.block_seconds)} on average`],
        ["Chance of a block within a day", odds.block_seconds === null ? null : chanceText(odds.block_chance_per_day)],
        ["Within a year", odds.block_seconds === null ? null : chanceText(odds.block_chance_per_year)],
    ]);
}

function showLog({log}) {
    byId("log").replaceChildren(...log.slice(-50).reverse().map(({time, severity, text}) =>
        element("li", {class: severity}, element("time", {datetime: time, text: timeText(new Date(time))}), text)));
}

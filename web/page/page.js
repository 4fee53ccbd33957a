// The page's life: it asks for documents, shows them, and says when nobody answers.

const kRefresh = 2000, kListsRefresh = 15000, kHistoryRefresh = 30000, kPatience = 6000;  // milliseconds
const shown = {lists: 0, history: 0};  // when they were asked for, performance.now()
let lastContact = null;  // Date
let refreshing = false, wanted = false, locked = true, version = null, history = null, events = null;

class NeedsToken extends Error {}

async function get(name) {
    const reply = await fetch(`/api/v1/${name}`, {cache: "no-store", signal: AbortSignal.timeout(kPatience)});
    if (reply.status === 401) throw new NeedsToken();
    if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
    return reply.json();
}

function setState(text, tone) {
    const line = byId("state");
    if (line.textContent !== text) line.textContent = text;  // said by screen readers only when it changes
    line.className = tone;
}

/// Asks for what is due, and shows it.
async function refresh() {
    if (refreshing) {
        wanted = true;
        return;
    }
    refreshing = true;
    try {
        await showAll();
    } catch (error) {
        if (error instanceof NeedsToken) askForToken();
    }
    refreshing = false;
    if (wanted) {
        wanted = false;
        setTimeout(refresh, 300);
    }
}

async function showAll() {
    const now = performance.now();
    const [summary, devices, job] = await Promise.all(["summary", "devices", "job"].map(get));
    if (version !== null && version !== summary.program_version) return location.reload();
    version = summary.program_version;
    lastContact = new Date();
    byId("content").hidden = false;
    byId("command").textContent = summary.command;
    byId("version").textContent = `gpuminer ${version}`;
    document.title = `${rateText(summary.hash_rate)} · gpuminer`;
    setState(...stateOf(summary));
    const pause = byId("pause");
    pause.hidden = locked;
    pause.textContent = summary.paused ? "Resume" : "Pause";
    pause.dataset.action = summary.paused ? "resume" : "pause";
    showFigures(summary);
    showDevices(devices, locked, change);
    showJob(job);
    showServer(summary, locked, change);
    showOdds(summary);
    if (shown.lists === 0 || now - shown.lists > kListsRefresh) {
        shown.lists = now;
        const [shares, blocks, log] = await Promise.all(["shares", "blocks", "log"].map(get));
        showShares(summary, shares, blocks);
        showLog(log);
    }
    if (shown.history === 0 || now - shown.history > kHistoryRefresh) {
        shown.history = now;
        history = await get("history");
        showSpan();
    }
}

const showSpan = () =>
    history && showPlots(history[document.querySelector("input[name=span]:checked").value]);

/// Changes something: "pause", "devices/0/resume", …
async function change(action) {
    try {
        const reply = await fetch(`/api/v1/${action}`, {method: "POST"});
        if (reply.status === 401) return askForToken();
        if (!reply.ok) setState((await reply.json()).error, "bad");
    } catch {
        // The next look says that nobody answers.
    }
    refresh();
}

// --- the token ---

function setLocked(isLocked) {
    locked = isLocked;
    byId("unlock").hidden = !locked;
}

function askForToken() {
    setLocked(true);
    if (!byId("dialog").open) byId("dialog").showModal();
}

async function unlock(event) {
    event.preventDefault();
    byId("token-error").textContent = "";
    try {
        const reply = await fetch("/api/v1/session", {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({token: byId("token").value.trim()})});
        if (reply.ok) {
            setLocked(false);
            byId("token").value = "";
            byId("dialog").close();
            listen();
            return refresh();
        }
        byId("token-error").textContent = reply.status === 401 ? "That is not the token." : `The miner answers ${reply.status}.`;
    } catch {
        byId("token-error").textContent = "The miner does not answer.";
    }
}

/// Whether this browser has the token: what changes nothing is refused without it, all the same.
async function probe() {
    try {
        const reply = await fetch("/api/v1/session", {cache: "no-store"});
        setLocked(!(reply.ok && (await reply.json()).unlocked));
    } catch {
        setLocked(true);
    }
}

// --- events ---

function listen() {
    events?.close();
    events = new EventSource("/api/v1/events");
    for (const name of ["share", "block", "job", "notice", "device", "end"]) {
        events.addEventListener(name, () => {
            shown.lists = 0;
            refresh();
        });
    }
}

function tick() {
    if (events?.readyState === EventSource.CLOSED) listen();  // it gives up after an answer that is none
    const silent = lastContact === null || Date.now() - lastContact.getTime() > kPatience;
    if (!silent) return;
    byId("content").hidden = true;
    document.title = "no contact · gpuminer";
    setState(lastContact === null ? "no contact yet" : `no contact since ${timeText(lastContact)}`, "bad");
}

byId("unlock").addEventListener("click", askForToken);
byId("cancel").addEventListener("click", () => byId("dialog").close());
byId("token-form").addEventListener("submit", unlock);
byId("pause").addEventListener("click", () => change(byId("pause").dataset.action));
for (const input of document.querySelectorAll("input[name=span]")) input.addEventListener("change", showSpan);
addEventListener("resize", showSpan);
byId("licences-text").textContent = byId("licences").textContent.trim();
listen();
probe().then(refresh);
setInterval(refresh, kRefresh);
setInterval(tick, 1000);

// The page's life: requests for documents, their display, and the message when nobody answers.

const kRefresh = 2000, kListsRefresh = 15000, kHistoryRefresh = 30000, kPatience = 6000;  // milliseconds
const shown = {lists: 0, history: 0};  // when they were asked for, performance.now()
let lastContact = null;  // Date
let lastLog = null;  // lines
let refreshing = false, wanted = false, version = null, history = null, events = null;
let locked = true, hasToken = true;  // whether this browser has the token, and the miner one
let linkFailure = "";
let refused = false;  // nothing may be read without the token, and nothing is asked for until it is there

class NeedsToken extends Error {}

async function get(name) {
    const reply = await fetch(`/api/v1/${name}`, {cache: "no-store", signal: AbortSignal.timeout(kPatience)});
    if (reply.status === 401) throw new NeedsToken();
    if (!reply.ok) throw new Error(`${name}: ${reply.status}`);
    return reply.json();
}

function setState(text, tone) {
    const line = byId("state");
    if (line.textContent !== text) line.textContent = line.title = text;  // said by screen readers only when it changes
    line.className = tone;
}

/// Asks for what is due, and shows it.
async function refresh() {
    if (refused) return;
    if (refreshing) {
        wanted = true;
        return;
    }
    refreshing = true;
    try {
        await showAll();
    } catch (error) {
        if (error instanceof NeedsToken) lockOut();
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
    showContent();
    byId("host").textContent = `${summary.command} on ${summary.host}`;
    byId("version").textContent = `gpuminer ${version}`;
    byId("uptime").textContent = `, running for ${durationText(summary.uptime_seconds)} · `;
    document.title = `${rateText(summary.hash_rate)} · ${summary.host} · gpuminer`;
    setState(...stateOf(summary, lastLog));
    showPause(summary, locked);
    showFigures(summary, devices);
    showBanners(summary, devices);
    showDevices(summary, devices, locked, change);
    showJob(summary, job);
    showServer(summary, locked, change);
    showOdds(summary);
    if (shown.lists === 0 || now - shown.lists > kListsRefresh) {
        shown.lists = now;
        const [shares, blocks, log] = await Promise.all(["shares", "blocks", "log"].map(get));
        showShares(summary, shares, blocks);
        lastLog = log.log;
        showLog(log);
    }
    if (shown.history === 0 || now - shown.history > kHistoryRefresh) {
        shown.history = now;
        history = await get("history");
        showSpan();
    }
}

/// Plots that were drawn while it was hidden had no width.
function showContent() {
    if (!byId("content").hidden) return;
    byId("content").hidden = false;
    showSpan();
}

function showSpan() {
    if (!history) return;
    showPlots(history[document.querySelector("input[name=span]:checked").value]);
    drawSpark(byId("spark"), history.hour.hash_rate);
}

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

// --- the token, and one-time secrets in its place ---

function setLocked(isLocked) {
    locked = isLocked;
    byId("unlock").hidden = !locked || !hasToken;
    byId("unlock").textContent = refused ? "Unlock" : "Unlock controls";
    byId("no-token").hidden = hasToken;
    if (locked) byId("pause").hidden = true;
}

function askForToken() {
    setLocked(true);
    byId("token-error").textContent = linkFailure;
    linkFailure = "";
    if (!byId("dialog").open) byId("dialog").showModal();
}

/// The dialog opens by itself this once; later the button opens it.
function lockOut() {
    if (refused) return;
    refused = true;
    events?.close();
    byId("content").hidden = true;
    document.title = "locked · gpuminer";
    setState("locked: digits or the token are needed", "warn");
    askForToken();
}

/// Why it did not get a session in exchange; empty: it did.
async function exchange(path, body, wrong) {
    try {
        const reply = await fetch(`/api/v1/${path}`, {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify(body)});
        if (reply.ok) return "";
        if (reply.status === 404) return "No digits are valid now: the miner shows new ones.";
        return reply.status === 401 ? wrong : `The miner answers ${reply.status}.`;
    } catch {
        return "The miner does not answer.";
    }
}

const usePairing = (secret) => exchange("pair", {secret}, "Wrong digits.");

async function unlock(event) {
    event.preventDefault();
    byId("token-error").textContent = "";
    const digits = byId("digits").value.replace(/\D/g, ""), token = byId("token").value.trim();
    const failure = digits ? await usePairing(digits) : await exchange("session", {token}, "Wrong token.");
    byId("token-error").textContent = failure;
    if (failure) return;
    unlocked();
}

function unlocked() {
    setLocked(false);
    if (refused) setState("connecting …", "");
    refused = false;
    byId("digits").value = byId("token").value = "";
    byId("dialog").close();
    listen();
    refresh();
}

/// A link that was scanned has a secret as its fragment, which leaves the address bar before it is used.
async function useLink() {
    const secret = location.hash.slice(1);
    if (secret === "" || secret === "live") return;  // of the link to the figures
    window.history.replaceState(null, "", location.pathname);
    linkFailure = await usePairing(secret) && "This link is no longer valid: the miner shows a new one.";
    if (!linkFailure && refused) unlocked();
}

/// Whether this browser has the token: what changes nothing is refused without it, all the same.
async function probe() {
    try {
        const session = await get("session");
        hasToken = session.has_token;
        setLocked(!session.unlocked);
    } catch (error) {
        setLocked(true);
        if (error instanceof NeedsToken) lockOut();
    }
}

// --- events ---

function listen() {
    if (refused) return;
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
    if (refused) return;
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
addEventListener("hashchange", () => useLink().then(probe));
byId("licences-text").textContent = byId("licences").textContent.trim();
useLink().then(probe).then(() => {
    listen();
    refresh();
    setInterval(refresh, kRefresh);
    setInterval(tick, 1000);
});

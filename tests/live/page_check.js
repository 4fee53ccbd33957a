// The driver of the page of --http in a browser (Playwright). It prints its observations, a line of JSON for each step.
// Between steps it says what it wants of the miner ({"want": "restart"}), and waits for a line. There are two windows, as each
// costs two seconds of a core: they go from miner to miner, and forget in between. Environment: NODE_PATH, BROWSER, URL, TOKEN,
// LOCKED_URL (of a miner that lets nobody read without the token), MINE_URL (of `mine` without a token), SCREENSHOTS (a folder;
// empty: no pictures, no axe, no phone), PATIENCE (seconds).
"use strict";
const fs = require("fs"), readline = require("readline"), {chromium} = require("playwright-core");

const kAxe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const {URL: url, TOKEN: token, SCREENSHOTS: folder, LOCKED_URL: lockedUrl, BROWSER: executablePath} = process.env;
const kPatience = 1000 * process.env.PATIENCE;  // milliseconds
const input = readline.createInterface({input: process.stdin})[Symbol.asyncIterator]();

const tell = (facts) => process.stdout.write(`${JSON.stringify(facts)}\n`);

async function want(what) {
    tell({want: what});
    await input.next();
}

const text = (page, selector) => page.locator(selector).innerText();
const state = (page, pattern) =>
    page.waitForFunction((source) => new RegExp(source).test(document.getElementById("state").textContent), pattern);

/// Pairs of labels of a plot that lie one on the other.
function countOverlaps() {
    let count = 0;
    for (const plot of document.querySelectorAll("#plots svg")) {
        const boxes = [...plot.querySelectorAll("text")].map((label) => label.getBoundingClientRect());
        count += boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
            a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
    }
    return count;
}

async function faultsOf(page) {
    if (!await page.evaluate(() => window.axe !== undefined)) await page.evaluate(kAxe);
    return page.evaluate(async () => {
        const {violations} = await axe.run(document);
        return violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.map(({html}) => html.slice(0, 200)).join(" | ")}`);
    });
}

/// Faults that axe finds, whether the page is wider than the window, and labels that overlap.
async function inspect(page, name) {
    if (folder) await page.screenshot({path: `${folder}/${name}.png`, fullPage: true, scale: "css"});
    const faults = folder ? await faultsOf(page) : "not looked for";
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    tell({step: name, faults, wide, overlaps: await page.evaluate(countOverlaps)});
}

/// Runs in the page: keeps the headings that it shows when it first shows anything.
function keepFirstHeadings() {
    document.addEventListener("DOMContentLoaded", () => {
        const content = document.getElementById("content") ?? document.body;  // of an empty page
        new MutationObserver(() => {
            if (content.hidden) return;  // hidden again: its first request had no answer yet
            window.firstHeadings ??= [...document.querySelectorAll("h2")].filter((heading) => heading.offsetParent)
                .map((heading) => heading.innerText);
        }).observe(content, {attributeFilter: ["hidden"]});
    });
}

async function openWindow(browser, messages, options) {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(kPatience);
    await context.addInitScript(keepFirstHeadings);
    const page = await context.newPage();
    page.on("pageerror", (error) => messages.push(`error: ${error.message}`));
    page.on("console", (message) => {
        // What the browser says of answers other than 200, and of none, is expected where the steps are about that.
        if (["error", "warning"].includes(message.type()) && !/Failed to load resource|net::ERR/.test(message.text()))
            messages.push(`${message.type()}: ${message.text()}`);
    });
    return page;
}

/// As a browser that has never been there.
async function visit(page, address) {
    await page.goto("about:blank");  // from the same address with another fragment the page would not be loaded
    await page.context().clearCookies();
    await page.goto(address);
}

/// What `step` returns, which is repeated where the page lost contact meanwhile and showed nothing, as on a busy machine.
async function undisturbed(page, step) {
    for (;;) {
        await page.waitForSelector("#content:visible");
        await page.evaluate(() => {
            const content = document.getElementById("content");
            window.disturbed = content.hidden;
            window.observer ??= new MutationObserver(() => window.disturbed ||= content.hidden);
            window.observer.observe(content, {attributes: true});
        });
        const result = await step();
        if (!await page.evaluate(() => window.disturbed)) return result;
    }
}

const contents = async (page) => ({headings: await page.locator("h2:visible").allInnerTexts(), figures: await text(page, "#now"),
    job: await text(page, "#job"), shares: await text(page, "#shares"), log: await text(page, "#log"),
    devices: await text(page, "#devices"), odds: await text(page, "#odds"), server: await text(page, "#server")});

const deviceSays = (page, words) =>
    page.waitForFunction((said) => document.querySelector("#devices tbody tr").textContent.includes(said), words);

/// Pauses the device by its button, as somebody does who has no mouse.
async function pause(page) {
    if ((await text(page, "#devices tbody tr")).includes("paused")) {
        await page.click("#devices button");
        await deviceSays(page, "at work");
    }
    await page.locator("#devices button").first().press("Enter");
    await deviceSays(page, "paused");
    return {device: await text(page, "#devices tbody tr"), focus: await page.evaluate(() => document.activeElement.textContent)};
}

const kWide = {viewport: {width: 1280, height: 900}, colorScheme: "light"};
const kPhone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true};

/// Where nothing may be read without the token: the dialog comes by itself once, and nothing is asked until it is unlocked.
async function lockedOut(page) {
    await visit(page, lockedUrl);
    await state(page, "^locked: digits or the token are needed$");
    await page.click("#cancel");
    let requests = 0;
    page.on("request", () => ++requests);
    await inspect(page, "refused");
    await page.waitForTimeout(3000);  // any miner is asked every 2 s
    tell({step: "silence", requests, dialog: await page.locator("#dialog").isVisible(), state: await text(page, "#state"),
        shown: await page.locator("#content").isVisible(), button: await text(page, "#unlock")});
    await page.click("#unlock");
    await page.fill("#digits", "0000 0000");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /No digits are valid now/.test(document.getElementById("token-error").textContent));
    await page.fill("#digits", (await pairing(page)).digits.replace(/^..../, "$& "));
    await page.keyboard.press("Enter");
    await state(page, "^mining$");
    await page.waitForSelector("#pause:visible");

    // As if its machine ran on a battery.
    await page.route("**/api/v1/summary", async (route) => {
        const response = await route.fetch();
        await route.fulfill({response, json: {...await response.json(), paused: true, on_battery: true}});
    });
    await state(page, "^paused: on battery$");
    tell({step: "battery", button: await text(page, "#pause"), disabled: await page.locator("#pause").isDisabled()});
    await page.unrouteAll({behavior: "ignoreErrors"});
    await scanned(page, await pairing(page));
}

/// With all that a page may show: how much too wide it is at some widths, and tables are; the rows of the line at the top.
async function crowded(page) {
    const change = (name, fill) => page.route(`**/api/v1/${name}`, async (route) => {
        const response = await route.fetch(), json = await response.json();
        fill(json);
        await route.fulfill({response, json});
    });
    await change("summary", (summary) => {
        summary.host = "living-room-miner-with-a-long-name.example.home.arpa";
        summary.server.connected = summary.server.logged_in = false;
        summary.idle = "no work from a server";
        summary.details.pools[0].last_error = "a reason that takes many words ".repeat(30);
    });
    await change("devices", ({devices}) => Object.assign(devices[0], {temperature_c: 91.6, power_w: 400,
        hash_rates: {"10s": 8.8e9, "60s": 8.8e9, "15m": 8.8e9}}));
    await state(page, "many words");
    await deviceSays(page, "waits for work");
    for (const width of [700, 768, 820]) {
        await page.setViewportSize({width, height: 900});
        tell({step: `crowded ${width}`, ...await undisturbed(page, () => page.evaluate(() => {
            const spill = (box) => Math.max(0, box.scrollWidth - box.clientWidth), line = document.getElementById("state");
            return {wide: spill(document.documentElement), tables: [...document.querySelectorAll(".scroll")].map(spill),
                rows: Math.round(line.clientHeight / parseFloat(getComputedStyle(line).lineHeight))};
        }))});
    }
    await page.unrouteAll({behavior: "ignoreErrors"});
    await page.setViewportSize(kWide.viewport);
}

/// Of the miner whose page this is: new secrets, as `gpuminer pair` gets them.
async function pairing(page) {
    const reply = await page.request.post(`${new URL(page.url()).origin}/api/v1/pairing`, {headers: {Authorization: `Bearer ${token}`}});
    return reply.json();
}

/// A link that a phone has scanned lets it in, once.
async function scanned(page, {secret}) {
    for (const [step, pattern] of [["paired", "^mining$"], ["used", "^locked"]]) {
        await visit(page, `${lockedUrl}#${secret}`);
        await state(page, pattern);
        tell({step, address: page.url(), controls: await page.locator("#pause:visible").count()});
    }
}

async function mineWithoutToken(page) {
    await visit(page, process.env.MINE_URL);
    await state(page, "^paused$");
    await page.waitForSelector("#no-token:visible");
    await inspect(page, "mine");
    tell({step: "bare", ...await undisturbed(page, async () => ({headings: await page.locator("h2:visible").allInnerTexts(),
        first: await page.evaluate(() => window.firstHeadings), figures: await text(page, "#now"),
        device: await text(page, "#devices tbody tr"), hint: await text(page, "#no-token"), unlock: await page.locator("#unlock").isVisible()}))});
}

/// Phones and desks, bright and dark. On the phone's first screen stands what matters most; nothing is wider than a narrow one.
async function pictures(phone, desk, name, pattern) {
    for (const [page, form] of [[phone, "phone"], [desk, "desk"]]) {
        await visit(page, url);
        await state(page, pattern);
        await page.waitForSelector("#shares table tbody tr");
        for (const colorScheme of ["light", "dark"]) {
            await page.emulateMedia({colorScheme});
            await inspect(page, `${name}-${form}-${colorScheme}`);
        }
    }
    tell({step: `${name} first screen`, ...await undisturbed(phone, () => phone.evaluate(() => ({
        cards: [...document.querySelectorAll("#figures dt")].map((term) => term.innerText),
        end: document.getElementById("figures").getBoundingClientRect().bottom,
        state: document.getElementById("state").innerText})))});
    await phone.setViewportSize({width: 360, height: 740});
    await inspect(phone, `${name}-narrow`);
    await phone.setViewportSize(kPhone.viewport);
}

async function run(browser) {
    const messages = [], page = await openWindow(browser, messages, kWide);
    await lockedOut(page);
    await mineWithoutToken(page);
    await visit(page, url);
    await state(page, "^mining$");
    for (const selector of ["#shares table tbody tr", "#plots svg"]) await page.waitForSelector(selector);
    await page.waitForFunction(() => /(1\smin|10\ss):\s[0-9.]/.test(document.getElementById("rates").textContent));
    tell({step: "contents", ...await undisturbed(page, () => contents(page))});

    // It updates by itself.
    const before = await text(page, "#now");
    await page.waitForFunction((old) => document.getElementById("now").innerText !== old, before);
    await page.click("input[value=day]");
    await page.waitForSelector("#plots svg");
    await page.evaluate(() => {  // as where an answer comes late, when the figures are hidden
        byId("content").hidden = true;
        showSpan();
    });
    tell({step: "redrawn", ...await undisturbed(page, () => page.evaluate(() => {
        const plot = document.querySelector("#plots svg");
        return {drawn: plot.viewBox.baseVal.width, box: plot.parentNode.clientWidth};
    }))});

    // Without the token there are no controls; with a wrong one neither.
    tell({step: "locked", controls: await page.locator("#devices button, #pause:visible").count()});
    await page.click("#unlock");
    await inspect(page, "dialog");
    await page.fill("#token", "not the token at all");
    await page.click("#token-form button[type=submit]");
    await page.waitForFunction(() => /Wrong token/.test(document.getElementById("token-error").textContent));
    await page.fill("#token", token);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#devices button");
    tell({step: "paused", ...await undisturbed(page, () => pause(page))});
    await want("device paused");
    await page.click("#devices button");
    await deviceSays(page, "at work");
    await page.click("#pause");
    await state(page, "^paused$");
    await page.click("#pause");
    await state(page, "^mining$");

    // The other pool.
    await page.click("#server button");
    await page.waitForFunction(() => document.querySelectorAll("#server tbody tr")[1].cells[5].textContent === "in use");
    await inspect(page, "controls");
    if (folder) await crowded(page);

    // The miner goes away and comes back; no old figure is shown in between.
    await want("stop");
    await state(page, "^no contact since ");
    tell({step: "silent", shown: await page.locator("#content").isVisible()});
    await inspect(page, "gone");
    await want("start");
    await state(page, "^mining$");
    await page.waitForSelector("#devices button");  // the session lives on

    if (folder) {
        const phone = await openWindow(browser, messages, kPhone);
        await pictures(phone, page, "alive", "^mining$");
        await want("no pool");
        await pictures(phone, page, "dead", "^no work from a server: .+");
    }
    tell({step: "messages", messages});
}

(async () => {
    const browser = await chromium.launch({executablePath, timeout: kPatience, args: ["--no-sandbox", "--disable-dev-shm-usage"]});
    await run(browser).finally(() => browser.close());
    process.exit(0);
})().catch((error) => {
    tell({step: "failed", error: error.stack});
    process.exit(1);
});

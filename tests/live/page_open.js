// A browser with the page of --http, open until standard input ends; then it prints the page's complaints and contents,
// as a line of JSON. Environment: NODE_PATH, BROWSER, URL, PATIENCE (seconds).
"use strict";
const {chromium} = require("playwright-core");

const kPatience = 1000 * process.env.PATIENCE;  // milliseconds

(async () => {
    const browser = await chromium.launch({executablePath: process.env.BROWSER, timeout: kPatience,
        args: ["--no-sandbox", "--disable-dev-shm-usage"]});
    const page = await browser.newPage(), messages = [];
    page.on("pageerror", (error) => messages.push(error.message));
    await page.goto(process.env.URL, {timeout: kPatience});
    process.stdin.resume();
    await new Promise((done) => process.stdin.on("end", done));
    const state = await page.locator("#state").innerText(), figures = await page.locator("#now").innerText();
    process.stdout.write(`${JSON.stringify({messages, state, figures})}\n`);
    await browser.close();
    process.exit(0);
})();

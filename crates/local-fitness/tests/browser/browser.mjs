// A browser that reports console errors, external requests and horizontal scrolling.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

const fetched = createRequire(`${process.env.FITNESS_NODE_MODULES}/`);
const { chromium } = fetched("playwright-core");
const axe = fetched.resolve("axe-core/axe.min.js");

// URL of the server.
export let base = null;
export function at(address) { base = address; }
export { assert };

// Generous, as a busy machine is slow.
const patience = 120_000;

const options = {
  executablePath: process.env.FITNESS_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
};

export async function open(settings = {}) {
  const browser = await chromium.launch(options);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", ...settings });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith("data:") && url !== "about:blank") wrong.push(`request: ${url}`);
  });
  return { browser, context, page, wrong };
}

// Confirmation codes by sign-in link.
const codes = new Map();
export function confirmWith(link, code) { codes.set(link, code); }

// Signs in with a link and enters the code from the terminal.
export async function signIn(page, link) {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
  const code = codes.get(link);
  if (!code) return;
  await page.goto(`${base}/confirm`);
  await page.getByLabel("Code").fill(code);
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.waitForURL(`${base}/`);
}

// Accessibility check with axe-core.
export async function accessible(page, where) {
  // In an isolated world, as the content security policy blocks other scripts.
  const session = await page.context().newCDPSession(page);
  const source = (await import("node:fs")).readFileSync(axe, "utf8");
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
  await session.send("Runtime.evaluate", { expression: source, contextId: executionContextId });
  const run = "axe.run(document, { resultTypes: ['violations'] }).then((found) => JSON.stringify(found.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))])))";
  const { result } = await session.send("Runtime.evaluate", { expression: run, contextId: executionContextId, awaitPromise: true });
  assert.deepEqual(JSON.parse(result.value), [], `axe finds on ${where}`);
  await session.detach();
}

export async function notSideways(page, where) {
  const more = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(more <= 0, `${where} scrolls sideways by ${more} px`);
}

// No element overflows its card, except scrollable ones.
export async function insideCards(page, where) {
  const out = await page.evaluate(() => [...document.querySelectorAll(".card")].flatMap((card) => {
    const edge = card.getBoundingClientRect().right + 1;
    const sticks = (node) => !node.closest(".scroll, svg, .hidden, pre") && node.getBoundingClientRect().width > 0 && node.getBoundingClientRect().right > edge;
    return [...card.querySelectorAll("*")].filter(sticks).map((node) => node.outerHTML.slice(0, 80));
  }).slice(0, 3));
  assert.deepEqual(out, [], `sticks out on ${where}`);
}

// Weekdays match their dates.
export async function weekdaysMatch(page, where) {
  const wrong = await page.evaluate(() => [...document.querySelectorAll("time[datetime]")].filter((time) => {
    const day = new Date(`${time.getAttribute("datetime")}T12:00:00Z`).toLocaleDateString("en-GB", { weekday: "short", timeZone: "UTC" });
    const said = /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.exec(time.textContent)?.[1];
    return said && said !== day;
  }).map((time) => time.outerHTML));
  assert.deepEqual(wrong, [], `weekdays on ${where}`);
}

// Opens the page in headless Chromium for the tests.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";

const { PAGE, PLAYWRIGHT, CHROMIUM } = process.env;
export const { SCREENSHOTS } = process.env;
const { chromium } = await import(PLAYWRIGHT);
await mkdir(SCREENSHOTS, { recursive: true });

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
export let tests = 0;
export const close = () => browser.close();

// An argument of the program selects tests by a part of their name.
const selected = process.argv[2] ?? "";

// Opens a page. Console errors and requests to other origins fail the test.
export async function on(name, hash, { ready = "#nodes button", ...options }, test) {
  if (!name.includes(selected)) return;
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  context.on("request", (request) => new URL(request.url()).origin === new URL(PAGE).origin || wrong.push(request.url()));
  page.setDefaultTimeout(90_000);
  try {
    await page.goto(PAGE + hash);
    await page.waitForSelector(ready);
    await test(page);
    assert.deepEqual(wrong, []);
    console.log(`ok ${name}`);
    tests++;
  } catch (error) {
    await page.screenshot({ path: `${SCREENSHOTS}/failed.png`, fullPage: true }).catch(() => {});
    console.error(`FAILED ${name}`);
    throw error;
  } finally {
    await context.close();
  }
}

export const height = async (page) => Number(await page.textContent("#height"));
export const higher = (page, than) => page.waitForFunction((n) => Number(document.getElementById("height").textContent) > n, than);
export const replayed = (page) => page.waitForFunction(() => document.documentElement.dataset.replay);
export const address = (page) => page.evaluate(() => location.hash);
export const fast = (page) => page.selectOption("#speed", "4");
export const contrast = (page, selector) => page.evaluate((s) => {
  const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const light = (text) => rgb(text).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const [a, b] = [light(getComputedStyle(document.querySelector(s)).color), light(getComputedStyle(document.body).backgroundColor)].sort();
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}, selector);

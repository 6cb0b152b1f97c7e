// The page in a browser. `cargo xtask test --only "browser page"` builds the page, serves it and runs this file.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { SCREENSHOTS, address, close, contrast, fast, height, higher, on, replayed, tests } from "./harness.mjs";
import { explanationTests } from "./explanation.mjs";

try {
  await on("validators commit, a restarted one catches up, the link replays; light", "#n=4&seed=2", { colorScheme: "light" }, async (page) => {
    await fast(page);
    await higher(page, 3);
    await page.click("#nodes button:nth-child(4)");
    await page.click("#crash");
    await page.waitForSelector("#nodes button.down");
    await higher(page, (await height(page)) + 4);
    await page.click("#restart");
    await page.waitForSelector("#nodes button.down", { state: "detached" });
    await page.waitForFunction(() => /Validator 3 starts from \d+ records/.test(document.getElementById("log").textContent));
    await higher(page, (await height(page)) + 4);
    assert.match(await page.textContent("#safety"), /^No two honest validators committed different blocks/);
    assert.match(await page.textContent("#about"), /^Up/);
    await page.click("#play");
    await page.waitForTimeout(500);
    await page.click("#step");
    await page.waitForTimeout(300);
    await page.click("#again");
    await replayed(page);
    assert.equal(await page.getAttribute("html", "data-replay"), "same");
    const hash = await address(page);
    assert.match(hash, /do=\d+\.crash\.3,\d+\.restart\.3&t=\d+&h=[0-9a-f]{16}/);
    await page.screenshot({ path: `${SCREENSHOTS}/light.png`, fullPage: true });
  });

  await on("a replay starts while the engine is busy with the previous run", "#n=13&seed=5", { reducedMotion: "reduce" }, async (page) => {
    for (let round = 1; round <= 6; round++) {
      await fast(page);
      await page.click("#play");
      await higher(page, round);
      await page.click("#again");
      await replayed(page);
      assert.equal(await page.getAttribute("html", "data-replay"), "same", `round ${round}`);
    }
  });

  await on("Gosig: aggregates grow, blocks become final, the link keeps the protocol", "#p=gosig&n=7&seed=2", { colorScheme: "light" }, async (page) => {
    assert.equal(await page.getAttribute("html", "data-protocol"), "gosig");
    await page.selectOption("#speed", "1");
    await higher(page, 0);
    await page.waitForFunction(() => /won the lottery and proposes block/.test(document.getElementById("log").textContent));
    await page.waitForFunction(() => /a finality certificate of/.test(document.getElementById("log").textContent));
    await page.waitForFunction(() => { const [, p] = document.getElementById("sums").textContent.match(/Collected: (\d+) of 7 P/) ?? []; return p > 0 && p < 7; }, undefined, { polling: "raf" });
    // In the diagram: pixels of the arcs' colour near the first validator.
    await page.waitForFunction(() => {
      const canvas = document.getElementById("flights");
      const ratio = canvas.width / canvas.clientWidth;
      const button = document.querySelector("#nodes button");
      const [x, y, r] = [button.offsetLeft * ratio, button.offsetTop * ratio, (button.offsetWidth / 2 + 4) * ratio];
      const pixel = canvas.getContext("2d").getImageData(Math.round(x + r * Math.sin(0.25)), Math.round(y - r * Math.cos(0.25)), 1, 1).data;
      return pixel[1] > pixel[0] + 30 && pixel[3] > 100;
    }, undefined, { polling: "raf" });
    await page.screenshot({ path: `${SCREENSHOTS}/gosig.png`, fullPage: true });
    await page.click("#crash");
    await page.waitForSelector("#nodes button.down");
    await fast(page);
    await higher(page, (await height(page)) + 3);
    await page.click("#restart");
    await page.waitForSelector("#nodes button.down", { state: "detached" });
    await page.selectOption("#behaviour", "silent");
    await page.click("#nodes button:nth-child(5)");
    await page.click("#turn");
    await page.waitForSelector("#nodes button.byzantine");
    await higher(page, (await height(page)) + 3);
    await page.click("#play");
    await page.waitForTimeout(500);
    await page.click("#again");
    await replayed(page);
    assert.equal(await page.getAttribute("html", "data-replay"), "same");
    assert.match(await address(page), /^#p=gosig&n=7&.*do=\d+\.crash\.0,\d+\.restart\.0,\d+\.turn\.4\.silent/);
    await page.selectOption("#protocol", "jolteon");
    await page.click("#begin");
    await page.waitForFunction(() => document.documentElement.dataset.protocol === "jolteon");
    await higher(page, 2);
    assert.equal(await page.locator(".of-gosig:visible").count(), 0);
  });

  await on("Gosig with thirteen validators and a partition; dark; 360 pixels", "#p=gosig&n=13&seed=1", { colorScheme: "dark", viewport: { width: 360, height: 740 }, isMobile: true, deviceScaleFactor: 2 }, async (page) => {
    await fast(page);
    await higher(page, 1);
    const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(inner === 360 && scroll <= 360, `${inner} ${scroll}`);
    for (const selector of ["#sums", ".legend .tentative"]) assert.ok((await contrast(page, selector)) >= 4.5, selector);
    await page.screenshot({ path: `${SCREENSHOTS}/gosig-phone.png`, fullPage: true });
    await page.click("#split");
    await page.waitForFunction(() => /You partition the network/.test(document.getElementById("log").textContent));
    await page.click("#heal");
    await higher(page, (await height(page)) + 2);
    assert.equal(await page.locator("#safety.broken").count(), 0);
  });

  await on("ABFT: a slow continent makes no other validator wait; crash, restart and a Byzantine validator; light", "#n=4&seed=1", { colorScheme: "light" }, async (page) => {
    await page.click('.stories a:text("one slow continent")');
    await page.waitForFunction(() => document.documentElement.dataset.protocol === "abft");
    assert.equal(await page.inputValue("#speed"), "0.5", "the example brings its speed");
    await page.waitForFunction(() => document.querySelectorAll("#nodes .slow").length === 2);
    await fast(page);
    await higher(page, 2);
    await page.waitForFunction(() => /Validators 4, 5 have slow links and follow, up to \d+ blocks? behind; no other validator waits/.test(document.getElementById("moment").textContent));
    await page.waitForFunction(() => /the coin elected validator \d/.test(document.getElementById("log").textContent) && /decided. The block has the proposals of/.test(document.getElementById("log").textContent));
    assert.match(await page.textContent("#safety"), /Nothing waits for a timeout: whatever the delays, blocks follow while at most 2 of 7/);
    assert.match(await page.textContent("#chain .final small"), /^height \d+, with the proposals of 0, /);
    // The slow validators commit, too.
    await page.click("#nodes button:nth-child(6)");
    await page.waitForFunction(() => /Up, in epoch \d+, [1-9]\d* blocks? delivered\. /.test(document.getElementById("about").textContent));
    await page.screenshot({ path: `${SCREENSHOTS}/abft.png`, fullPage: true });
    await page.click("#slow");
    await page.waitForFunction(() => document.querySelectorAll("#nodes .slow").length === 1);
    await page.click("#nodes button:nth-child(1)");
    await page.click("#crash");
    await page.waitForSelector("#nodes button.down");
    await higher(page, (await height(page)) + 2);
    await page.click("#restart");
    await page.waitForSelector("#nodes button.down", { state: "detached" });
    await page.selectOption("#behaviour", "share-swapper");
    await page.click("#nodes button:nth-child(4)");
    await page.click("#turn");
    await page.waitForFunction(() => /refuses: validator 3 sent a wrong decryption share/.test(document.getElementById("log").textContent));
    await higher(page, (await height(page)) + 2);
    assert.equal(await page.locator("#safety.broken").count(), 0);
    await page.click("#play");
    await page.waitForTimeout(500);
    await page.click("#again");
    await replayed(page);
    assert.equal(await page.getAttribute("html", "data-replay"), "same");
    assert.match(await address(page), /^#p=abft&n=7&.*do=0\.slow\.4\.2000,0\.slow\.5\.2000,\d+\.recover\.5,\d+\.crash\.0,\d+\.restart\.0,\d+\.turn\.3\.share-swapper/);
    await page.fill("#n", "40");
    await page.selectOption("#protocol", "gosig");
    assert.equal(await page.inputValue("#n"), "40");
    await page.selectOption("#protocol", "abft");
    assert.equal(await page.inputValue("#n"), "13", "at most");
  });

  await on("ABFT; dark; 360 pixels", "#p=abft&n=4&seed=1", { colorScheme: "dark", viewport: { width: 360, height: 740 }, isMobile: true, deviceScaleFactor: 2 }, async (page) => {
    await fast(page);
    await higher(page, 1);
    const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(inner === 360 && scroll <= 360, `${inner} ${scroll}`);
    for (const selector of ["#sums", ".legend .coin", ".legend .finish"]) assert.ok((await contrast(page, selector)) >= 4.5, selector);
    await page.screenshot({ path: `${SCREENSHOTS}/abft-phone.png`, fullPage: true });
  });

  await explanationTests();

  const recorded = (await readFile(new URL("history.txt", import.meta.url), "utf8")).trim();
  await on("a browser computes the recorded history", `#n=4&seed=1&do=1000000.crash.1,2000000.restart.1&t=3000000&h=${recorded}`, {}, async (page) => {
    await replayed(page);
    assert.equal(await page.getAttribute("html", "data-replay"), "same");
    assert.equal(await page.textContent("#hash"), recorded);
  });

  const other = (await readFile(new URL("history-gosig.txt", import.meta.url), "utf8")).trim();
  await on("a browser computes the recorded history of Gosig", `#p=gosig&n=4&seed=1&do=1500000.crash.1,3000000.restart.1&t=5000000&h=${other}`, {}, async (page) => {
    await replayed(page);
    assert.equal(await page.textContent("#hash"), other);
  });

  const third = (await readFile(new URL("history-abft.txt", import.meta.url), "utf8")).trim();
  await on("a browser computes the recorded history of ABFT", `#p=abft&n=4&seed=1&do=1500000.crash.1,3000000.restart.1&t=5000000&h=${third}`, {}, async (page) => {
    await replayed(page);
    assert.equal(await page.textContent("#hash"), third);
  });

  await on("an equivocator is proven, its second block is never final; dark", "#n=7&seed=3&byz=1.equivocator,4.forger", { colorScheme: "dark" }, async (page) => {
    await fast(page);
    await page.waitForFunction(() => /Proof.*validator 1 signed two different blocks/.test(document.getElementById("log").textContent));
    await page.waitForFunction(() => /refuses: validator 4/.test(document.getElementById("log").textContent));
    await page.waitForSelector("#chain li.rival");
    await page.screenshot({ path: `${SCREENSHOTS}/dark.png`, fullPage: true });
    await higher(page, (await height(page)) + 5);
    assert.equal(await page.locator("#safety.broken").count(), 0);
    for (const selector of ["body", ".lead", "#about", ".legend .alarm", "#hash"]) assert.ok((await contrast(page, selector)) >= 4.5, selector);
    await page.click("#theme");
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
    for (const selector of ["body", ".lead", "#about", "#hash"]) assert.ok((await contrast(page, selector)) >= 4.5, selector);
  });

  await on("keyboard control; the laboratory finds the forger", "#n=4&seed=1", {}, async (page) => {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter"); // the link to the diagram
    assert.equal(await page.isVisible("#problem"), false);
    assert.equal(await page.evaluate(() => document.activeElement.parentElement.id), "nodes");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.textContent("#chosen"), "2");
    await page.focus("#crash");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#nodes button.down");
    await page.focus("#play");
    await page.keyboard.press("Space");
    assert.equal(await page.textContent("#play"), "Play");
    await page.focus("#voters button:nth-child(3)");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#blame");
    assert.match(await page.textContent("#blame"), /^Invalid votes: 2\./);
    assert.match(await page.textContent("#lab-result"), /A certificate\. 100 bytes for 5 signers/);
    for (const member of [1, 2, 4]) for (let i = 0; i < 2; i++) await page.click(`#voters button:nth-child(${member})`);
    await page.waitForFunction(() => /Signed two blocks, proven/.test(document.getElementById("lab-result").textContent));
  });

  await on("360 pixels are wide enough", "#n=7&seed=1", { viewport: { width: 360, height: 740 }, isMobile: true, deviceScaleFactor: 2 }, async (page) => {
    await fast(page);
    await higher(page, 3);
    const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(inner === 360 && scroll <= 360, `${inner} ${scroll}`);
    await page.screenshot({ path: `${SCREENSHOTS}/phone.png`, fullPage: true });
  });

  await on("forty validators do not block the page; reduced motion starts paused", "#n=40&seed=1", { reducedMotion: "reduce" }, async (page) => {
    assert.equal(await page.textContent("#play"), "Play");
    await fast(page);
    await page.click("#play");
    await page.waitForFunction(() => parseFloat(document.getElementById("now").textContent) > 0.2);
    const frameTimes = () => page.evaluate(() => new Promise((done) => {
      const [times, last] = [[], [performance.now()]];
      const frame = (now) => {
        times.push(now - last.pop());
        last.push(now);
        if (times.length < 60) requestAnimationFrame(frame);
        else done(times.sort((a, b) => a - b));
      };
      requestAnimationFrame(frame);
    }));
    // A page that waits for its engine blocks much longer in every attempt; a busy machine delays some of them.
    let times = await frameTimes();
    for (let attempt = 1; times[30] >= 200 && attempt < 20; attempt++) times = await frameTimes();
    assert.ok(times[30] < 200, `half of the frames took more than ${times[30]} ms`);
    await higher(page, 0);
    await page.click("#play");
    await page.screenshot({ path: `${SCREENSHOTS}/forty.png` });
  });
} finally {
  await close();
}
console.log(`${tests} tests in Chromium`);

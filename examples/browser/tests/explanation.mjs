// What a first-time visitor is told: the guide, the legend, the promise of safety, and the controls.
import assert from "node:assert/strict";
import { SCREENSHOTS, contrast, fast, higher, on } from "./harness.mjs";

const text = (page, selector) => page.textContent(selector);
const step = (page, n) => text(page, `#steps li:nth-child(${n})`);
const isCurrent = (page, n) => page.waitForSelector(`#steps li:nth-child(${n})[aria-current]`);
const stepDone = (page, n) => page.waitForSelector(`#steps li.done:nth-child(${n})`);
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
const tooMany = '.stories a:text("too many Byzantine validators")';

export async function explanationTests() {
  await on("the first visit: the guide follows a block, then a crash and a restart", "", {}, async (page) => {
    const [ring, guide] = [await page.locator("#ring").boundingBox(), await page.locator("#guide").boundingBox()];
    assert.ok(await page.isVisible("#steps") && guide.x > ring.x + ring.width - 1 && guide.y < ring.y + ring.height, "beside the ring");
    await stepDone(page, 1);
    const [, block] = (await step(page, 1)).match(/Validator 1 leads .* sends block ([0-9a-f]{8}) to all others/);
    assert.equal(await page.inputValue("#speed"), "0.02", "the guide slows the run down");
    await stepDone(page, 2);
    assert.match(await step(page, 2), new RegExp(`check block ${block} and send their votes to the next leader, validator 2`));
    assert.equal(await page.getAttribute('#steps [aria-current="step"]', "class"), "done");
    assert.equal(await page.locator(".hint").count(), 0);
    await page.screenshot({ path: `${SCREENSHOTS}/first.png` });
    await stepDone(page, 3);
    assert.match(await step(page, 3), new RegExp(`[567] of 7 signed block ${block}`));
    await stepDone(page, 4);
    assert.match(await step(page, 4), new RegExp(`Block ${block} is final`));
    assert.match(await text(page, "#chain .final"), new RegExp(block));
    assert.equal(await page.inputValue("#speed"), "0.1", "then the visitor takes over");
    await isCurrent(page, 5);
    assert.match(await step(page, 5), /press Crash/);
    assert.equal(await page.getAttribute(".hint", "id"), "crash");
    await page.click("#crash");
    await stepDone(page, 5);
    assert.match(await step(page, 5), /Validator 0 is down\. The other 6 continue/);
    assert.equal(await page.getAttribute(".hint", "id"), "restart");
    await page.click("#restart");
    await stepDone(page, 6);
    assert.equal(await page.locator(".hint").count(), 0);
    await page.reload();
    await page.waitForSelector("#nodes button");
    assert.equal(await page.isVisible("#steps"), false, "closed at the next visit");
  });

  for (const height of [844, 664]) {
    await on(`the first visit on a phone of ${height} pixels: each step and its button are in view without scrolling`, "", { ...phone, viewport: { width: 390, height } }, async (page) => {
      const box = (selector) => page.$eval(selector, (element) => element.getBoundingClientRect().toJSON());
      const current = async (n) => {
        await isCurrent(page, n);
        const [ring, own] = [await box("#ring"), await box("#steps [aria-current]")];
        assert.ok(ring.top >= 0 && ring.bottom <= own.top && own.height > 0 && own.bottom <= height, `step ${n}: ring from ${ring.top} to ${ring.bottom}, step from ${own.top} to ${own.bottom}`);
      };
      const button = async (id) => {
        assert.equal(await page.getAttribute(".hint", "id"), id);
        const own = await box(`#${id}`);
        assert.ok(own.bottom <= height, `${id} from ${own.top} to ${own.bottom}`);
        await page.tap(`#${id}`);
      };
      await current(1);
      for (const n of [1, 2, 3, 4]) {
        await stepDone(page, n);
        await current(n);
      }
      await current(5);
      await page.screenshot({ path: `${SCREENSHOTS}/first-phone-${height}.png` });
      await button("crash");
      await stepDone(page, 5);
      await current(5);
      await current(6);
      await button("restart");
      await stepDone(page, 6);
      await current(6);
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.equal(await page.$eval("#steps li:nth-child(6)", (item) => item.value), 6, "its number, although the steps before it are hidden");
      assert.equal(await page.locator("#steps li:visible").count(), 1);
      await page.tap("#guide details summary");
      assert.equal(await page.locator("#steps li:visible").count(), 6, "with the protocol in full, every step");
    });
  }

  await on("the guide follows Gosig, ABFT, and steps of a paused run", "#p=gosig&n=4&seed=1", { reducedMotion: "reduce" }, async (page) => {
    assert.ok(await page.isVisible("#guide-paused"), "reduced motion starts paused");
    await fast(page);
    await page.click("#play");
    await stepDone(page, 4);
    assert.equal(await page.isVisible("#guide-paused"), false);
    assert.match(await step(page, 1), /won the lottery/);
    assert.match(await step(page, 4), /Block [0-9a-f]{8} is final/);
    await page.goto(page.url().split("#")[0] + "#p=abft&n=4&seed=1");
    await page.waitForFunction(() => document.documentElement.dataset.protocol === "abft");
    await fast(page);
    await page.click("#play");
    await stepDone(page, 5);
    const [, elected] = (await step(page, 4)).match(/elected validator (\d) \(blue ring\)/);
    assert.ok(Number(elected) < 4);
    assert.match(await step(page, 5), /Block [0-9a-f]{8} is final: 3 signed it/);
    await page.goto(page.url().split("#")[0] + "#n=4&seed=3");
    await page.waitForFunction(() => document.documentElement.dataset.protocol === "jolteon");
    while ((await page.locator("#steps li.done").count()) < 1) await page.click("#step");
    assert.match(await step(page, 1), /leads/);
  });

  const legends = [
    ["jolteon", "#n=4&seed=2", ["byzantine", "down", "leader", "selected"], "alarm,certificate,proposal,timeout,traffic,vote"],
    ["gosig", "#p=gosig&n=4&seed=2", ["byzantine", "down", "proposer", "selected"], "alarm,proposal,tentative,traffic,vote"],
    ["abft", "#p=abft&n=4&seed=2&do=0.slow.3.100", ["byzantine", "down", "proposer", "selected", "slow"],
      "alarm,certificate,coin,finish,proposal,tentative,traffic,vote"],
  ];
  for (const [protocol, link, expectedStates, expectedMarks] of legends) {
    await on(`the legend of ${protocol} has every mark`, link, {}, async (page) => {
      await fast(page);
      await higher(page, 0);
      await page.click("#nodes button:nth-child(3)");
      await page.click("#turn");
      await page.waitForSelector("#nodes .byzantine");
      await page.click("#nodes button:nth-child(2)");
      await page.click("#crash");
      await page.waitForSelector("#nodes .down");
      // A validator proposes for a moment only: the marks are read when all are there.
      const seen = await page.waitForFunction((expected) => {
        const classes = [...document.querySelectorAll("#nodes button")].flatMap((button) => [...button.classList]);
        return expected.every((one) => classes.includes(one)) && [...new Set(classes)].filter((one) => one !== "node").sort();
      }, expectedStates);
      const names = await seen.jsonValue();
      assert.deepEqual(names, expectedStates);
      const { states, messages } = await page.evaluate(async ({ protocol, names }) => {
        const { messageMark, palette, TRAFFIC } = await import("./marks.js");
        const shown = (element) => element && element.checkVisibility();
        const states = names.map((one) => {
          const style = (element) => { const { borderStyle, boxShadow, borderRadius } = getComputedStyle(element); return [borderStyle, boxShadow === "none", borderRadius].join(); };
          const sample = [...document.querySelectorAll(`.legend .node.${one}`)].find(shown);
          const plain = document.createElement("i");
          plain.className = "node";
          document.querySelector(".legend li").append(plain);
          const distinct = sample && (style(sample) !== style(plain) || getComputedStyle(sample).backgroundColor !== getComputedStyle(plain).backgroundColor);
          plain.remove();
          return [one, Boolean(shown(sample) && distinct)];
        });
        const colours = palette();
        const probe = document.body.appendChild(document.createElement("i"));
        const marks = [TRAFFIC];
        for (let tag = 0; tag < 14; tag++) for (const variant of [0, 1, 3, 1003]) marks.push(messageMark(protocol, tag, variant, 4));
        const messages = marks.filter(Boolean).map(({ mark, colour }) => {
          const item = [...document.querySelectorAll(`.legend .${mark}`)].find(shown);
          probe.style.color = colours[colour];
          return [mark, Boolean(item) && getComputedStyle(item, "::before").backgroundColor === getComputedStyle(probe).color];
        });
        return { states, messages };
      }, { protocol, names });
      for (const [name, found] of [...states, ...messages]) assert.ok(found, `${name} is not in the legend`);
      const marks = [...new Set(messages.map(([name]) => name))].sort().join();
      assert.equal(marks, expectedMarks);
      assert.ok(await page.isVisible(".legend .commit"));
    });
  }

  await on("a leader that is down does not propose; Crash and Restart are enabled when they have an effect", "#n=7&seed=1", {}, async (page) => {
    assert.ok(await page.isEnabled("#crash") && await page.isDisabled("#restart") && await page.isDisabled("#heal"));
    // The first frame, too, has all validators up.
    await page.addInitScript(() => {
      new MutationObserver(() => { window.wasDown ||= Boolean(document.querySelector("#nodes .down")); }).observe(document, { subtree: true, childList: true, attributes: true });
    });
    await page.reload();
    await page.waitForSelector("#nodes button");
    assert.equal(await page.evaluate(() => window.wasDown), false);
    await page.focus("#nodes button:nth-child(1)");
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    await page.focus("#crash");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#nodes button:nth-child(5).down");
    assert.ok(await page.isDisabled("#crash") && await page.isEnabled("#restart"));
    assert.equal(await page.evaluate(() => document.activeElement.id), "restart", "the focus does not get lost");
    await page.click("#nodes button:nth-child(1)");
    assert.ok(await page.isEnabled("#crash") && await page.isDisabled("#restart"), "validator 0 is up");
    await page.selectOption("#speed", "0.5");
    // From here on no leader that is down is expected to propose.
    await page.evaluate(() => {
      window.wrongWords = [];
      const check = () => {
        const words = document.getElementById("moment").textContent;
        if (document.querySelector("#nodes .leader.down") && /awaited/.test(words)) window.wrongWords.push(words);
      };
      new MutationObserver(check).observe(document.querySelector(".run"), { subtree: true, childList: true, attributes: true });
    });
    await page.waitForFunction(() => document.querySelector("#nodes .leader.down") && /^View \d+\. Its leader, validator 4, is down and cannot propose/.test(document.getElementById("moment").textContent), undefined, { polling: "raf" });
    assert.deepEqual(await page.evaluate(() => window.wrongWords), []);
    await page.click("#play");
    await page.click("#nodes button:nth-child(5)");
    await page.focus("#restart");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#nodes .down", { state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.id), "crash");
    await page.click("#cut");
    await page.waitForFunction(() => !document.getElementById("heal").disabled);
    await page.click("#heal");
    await page.waitForFunction(() => document.getElementById("heal").disabled);
    await page.click("#slow");
    await page.waitForFunction(() => document.getElementById("slow").textContent === "Reset links");
    await page.click("#slow");
    await page.waitForFunction(() => document.getElementById("slow").textContent === "Slow links");
  });

  await on("the promise ends when too many are Byzantine", "#n=4&seed=1&byz=1.silent", {}, async (page) => {
    await page.waitForSelector("#safety.safe");
    const border = () => page.evaluate(() => getComputedStyle(document.getElementById("safety")).borderLeftColor);
    const green = await border();
    assert.ok(await page.isDisabled("#turn") === false);
    await page.click("#nodes button:nth-child(3)");
    await page.click("#turn");
    await page.waitForSelector("#safety.void");
    assert.match(await text(page, "#safety"), /^No guarantee: 2 of 4 validators are Byzantine, and the protocol tolerates 1/);
    assert.notEqual(await border(), green);
    assert.ok((await contrast(page, "#safety")) >= 4.5);
    assert.equal(await page.isVisible("#steps"), false, "the guide does not promise either");
  });

  await on("an invalid address shows no claim; an example opens from there", "#n=99", { ready: "#problem:not([hidden])" }, async (page) => {
    assert.match(await text(page, "#problem"), /This address describes no run: expected 4 to 40 validators, got 99/);
    for (const selector of ["#safety", "#ring", "#guide"]) assert.equal(await page.isVisible(selector), false, selector);
    assert.doesNotMatch(await page.innerText(".run"), /final|checked|No two/);
    for (const id of ["play", "step", "crash", "restart", "turn", "split"]) assert.ok(await page.isDisabled(`#${id}`), id);
    await page.click('.stories a:text("no faults")');
    await page.waitForSelector("#safety.safe");
    assert.equal(await page.isVisible("#problem"), false);
    await fast(page);
    await higher(page, 1);
    // A valid run leaves nothing behind when an invalid one follows.
    await page.evaluate(() => { location.hash = "n=4&seed=x"; });
    await page.waitForSelector("#problem:not([hidden])");
    assert.doesNotMatch(await page.innerText(".run"), /final|checked|No two|Up,/);
  });

  await on("too many Byzantine validators break agreement within 20 seconds at the default speed", "#n=4&seed=1", {}, async (page) => {
    await page.click(tooMany);
    await page.waitForSelector("#safety.void");
    const speed = Number(await page.inputValue("#speed"));
    assert.equal(speed, 0.1);
    await fast(page);
    await page.waitForSelector("#safety.broken");
    const took = parseFloat(await text(page, "#now")) / speed;
    assert.ok(took < 20, `${took} s`);
    assert.match(await text(page, "#safety"), /Violated: agreement/);
    assert.match(await text(page, "#log"), /Validator \d commits another block, [0-9a-f]{8}, at height \d+/);
    assert.equal(await page.locator("#chain .final, #chain .rival").count() >= 2, true);
    await page.screenshot({ path: `${SCREENSHOTS}/broken.png`, fullPage: true });
  });

  for (const [screen, options] of [["1280 by 900 pixels", { viewport: { width: 1280, height: 900 } }], ["a phone", phone]]) {
    await on(`an example shows the diagram and the violated property on ${screen}`, "#n=7&seed=1", options, async (page) => {
      const inView = async (selector) => {
        const [ring, own, screenHeight] = await page.evaluate((s) => [...["#ring", s].map((one) => document.querySelector(one).getBoundingClientRect().toJSON()), innerHeight], selector);
        assert.ok(ring.top > -1 && ring.bottom <= own.top && own.height > 0 && own.bottom <= screenHeight, `${selector}: ring from ${ring.top} to ${ring.bottom}, text from ${own.top} to ${own.bottom}`);
      };
      const example = page.locator(tooMany);
      await example.scrollIntoViewIfNeeded();
      const before = await page.evaluate(() => scrollY);
      assert.ok(before > 0, "the examples are below the screen");
      await example.click();
      await page.waitForSelector("#safety.void");
      await page.waitForFunction((y) => scrollY !== y, before);
      await inView("#safety");
      await example.click(); // again: the same address
      await page.$eval("#speed", (speed) => { speed.value = "4"; }); // does not scroll, as an action of Playwright may
      await page.waitForSelector("#safety.broken");
      await inView("#safety");
      await page.screenshot({ path: `${SCREENSHOTS}/broken-${options.isMobile ? "phone" : "wide"}.png` });
    });
  }

  await on("votes do not hide proposals on the timeline", "#n=4&seed=1", {}, async (page) => {
    const [at, below] = await page.evaluate(async () => {
      const { drawLanes } = await import("./lanes.js");
      const { palette } = await import("./marks.js");
      const canvas = document.body.appendChild(document.createElement("canvas"));
      canvas.style.cssText = "width: 600px; height: 200px";
      const marks = ["proposal", "vote", "commit", "vote"].map((kind) => ({ at: 1e6, member: 1, kind }));
      drawLanes(canvas, { marks, now: 2e6, members: 4, span: 2e6 });
      const context = canvas.getContext("2d");
      const probe = document.createElement("canvas").getContext("2d");
      const colours = palette();
      const names = Object.keys(colours);
      const hex = names.map((name) => { probe.fillStyle = colours[name]; return probe.fillStyle; });
      // The marks lie halfway between the ends of the lane; the colours from there down to the next lane.
      const column = [];
      for (let y = 60; y < 93; y++) {
        const [r, g, b] = context.getImageData(22 + Math.round((600 - 28) / 2), y, 1, 1).data;
        column.push(names[hex.indexOf("#" + [r, g, b].map((c) => c.toString(16).padStart(2, "0")).join(""))]);
      }
      return [column[Math.round(1.5 * 46.5) - 60], column];
    });
    assert.equal(at, "proposal");
    assert.ok(below.includes("vote"), "the vote is visible, too");
  });

  await on("on a phone the ring stays in view while its controls are used", "#n=7&seed=1", phone, async (page) => {
    await fast(page);
    for (const id of ["crash", "restart", "slow", "cut", "heal", "behaviour", "turn", "split", "heal", "play"]) {
      const control = page.locator(`#${id}`);
      // In one task of the page, because the run changes the texts above the control, and a click may scroll.
      const [ring, own] = await control.evaluate((element) => {
        element.scrollIntoView();
        return [document.getElementById("ring"), element].map((shown) => shown.getBoundingClientRect().toJSON());
      });
      assert.ok(ring.top >= 0 && ring.bottom <= own.top && own.bottom < 845, `${id}: ring from ${ring.top} to ${ring.bottom}, control from ${own.top} to ${own.bottom}`);
      if (id === "behaviour") await control.selectOption("silent");
      else await control.click();
    }
    const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(inner === 390 && scroll <= 390, `${inner} ${scroll}`);
    await page.screenshot({ path: `${SCREENSHOTS}/phone-controls.png` });
  });

  await on("Gosig with thirteen validators: messages travel in bundles, sums are arcs", "#p=gosig&n=13&seed=1", {}, async (page) => {
    // Counts the filled shapes of each drawn frame.
    await page.evaluate(() => {
      const own = document.getElementById("flights").getContext("2d");
      const { clearRect, fill } = own;
      let shapes = 0;
      window.frameShapes = [];
      own.clearRect = function (...area) { window.frameShapes.push(shapes); shapes = 0; clearRect.apply(this, area); };
      own.fill = function () { shapes += 1; fill.apply(this); };
    });
    await page.selectOption("#speed", "0.25");
    // By then more than 120 signatures were in flight at once.
    await page.waitForFunction(() => parseFloat(document.getElementById("now").textContent) > 0.42);
    const most = await page.evaluate(() => Math.max(...window.frameShapes));
    console.log(`${most} shapes in the fullest frame`);
    assert.ok(most > 10 && most <= 80, `${most} shapes in a frame`);
  });
}

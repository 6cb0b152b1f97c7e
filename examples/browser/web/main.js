// The page: requests virtual time from the Worker, draws the results, and keeps the run in the address.
import { BEHAVIOURS, PROTOCOLS, line, moment, plural, promise, seconds } from "./words.js";
import { drawChain } from "./chain.js";
import { drawLanes } from "./lanes.js";
import { drawRing, place } from "./ring.js";
import * as guide from "./guide.js";
import * as lab from "./lab.js";

const $ = (id) => document.getElementById(id);
const SPAN = 4e6; // microseconds that the lanes show
const MAX_LOG_LINES = 120;
const narrow = matchMedia("(max-width: 52rem)"); // as in style.css
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const worker = new Worker("worker.js", { type: "module" });

// Number of the opened run. Late answers of the Worker about an earlier run are ignored.
let world = 0;
let state = null, link = "", wanted = null, shown = 0, playing = false, waiting = false, opening = true, chosen = 0;
let protocol = "jolteon", arcs = [];
let flights = [], marks = [], blocks = [], memberOf = [], last = performance.now(), ticks = 0;
const subsets = new Map(); // with ABFT, the proposers whose proposals are in the block of a height
const finals = new Map(); // the first block that was committed at each height
let partitioned = false, slowed = new Set(); // as the interventions left the network
let revealing = false; // the visitor opened this run from a control below the diagram
let guided = false; // the guide sets the speed, until the visitor does

const send = (message) => worker.postMessage(message);

function open(text) {
  const fields = new URLSearchParams(text);
  wanted = fields.get("t") && fields.get("h") ? { until: Number(fields.get("t")), hash: fields.get("h").padStart(16, "0") } : null;
  [flights, marks, blocks, memberOf, arcs] = [[], [], [], [], []];
  finals.clear();
  subsets.clear();
  setProtocol(Object.hasOwn(PROTOCOLS, fields.get("p")) ? fields.get("p") : "jolteon");
  [shown, state, opening, waiting, chosen, link] = [0, null, true, true, 0, ""];
  [partitioned, slowed] = [false, new Set()];
  guide.restart(protocol);
  clear();
  $("log").replaceChildren();
  $("chain").replaceChildren();
  $("nodes").replaceChildren();
  $("replay").textContent = "";
  delete document.documentElement.dataset.replay;
  delete document.documentElement.dataset.run;
  $("n").value = fields.get("n") ?? 7;
  $("seed").value = fields.get("seed") ?? 1;
  $("latency").value = fields.get("latency") ?? 40;
  $("jitter").value = fields.get("jitter") ?? 10;
  $("loss").value = (fields.get("loss") ?? 0) / 10;
  play(!wanted && !reducedMotion.matches);
  guided = text === "" && $("speed").value === "0.1";
  world += 1;
  send({ type: "open", link: text, number: world });
}

// Opens a run that the visitor selected on this page, and shows it.
function change(text) {
  open(text);
  revealing = true;
}

// Scrolls to the diagram and the status; on a narrow screen the diagram stays in view above the status.
function reveal() {
  if (!revealing) return;
  revealing = false;
  const status = document.querySelector(".status");
  if (narrow.matches) status.scrollIntoView();
  else if ($("ring").getBoundingClientRect().top < 0 || status.getBoundingClientRect().bottom > innerHeight) document.querySelector(".run").scrollIntoView();
}

// Removes what the page said about an earlier run.
function clear() {
  for (const id of ["about", "sums", "hash", "now", "problem", "safety"]) $(id).textContent = "";
  for (const id of ["problem", "safety"]) $(id).hidden = true;
  $("moment").textContent = "Loading the simulator…";
  $("height").textContent = "0";
  for (const id of ["flights", "lanes"]) $(id).getContext("2d").clearRect(0, 0, $(id).width, $(id).height);
  enable();
}

// Texts, legends and Byzantine behaviours of the protocol.
function setProtocol(name) {
  protocol = name;
  document.documentElement.dataset.protocol = name;
  $("protocol").value = name;
  $("n").max = PROTOCOLS[name].most;
  $("behaviour").replaceChildren(...Object.entries(BEHAVIOURS[name]).map(([value, words]) => Object.assign(document.createElement("option"), { value, textContent: value, title: words })));
}

function play(on) {
  playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", String(on));
  $("guide-paused").hidden = on || Boolean(state?.over);
  if (!on) keepAddress();
}

function keepAddress() {
  if (link && !wanted) history.replaceState(null, "", "#" + link);
}

worker.onmessage = ({ data }) => {
  if (data.type === "lab") lab.show(data);
  else if (data.number !== world) return;
  else if (data.type === "frame") take(data);
  else fail(data.message);
};
worker.onerror = (event) => fail(event.message);

function fail(message) {
  waiting = false;
  $("problem").hidden = false;
  $("problem").textContent = opening ? `This address describes no run: ${message}. Start a new run or open an example.` : `Error: ${message}`;
  if (!opening) return;
  document.documentElement.dataset.run = "none";
  $("moment").textContent = "";
  play(false);
  reveal();
}

function take(frame) {
  [waiting, opening] = [false, false];
  state = JSON.parse(frame.state);
  state.members = state.nodes.filter((node) => node.slot === node.member).length;
  link = frame.link;
  memberOf = state.nodes.map((node) => node.member);
  for (let i = 0; i < frame.flights.length; i += 6) flights.push(frame.flights.subarray(i, i + 6));
  if (flights.length > 30000) flights = flights.slice(-15000);
  const [lines, events] = [[], JSON.parse(frame.events)];
  for (const event of events) {
    remember(event);
    const text = line(event, protocol);
    if (text) lines.push([event.at, ...text]);
  }
  write(lines);
  if (events.length) drawChain(blocks, protocol);
  if (wanted && state.now >= wanted.until) {
    const same = state.hash === wanted.hash;
    $("replay").textContent = same ? "Replayed: the history equals that of the link." : "The history differs from that of the link, which was created with another version.";
    document.documentElement.dataset.replay = same ? "same" : "other";
    wanted = null;
    shown = state.now;
  }
  if (!playing && !wanted) shown = state.now;
  if (state.over) play(false);
  describe();
  if (!wanted) guide.follow(events, state, playing);
  reveal();
}

function addBlock(block) {
  blocks.push({ ...block, votes: "" });
  if (blocks.length > 14) blocks.shift();
}

function remember(event) {
  const member = memberOf[event.node] ?? event.node;
  if (event.e === "proposal") {
    marks.push({ at: event.at, member, kind: event.second ? "alarm" : "proposal" });
    if (protocol !== "abft") addBlock(event);
  } else if (event.e === "block") addBlock({ ...event, members: subsets.get(event.height) ?? "" });
  else if (event.e === "subset") {
    subsets.set(event.view, event.members);
    if (subsets.size > 64) subsets.delete(subsets.keys().next().value);
  } else if (event.e === "delivered") marks.push({ at: event.at, member, kind: "vote" });
  else if (event.e === "promote") marks.push({ at: event.at, member, kind: "tentative" });
  else if (event.e === "coin") marks.push({ at: event.at, member, kind: "coin" });
  else if (event.e === "prepare") marks.push({ at: event.at, member, kind: "vote" });
  else if (event.e === "tentative") marks.push({ at: event.at, member, kind: "tentative" });
  else if (event.e === "prepared") {
    for (const block of blocks) if (block.block === event.block) block.prepared = true;
  } else if (event.e === "vote") marks.push({ at: event.at, member, kind: "vote" });
  else if (event.e === "timeout") marks.push({ at: event.at, member, kind: "timeout" });
  else if (event.e === "commit") {
    marks.push({ at: event.at, member, kind: "commit" });
    for (const block of blocks) if (block.block === event.block) block.final = true;
    if (!finals.has(event.height)) finals.set(event.height, event.block);
    event.conflict = finals.get(event.height) !== event.block && state.nodes[event.node]?.honest;
  } else if (event.e === "certificate") {
    for (const block of blocks) if (block.block === event.block) block.votes = event.signers;
  } else if (event.e === "evidence" && event.culprit < memberOf.length) marks.push({ at: event.at, member: event.culprit, kind: "alarm" });
  else if (event.e === "act") {
    const [verb, slot] = event.what.split(".");
    if (verb === "split" || verb === "heal") partitioned = verb === "split";
    else if (verb === "slow") slowed.add(Number(slot));
    else if (verb === "recover") slowed.delete(Number(slot));
  }
  if (marks.length > 6000) marks = marks.slice(-3000);
}

function write(lines) {
  const log = $("log");
  for (const [at, kind, text] of lines.slice(-MAX_LOG_LINES)) {
    const item = document.createElement("li");
    item.className = kind;
    const time = document.createElement("time");
    time.textContent = seconds(at);
    item.append(time, text);
    log.prepend(item);
  }
  while (log.childElementCount > MAX_LOG_LINES) log.lastElementChild.remove();
}

function describe() {
  const quorum = Math.floor((2 * state.members) / 3) + 1;
  const set = (id, text) => { if ($(id).textContent !== text) $(id).textContent = text; };
  set("moment", wanted ? `Replaying to ${seconds(wanted.until)}…` : moment(state, quorum, blocks, [...slowed].sort((a, b) => a - b)));
  set("height", String(state.height));
  set("height-unit", state.height === 1 ? "final block" : "final blocks");
  set("now", seconds(state.now));
  set("hash", state.hash);
  const [kind, claim] = promise(state);
  $("safety").className = kind;
  $("safety").hidden = false;
  set("safety", claim);
  guide.describe({ members: state.members, quorum, chosen, safe: kind === "safe" });
  buttons();
  enable();
  const node = state.nodes[chosen];
  set("chosen", String(chosen));
  const { unit } = PROTOCOLS[protocol];
  const lost = { jolteon: (n) => `, ${plural(n, "timeout")}`, gosig: (n) => `, ${plural(n, "round")} without a block`, abft: () => "" }[protocol];
  set("about", (node.up ? `Up, in ${unit} ${node.view}, ${plural(node.delivered, "block")} delivered${lost(node.timeouts)}. ` : "Down; its disk is intact. ") + (node.honest ? "Honest." : `Byzantine: it ${BEHAVIOURS[protocol][node.behaviour]}.`) + ` Sent ${bytes(node.bytes)} of ${bytes(state.bytes)} in total.`);
  const sums = {
    jolteon: () => "",
    gosig: () => `Collected: ${node.signed} of ${state.members} P, ${node.tentative} of ${state.members} TC. ${node.locked ? `Locked on the block of round ${node.locked}.` : "Not locked."}`,
    abft: () => `Epoch ${node.view}: ${node.proposals} of ${state.members} proposals delivered, ${node.decided ? `${node.opened} of ${quorum} decrypted` : "the set not decided yet"}.`,
  };
  set("sums", node.up ? sums[protocol]() : "");
}

const bytes = (n) => (n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(2)} MB`);

function buttons() {
  const group = $("nodes");
  if (group.childElementCount !== state.members) {
    // At most nine tenths of the distance between neighbours.
    group.style.setProperty("--size", `min(2.7rem, 10%, ${230 / state.members}%)`);
    group.replaceChildren(...Array.from({ length: state.members }, (_, member) => {
      const button = document.createElement("button");
      button.type = "button";
      const [x, y] = place(member, state.members);
      button.style.left = `${x * 100}%`;
      button.style.top = `${y * 100}%`;
      button.textContent = member;
      button.addEventListener("click", () => choose(member));
      return button;
    }));
  }
  const view = Math.max(...state.nodes.map((node) => node.view ?? 0));
  const leader = state.nodes.find((node) => node.view === view)?.leader;
  const proposers = protocol === "abft" ? (state.electedIn === view ? [state.elected] : []) : state.proposedIn === view ? state.proposers : [];
  for (const node of state.nodes.slice(0, state.members)) {
    const button = group.children[node.slot];
    const classes = ["node", node.slot === chosen ? "selected" : "", node.up ? "" : "down", slowed.has(node.slot) ? "slow" : "", node.honest ? "" : "byzantine", protocol === "jolteon" && node.slot === leader ? "leader" : "", proposers.includes(node.slot) ? "proposer" : ""].filter(Boolean).join(" ");
    if (button.className !== classes) button.className = classes;
    button.tabIndex = node.slot === chosen ? 0 : -1;
    button.setAttribute("aria-pressed", String(node.slot === chosen));
    if (ticks % 20 === 0 || !button.hasAttribute("aria-label")) button.setAttribute("aria-label", `Validator ${node.slot}, ${node.up ? `in ${PROTOCOLS[protocol].unit} ${node.view}` : "down"}${slowed.has(node.slot) ? ", slow links" : ""}${node.honest ? "" : ", Byzantine"}`);
  }
}

// Enables the controls that have an effect now. The focus moves from Crash to Restart and back.
function enable() {
  const node = state?.nodes[chosen];
  const live = Boolean(node) && !state.over && !wanted;
  const can = {
    play: Boolean(node) && !state.over, step: live, crash: live && node.up, restart: live && !node.up, slow: live, cut: live, split: live, links: live,
    heal: live && partitioned, turn: live && !(node.behaviour === $("behaviour").value && !node.honest),
  };
  const focused = document.activeElement?.id;
  for (const [id, on] of Object.entries(can)) if ($(id).disabled === on) $(id).disabled = !on;
  if (focused === "crash" && can.restart) $("restart").focus();
  if (focused === "restart" && can.crash) $("crash").focus();
  $("slow").textContent = slowed.has(chosen) ? "Reset links" : "Slow links";
}

function choose(member) {
  if (!state) return;
  chosen = (member + state.members) % state.members;
  describe();
}

function act(what) {
  if (!state) return;
  $("problem").hidden = true;
  send({ type: "act", what });
  setTimeout(keepAddress, 200);
}

// One frame. The engine runs slightly ahead of the display, so that messages move smoothly.
function tick(time) {
  const passed = Math.min(100, time - last);
  last = time;
  ticks++;
  if (state) {
    if (wanted && !waiting) ask(wanted.until);
    else if (playing && !wanted) {
      const speed = Number($("speed").value);
      shown = Math.min(state.now, shown + passed * 1000 * speed);
      const target = shown + 90_000 * speed;
      if (!waiting && target > state.now) ask(target);
    }
    flights = flights.filter(([sent, arrives]) => Math.max(arrives, sent + 40_000) >= shown);
    if (ARCS[protocol]) grow(...ARCS[protocol]);
    drawRing($("flights"), { flights, now: shown, members: state.members, memberOf: (slot) => memberOf[slot] ?? slot, traffic: $("traffic").checked, still: reducedMotion.matches, protocol, arcs: ARCS[protocol] ? arcs : null, radius: ($("nodes").firstElementChild?.offsetWidth ?? 40) / 2, quorum: (Math.floor((2 * state.members) / 3) + 1) / state.members, selected: chosen });
    if (ticks % 2 === 0) drawLanes($("lanes"), { marks, now: shown, members: state.members, span: SPAN });
  }
  document.documentElement.dataset.frames = ticks;
  requestAnimationFrame(tick);
}

// The properties of a validator that its arcs show, inside and outside.
const ARCS = { gosig: ["signed", "tentative"], abft: ["proposals", "opened"] };

// Arcs grow to their new size within a few frames and shrink immediately.
function grow(inner, outer) {
  arcs = state.nodes.slice(0, state.members).map((node, slot) => {
    const toward = (place, name) => {
      const [was, is] = [arcs[slot]?.[place] ?? 0, (node.up ? node[name] : 0) / state.members];
      return reducedMotion.matches || is < was ? is : Math.min(is, was + Math.max(0.01, (is - was) * 0.35));
    };
    return { inner: toward("inner", inner), outer: toward("outer", outer) };
  });
}

function ask(until) {
  waiting = true;
  send({ type: "advance", until: Math.floor(until) });
}

function theme(next) {
  document.documentElement.dataset.theme = next;
  $("theme").textContent = next === "dark" ? "Light" : "Dark";
  try { localStorage.setItem("theme", next); } catch { /* no storage available */ }
}

function wire() {
  let stored = null;
  try { stored = localStorage.getItem("theme"); } catch { /* as above */ }
  const dark = stored ? stored === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  if (stored) theme(stored);
  $("theme").textContent = dark ? "Light" : "Dark";
  const on = (id, what) => $(id).addEventListener("click", what);
  on("theme", () => theme($("theme").textContent === "Dark" ? "dark" : "light"));
  on("play", () => play(!playing));
  on("step", () => { play(false); if (state) send({ type: "step" }); });
  on("crash", () => act(`crash.${chosen}`));
  on("restart", () => act(`restart.${chosen}`));
  on("slow", () => act(slowed.has(chosen) ? `recover.${chosen}` : `slow.${chosen}.600`));
  on("cut", () => act(`split.${chosen}`));
  on("turn", () => act(`turn.${chosen}.${$("behaviour").value}`));
  on("split", () => act(`split.${Array.from({ length: Math.floor(state.members / 2) }, (_, i) => i).join("-")}`));
  on("heal", () => act("heal"));
  on("links", () => act(`links.${$("latency").value}.${$("jitter").value}.${Math.round($("loss").value * 10)}`));
  const pace = (value) => { if (guided) $("speed").value = value; };
  $("speed").addEventListener("change", () => { guided = false; });
  $("behaviour").addEventListener("change", enable);
  $("protocol").addEventListener("change", () => {
    $("n").max = PROTOCOLS[$("protocol").value].most;
    if (Number($("n").value) > Number($("n").max)) $("n").value = $("n").max;
  });
  // The address of an example that runs already does not change.
  for (const story of document.querySelectorAll(".stories a")) story.addEventListener("click", () => { if (story.hash === location.hash) change(story.hash.slice(1)); });
  // An example whose events take seconds brings its speed.
  for (const story of document.querySelectorAll(".stories a[data-speed]")) story.addEventListener("click", () => { $("speed").value = story.dataset.speed; });
  guide.begin({ onFollow: () => pace("0.02"), onFree: () => { pace("0.1"); guided = false; } });
  on("begin", () => {
    const text = `${$("protocol").value === "jolteon" ? "" : `p=${$("protocol").value}&`}n=${$("n").value}&seed=${$("seed").value}&latency=${$("latency").value}&jitter=${$("jitter").value}&loss=${Math.round($("loss").value * 10)}`;
    if (location.hash === "#" + text) change(text);
    else location.hash = text;
  });
  on("again", () => { const text = link; play(false); history.replaceState(null, "", "#" + text); open(text); });
  on("share", async () => {
    play(false);
    try { await navigator.clipboard.writeText(location.href); $("copied").textContent = "Copied."; } catch { $("copied").textContent = "Copy the link from the address bar."; }
  });
  // The fragment of the address is the run, so that the link must not change it.
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    $("nodes").children[chosen]?.focus();
  });
  $("nodes").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    choose(chosen + by);
    $("nodes").children[chosen].focus();
  });
  addEventListener("hashchange", () => change(location.hash.slice(1)));
  lab.begin((voters) => send({ type: "lab", marks: voters }));
  open(location.hash.slice(1));
  requestAnimationFrame(tick);
}

wire();

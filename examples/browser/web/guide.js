// "What am I seeing?": the explanation beside the ring, which follows the events of the run step by step.
import { PROTOCOLS, count } from "./words.js";

const $ = (id) => document.getElementById(id);
const READING = 3000; // milliseconds for which a step is shown at least, while the run plays
const BEFORE_ACT = 5000; // the same before a step in which the visitor must act

// A step is finished by an event of the run (`event`), or by a state (`reached`). `before` and `after` are its texts.
const CRASH = {
  title: "Crash a validator",
  before: ({ chosen }) => `Your turn: press Crash. It stops the selected validator, ${chosen} (filled).`,
  reached: ({ nodes }) => nodes.some((node) => !node.up),
  after: ({ down, members, quorum, unit }) => `Validator ${down} is down. The other ${members - 1} continue, because ${quorum} of ${members} are enough. If ${{ view: "it is the leader, the others time out (orange triangles) and the next leader follows", round: "it wins the lottery, another winner's block is chosen", epoch: "its proposal is missing, the block has those of others; nothing waits" }[unit]}.`,
};
const RESTART = {
  title: "Restart it",
  before: () => "Press Restart: it continues from its disk and fetches the blocks that it missed.",
  reached: ({ nodes }) => nodes.every((node) => node.up),
  after: () => "It is back. Now make validators Byzantine, partition the network, or open an example below.",
};

const STEPS = {
  jolteon: [
    {
      title: "Proposal", event: "proposal",
      before: () => "The leader (blue ring) sends a block to all others: blue squares.",
      after: ({ author, block }) => `Validator ${author} leads (blue ring) and sends block ${block} to all others: blue squares.`,
    },
    {
      title: "Votes", event: "vote",
      before: () => "The others check the block and vote: green dots, sent to the next leader.",
      after: ({ block, to }) => `The others check block ${block} and send their votes to the next leader, validator ${to}: green dots.`,
    },
    {
      title: "Certificate", event: "certificate",
      before: ({ quorum, members }) => `${quorum} of ${members} votes are combined into a certificate: one short signature.`,
      after: ({ signers, block, bytes }) => `${count(signers)} of ${signers.length} signed block ${block}. The next leader combined their votes into a certificate of ${bytes} bytes.`,
    },
    {
      title: "Commit", event: "commit",
      before: () => "When the following block has a certificate too, the block is final.",
      after: ({ block }) => `Block ${block} is final: the block after it has a certificate, too. It can never be replaced. The number in the ring counts final blocks.`,
    },
    CRASH,
    RESTART,
  ],
  gosig: [
    {
      title: "Lottery", event: "proposal",
      before: () => "A secret lottery selects proposers. Their blocks (blue squares) pass from validator to validator.",
      after: ({ author, view }) => `Round ${view}: validator ${author} won the lottery and proposes a block. It passes from validator to validator: blue squares.`,
    },
    {
      title: "Prepare (P)", event: "prepare",
      before: () => "Each validator signs the block with the best lottery ticket, and passes on the sum of all signatures it has (green).",
      after: ({ quorum }) => `Each validator signs the block with the best ticket, and passes on the sum of all signatures it has (green). The inner arc is its sum; the tick is the quorum, ${quorum}.`,
    },
    {
      title: "Tentative commit (TC)", event: "tentative",
      before: ({ quorum, members }) => `With ${quorum} of ${members} P signatures a validator locks the block and signs TC (yellow, outer arc).`,
      after: ({ node, quorum, members }) => `Validator ${node} has P signatures of ${quorum} of ${members}: it locks the block and signs TC (yellow, outer arc).`,
    },
    {
      title: "Commit", event: "commit",
      before: ({ quorum }) => `With ${quorum} TC signatures the block is final.`,
      after: ({ block, quorum }) => `Block ${block} is final: ${quorum} signed TC. It can never be replaced. The number in the ring counts final blocks.`,
    },
    CRASH,
    RESTART,
  ],
  abft: [
    {
      title: "Proposals", event: "proposal",
      before: () => "Every validator encrypts its transactions and sends each other one a shard of them: blue squares. There is no leader to wait for.",
      after: ({ view, author }) => `Epoch ${view}: every validator encrypts its transactions and sends each other one a shard of them (blue squares), validator ${author} first. There is no leader to wait for.`,
    },
    {
      title: "Delivery", event: "delivered",
      before: () => "All pass their shards on, and say when they can rebuild a proposal: green dots.",
      after: ({ node, author, quorum, members }) => `Validator ${node} passed its shards on (green dots), rebuilt the proposal of validator ${author}, and signs that it did. ${quorum} of ${members} proposals are enough (inner arcs; the tick).`,
    },
    {
      title: "Agreement", event: "promote",
      before: ({ quorum }) => `A validator that has ${quorum} proposals asks the others to confirm this set, in four steps: yellow dots.`,
      after: ({ node, quorum }) => `Validator ${node} has ${quorum} proposals, and asks the others to confirm this set, in four steps: yellow dots. All do so at once.`,
    },
    {
      title: "Coin", event: "elected",
      before: () => "A common coin (diamonds) elects one validator afterwards. Its set counts.",
      after: ({ leader }) => `The coin (diamonds) elected validator ${leader} (blue ring): its set counts. It was not known before, so no attacker could delay it in time.`,
    },
    {
      title: "Commit", event: "commit",
      before: ({ quorum }) => `Only now the proposals are decrypted (purple dots, outer arcs). ${quorum} signatures make the block final.`,
      after: ({ block, quorum }) => `Only now the proposals were decrypted (purple dots, outer arcs). Block ${block} is final: ${quorum} signed it. The number in the ring counts final blocks.`,
    },
    CRASH,
    RESTART,
  ],
};

// `at` is the step that comes next; `matched` holds the events from it on, which wait until the step before has been read.
// `turn` is set when the visitor must act and has had the time to read the step before.
let steps = [], facts = {}, at = 0, since = 0, turn = false, matched = [], started = () => {}, finished = () => {};

const stored = () => { try { return localStorage.getItem("guide"); } catch { return null; } };
const store = (value) => { try { localStorage.setItem("guide", value); } catch { /* no storage available */ } };

// `onFollow` is called when the guide starts to follow a block, `onFree` when the visitor takes over.
export function begin({ onFollow, onFree }) {
  [started, finished] = [onFollow, onFree];
  $("guide").open = !["closed", "done"].includes(stored());
  $("guide").addEventListener("toggle", () => {
    store($("guide").open ? "open" : "closed");
    mark();
    if (!$("guide").open) finished();
  });
}

// A new run with this protocol: the first step is current.
export function restart(protocol) {
  steps = STEPS[protocol];
  [at, since, turn, matched, facts] = [0, -Infinity, false, [], { unit: PROTOCOLS[protocol].unit }];
  $("steps").replaceChildren(...steps.map(({ title }, i) => {
    const item = document.createElement("li");
    item.value = i + 1; // a phone hides other steps, which would not be counted
    item.append(Object.assign(document.createElement("b"), { textContent: `${title}. ` }), document.createElement("span"));
    return item;
  }));
  mark();
}

// The members of the run, the selected validator, and whether fewer are Byzantine than the protocol tolerates.
export function describe({ members, quorum, chosen, safe }) {
  if (facts.members === members && facts.safe === safe && facts.chosen === chosen) return;
  Object.assign(facts, { members, quorum, chosen, safe });
  $("steps").hidden = !safe;
  if (!safe) finished();
  mark();
  $("guide-members").textContent = !safe ? `More validators are Byzantine than ${members} tolerate: nothing is guaranteed. Two honest validators may commit different blocks at one height. When that happens, the page stops the run.` : `${members} computers, called validators, keep the same chain of blocks, although messages are late, and a few validators may crash or lie. ${quorum} of ${members} must sign each block.`;
  for (let i = at; i < steps.length; i++) write(i, steps[i].before(facts));
}

// Follows the events of a frame.
export function follow(events, state, playing, now = performance.now()) {
  if (!$("guide").open || !facts.safe) return;
  if (!turn && steps[at]?.reached && (!playing || now - since >= BEFORE_ACT)) {
    turn = true;
    mark();
  }
  for (const event of events) {
    const next = at + matched.length;
    if (steps[next]?.event !== event.e || elsewhere(event, next)) continue;
    if (next === 0) {
      Object.assign(facts, { block: event.block, view: event.view });
      started();
    }
    matched.push(event);
  }
  while (matched.length && (!playing || now - since >= READING)) {
    finish(matched.shift(), now);
    if (!steps[at].event) finished();
  }
  if (steps[at]?.reached?.(state)) finish({ down: state.nodes.find((node) => !node.up)?.slot }, now);
}

// With Jolteon the guide follows one block to its end, unless that block is given up; with ABFT one epoch.
function elsewhere(event, next) {
  if (event.second) return true;
  if (facts.unit === "epoch") return next > 0 && event.view !== facts.view && event.view < facts.view + 2;
  return next > 0 && facts.unit === "view" && event.view <= facts.view + 3 && event.block !== undefined && event.block !== facts.block;
}

function finish(event, now) {
  write(at, steps[at].after({ ...facts, ...event }));
  [at, since, turn] = [at + 1, now, false];
  mark();
  if (at === steps.length) store("done");
}

function write(i, text) {
  const span = $("steps").children[i].lastElementChild;
  if (span.textContent !== text) span.textContent = text;
}

// The step that happened last is highlighted, unless the visitor must act.
function mark() {
  const current = turn ? at : Math.max(0, at - 1);
  [...$("steps").children].forEach((item, i) => {
    item.className = i < at ? "done" : "";
    if (i === current) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  $("guide").classList.toggle("turn", turn || at > steps.indexOf(CRASH));
  const wanted = { [steps.indexOf(CRASH)]: "crash", [steps.indexOf(RESTART)]: "restart" }[at];
  for (const id of ["crash", "restart"]) $(id).classList.toggle("hint", id === wanted && $("guide").open && facts.safe);
}

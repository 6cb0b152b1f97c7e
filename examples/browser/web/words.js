// Texts for events and states.

const ANY = {
  silent: "sends nothing",
  delayer: "delays its messages",
  garbage: "sends random bytes",
  replayer: "repeats old messages",
  mutator: "alters half of its messages",
  selective: "sends each message to half of the other members",
  twins: "runs as two nodes with one identity",
};

// What each protocol calls a period, and its maximum number of validators on this page.
export const PROTOCOLS = { jolteon: { unit: "view", most: 40 }, gosig: { unit: "round", most: 40 }, abft: { unit: "epoch", most: 13 } };

// Byzantine behaviours by protocol.
export const BEHAVIOURS = {
  jolteon: {
    equivocator: "proposes two blocks in one view, one to each half of the members",
    "double-voter": "votes for every block it sees, and sends the votes to all members",
    forger: "forges the signatures of its votes",
    "non-proposer": "votes, but never proposes",
    "false-state": "reports wrong state roots",
    "batch-withholder": "withholds batches and their certificates from some members",
    "double-batcher": "puts two batches into one slot",
    "false-leader": "proposes in views that it does not lead",
    outdated: "sends old certificates and denies newer ones",
    "request-flooder": "sends requests continuously",
    "certificate-forger": "forges the certificates of batches",
    ...ANY,
  },
  gosig: {
    equivocator: "makes two proposals in one round, one to each half of the members",
    flooder: "floods the members with proposals",
    "ticket-forger": "proposes without a winning ticket",
    "false-state": "reports wrong state roots",
    "non-proposer": "signs, but never proposes",
    "lock-breaker": "proposes a block other than the one it is locked on",
    "double-voter": "signs every block it sees, and sends the signatures to all members",
    withholder: "withholds its signatures",
    inflater: "adds aggregates to themselves until their counts are large",
    forger: "names members as signers that did not sign",
    "body-withholder": "withholds the transactions of its blocks",
    "segment-forger": "names transactions that do not exist",
    "wrong-epoch": "sends messages of other epochs",
    "request-flooder": "sends requests continuously",
    ...ANY,
  },
  abft: {
    "double-voter": "signs a second block at every height",
    "share-swapper": "sends its decryption share of one proposal for all others",
    "half-mute": "sends nothing to the first half of the members",
    "epoch-starter": "sends its messages for the next epoch, too",
    "far-ahead": "claims to have blocks that do not exist",
    ...ANY,
  },
};

export const seconds = (micros) => (micros / 1e6).toFixed(3) + " s";
export const count = (bits) => [...bits].filter((bit) => bit === "1").length;
export const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function intervention(what, protocol) {
  const [verb, a, ...rest] = what.split(".");
  switch (verb) {
    case "crash": return `You crash validator ${a}. Its disk is intact.`;
    case "restart": return `You restart validator ${a} from its disk.`;
    case "split": return `You partition the network: ${a.split("-").join(", ")} on one side, the other validators on the other.`;
    case "heal": return "You heal the network.";
    case "links": return `You change all links: latency ${a} ms, jitter ${rest[0]} ms, loss ${(rest[1] / 10).toFixed(1)} %.`;
    case "slow": return `You set the latency of validator ${a}'s links to ${rest[0]} ms.`;
    case "recover": return `You restore the links of validator ${a}.`;
    case "turn": return `You make validator ${a} Byzantine: it ${BEHAVIOURS[protocol][rest[0]]}.`;
    default: return what;
  }
}

const block = (event) => `block ${event.block} at height ${event.height}`;

// Texts specific to Gosig.
function gosigLine(event) {
  switch (event.e) {
    case "proposal":
      if (event.second) return ["alarm", `Validator ${event.author} makes a second proposal, ${event.block}, for the same round ${event.view}.`];
      if (event.again) return ["proposal", `Round ${event.view}: validator ${event.author} proposes ${block(event)} again, which a quorum prepared in round ${event.certified}.`];
      return ["proposal", `Round ${event.view}: validator ${event.author} won the lottery and proposes ${block(event)} with ${event.txs ? plural(event.txs, "transaction") : "no transactions"}.`];
    case "prepared":
      return ["certificate", `${count(event.signers)} of ${event.signers.length} prepared block ${event.block} in round ${event.view}.`];
    case "certificate":
      return ["certificate", `${count(event.signers)} of ${event.signers.length} signed TC for block ${event.block} in round ${event.view}: a finality certificate of ${event.bytes} bytes.`];
    case "round":
      return event.undecided ? ["timeout", `Validator ${event.node} saw no decision in the previous round and enters round ${event.view}.`] : null;
    default: return undefined;
  }
}

const members = (bits) => [...bits].flatMap((bit, i) => (bit === "1" ? [i] : [])).join(", ");

// Texts specific to ABFT.
function abftLine(event) {
  switch (event.e) {
    case "proposal":
      if (event.second) return ["alarm", `Validator ${event.author} makes a second proposal, ${event.id}, for the same epoch ${event.view}.`];
      return ["proposal", `Epoch ${event.view}: validator ${event.author} encrypts its proposal, ${event.id}, and sends each validator a shard of ${plural(event.bytes, "byte")}.`];
    case "promote":
      return event.first ? ["tentative", `Epoch ${event.view}: validator ${event.node} is the first with a set of delivered proposals for ${event.round === 1 ? "the agreement" : `view ${event.round} of the agreement`}.`] : null;
    case "elected":
      return ["coin", `Epoch ${event.view}: the coin elected validator ${event.leader}${event.round === 1 ? "" : ` in view ${event.round} of the agreement`}.`];
    case "subset":
      return ["tentative", `Epoch ${event.view}: decided. The block has the proposals of ${members(event.members)}; now they are decrypted.`];
    case "block":
      return event.second ? ["alarm", `Validators sign a second block, ${event.block}, at height ${event.height}.`] : null;
    default: return undefined;
  }
}

// Returns a line for the log; `null` for events shown only in the diagram.
export function line(event, protocol) {
  const own = { gosig: gosigLine, abft: abftLine }[protocol]?.(event);
  if (own !== undefined) return own;
  switch (event.e) {
    case "proposal": {
      const load = event.txs ? `${plural(event.txs, "transaction")} in ${event.batches} ${event.batches === 1 ? "batch" : "batches"}` : "no transactions";
      if (event.second) return ["alarm", `Validator ${event.author} proposes a second block, ${event.block}, for the same view ${event.view}.`];
      return ["proposal", `View ${event.view}: validator ${event.author} proposes block ${event.block} at height ${event.height} with ${load}.`];
    }
    case "certificate":
      return ["certificate", `${count(event.signers)} of ${event.signers.length} signed block ${event.block}: a certificate of ${event.bytes} bytes.`];
    case "commit":
      if (event.conflict) return ["alarm", `Validator ${event.node} commits another block, ${event.block}, at height ${event.height}.`];
      return event.first ? ["commit", `Block ${event.block} is final at height ${event.height}. Validator ${event.node} commits it first.`] : null;
    case "view":
      return event.timedOut ? ["timeout", `Validator ${event.node} timed out and enters view ${event.view}, led by ${event.leader}.`] : null;
    case "skipped":
      return ["timeout", `${count(event.signers)} of ${event.signers.length} timed out in view ${event.view}: a timeout certificate.`];
    case "crash": return ["crash", `Validator ${event.node} is down.`];
    case "start":
      return event.restarts ? ["start", `Validator ${event.member} starts from ${plural(event.records, "record")} on its disk.`] : null;
    case "evidence": {
      const source = event.node < 0 ? "Proof by an observer of all links" : event.kind === "proof" ? `Proof, held by validator ${event.node}` : `Validator ${event.node} refuses`;
      return ["alarm", `${source}: validator ${event.culprit} ${event.words}.`];
    }
    case "act": return ["act", intervention(event.what, protocol)];
    default: return null;
  }
}

// Returns the numbers of validators that are up, of Byzantine ones, and of those that the protocol tolerates.
function tally(state) {
  const members = state.nodes.filter((node) => node.slot === node.member);
  const tolerated = Math.floor((state.members - 1) / 3);
  return { up: members.filter((node) => node.up), byzantine: members.filter((node) => !node.honest).length, tolerated };
}

function round(state, view) {
  const seen = state.proposedIn === view ? state.proposers : [];
  return `Round ${view}. ${seen.length === 0 ? "No proposal yet: the winners of the lottery are still secret." : `Winners of the lottery that have proposed: ${seen.join(", ")}.`}`;
}

// `proposals` are those that were seen, of any view.
function turn(state, view, leader, proposals) {
  const up = state.nodes[leader]?.up;
  const proposal = proposals.findLast((seen) => seen.view === view && seen.author === leader);
  if (proposal) return `View ${view}. Validator ${leader} leads and proposed block ${proposal.block}${up ? "" : " before it went down"}; the others vote.`;
  if (!up) return `View ${view}. Its leader, validator ${leader}, is down and cannot propose: the others time out, and the next leader follows.`;
  return `View ${view}. Validator ${leader} leads; its proposal is awaited.`;
}

// The state of the furthest validators in an epoch of ABFT.
function epoch(state, up, view, quorum) {
  const here = up.filter((node) => node.view === view);
  const most = (name) => Math.max(0, ...here.map((node) => node[name]));
  const [delivered, opened] = [most("proposals"), most("opened")];
  const leader = state.electedIn === view ? ` The coin elected validator ${state.elected}.` : "";
  if (here.some((node) => node.decided)) return `Epoch ${view}.${leader} The set of proposals is decided: ${opened < quorum ? `${opened} of ${quorum} are decrypted` : "the validators sign the block"}.`;
  if (delivered >= quorum) return `Epoch ${view}. ${delivered} of ${state.members} proposals are delivered: the validators agree on ${quorum} of them.${leader}`;
  return `Epoch ${view}. The validators spread their encrypted proposals; ${delivered} of ${state.members} are delivered, and ${quorum} are enough.`;
}

// Validators with slow links, in ABFT: they are waited for only if too few others are left.
function stragglers(state, up, slow, tolerated) {
  if (!slow.length) return [];
  const faulty = state.nodes.filter((node) => node.slot === node.member && (!node.up || !node.honest || slow.includes(node.slot))).length;
  const names = `${slow.length === 1 ? "Validator" : "Validators"} ${slow.join(", ")} ${slow.length === 1 ? "has" : "have"} slow links`;
  if (faulty > tolerated) return [`${names}. More than ${tolerated} are slow, down or Byzantine, so the others may wait for them.`];
  const lag = Math.max(0, ...up.filter((node) => slow.includes(node.slot)).map((node) => state.height - node.committed));
  return [`${names} and ${slow.length === 1 ? "follows" : "follow"}, up to ${plural(lag, "block")} behind; no other validator waits.`];
}

// Describes the current state of the run in one or two sentences. `slow` are the validators with slow links.
export function moment(state, quorum, proposals, slow) {
  const { up, byzantine, tolerated } = tally(state);
  const down = state.members - up.length;
  const view = Math.max(0, ...up.map((node) => node.view));
  const leader = up.find((node) => node.view === view)?.leader;
  const parts = [];
  if (state.violation) return "The checkers detected that a property is violated, and stopped the run.";
  if (up.length < quorum) parts.push(`Only ${up.length} of ${state.members} validators are up, and ${quorum} are required: no progress${byzantine > tolerated ? "" : ", but safety holds"}.`);
  else parts.push(state.protocol === "gosig" ? round(state, view) : state.protocol === "abft" ? epoch(state, up, view, quorum) : turn(state, view, leader, proposals));
  if (down && up.length >= quorum) parts.push(`${down} down; the other validators continue.`);
  if (byzantine && byzantine <= tolerated) parts.push(`${byzantine} Byzantine; ${state.members} validators tolerate ${tolerated}.`);
  if (state.protocol === "abft" && up.length >= quorum) parts.push(...stragglers(state, up, slow, tolerated));
  const behind = up.filter((node) => node.catchingUp && node.honest && !(state.protocol === "abft" && slow.includes(node.slot))).map((node) => node.slot);
  if (behind.length) parts.push(`Catching up: ${behind.join(", ")}.`);
  return parts.join(" ");
}

// Returns what the page can claim about safety: `safe`, `void` (too many Byzantine validators) or `broken`, and the words.
export function promise(state) {
  const { byzantine, tolerated } = tally(state);
  const excess = `${byzantine} of ${state.members} validators are Byzantine, and the protocol tolerates ${tolerated}`;
  if (state.violation) return ["broken", `Violated: ${state.violation}, ${state.detail}.${byzantine > tolerated ? ` ${excess}.` : ""}`];
  const checked = `${plural(state.height, "block")} checked`;
  if (byzantine > tolerated) return ["void", `No guarantee: ${excess}. Two honest validators may commit different blocks; none have yet (${checked}).`];
  const live = state.protocol === "abft" ? ` Nothing waits for a timeout: whatever the delays, blocks follow while at most ${tolerated} of ${state.members} are down, cut off or Byzantine.` : "";
  return ["safe", `No two honest validators committed different blocks at any height: ${checked}.${live}`];
}

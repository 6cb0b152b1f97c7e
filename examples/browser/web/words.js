// What is seen, in words.

const ANY = {
  silent: "says nothing",
  delayer: "holds its messages back",
  garbage: "sends random bytes",
  replayer: "repeats old messages",
  mutator: "alters half of its messages",
  selective: "sends each message to half of the others",
  twins: "runs twice under one identity",
};

// How members can be Byzantine, by protocol.
export const BEHAVIOURS = {
  jolteon: {
    equivocator: "proposes two blocks in one view, one to each half",
    "double-voter": "votes for every block it sees, and tells everybody",
    forger: "spoils the signatures of its votes",
    idler: "votes, but never proposes",
    liar: "names states that execution does not give",
    hoarder: "keeps batches and their certificates from some",
    "double-batcher": "puts two batches into one slot",
    squatter: "proposes when it is not its turn",
    outdated: "shows old certificates and denies newer ones",
    beggar: "asks for everything, all the time",
    ...ANY,
  },
  gosig: {
    equivocator: "makes two proposals in one round, one to each half",
    flooder: "makes one proposal after another",
    squatter: "proposes without having been drawn",
    liar: "names states that execution does not give",
    idler: "signs, but never proposes",
    turncoat: "proposes another block than the one that it is locked on",
    "double-voter": "signs for every block that it sees, and tells everybody",
    withholder: "keeps its signatures to itself",
    inflater: "adds sums to themselves until their counts are large",
    forger: "names signers who did not sign",
    hoarder: "keeps the transactions of its blocks",
    litterer: "names transactions that do not exist",
    stray: "speaks of epochs that are not this one",
    beggar: "asks for everything, all the time",
    ...ANY,
  },
};

export const seconds = (micros) => (micros / 1e6).toFixed(3) + " s";
const count = (bits) => [...bits].filter((bit) => bit === "1").length;
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function intervention(what, protocol) {
  const [verb, a, ...rest] = what.split(".");
  switch (verb) {
    case "crash": return `You crash validator ${a}. Its disk stays.`;
    case "restart": return `You start validator ${a} again, from its disk.`;
    case "split": return `You cut the network: ${a.split("-").join(", ")} on one side, the others on the other.`;
    case "heal": return "You heal the network.";
    case "links": return `You change all links: ${a} ms and about ${rest[0]} ms more, ${(rest[1] / 10).toFixed(1)} % lost.`;
    case "slow": return `You slow the links of validator ${a} to ${rest[0]} ms.`;
    case "recover": return `The links of validator ${a} are as the others again.`;
    case "turn": return `You make validator ${a} Byzantine: it ${BEHAVIOURS[protocol][rest[0]]}.`;
    default: return what;
  }
}

const block = (event) => `block ${event.block} at height ${event.height}`;

// What of Gosig has words of its own.
function gosigLine(event) {
  switch (event.e) {
    case "proposal":
      if (event.second) return ["alarm", `Validator ${event.author} makes a second proposal, ${event.block}, for the same round ${event.view}.`];
      if (event.again) return ["proposal", `Round ${event.view}: validator ${event.author} proposes ${block(event)} once more; a quorum prepared it in round ${event.certified}.`];
      return ["proposal", `Round ${event.view}: validator ${event.author} was drawn and proposes ${block(event)}, with ${event.txs ? plural(event.txs, "transaction") : "nothing new"}.`];
    case "prepared":
      return ["certificate", `${count(event.signers)} of ${event.signers.length} had prepared block ${event.block} in round ${event.view}.`];
    case "certificate":
      return ["certificate", `${count(event.signers)} of ${event.signers.length} committed block ${event.block} tentatively in round ${event.view}: ${event.bytes} bytes prove that it is final.`];
    case "round":
      return event.undecided ? ["timeout", `Validator ${event.node} saw no block in the round before, and is in round ${event.view}.`] : null;
    default: return undefined;
  }
}

// A line for the log, or nothing for what the picture tells better.
export function line(event, protocol) {
  const own = protocol === "gosig" ? gosigLine(event) : undefined;
  if (own !== undefined) return own;
  switch (event.e) {
    case "proposal": {
      const load = event.txs ? `${plural(event.txs, "transaction")} in ${event.batches} ${event.batches === 1 ? "batch" : "batches"}` : "nothing new";
      if (event.second) return ["alarm", `Validator ${event.author} proposes a second block, ${event.block}, for the same view ${event.view}.`];
      return ["proposal", `View ${event.view}: validator ${event.author} proposes block ${event.block} at height ${event.height}, with ${load}.`];
    }
    case "certificate":
      return ["certificate", `${count(event.signers)} of ${event.signers.length} signed block ${event.block}: a certificate of ${event.bytes} bytes.`];
    case "commit":
      return event.first ? ["commit", `Block ${event.block} is final at height ${event.height}. Validator ${event.node} knows it first.`] : null;
    case "view":
      return event.timedOut ? ["timeout", `Validator ${event.node} gave up and enters view ${event.view}, led by ${event.leader}.`] : null;
    case "skipped":
      return ["timeout", `${count(event.signers)} of ${event.signers.length} gave up view ${event.view}: a timeout certificate.`];
    case "crash": return ["crash", `Validator ${event.node} is down.`];
    case "start":
      return event.restarts ? ["start", `Validator ${event.member} starts from ${plural(event.records, "record")} on its disk.`] : null;
    case "evidence": {
      const who = event.node < 0 ? "Proof, for anybody who reads all links" : event.kind === "proof" ? `Proof, held by validator ${event.node}` : `Validator ${event.node} refuses`;
      return ["alarm", `${who}: validator ${event.culprit} ${event.words}.`];
    }
    case "act": return ["act", intervention(event.what, protocol)];
    default: return null;
  }
}

function round(state, view, quorum) {
  const seen = state.proposedIn === view ? state.proposers : [];
  const who = seen.length === 0 ? "Nobody has proposed yet: who was drawn knows it, and nobody else" : `Drawn, and known since they proposed: ${seen.join(", ")}`;
  return `Round ${view}. ${who}. Everybody signs for the best ticket's block and passes on the sum of all signatures it has; ${quorum} of P lock it, ${quorum} of TC make it final.`;
}

// One sentence or two about the moment.
export function moment(state, quorum) {
  const up = state.nodes.filter((node) => node.slot === node.member && node.up);
  const byzantine = state.nodes.filter((node) => node.slot === node.member && !node.honest).length;
  const bears = Math.floor((state.members - 1) / 3);
  const down = state.members - up.length;
  const view = Math.max(0, ...up.map((node) => node.view));
  const leader = up.find((node) => node.view === view)?.leader;
  const parts = [];
  if (state.violation) return "More members broke the protocol than it can bear, and it broke. The checkers saw it, and the run stops.";
  if (up.length < quorum) parts.push(`Only ${up.length} of ${state.members} are up, and ${quorum} are needed: nothing can be decided, and nothing wrong either.`);
  else if (state.protocol === "gosig") parts.push(round(state, view, quorum));
  else parts.push(`View ${view}. Validator ${leader} leads: it proposes a block, the others vote, and ${quorum} votes make a certificate. Two certificates in a row commit.`);
  if (down && up.length >= quorum) parts.push(`${down} down; the others go on.`);
  if (byzantine) parts.push(byzantine > bears ? `${byzantine} are Byzantine, more than the ${bears} that ${state.members} can bear: no promise holds.` : `${byzantine} Byzantine, of ${bears} that ${state.members} can bear.`);
  const behind = up.filter((node) => node.catchingUp && node.honest).map((node) => node.slot);
  if (behind.length) parts.push(`Catching up: ${behind.join(", ")}.`);
  return parts.join(" ");
}

//! Jolteon's host in the simulator, with a spectator in the gallery: the host runs and checks, the spectator writes
//! down what the page shows. What is written down influences nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::certificate::Certificate;
use quorate::committee::SignerSet;
use quorate::machine::{Fault, Time};
use quorate::wire::Decode;
use quorate_jolteon::simulation::{JolteonHost, Material};
use quorate_jolteon::{
    Block, BlockDigest, Committees, Evidence, Message, Output, PROPOSAL, Record, Replica, Timeout,
};
use quorate_simulator::{Actions, Adversary, Boot, Flight, Host, Node, Verdict, Violation};

use crate::auditor::Auditor;
use crate::json::Json;

/// So many events and flights wait for the page at most; older ones are dropped, and counted.
const MOST_WAITING: usize = 20_000;
/// So many blocks, certificates and accusations are remembered as seen; each is shown once.
const MOST_SEEN: usize = 50_000;

/// Numbers for each flight: sent and arrival in µs (−1: lost), from, to, the kind, and which of the messages of that
/// kind and view it is (a second proposal of one view is number 1).
pub(crate) const FLIGHT: usize = 6;

pub(crate) struct Stage {
    inner: JolteonHost<MinSig>,
    material: Arc<Material<MinSig>>,
    pub(crate) gallery: Gallery,
}

impl Stage {
    pub(crate) fn new(inner: JolteonHost<MinSig>, material: Arc<Material<MinSig>>) -> Self {
        Self { inner, material, gallery: Gallery::default() }
    }

    /// The highest block that any honest member committed.
    pub(crate) fn height(&self) -> u64 {
        self.inner.agreement.highest().unwrap_or(0)
    }
}

/// What the page has not fetched yet.
#[derive(Default)]
pub(crate) struct Gallery {
    pub(crate) events: Vec<String>,
    pub(crate) flights: Vec<f64>,
    /// What was dropped because the page did not fetch it.
    pub(crate) dropped: u64,
    now: u64,
    blocks: BTreeSet<[u8; 32]>,
    certified: BTreeSet<[u8; 32]>,
    timeout_certificates: BTreeSet<u64>,
    accusations: BTreeSet<(u16, String)>,
    committed: u64,
    proposals: BTreeSet<(u64, [u8; 32])>,
    last: Option<(Vec<u8>, Kind)>,
    auditor: Auditor,
}

/// What kind of message a flight is, as the page knows it: the tag on the wire, 0 for what cannot be read.
#[derive(Clone, Copy)]
struct Kind {
    tag: u8,
    variant: usize,
}

impl Gallery {
    fn event(&mut self, event: Json) {
        if self.events.len() >= MOST_WAITING {
            self.events.clear();
            self.dropped += MOST_WAITING as u64;
        }
        self.events.push(event.plain("at", self.now).end());
    }

    pub(crate) fn note(&mut self, now: u64, event: Json) {
        self.now = now;
        self.event(event);
    }

    fn flight(&mut self, flight: &Flight<'_>, committees: &Committees<MinSig>) {
        self.now = flight.sent.0;
        let kind = match &self.last {
            Some((bytes, kind)) if bytes == flight.bytes => *kind,
            _ => {
                let kind = self.look_at(flight, committees);
                self.last = Some((flight.bytes.to_vec(), kind));
                kind
            }
        };
        if self.flights.len() >= MOST_WAITING * FLIGHT {
            self.flights.clear();
            self.dropped += MOST_WAITING as u64;
        }
        let arrives = flight.arrives.map_or(-1.0, |at| at.0 as f64);
        self.flights.extend([
            flight.sent.0 as f64,
            arrives,
            flight.from.slot as f64,
            flight.to.slot as f64,
            f64::from(kind.tag),
            kind.variant as f64,
        ]);
    }

    /// Reads a message that was not there a moment ago, and writes down what is new in it.
    fn look_at(&mut self, flight: &Flight<'_>, committees: &Committees<MinSig>) -> Kind {
        let tag = flight.bytes.first().copied().filter(|tag| (1..=12).contains(tag)).unwrap_or(0);
        if !(1..=4).contains(&tag) {
            return Kind { tag, variant: 0 };
        }
        let Ok(message) = Message::<MinSig>::decode(flight.bytes, committees) else {
            return Kind { tag: 0, variant: 0 };
        };
        let mut variant = 0;
        match &message {
            Message::Proposal(block) => {
                variant = self.proposal(block, flight.from);
                if let Some(culprit) = self.auditor.proposal(block, committees) {
                    self.convict(culprit, format!("signed two different blocks for view {}", block.view));
                }
            }
            Message::Vote(vote) => {
                let statement = *vote.statement();
                let to = flight.to.slot;
                let event = Json::object().text("e", "vote").plain("node", flight.from.slot).plain("to", to);
                self.event(event.plain("view", statement.view).text("block", short(&statement.digest)));
                if let Some(culprit) = self.auditor.vote(vote, committees) {
                    self.convict(culprit, format!("signed two different votes in view {}", statement.view));
                }
            }
            Message::Timeout(timeout) => self.timeout(timeout, flight.from),
            Message::Advance(advance) => self.certificate(advance.high.as_ref()),
            _ => {}
        }
        Kind { tag, variant }
    }

    fn proposal(&mut self, block: &Block<MinSig>, from: Node) -> usize {
        self.certificate(block.justify.as_ref());
        let digest = block.digest().0;
        let variant = {
            self.proposals.insert((block.view, digest));
            let of_view = self.proposals.range((block.view, [0; 32])..=(block.view, [0xff; 32]));
            of_view.count().saturating_sub(1)
        };
        if self.proposals.len() > MOST_SEEN {
            self.proposals.pop_first();
        }
        if remembers(&mut self.blocks, digest) {
            let signers = block.justify.as_ref().map(|qc| bitmap(qc.signers())).unwrap_or_default();
            let event = Json::object()
                .text("e", "proposal")
                .plain("node", from.slot)
                .plain("author", block.author)
                .plain("view", block.view)
                .plain("height", block.height)
                .text("block", short(&digest))
                .text("parent", short(&block.parent.0))
                .plain("parentView", block.parent_view())
                .plain("batches", block.payload.len())
                .plain("txs", block.payload.iter().map(|b| u64::from(b.header.count)).sum::<u64>())
                .plain("second", variant > 0)
                .text("signers", signers)
                .plain("skipped", block.tc.is_some());
            self.event(event);
        }
        variant
    }

    fn certificate(&mut self, qc: Option<&Certificate<MinSig>>) {
        let Some(qc) = qc else { return };
        let statement = qc.statement();
        if remembers(&mut self.certified, statement.digest) {
            let event = Json::object()
                .text("e", "certificate")
                .plain("view", statement.view)
                .text("block", short(&statement.digest))
                .text("signers", bitmap(qc.signers()))
                .plain("bytes", quorate::wire::Encode::encode(qc).len());
            self.event(event);
        }
    }

    fn timeout(&mut self, timeout: &Timeout<MinSig>, from: Node) {
        self.certificate(timeout.high.as_ref());
        let event = Json::object().text("e", "timeout").plain("node", from.slot);
        self.event(event.plain("view", timeout.vote.view()).plain("certified", timeout.vote.value()));
        if let Some(tc) = &timeout.tc
            && remembers(&mut self.timeout_certificates, tc.view())
        {
            let event = Json::object().text("e", "skipped").plain("view", tc.view());
            self.event(event.text("signers", bitmap(&tc.signers())));
        }
    }

    fn output(&mut self, node: Node, output: &Output<MinSig>) {
        match output {
            Output::View { view, leader, timed_out } => {
                let event = Json::object().text("e", "view").plain("node", node.slot).plain("view", view);
                self.event(event.plain("leader", leader).plain("timedOut", timed_out));
            }
            Output::Deliver(delivery) => {
                let first = node.honest && delivery.height > self.committed;
                if first {
                    self.committed = delivery.height;
                    self.certificate(Some(&delivery.finality.certificate));
                }
                let event = Json::object()
                    .text("e", "commit")
                    .plain("node", node.slot)
                    .plain("height", delivery.height)
                    .plain("view", delivery.block.view)
                    .text("block", short(&delivery.digest.0))
                    .plain("txs", delivery.batches.iter().map(|batch| batch.len()).sum::<usize>())
                    .plain("first", first);
                self.event(event);
            }
            _ => {}
        }
    }

    /// What the auditor can prove. The validators may not know it, or not yet.
    fn convict(&mut self, culprit: u16, words: String) {
        let event = Json::object().text("e", "evidence").plain("node", -1).plain("culprit", culprit);
        self.event(event.text("kind", "proof").text("words", words));
    }

    fn accuse(&mut self, by: Node, fault: &Fault<Evidence<MinSig>>) {
        let (kind, words) = charge(&fault.evidence);
        if !by.honest || self.accusations.len() > MOST_SEEN {
            return;
        }
        if self.accusations.insert((fault.culprit, format!("{kind} {words}"))) {
            let event = Json::object().text("e", "evidence").plain("node", by.slot);
            self.event(event.plain("culprit", fault.culprit).text("kind", kind).text("words", words));
        }
    }
}

/// Whether something is seen for the first time.
fn remembers<T: Ord>(seen: &mut BTreeSet<T>, what: T) -> bool {
    if seen.len() >= MOST_SEEN {
        seen.clear();
    }
    seen.insert(what)
}

/// What a member is accused of: proof that anybody can check, or only the word of the accuser.
fn charge(evidence: &Evidence<MinSig>) -> (&'static str, String) {
    match evidence {
        Evidence::Votes(votes) => {
            let view = votes.votes().0.statement().view;
            ("proof", format!("signed two different votes in view {view}"))
        }
        Evidence::Identity(statements) => {
            let statement = *statements.votes().0.statement();
            if statement.kind == PROPOSAL {
                ("proof", format!("signed two different blocks for view {}", statement.view))
            } else {
                ("proof", "filled one slot with two different batches".to_owned())
            }
        }
        Evidence::Invalid { what, .. } => ("refused", format!("sent a {what} that does not verify")),
        Evidence::Proposal { rule, .. } => {
            ("refused", format!("proposed a block that breaks a rule: {rule}"))
        }
        Evidence::StateRoot { .. } => ("refused", "named a state that execution does not give".to_owned()),
        Evidence::Unexpected { what } => ("refused", format!("sent what nobody honest sends: {what}")),
    }
}

/// The first bytes of a digest, as people compare them.
fn short(digest: &[u8; 32]) -> String {
    format!("{:?}", BlockDigest(*digest)).trim_end_matches('…').to_owned()
}

/// `1` for each member that signed, `0` for each that did not.
pub(crate) fn bitmap(signers: &SignerSet) -> String {
    (0..signers.committee_len()).map(|member| if signers.contains(member) { '1' } else { '0' }).collect()
}

impl Host for Stage {
    type Machine = Replica<MinSig>;

    fn boot(&mut self, boot: Boot<Record<MinSig>>) -> Result<Replica<MinSig>, Violation> {
        let (node, records, restarts) = (boot.node, boot.records.len(), boot.restarts);
        let replica = self.inner.boot(boot)?;
        let event = Json::object().text("e", "start").plain("node", node.slot).plain("member", node.member);
        self.gallery.event(event.plain("records", records).plain("restarts", restarts));
        Ok(replica)
    }

    fn decode_record(&self, bytes: &[u8]) -> quorate::Result<Record<MinSig>> {
        self.inner.decode_record(bytes)
    }

    fn on_start(&mut self, node: Node, actions: &mut Actions<'_, Replica<MinSig>>) -> Verdict {
        self.inner.on_start(node, actions)
    }

    fn on_crash(&mut self, node: Node) {
        self.gallery.event(Json::object().text("e", "crash").plain("node", node.slot));
        self.inner.on_crash(node);
    }

    fn on_output(
        &mut self,
        node: Node,
        output: Output<MinSig>,
        actions: &mut Actions<'_, Replica<MinSig>>,
    ) -> Verdict {
        self.gallery.now = actions.now().0;
        self.gallery.output(node, &output);
        self.inner.on_output(node, output, actions)
    }

    fn on_wake(&mut self, node: Node, token: u64, actions: &mut Actions<'_, Replica<MinSig>>) -> Verdict {
        self.gallery.now = actions.now().0;
        self.inner.on_wake(node, token, actions)
    }

    fn on_fault(&mut self, node: Node, fault: Fault<Evidence<MinSig>>) -> Verdict {
        self.gallery.accuse(node, &fault);
        self.inner.on_fault(node, fault)
    }

    fn after_step(&mut self, node: Node, replica: &Replica<MinSig>) -> Verdict {
        self.inner.after_step(node, replica)
    }

    fn at_end(&mut self, now: Time) -> Verdict {
        self.inner.at_end(now)
    }

    fn adversary(&mut self, node: Node, name: &str) -> Option<Box<dyn Adversary<Replica<MinSig>>>> {
        self.inner.adversary(node, name)
    }

    fn on_flight(&mut self, flight: Flight<'_>) {
        self.gallery.flight(&flight, &self.material.committees);
    }
}

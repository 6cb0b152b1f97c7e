//! Observable events of Gosig.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::bls::{Counted, MinSig};
use quorate::certificate::{Certificate, Kind as VoteKind, Vote};
use quorate::gossip::Aggregate;
use quorate::wire::{Decode, Encode};
use quorate_gosig::simulation::{GosigHost, SimulationKeys};
use quorate_gosig::{BlockDigest, Envelope, Evidence, Message, Output, PREPARE, Proposal, Replica, Status};
use quorate_simulator::{Node, Transmission};

use crate::auditor::Auditor;
use crate::event_log::{EventLog, Kind, is_first};
use crate::json::Json;
use crate::run::{ProtocolRun, ProtocolView, bitmap, observed_run};
use crate::setup::Setup;

/// The members' scheme: BLS with counted aggregates.
type Scheme = Counted<MinSig>;

/// Average interval between the transactions of the clients, per member of the committee.
const WORKLOAD_INTERVAL: Duration = Duration::from_millis(250);

/// Position of the tag: a message begins with its epoch.
const TAG_AT: usize = 8;
/// Tags of messages on the wire.
const TAGS: core::ops::RangeInclusive<u8> = 1..=13;
/// Tags of proposals and signatures, the messages that are decoded.
const PROPOSAL_TAG: u8 = 1;
const SIGNATURES_TAG: u8 = 3;

/// Added to the number of signers, as a message's variant, if they signed TENTATIVE statements.
const TENTATIVE_VARIANT: usize = 1_000;

/// Number of rounds whose proposers are remembered.
const ROUNDS: usize = 64;

/// Creates a run of Gosig.
pub(crate) fn run(setup: &Setup) -> Box<dyn ProtocolRun> {
    let keys = SimulationKeys::<Scheme>::new(setup.nodes);
    let pace = WORKLOAD_INTERVAL * u32::try_from(setup.nodes).unwrap_or(1);
    let host = GosigHost::new(Arc::clone(&keys)).workload(pace, u64::MAX);
    let view = GosigView {
        keys,
        proposers: BTreeMap::new(),
        signed: BTreeSet::new(),
        certified: BTreeSet::new(),
        committed: 0,
        auditor: Auditor::default(),
    };
    observed_run(setup.scenario(), setup.script.clone(), host, view)
}

/// Observer of a Gosig run, which reports each event to the page once.
struct GosigView {
    keys: Arc<SimulationKeys<Scheme>>,
    /// Digests proposed in each round, by proposer, in the order of observation.
    proposers: BTreeMap<u64, BTreeMap<u16, Vec<[u8; 32]>>>,
    /// Observed signatures, by round, kind and member.
    signed: BTreeSet<(u64, u8, u16)>,
    certified: BTreeSet<(u8, [u8; 32])>,
    committed: u64,
    auditor: Auditor<Scheme>,
}

impl GosigView {
    /// Logs a proposal. Returns its position among its proposer's proposals of the round.
    fn proposal(&mut self, proposal: &Proposal<Scheme>, from: Node, event_log: &mut EventLog) -> usize {
        let (round, proposer, name) = (proposal.round, proposal.proposer, proposal.digest());
        let seen = self.proposers.entry(round).or_default().entry(proposer).or_default();
        if let Some(variant) = seen.iter().position(|known| *known == name) {
            return variant;
        }
        seen.push(name);
        let variant = seen.len() - 1;
        if self.proposers.len() > ROUNDS {
            self.proposers.pop_first();
        }
        let block = &proposal.block;
        let event = Json::object()
            .text("e", "proposal")
            .plain("node", from.slot)
            .plain("author", proposer)
            .plain("view", round)
            .plain("height", block.height)
            .text("block", short(&block.digest()))
            .text("parent", short(&block.parent))
            .plain("certified", proposal.certified_round())
            .plain("again", proposal.is_repeated())
            .plain("txs", block.payload.count)
            .plain("bytes", proposal.encode().len())
            .plain("second", variant > 0);
        event_log.event(event);
        variant
    }

    /// Logs new signatures. Returns the largest number of signers in an aggregate, and its kind.
    fn signatures(
        &mut self,
        aggregates: &[Aggregate<Scheme>],
        from: Node,
        event_log: &mut EventLog,
    ) -> (VoteKind, usize) {
        let mut largest = (PREPARE, 0);
        for aggregate in aggregates {
            let (statement, signers) = (*aggregate.statement(), aggregate.signers().iter().count());
            if signers >= largest.1 {
                largest = (statement.kind, signers);
            }
            if aggregate.count(from.member) > 0
                && is_first(&mut self.signed, (statement.view, statement.kind.number(), from.member))
            {
                let name = if statement.kind == PREPARE { "prepare" } else { "tentative" };
                let event = Json::object().text("e", name).plain("node", from.slot);
                event_log.event(event.plain("view", statement.view));
            }
            self.audit_signature(aggregate, event_log);
        }
        largest
    }

    /// Passes an aggregate with a single signer to the auditor.
    fn audit_signature(&mut self, aggregate: &Aggregate<Scheme>, event_log: &mut EventLog) {
        let mut signers = aggregate.signers().iter();
        let (Some(signer), None) = (signers.next(), signers.next()) else { return };
        if aggregate.count(signer) != 1 {
            return;
        }
        let statement = *aggregate.statement();
        let vote = Vote::new(statement, signer, aggregate.signature().clone());
        if let Some(culprit) = self.auditor.vote(&vote, &self.keys.committees.voters) {
            let words = format!("signed for two different blocks in round {}", statement.view);
            event_log.proven(culprit, words);
        }
    }

    /// Logs a certificate when it is first seen.
    fn certificate(&mut self, qc: &Certificate<Scheme>, block: BlockDigest, event_log: &mut EventLog) {
        let statement = qc.statement();
        if is_first(&mut self.certified, (statement.kind.number(), block.0)) {
            let name = if statement.kind == PREPARE { "prepared" } else { "certificate" };
            let event = Json::object()
                .text("e", name)
                .plain("view", statement.view)
                .text("block", short(&block))
                .text("signers", bitmap(qc.signers()))
                .plain("bytes", qc.encode().len());
            event_log.event(event);
        }
    }
}

impl ProtocolView for GosigView {
    type Host = GosigHost<Scheme>;

    fn observe(&mut self, flight: &Transmission<'_>, event_log: &mut EventLog) -> Kind {
        let tag = flight.bytes.get(TAG_AT).copied().filter(|tag| TAGS.contains(tag)).unwrap_or(0);
        if ![PROPOSAL_TAG, SIGNATURES_TAG].contains(&tag) {
            return Kind { tag, variant: 0 };
        }
        let keys = Arc::clone(&self.keys);
        let committees = &keys.committees;
        let envelope = Envelope::<Scheme>::decode(flight.bytes, committees);
        let variant = match envelope.map(|envelope| envelope.message) {
            Ok(Message::Proposal(proposal)) => {
                let variant = self.proposal(&proposal, flight.from, event_log);
                if let Some(c) = proposal.certificate.as_ref().filter(|c| c.statement().kind == PREPARE) {
                    self.certificate(c, proposal.block.digest(), event_log);
                }
                if let Some(culprit) =
                    self.auditor.proposal(&proposal.vote(committees), &committees.identities)
                {
                    let words = format!("signed two different proposals for round {}", proposal.round);
                    event_log.proven(culprit, words);
                }
                variant
            }
            Ok(Message::Signatures(aggregates)) => {
                let (kind, signers) = self.signatures(&aggregates, flight.from, event_log);
                signers + if kind == PREPARE { 0 } else { TENTATIVE_VARIANT }
            }
            _ => return Kind { tag: 0, variant: 0 },
        };
        Kind { tag, variant }
    }

    fn output(&mut self, node: Node, output: &Output<Scheme>, event_log: &mut EventLog) {
        match output {
            Output::Round { round, undecided, .. } => {
                let event = Json::object().text("e", "round").plain("node", node.slot);
                event_log.event(event.plain("view", round).plain("undecided", undecided));
            }
            Output::Deliver(delivery) => {
                let first = node.honest && delivery.height > self.committed;
                if first {
                    self.committed = delivery.height;
                    self.certificate(delivery.finality.certificate(), delivery.digest, event_log);
                }
                let event = Json::object()
                    .text("e", "commit")
                    .plain("node", node.slot)
                    .plain("height", delivery.height)
                    .plain("view", delivery.finality.round())
                    .text("block", short(&delivery.digest))
                    .plain("txs", delivery.payload.len())
                    .plain("first", first);
                event_log.event(event);
            }
            _ => {}
        }
    }

    fn describe_evidence(evidence: &Evidence<Scheme>) -> (&'static str, String) {
        let kind = if evidence.is_provable() { "proof" } else { "refused" };
        let words = match evidence {
            Evidence::Identity(statements) => {
                let round = statements.votes().0.statement().view;
                format!("signed two different proposals for round {round}")
            }
            Evidence::Invalid { what, .. } => format!("sent an invalid {what}"),
            Evidence::Proposal { rule, .. } | Evidence::Body { rule, .. } => {
                format!("proposed a block that violates a rule: {rule}")
            }
            Evidence::StateRoot { .. } => "named a state that execution does not give".to_owned(),
            Evidence::Unexpected { what } => {
                format!("sent a message that the protocol does not permit: {what}")
            }
        };
        (kind, words)
    }

    fn height(host: &GosigHost<Scheme>) -> u64 {
        host.agreement.highest().unwrap_or(0)
    }

    /// Returns the proposers of the latest round with a proposal.
    fn protocol_state(&self, json: Json) -> Json {
        let last = self.proposers.last_key_value();
        let (round, proposers) = last.map_or((0, Vec::new()), |(r, p)| (*r, p.keys().collect()));
        json.plain("proposedIn", round).list("proposers", proposers)
    }

    fn describe(machine: &Replica<Scheme>, json: Json) -> Json {
        let Status { round, leader, committed, delivered, prepared, locked, timeouts, catching_up, .. } =
            machine.status();
        let (signed, tentative) = machine.collected();
        json.plain("view", round)
            .plain("leader", leader)
            .plain("committed", committed)
            .plain("delivered", delivered)
            .plain("prepared", prepared)
            .plain("locked", locked)
            .plain("timeouts", timeouts)
            .plain("signed", signed)
            .plain("tentative", tentative)
            .plain("catchingUp", catching_up)
    }
}

/// Returns the first bytes of a digest in hexadecimal.
fn short(digest: &BlockDigest) -> String {
    format!("{digest:?}").trim_end_matches('…').to_owned()
}

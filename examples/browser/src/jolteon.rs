//! Observable events of Jolteon.

use std::collections::BTreeSet;
use std::sync::Arc;

use core::time::Duration;

use quorate::bls::MinSig;
use quorate::certificate::Certificate;
use quorate::wire::Decode;
use quorate_jolteon::simulation::{JolteonHost, SimulationKeys};
use quorate_jolteon::{Block, BlockDigest, Evidence, Message, Output, PROPOSAL, Replica, Status, Timeout};
use quorate_simulator::{Node, Transmission};

use crate::auditor::Auditor;
use crate::event_log::{EventLog, Kind, MAX_SEEN, is_first};
use crate::json::Json;
use crate::run::{ProtocolRun, ProtocolView, bitmap, observed_run};
use crate::setup::Setup;

/// Average interval between batches, per member of the committee: four batches per second in total.
const WORKLOAD_INTERVAL: Duration = Duration::from_millis(250);

/// Tags of messages on the wire.
const TAGS: core::ops::RangeInclusive<u8> = 1..=14;
/// Tags of proposals, votes, timeouts and advances, the messages that are decoded.
const READ: core::ops::RangeInclusive<u8> = 1..=4;

/// Creates a run of Jolteon.
pub(crate) fn run(setup: &Setup) -> Box<dyn ProtocolRun> {
    let keys = SimulationKeys::<MinSig>::new(setup.nodes);
    let pace = WORKLOAD_INTERVAL * u32::try_from(setup.nodes).unwrap_or(1);
    let host = JolteonHost::new(Arc::clone(&keys)).workload(pace, u64::MAX);
    let protocol_view = JolteonView {
        keys,
        blocks: BTreeSet::new(),
        certified: BTreeSet::new(),
        timeout_certificates: BTreeSet::new(),
        committed: 0,
        proposals: BTreeSet::new(),
        auditor: Auditor::default(),
    };
    observed_run(setup.scenario(), setup.script.clone(), host, protocol_view)
}

/// Observer of a Jolteon run, which reports each event to the page once.
struct JolteonView {
    keys: Arc<SimulationKeys<MinSig>>,
    blocks: BTreeSet<[u8; 32]>,
    certified: BTreeSet<[u8; 32]>,
    timeout_certificates: BTreeSet<u64>,
    committed: u64,
    proposals: BTreeSet<(u64, [u8; 32])>,
    auditor: Auditor<MinSig>,
}

impl JolteonView {
    fn proposal(&mut self, block: &Block<MinSig>, from: Node, event_log: &mut EventLog) -> usize {
        self.certificate(block.justify.as_ref(), event_log);
        let digest = block.digest().0;
        let variant = {
            self.proposals.insert((block.view, digest));
            let of_view = self.proposals.range((block.view, [0; 32])..=(block.view, [0xff; 32]));
            of_view.count().saturating_sub(1)
        };
        if self.proposals.len() > MAX_SEEN {
            self.proposals.pop_first();
        }
        if is_first(&mut self.blocks, digest) {
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
            event_log.event(event);
        }
        variant
    }

    fn certificate(&mut self, qc: Option<&Certificate<MinSig>>, event_log: &mut EventLog) {
        let Some(qc) = qc else { return };
        let statement = qc.statement();
        if is_first(&mut self.certified, statement.digest) {
            let event = Json::object()
                .text("e", "certificate")
                .plain("view", statement.view)
                .text("block", short(&statement.digest))
                .text("signers", bitmap(qc.signers()))
                .plain("bytes", quorate::wire::Encode::encode(qc).len());
            event_log.event(event);
        }
    }

    fn timeout(&mut self, timeout: &Timeout<MinSig>, from: Node, event_log: &mut EventLog) {
        self.certificate(timeout.high.as_ref(), event_log);
        let event = Json::object().text("e", "timeout").plain("node", from.slot);
        event_log.event(event.plain("view", timeout.vote.view()).plain("certified", timeout.vote.value()));
        if let Some(tc) = &timeout.tc
            && is_first(&mut self.timeout_certificates, tc.view())
        {
            let event = Json::object().text("e", "skipped").plain("view", tc.view());
            event_log.event(event.text("signers", bitmap(&tc.signers())));
        }
    }
}

impl ProtocolView for JolteonView {
    type Host = JolteonHost<MinSig>;

    fn observe(&mut self, flight: &Transmission<'_>, event_log: &mut EventLog) -> Kind {
        let committees = &Arc::clone(&self.keys).committees;
        let tag = flight.bytes.first().copied().filter(|tag| TAGS.contains(tag)).unwrap_or(0);
        if !READ.contains(&tag) {
            return Kind { tag, variant: 0 };
        }
        let Ok(message) = Message::<MinSig>::decode(flight.bytes, committees) else {
            return Kind { tag: 0, variant: 0 };
        };
        let mut variant = 0;
        match &message {
            Message::Proposal(block) => {
                variant = self.proposal(block, flight.from, event_log);
                if let Some(culprit) =
                    self.auditor.proposal(&block.proposal(committees), &committees.identities)
                {
                    event_log.proven(culprit, format!("signed two different blocks for view {}", block.view));
                }
            }
            Message::Vote(vote) => {
                let statement = *vote.statement();
                let to = flight.to.slot;
                let event = Json::object().text("e", "vote").plain("node", flight.from.slot).plain("to", to);
                event_log.event(event.plain("view", statement.view).text("block", short(&statement.digest)));
                if let Some(culprit) = self.auditor.vote(vote, &committees.voters) {
                    event_log
                        .proven(culprit, format!("signed two different votes in view {}", statement.view));
                }
            }
            Message::Timeout(timeout) => self.timeout(timeout, flight.from, event_log),
            Message::Advance(advance) => self.certificate(advance.high.as_ref(), event_log),
            _ => {}
        }
        Kind { tag, variant }
    }

    fn output(&mut self, node: Node, output: &Output<MinSig>, event_log: &mut EventLog) {
        match output {
            Output::View { view, leader, timed_out } => {
                let event = Json::object().text("e", "view").plain("node", node.slot).plain("view", view);
                event_log.event(event.plain("leader", leader).plain("timedOut", timed_out));
            }
            Output::Deliver(delivery) => {
                let first = node.honest && delivery.height > self.committed;
                if first {
                    self.committed = delivery.height;
                    self.certificate(Some(&delivery.finality.certificate), event_log);
                }
                let event = Json::object()
                    .text("e", "commit")
                    .plain("node", node.slot)
                    .plain("height", delivery.height)
                    .plain("view", delivery.block.view)
                    .text("block", short(&delivery.digest.0))
                    .plain("txs", delivery.batches.iter().map(|batch| batch.len()).sum::<usize>())
                    .plain("first", first);
                event_log.event(event);
            }
            _ => {}
        }
    }

    fn describe_evidence(evidence: &Evidence<MinSig>) -> (&'static str, String) {
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
            Evidence::Invalid { what, .. } => ("refused", format!("sent an invalid {what}")),
            Evidence::Proposal { rule, .. } => {
                ("refused", format!("proposed a block that violates a rule: {rule}"))
            }
            Evidence::StateRoot { .. } => {
                ("refused", "named a state that execution does not give".to_owned())
            }
            Evidence::Unexpected { what } => {
                ("refused", format!("sent a message that the protocol does not permit: {what}"))
            }
        }
    }

    fn height(host: &JolteonHost<MinSig>) -> u64 {
        host.agreement.highest().unwrap_or(0)
    }

    fn describe(machine: &Replica<MinSig>, json: Json) -> Json {
        let Status { view, leader, certified_view, committed, delivered, timeouts, catching_up, .. } =
            machine.status();
        json.plain("view", view)
            .plain("leader", leader)
            .plain("certified", certified_view)
            .plain("committed", committed)
            .plain("delivered", delivered)
            .plain("timeouts", timeouts)
            .plain("catchingUp", catching_up)
    }
}

/// Returns the first bytes of a digest in hexadecimal.
fn short(digest: &[u8; 32]) -> String {
    format!("{:?}", BlockDigest(*digest)).trim_end_matches('…').to_owned()
}

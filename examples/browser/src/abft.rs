//! Observable events of ABFT.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::certificate::Vote;
use quorate::ed25519::Ed25519;
use quorate::threshold::coin::{Coin, CoinName, CoinShare};
use quorate::threshold::lagrange::Cache;
use quorate::wire::{Decode, Encode};
use quorate_abft::acs::{self, ProofSet};
use quorate_abft::chain::{BlockDigest, Chain, Delivery, Evidence, Limits, Message, Output, Status};
use quorate_abft::signatures::Ed25519List;
use quorate_abft::simulation::{AbftHost, SimulationKeys};
use quorate_abft::{Violation, epoch, mvba, prbc, rbc};
use quorate_simulator::{Node, Transmission};

use crate::auditor::Auditor;
use crate::event_log::{EventLog, Kind, is_first};
use crate::json::Json;
use crate::run::{ProtocolRun, ProtocolView, bitmap, observed_run};
use crate::setup::Setup;

/// The scheme of the epochs' certificates and of the blocks' votes. BLS takes a hundred times as long in WebAssembly.
type Threshold = Ed25519List;
type Voting = Ed25519;

type Keys = SimulationKeys<Threshold, Voting>;

/// Average interval between the transactions of the clients, per member of the committee.
const WORKLOAD_INTERVAL: Duration = Duration::from_millis(250);
/// Number of past heights of which the observer remembers messages.
const HEIGHTS: u64 = 64;

/// Kinds of messages for the page: tags on the wire are nested.
mod tag {
    /// A shard of the sender's own proposal.
    pub(super) const PROPOSAL: u8 = 1;
    /// Echo, Ready, or the share of a proof of delivery.
    pub(super) const SPREAD: u8 = 2;
    /// A message of the agreement, except the next kind.
    pub(super) const AGREE: u8 = 3;
    /// A share of the coin.
    pub(super) const COIN: u8 = 4;
    /// A decryption share.
    pub(super) const OPEN: u8 = 5;
    /// A signature on a block.
    pub(super) const SIGN: u8 = 6;
    /// A certified block for a member that is behind.
    pub(super) const BLOCK: u8 = 7;
    /// A request, the end of an answer, or transactions of a certified block.
    pub(super) const TRAFFIC: u8 = 8;
}

/// Creates a run of ABFT.
pub(crate) fn run(setup: &Setup) -> Box<dyn ProtocolRun> {
    let keys = Keys::new(setup.nodes);
    let pace = WORKLOAD_INTERVAL * u32::try_from(setup.nodes).unwrap_or(1);
    let host = AbftHost::new(Arc::clone(&keys)).workload(pace, u64::MAX);
    let agreement = mvba::Limits {
        value: ProofSet::encoded_len(&keys.setup),
        coin_shares: usize::from(keys.setup.tolerance.faulty()) + 1,
    };
    let epoch = acs::Limits { members: keys.setup.members(), coding: keys.setup.coding, agreement };
    let view = AbftView {
        limits: Limits { epoch, voters: keys.voters.clone() },
        keys,
        heights: BTreeMap::new(),
        committed: 0,
        auditor: Auditor::default(),
    };
    observed_run(setup.scenario(), setup.script.clone(), host, view)
}

/// Observer of an ABFT run, which reports each event to the page once.
struct AbftView {
    keys: Arc<Keys>,
    limits: Limits<Voting>,
    heights: BTreeMap<u64, Seen>,
    committed: u64,
    auditor: Auditor<Voting>,
}

/// Observed messages of the epoch that decides a height.
#[derive(Default)]
struct Seen {
    /// Commitments of each proposer, in the order of observation.
    proposals: BTreeMap<u16, Vec<[u8; 32]>>,
    /// The members that delivered a proposal, with its proposer.
    delivered: BTreeSet<(u16, u16)>,
    /// Members that promoted a set of proposals, by view.
    promoted: BTreeSet<(u32, u16)>,
    /// Shares of the coin, by view and member.
    coins: BTreeMap<u32, BTreeMap<u16, CoinShare>>,
    /// The last elected leader, with its view.
    elected: Option<(u32, u16)>,
    is_decided: bool,
    /// Members that sent a decryption share.
    opened: BTreeSet<u16>,
    /// Blocks that honest members signed.
    blocks: BTreeSet<[u8; 32]>,
}

impl AbftView {
    /// The observations of a height; `None` for heights far from the chain's.
    fn seen(&mut self, height: u64) -> Option<&mut Seen> {
        if height.abs_diff(self.committed) > HEIGHTS {
            return None;
        }
        while self.heights.first_key_value().is_some_and(|(first, _)| *first + HEIGHTS < self.committed) {
            self.heights.pop_first();
        }
        Some(self.heights.entry(height).or_default())
    }

    fn epoch(
        &mut self,
        height: u64,
        message: epoch::Message<Threshold>,
        from: Node,
        event_log: &mut EventLog,
    ) -> Kind {
        let plain = |tag| Kind { tag, variant: 0 };
        match message {
            epoch::Message::Decrypt { .. } => {
                if self.seen(height).is_some_and(|seen| seen.opened.insert(from.member)) {
                    let event = Json::object().text("e", "open").plain("node", from.slot);
                    event_log.event(event.plain("view", height));
                }
                plain(tag::OPEN)
            }
            epoch::Message::Subset(acs::Message::Agree(message)) => {
                let is_coin = matches!(message, mvba::Message::Elect { .. });
                self.agree(height, &message, from, event_log);
                plain(if is_coin { tag::COIN } else { tag::AGREE })
            }
            epoch::Message::Subset(acs::Message::Broadcast { sender, message }) => match message {
                prbc::Message::Broadcast(rbc::Message::Value(shard)) => {
                    let variant = self.proposal(height, &shard, from, event_log);
                    Kind { tag: tag::PROPOSAL, variant }
                }
                prbc::Message::Broadcast(_) => plain(tag::SPREAD),
                prbc::Message::Share(_) => {
                    if let Some(seen) = self.seen(height)
                        && seen.delivered.insert((from.member, sender))
                    {
                        let of_member = (from.member, 0)..=(from.member, u16::MAX);
                        let count = seen.delivered.range(of_member).count();
                        let event = Json::object().text("e", "delivered").plain("node", from.slot);
                        event_log
                            .event(event.plain("view", height).plain("author", sender).plain("count", count));
                    }
                    plain(tag::SPREAD)
                }
            },
        }
    }

    /// Logs a proposal. Returns its position among its proposer's proposals of the epoch.
    fn proposal(
        &mut self,
        height: u64,
        shard: &quorate::erasure::CheckedShard,
        from: Node,
        event_log: &mut EventLog,
    ) -> usize {
        let id = shard.commitment().identity();
        let Some(seen) = self.seen(height) else { return 0 };
        let known = seen.proposals.entry(from.member).or_default();
        if let Some(variant) = known.iter().position(|one| *one == id) {
            return variant;
        }
        known.push(id);
        let variant = known.len() - 1;
        let event = Json::object()
            .text("e", "proposal")
            .plain("node", from.slot)
            .plain("author", from.member)
            .plain("view", height)
            .text("id", short(&id))
            .plain("bytes", shard.bytes().len())
            .plain("second", variant > 0);
        event_log.event(event);
        variant
    }

    fn agree(
        &mut self,
        height: u64,
        message: &mvba::Message<Threshold>,
        from: Node,
        event_log: &mut EventLog,
    ) {
        let keys = Arc::clone(&self.keys);
        let Some(seen) = self.seen(height) else { return };
        match message {
            mvba::Message::Promote { view, .. } if is_first(&mut seen.promoted, (*view, from.member)) => {
                let is_first_of_view = seen.promoted.range((*view, 0)..=(*view, u16::MAX)).count() == 1;
                let event = Json::object().text("e", "promote").plain("node", from.slot);
                let event = event.plain("view", height).plain("round", view);
                event_log.event(event.plain("first", is_first_of_view));
            }
            mvba::Message::Elect { view, share, .. } => {
                let shares = seen.coins.entry(*view).or_default();
                if shares.insert(from.member, **share).is_some() {
                    return;
                }
                let event = Json::object().text("e", "coin").plain("node", from.slot);
                event_log.event(event.plain("view", height).plain("round", view));
                if seen.elected.is_none_or(|(last, _)| last < *view)
                    && let Some(leader) = elected(&keys, height, *view, shares.values().copied())
                {
                    seen.elected = Some((*view, leader));
                    let event = Json::object().text("e", "elected").plain("view", height);
                    event_log.event(event.plain("round", view).plain("leader", leader));
                }
            }
            mvba::Message::Decide { view, value, .. } => {
                // Others vouch for what a Byzantine member claims, a moment later.
                let set = ProofSet::<Threshold>::decode(value, &usize::from(keys.voters.len()));
                let (Ok(set), true, false) = (set, from.honest, seen.is_decided) else { return };
                seen.is_decided = true;
                let is_in = |member| set.proofs().iter().any(|proof| proof.sender == member);
                let members: String =
                    (0..keys.voters.len()).map(|m| if is_in(m) { '1' } else { '0' }).collect();
                let event = Json::object().text("e", "subset").plain("node", from.slot);
                event_log.event(event.plain("view", height).plain("round", view).text("members", members));
            }
            _ => {}
        }
    }

    fn vote(&mut self, vote: &Vote<Voting>, from: Node, event_log: &mut EventLog) {
        let statement = *vote.statement();
        let (height, digest) = (statement.view, statement.digest);
        if let Some(seen) = self.seen(height).filter(|_| from.honest)
            && seen.blocks.insert(digest)
        {
            let event = Json::object()
                .text("e", "block")
                .plain("view", height)
                .plain("height", height)
                .text("block", short(&digest))
                .plain("second", seen.blocks.len() > 1);
            event_log.event(event);
        }
        if let Some(culprit) = self.auditor.vote(vote, &self.keys.voters) {
            event_log.proven(culprit, format!("signed two different blocks at height {height}"));
        }
    }

    fn commit(&mut self, node: Node, delivery: &Delivery<Voting>, event_log: &mut EventLog) {
        let certified = &delivery.certified;
        let (height, block) = (certified.block.height, short(&certified.block.digest().0));
        let first = node.honest && height > self.committed;
        if first {
            self.committed = height;
            let certificate = &certified.finality.0;
            let event = Json::object()
                .text("e", "certificate")
                .plain("view", height)
                .text("block", &block)
                .text("signers", bitmap(certificate.signers()))
                .plain("bytes", certificate.encode().len());
            event_log.event(event);
        }
        let event = Json::object()
            .text("e", "commit")
            .plain("node", node.slot)
            .plain("height", height)
            .plain("view", height)
            .text("block", block)
            .plain("txs", delivery.batches.iter().map(|batch| batch.len()).sum::<usize>())
            .plain("first", first);
        event_log.event(event);
    }
}

impl ProtocolView for AbftView {
    type Host = AbftHost<Threshold, Voting>;

    fn observe(&mut self, flight: &Transmission<'_>, event_log: &mut EventLog) -> Kind {
        let tag = match Message::<Threshold, Voting>::decode(flight.bytes, &self.limits) {
            Ok(Message::Epoch { height, message }) => {
                return self.epoch(height, message, flight.from, event_log);
            }
            Ok(Message::Vote(vote)) => {
                self.vote(&vote, flight.from, event_log);
                tag::SIGN
            }
            Ok(Message::Block(_)) => tag::BLOCK,
            Ok(Message::Batch(_) | Message::Status { .. } | Message::End { .. } | Message::Pruned { .. }) => {
                tag::TRAFFIC
            }
            Err(_) => 0,
        };
        Kind { tag, variant: 0 }
    }

    fn output(&mut self, node: Node, output: &Output<Voting>, event_log: &mut EventLog) {
        if let Output::Deliver(delivery) = output {
            self.commit(node, delivery, event_log);
        }
    }

    fn describe_evidence(evidence: &Evidence<Voting>) -> (&'static str, String) {
        let words = match evidence {
            Evidence::Equivocation(votes) => {
                let height = votes.votes().0.statement().view;
                return ("proof", format!("signed two different blocks at height {height}"));
            }
            Evidence::OtherBlock(_) => "named a state that execution does not give".to_owned(),
            Evidence::Violation(violation) => match violation {
                Violation::Refused { what } => {
                    format!("sent a message that the protocol does not permit: {what}")
                }
                Violation::Contradiction { what } => format!("sent two different messages: {what}"),
                Violation::InconsistentShards => "sent shards that do not encode one proposal".to_owned(),
                Violation::WrongShare { what, .. } => format!("sent a wrong {what} share"),
                Violation::Invalid { what, .. } => format!("sent an invalid {what}"),
            },
        };
        ("refused", words)
    }

    fn height(host: &Self::Host) -> u64 {
        host.agreement.highest().unwrap_or(0)
    }

    /// Returns the leader that the coin elected in the highest epoch with an election.
    fn protocol_state(&self, json: Json) -> Json {
        let elected = |(height, seen): (&u64, &Seen)| seen.elected.map(|(_, leader)| (*height, leader));
        match self.heights.iter().rev().find_map(elected) {
            Some((height, leader)) => json.plain("electedIn", height).plain("elected", leader),
            None => json.plain("electedIn", 0),
        }
    }

    fn describe(machine: &Chain<Threshold, Voting>, json: Json) -> Json {
        let Status { committed, catching_up, .. } = machine.status();
        let epoch = machine.epoch(committed + 1);
        let delivered = epoch.map_or(0, |epoch| epoch.delivered());
        let opened = epoch.and_then(|epoch| epoch.opened());
        json.plain("view", committed + 1)
            .plain("committed", committed)
            .plain("delivered", committed)
            .plain("proposals", delivered)
            .plain("decided", opened.is_some())
            .plain("opened", opened.unwrap_or(0))
            .plain("catchingUp", catching_up)
    }
}

/// Returns the leader that the shares of a view's coin elect; `None` without enough valid shares.
fn elected(keys: &Keys, epoch: u64, view: u32, shares: impl IntoIterator<Item = CoinShare>) -> Option<u16> {
    let name = CoinName { protocol: mvba::COIN_PROTOCOL, epoch, instance: 0, round: view.into() };
    let coin = Coin::from_name(&keys.setup.coin, name).ok()?;
    let shares: Vec<CoinShare> = shares.into_iter().collect();
    let verified = keys.setup.coin.verify_shares(coin.instance(), &shares).ok()?.verified;
    let value = coin.combine(&keys.setup.coin, &verified, &mut Cache::default()).ok()?;
    value.below(keys.setup.members())
}

/// Returns the first bytes of a digest in hexadecimal.
fn short(digest: &[u8; 32]) -> String {
    format!("{:?}", BlockDigest(*digest)).trim_end_matches('…').to_owned()
}

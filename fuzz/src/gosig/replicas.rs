//! Gosig's replicas in a [`Cluster`](crate::cluster::Cluster).

use std::marker::PhantomData;
use std::sync::Arc;

use quorate::ed25519::Ed25519;
use quorate::gossip::Aggregate;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_gosig::{
    Anchor, Block, Command, Committees, Config, Delivery, Envelope, GosigScheme, HistoryRequest, Message,
    Output, PROPOSAL, Parameters, Payload, Proposal, Record, Replica, Schedule, block_range,
    transaction_range,
};
use quorate_protocol::Executed;

use crate::cluster::{Event, FAULTY, GENESIS_ROOT, Protocol};
use crate::fixture::Fixed;

/// Proposals of a few rounds, two of each proposer.
const MAX_PROPOSALS: usize = 5 * 64;

/// Votes are signed with `S`.
pub(crate) struct Gosig<S>(PhantomData<S>);

impl<S: Fixed + GosigScheme> Protocol for Gosig<S> {
    type Replica = Replica<S>;
    type Delivered = Delivery<S>;
    type Request = HistoryRequest<S>;

    #[allow(clippy::expect_used)] // a replica that cannot restart from its own records is a finding
    fn replica(me: MemberIndex, executed: Executed, records: Vec<Record<S>>) -> Replica<S> {
        let committees =
            Committees { voters: S::four().committee.clone(), identities: Ed25519::four().committee.clone() };
        let config = Config {
            anchor: Anchor::genesis(&committees, &GENESIS_ROOT, b"fuzz"),
            voters: committees.voters,
            identities: committees.identities,
            me: Some(me),
            voting_key: S::four().secret(me),
            identity_key: Ed25519::four().secret(me),
            executed,
            recent_states: Vec::new(),
            committed_transactions: Vec::new(),
            schedule: Schedule::default(),
            parameters: Parameters::default(),
            entropy: [me as u8; 32],
            history: quorate_gosig::SigningHistory::Complete,
        };
        Replica::new(config, records).expect("a replica restarts from its own records")
    }

    fn check_bounds(replica: &Replica<S>) {
        let status = replica.status();
        let bounded =
            status.proposals <= MAX_PROPOSALS && status.pending_bytes <= Parameters::default().max_pool_bytes;
        assert!(bounded, "an unbounded queue: {status:?}");
    }

    fn submit(_: &Replica<S>, me: MemberIndex, number: u64, content: u8) -> Option<Command> {
        let payload =
            Payload::from_bytes([vec![content; usize::from(content)], vec![content, me as u8]]).ok()?;
        Some(Command::Submit { sequence: number, payload: Arc::new(payload) })
    }

    fn executed(executed: Executed) -> Command {
        Command::Executed(executed)
    }

    fn connected(to: MemberIndex) -> Command {
        Command::Connected(to)
    }

    /// Proposals, and votes that are not aggregated with other members' votes.
    fn signed(_: &Replica<S>, me: MemberIndex, message: &Envelope<S>) -> Vec<(u8, u64, [u8; 32])> {
        match &**message {
            Message::Signatures(sums) => {
                let own = sums.iter().filter(|sum| sum.signers().iter().eq([me]));
                let statements = own.map(Aggregate::statement);
                statements.map(|vote| (vote.kind.number(), vote.view, vote.digest)).collect()
            }
            Message::Proposal(proposal) if proposal.proposer == me => {
                vec![(PROPOSAL.number(), proposal.round, proposal.digest())]
            }
            _ => Vec::new(),
        }
    }

    fn event(output: Output<S>) -> Event<Self> {
        match output {
            Output::Deliver(delivery) => Event::Delivered(*delivery),
            Output::Serve { to, request } => Event::Asked { to, request },
            _ => Event::Other,
        }
    }

    fn place(delivery: &Delivery<S>) -> (u64, [u8; 32]) {
        (delivery.height, delivery.digest.0)
    }

    fn check_delivered(replica: &Replica<S>, delivery: &Delivery<S>) {
        assert!(delivery.finality.verify(replica.committees(), &delivery.block).is_ok());
        assert_eq!(delivery.block.payload, *delivery.payload.summary(), "another payload than the block's");
    }

    fn answers(archive: &[Delivery<S>], request: &HistoryRequest<S>) -> Vec<Envelope<S>> {
        match request {
            HistoryRequest::Blocks { from } => {
                let blocks = archive.iter().filter(|delivery| delivery.height >= *from);
                let blocks = blocks.map(|delivery| (delivery.block.clone(), delivery.finality.clone()));
                block_range(blocks).into_iter().collect()
            }
            // Only a node compares blocks with those on its disk.
            HistoryRequest::CheckCommitted { .. } | HistoryRequest::Compare(_) => Vec::new(),
            HistoryRequest::Transactions { block, places, .. } => {
                let archived = archive.iter().find(|delivery| delivery.digest == *block);
                let answer =
                    archived.map(|delivery| transaction_range(&delivery.block, &delivery.payload, places));
                answer.into_iter().collect()
            }
        }
    }

    /// A proposal of another block than this proposal's.
    fn contradiction(replica: &Replica<S>, bytes: &[u8], flip: u8) -> Option<Vec<u8>> {
        let committees = replica.committees();
        let Message::Proposal(first) = Envelope::<S>::decode(bytes, committees).ok()?.message else {
            return None;
        };
        let mut content = (**first.block).clone();
        content.timestamp = content.timestamp.wrapping_add(u64::from(flip));
        let block = Arc::new(Block::new(content));
        let (round, certificate) = (first.round, first.certificate.clone());
        let digest = Proposal::digest_of(&block, round, FAULTY, certificate.as_ref(), &first.ticket);
        let statement = committees.proposal(round, digest);
        let key = Ed25519::four().secret(FAULTY);
        let signature = Ed25519::sign(&key, &statement.signed_bytes(&committees.identities.id()));
        let ticket = first.ticket.clone();
        let other = Proposal { block, round, proposer: FAULTY, certificate, ticket, signature };
        Some(Message::Proposal(Arc::new(other)).in_epoch(committees.voters.epoch()).encode())
    }
}

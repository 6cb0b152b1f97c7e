//! Jolteon's replicas in a [`Cluster`](crate::cluster::Cluster).

use std::marker::PhantomData;
use std::sync::Arc;

use quorate::certificate::{Statement, Vote};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_jolteon::{
    Batch, BatchRef, Block, Command, Config, Delivery, HistoryRequest, Message, Output, Parameters, Record,
    Replica, VotingKey, WINDOW, block_range,
};
use quorate_protocol::Executed;

use crate::cluster::{Event, FAULTY, GENESIS_ROOT, Protocol};
use crate::fixture::{FOUR, Fixed};

/// Votes are signed with `S`.
pub(crate) struct Jolteon<S>(PhantomData<S>);

impl<S: Fixed> Protocol for Jolteon<S> {
    type Replica = Replica<S>;
    type Delivered = Delivery<S>;
    type Request = HistoryRequest<S>;

    #[allow(clippy::expect_used)] // a replica that cannot restart from its own records is a finding
    fn replica(me: MemberIndex, executed: Executed, records: Vec<Record<S>>) -> Replica<S> {
        let config = Config {
            voters: S::four().committee.clone(),
            identities: Ed25519::four().committee.clone(),
            me,
            voting_key: VotingKey::Secret(S::four().secret(me)),
            identity_key: Ed25519::four().secret(me),
            genesis_root: GENESIS_ROOT,
            executed,
            recent_states: Vec::new(),
            first_sequence: 1,
            history: quorate_jolteon::SigningHistory::Complete,
            parameters: Parameters::default(),
        };
        Replica::new(config, records).expect("a replica restarts from its own records")
    }

    fn check_bounds(replica: &Replica<S>) {
        let status = replica.status();
        let window = usize::from(FOUR) * WINDOW as usize;
        assert!(status.pending <= window && status.outstanding <= window, "an unbounded queue: {status:?}");
    }

    fn submit(replica: &Replica<S>, me: MemberIndex, _: u64, content: u8) -> Option<Command> {
        let transactions = [vec![content; usize::from(content)], vec![content]];
        let batch = Batch::new(me, replica.next_sequence(), transactions).ok()?;
        Some(Command::Seal(Arc::new(batch)))
    }

    fn executed(executed: Executed) -> Command {
        Command::Executed(executed)
    }

    fn connected(to: MemberIndex) -> Command {
        Command::Connected(to)
    }

    fn signed(replica: &Replica<S>, me: MemberIndex, message: &Message<S>) -> Vec<(u8, u64, [u8; 32])> {
        let mut signed: Vec<Statement> = Vec::new();
        match message {
            Message::Vote(vote) => signed.push(*vote.statement()),
            Message::Acknowledge(vote) => signed.push(*vote.statement()),
            Message::Timeout(timeout) => {
                signed.push(*timeout.vote.as_vote().statement());
                signed.extend(timeout.ballot.iter().map(|ballot| *ballot.statement()));
            }
            Message::Proposal(block) if block.author == me => {
                signed.push(replica.committees().proposal(block.view, block.digest()));
            }
            _ => {}
        }
        signed.into_iter().map(|s| (s.kind.number(), s.view, s.digest)).collect()
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
        assert!(delivery.finality.verify(&replica.committees().voters, &delivery.block).is_ok());
        let named: Vec<_> = delivery.block.payload.iter().map(BatchRef::digest).collect();
        let brought: Vec<_> = delivery.batches.iter().map(|batch| batch.digest()).collect();
        assert_eq!(named, brought, "a block was delivered with other batches than it names");
    }

    fn answers(archive: &[Delivery<S>], request: &HistoryRequest<S>) -> Vec<Message<S>> {
        match request {
            HistoryRequest::Blocks { from } => {
                let blocks = archive.iter().filter(|delivery| delivery.height >= *from);
                vec![block_range(blocks.map(|delivery| delivery.block.clone()))]
            }
            // Only a node compares blocks with those on its disk.
            HistoryRequest::CheckCertified(_) | HistoryRequest::Compare(_) => Vec::new(),
            HistoryRequest::Batches(digests) => {
                let batches = archive.iter().flat_map(|delivery| &delivery.batches);
                let asked = batches.filter(|batch| digests.contains(&batch.digest()));
                asked.cloned().map(Message::BatchReply).collect()
            }
        }
    }

    /// A vote for another statement than this message's, or a proposal of another block.
    fn contradiction(replica: &Replica<S>, bytes: &[u8], flip: u8) -> Option<Vec<u8>> {
        let committees = replica.committees();
        match Message::<S>::decode(bytes, committees).ok()? {
            Message::Vote(vote) => {
                let mut statement = *vote.statement();
                statement.digest = statement.digest.map(|byte| byte ^ flip);
                let vote =
                    Vote::sign_unguarded(&S::four().secret(FAULTY), &committees.voters, statement).ok()?;
                Some(Message::Vote(vote).encode())
            }
            Message::Proposal(block) => {
                let mut content = (**block).clone();
                content.timestamp = content.timestamp.wrapping_add(u64::from(flip));
                content.author = FAULTY;
                let statement = committees.proposal(content.view, content.digest());
                let key = Ed25519::four().secret(FAULTY);
                let signature = Ed25519::sign(&key, &statement.signed_bytes(&committees.identities.id()));
                Some(Message::Proposal(Arc::new(Block::new(content, signature))).encode())
            }
            _ => None,
        }
    }
}

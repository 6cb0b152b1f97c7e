//! A hand-made chain with real keys and signatures.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use std::path::Path;
use std::sync::Arc;

use quorate::certificate::{
    Certificate, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote, VoteCollector,
};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::scheme::Scheme;
use quorate_jolteon::{
    AVAILABLE, BLOCK, Batch, BatchRef, Block, BlockContent, Committees, Finality, Record, TIMEOUT,
};
use quorate_node::protocol::{Delivery, Executed};
use quorate_node::store::{Binding, Store};
use quorate_node_jolteon::Jolteon;
use quorate_protocol::testing::committee;
pub use quorate_protocol::testing::secret;

pub struct Chain<S: Scheme> {
    pub committees: Committees<S>,
    pub blocks: Vec<Arc<Block<S>>>,
    pub batches: Vec<Vec<Arc<Batch>>>,
    genesis_root: [u8; 32],
    sequence: u64,
}

pub fn committees<S: Scheme>(n: u16) -> Committees<S> {
    Committees { voters: committee("test", n), identities: committee("test", n) }
}

/// The binding of member 0's data directory.
pub fn binding<S: Scheme>() -> Binding {
    let (voting, identity) = (S::public_key(&secret::<S>(0)), Ed25519::public_key(&secret::<Ed25519>(0)));
    Binding::new::<S>([7; 32], &voting, &identity)
}

pub fn open<S: Scheme>(dir: &Path) -> Arc<Store<Jolteon<S>>> {
    Arc::new(Store::open(dir, &binding::<S>(), committees(4)).unwrap())
}

/// Source of vote records of member 0, one for each view.
pub struct Voter {
    guard: Guard<Ed25519>,
    committees: Committees<Ed25519>,
}

impl Voter {
    pub fn new() -> Self {
        let committees = committees::<Ed25519>(4);
        Self { guard: Guard::new(secret::<Ed25519>(0), committees.voters.chain()), committees }
    }

    pub fn vote(&mut self, view: u64) -> GuardRecord {
        let statement = self.committees.voters.statement(BLOCK, view, [view as u8; 32]);
        self.guard.sign(&self.committees.voters, statement).unwrap().1
    }
}

/// A batch whose content is a function of its number.
pub fn batch(sequence: u64, transactions: u64, size: usize) -> Arc<Batch> {
    let transaction = |n: u64| {
        let mut bytes = vec![0xb0; size.max(16)];
        bytes[..8].copy_from_slice(&sequence.to_le_bytes());
        bytes[8..16].copy_from_slice(&n.to_le_bytes());
        bytes
    };
    Arc::new(Batch::new((sequence % 4) as u16, sequence, (0..transactions).map(transaction)).unwrap())
}

impl<S: Scheme> Chain<S> {
    pub fn new(genesis_root: [u8; 32]) -> Self {
        Self { committees: committees(4), blocks: vec![], batches: vec![], genesis_root, sequence: 0 }
    }

    /// A batch of these transactions by the next author.
    pub fn batch(&mut self, transactions: &[&[u8]]) -> Arc<Batch> {
        self.sequence += 1;
        Arc::new(Batch::new((self.sequence % 4) as u16, self.sequence, transactions).unwrap())
    }

    /// Extends the chain by a block with these batches, after `skipped` timed-out views.
    pub fn extend(&mut self, batches: Vec<Arc<Batch>>, executed: Executed, skipped: u64) -> Arc<Block<S>> {
        let tip = self.blocks.last().cloned();
        let parent_view = tip.as_ref().map_or(0, |tip| tip.view);
        let view = parent_view + 1 + skipped;
        let author = (view % 4) as u16;
        let content = BlockContent {
            epoch: 0,
            view,
            height: tip.as_ref().map_or(1, |tip| tip.height + 1),
            author,
            parent: tip.as_ref().map_or(self.committees.genesis(&self.genesis_root), |tip| tip.digest()),
            justify: tip.as_ref().map(|tip| self.certify(tip)),
            tc: (skipped > 0).then(|| self.time_out(view - 1, parent_view)),
            payload: batches.iter().map(|batch| self.available(batch)).collect(),
            executed,
            timestamp: 1_700_000_000_000_000 + view,
        };
        let statement = self.committees.proposal(view, content.digest());
        let identities = &self.committees.identities;
        let vote = Vote::sign_unguarded(&secret::<Ed25519>(author), identities, statement).unwrap();
        let block = Arc::new(Block::new(content, vote.signature().clone()));
        self.blocks.push(block.clone());
        self.batches.push(batches);
        block
    }

    /// Delivery to member 1 of a block whose child is in the next view.
    pub fn delivery(&self, height: u64) -> Box<Delivery<Jolteon<S>>> {
        let at = height as usize - 1;
        let (block, child) = (self.blocks[at].clone(), self.blocks[at + 1].clone());
        let finality = Finality { certificate: self.certify(&child), links: vec![child] };
        let batches = self.batches[at].clone();
        let own = batches.iter().filter(|batch| batch.author() == 1).map(|batch| batch.sequence());
        Box::new(Delivery { own_batches: own.collect(), block, batches, finality: Arc::new(finality) })
    }

    /// Records that a replica persists before it delivers a block.
    pub fn records(&self, height: u64) -> Vec<Record<S>> {
        let at = height as usize - 1;
        let batches = self.batches[at].iter().cloned().map(Record::Batch);
        batches.chain([Record::Block(self.blocks[at].clone())]).collect()
    }

    pub fn certify(&self, block: &Block<S>) -> Certificate<S> {
        let statement = self.committees.ballot(block.view, block.digest());
        certificate(&self.committees.voters, BLOCK, statement)
    }

    fn time_out(&self, view: u64, value: u64) -> TimeoutCertificate<S> {
        let voters = &self.committees.voters;
        let mut collector = TimeoutCollector::new(voters.clone(), TIMEOUT, view);
        let mut collected = (0..3).filter_map(|m| {
            let vote = TimeoutVote::sign_unguarded(&secret::<S>(m), voters, TIMEOUT, view, value).unwrap();
            collector.add(vote, &mut Suspects::new()).certificate
        });
        collected.next().unwrap().into_inner()
    }

    fn available(&self, batch: &Batch) -> BatchRef {
        let identities = &self.committees.identities;
        let statement = quorate_jolteon::availability(batch.header().slot, identities, batch.digest());
        BatchRef { header: *batch.header(), certificate: certificate(identities, AVAILABLE, statement) }
    }
}

fn certificate<S: Scheme>(
    committee: &Arc<Committee<S>>,
    kind: quorate::certificate::Kind,
    statement: quorate::certificate::Statement,
) -> Certificate<S> {
    let mut collector = VoteCollector::new(committee.clone(), kind, statement.view);
    let mut collected = [0, 2, 3].into_iter().filter_map(|m| {
        let vote = Vote::sign_unguarded(&secret::<S>(m), committee, statement).unwrap();
        collector.add(vote, &mut Suspects::new()).certificate
    });
    collected.next().unwrap().into_inner()
}

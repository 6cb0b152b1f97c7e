//! A member joins from a snapshot of the others, in networks of any protocol that has snapshots.

use std::fs;
use std::path::PathBuf;

use quorate::wire::{Decode, Encode};
use quorate_node::application::{Application, Ledger, State};
use quorate_node::config::{ArchiveConfig, NodeConfig};
use quorate_node::handle::Handle;
use quorate_node::protocol::Protocol;
use quorate_node::runtime::{Starting, binding};
use quorate_node::snapshot::{Piece, SnapshotBlock, SnapshotHead, SnapshotView, VerifiedHead};
use quorate_node::store::{Joining, first_block};

use crate::common::{Site, eventually};
use crate::members::{Member, agree, puts, stop};

/// Number of blocks between two snapshots.
const EVERY: u64 = 16;

/// Starts a node of the protocol that the test is about.
type StartNode = fn(NodeConfig) -> Starting;

fn config(site: &Site, i: usize) -> NodeConfig {
    let mut config = site.config(i);
    config.archive = ArchiveConfig { snapshot_every: EVERY, ..ArchiveConfig::default() };
    config
}

fn found<T>(piece: Piece<T>) -> T {
    match piece {
        Piece::Found(found) => found,
        _ => panic!("the piece is missing"),
    }
}

/// The newest snapshot of each node, which must be that of one height.
fn newest(members: &[Member]) -> Option<SnapshotView> {
    let views = members.iter().map(|member| match member.node.handle().snapshot().unwrap() {
        Piece::Found(view) => Some(view),
        _ => None,
    });
    let views: Vec<_> = views.collect::<Option<_>>()?;
    views.iter().all(|view| view.height == views[0].height).then(|| views[0].clone())
}

/// Commits transactions until a condition holds. Their keys begin with a number.
async fn commit_until<T>(
    members: &mut [Member],
    first: usize,
    mut holds: impl FnMut(&[Member]) -> Option<T>,
) -> T {
    for from in first.. {
        if let Some(found) = holds(members) {
            return found;
        }
        let tickets = members[0].submit(puts(from, 2)).await;
        eventually("transactions are committed", || members[0].committed(&tickets)).await;
    }
    unreachable!()
}

struct Joiner<'a, P: Protocol> {
    site: &'a Site,
    config: NodeConfig,
    context: P::Context,
    staging: PathBuf,
}

impl<P: Protocol> Joiner<'_, P> {
    fn verify(&self, head: &[u8], chain: &[u8; 32]) -> quorate::Result<VerifiedHead> {
        let head = SnapshotHead::<P>::decode(head, &self.context)?;
        let genesis = Ledger::default().restore(State::empty(), 0).unwrap();
        head.verify(&self.context, chain, &genesis, &*Ledger::default().parts())
    }

    /// Opens the directory as a new process does.
    fn open(&self, head: &VerifiedHead) -> Joining<P> {
        let binding = binding::<P>(&self.config, &self.site.genesis).unwrap();
        Joining::open(&self.staging, &binding, self.context.clone(), head.target()).unwrap().unwrap()
    }

    fn add_blocks(&self, head: &VerifiedHead, server: &Handle) {
        let height = head.target().height;
        loop {
            // The process dies after each block.
            let joining = self.open(head);
            let Some(next) = joining.next_block().unwrap() else { return };
            let bytes = found(server.snapshot_block(height, next).unwrap());
            let below = joining.block_at(next - 1).unwrap();
            let record = below.as_ref().and_then(|_| joining.record_at(next - 1).unwrap());
            let previous = below.as_ref().map(|below| (&**below, record.as_ref()));
            let piece = SnapshotBlock::<P>::decode(&bytes, &self.context).unwrap();
            assert_eq!(piece.encode(), bytes);
            assert!(piece.verify(&self.context, head, next + 1, previous).is_err(), "another height");
            for at in (0..bytes.len()).step_by(bytes.len() / 7 + 1) {
                let mut changed = bytes.to_vec();
                changed[at] ^= 1;
                let lie = SnapshotBlock::<P>::decode(&changed, &self.context)
                    .and_then(|lie| lie.verify(&self.context, head, next, previous).map(drop));
                assert!(lie.is_err(), "byte {at} of block {next}");
            }
            let record = piece.verify(&self.context, head, next, previous).unwrap();
            joining.add_block(&piece.block, &piece.batches, &piece.finality, record).unwrap();
        }
    }
}

/// Three members commit. The fourth joins from their snapshot, with a crash after each piece, and takes part.
pub(crate) async fn joins_from_a_snapshot<P: Protocol>(site: &Site, start: StartNode) {
    let mut members = Vec::new();
    for i in 0..3 {
        members.push(Member::start(start(config(site, i))).await);
    }
    let missing = members[0].node.handle();
    assert_eq!(missing.snapshot().unwrap(), Piece::Missing, "the chain is shorter than an interval");
    let tickets = members[0].submit(puts(0, 50)).await;
    eventually("transactions are committed", || members[0].committed(&tickets)).await;
    let view = commit_until(&mut members, 1_000, newest).await;
    let (first, second) = (members[0].node.handle(), members[1].node.handle());
    assert_eq!(view.height % EVERY, 0);
    assert_eq!(view.first_block, first_block::<P>(view.height));

    // Heads: equal parts at both servers; no other chain, and no changed byte.
    let committees = site.genesis.committees::<P::Scheme>().unwrap();
    let config = config(site, 3);
    let staging = config.node.data.with_extension("joining");
    let joiner = Joiner::<P> { site, config, context: P::context(&committees), staging };
    let bytes = found(first.snapshot_head(view.height).unwrap());
    assert_eq!(bytes.len() as u64, view.head_bytes);
    let head = joiner.verify(&bytes, &committees.chain.0).unwrap();
    let other =
        joiner.verify(&found(second.snapshot_head(view.height).unwrap()), &committees.chain.0).unwrap();
    assert_eq!(head.target(), other.target());
    assert_eq!((head.state_root(), head.target().height), (view.state_root, view.height));
    assert!(joiner.verify(&bytes, &[7; 32]).is_err(), "another chain");
    for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        assert!(joiner.verify(&changed, &committees.chain.0).is_err(), "byte {at}");
    }
    assert!(joiner.verify(&bytes[..bytes.len() - 1], &committees.chain.0).is_err());

    // The state of the snapshot stays as it was while its keys change.
    let before: Vec<_> =
        (0..view.parts).map(|part| found(first.snapshot_part(view.height, part).unwrap())).collect();
    let changes = (0..50).map(|i| format!("put key-0-{i} changed").into()).collect();
    let tickets = members[0].submit(changes).await;
    eventually("the changes are committed", || members[0].committed(&tickets)).await;
    for (part, before) in (0..).zip(&before) {
        assert_eq!(found(second.snapshot_part(view.height, part).unwrap()), before);
        head.outline().check(part, before).unwrap();
    }
    assert_eq!(first.snapshot_part(view.height, view.parts).unwrap(), Piece::Missing);
    assert_eq!(first.snapshot_block(view.height, view.height + 1).unwrap(), Piece::Missing);
    assert_eq!(first.snapshot_head(view.height + 1_000_000).unwrap(), Piece::Missing);

    // A crash after each piece.
    joiner.add_blocks(&head, &first);
    // Without the parts the application restores another state than the certified one.
    if view.parts > 0 {
        let error = joiner.open(&head).finish(&[], Box::new(Ledger::default())).unwrap_err();
        assert_eq!(error.code(), "APPLICATION");
    }
    for (part, bytes) in (0..).zip(&before) {
        assert_eq!(joiner.open(&head).parts().unwrap().len(), part as usize);
        joiner.open(&head).add_part(part, head.outline().check(part, bytes).unwrap()).unwrap();
    }
    // A directory of one snapshot is not continued with another.
    let binding = binding::<P>(&joiner.config, &site.genesis).unwrap();
    let mut later = head.target().clone();
    later.id = [9; 32];
    let opened = Joining::<P>::open(&joiner.staging, &binding, joiner.context.clone(), &later).unwrap();
    assert!(opened.is_none());
    joiner.open(&head).finish(&[], Box::new(Ledger::default())).unwrap();
    let opened =
        Joining::<P>::open(&joiner.staging, &binding, joiner.context.clone(), head.target()).unwrap();
    assert!(opened.is_none(), "it is complete");
    fs::rename(&joiner.staging, &joiner.config.node.data).unwrap();

    let mut config = joiner.config.clone();
    config.node.new_validator = false;
    assert_eq!(start(config.clone()).await.err().unwrap().code(), "EMPTY_DATA");
    config.node.new_validator = true;
    members.push(Member::start(start(config)).await);
    let top = members[0].executed();
    eventually("it catches up", || members[3].executed() >= top).await;
    assert_eq!(members[3].node.handle().query(b"key-0-7").unwrap().unwrap().value.unwrap(), b"changed"[..]);
    assert_eq!(members[3].node.handle().status().oldest_height, view.first_block);
    let tickets = members[3].submit(puts(1, 5)).await;
    eventually("it commits its own transactions", || members[3].committed(&tickets)).await;
    members.iter_mut().for_each(Member::follow);
    agree(&members);

    // A released snapshot is gone.
    let served = &members[0].node.handle();
    let old = view.height;
    let height = |members: &[Member]| match members[0].node.handle().snapshot().unwrap() {
        Piece::Found(view) if view.height >= old + 3 * EVERY => Some(view.height),
        _ => None,
    };
    assert!(commit_until(&mut members, 1_000_000, height).await > old);
    assert_eq!(served.snapshot_part(old, 0).unwrap(), Piece::Gone);
    assert_eq!(served.snapshot_block(old, old).unwrap(), Piece::Gone);
    assert_eq!(served.snapshot_head(old).unwrap(), Piece::Gone);
    stop(members).await;
}

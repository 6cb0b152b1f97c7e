//! Scenarios that a network of any protocol passes. The test passes the function that starts a node of its protocol.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;

use quorate_node::config::{ArchiveConfig, NodeConfig};
use quorate_node::handle::BlockView;
use quorate_node::runtime::Starting;

use crate::common::{Site, eventually};
use crate::members::{Member, agree, puts, stop};

/// Starts a node of the protocol that the test is about.
type StartNode = fn(NodeConfig) -> Starting;

/// Each of four members commits its own transactions, and every member answers queries about them. Returns the block of a
/// transaction of member 0, as member 3 shows it.
pub(crate) async fn commits_transactions(site: &Site, start: StartNode) -> BlockView {
    let mut members = Vec::new();
    for i in 0..4 {
        members.push(Member::start(start(site.config(i))).await);
    }
    eventually("all members are linked", || {
        members.iter().all(|m| m.node.handle().status().peers.iter().all(|p| p.outgoing && p.incoming))
    })
    .await;
    let mut tickets = Vec::new();
    for (i, member) in members.iter().enumerate() {
        tickets.push(member.submit(puts(i, 50)).await);
    }
    for (member, tickets) in members.iter_mut().zip(&tickets) {
        eventually("own transactions are committed", || member.committed(tickets)).await;
    }
    let top = members.iter().map(Member::executed).max().unwrap();
    for member in &mut members {
        eventually("all members have all blocks", || member.executed() >= top).await;
        member.follow();
        assert_eq!(member.chain.values().map(|c| c.transactions).sum::<u32>(), 200);
    }
    agree(&members);
    let other = members[3].node.handle();
    let view = other.transaction(tickets[0][7].id).unwrap().unwrap();
    assert_eq!(view.transaction, puts(0, 8)[7]);
    assert!(!view.proof.is_empty());
    let block = other.block(view.height).unwrap().unwrap();
    assert_eq!(block.digest, view.block);
    assert!(block.batches.iter().any(|b| b.digest == view.batch));
    assert_eq!(other.query(b"key-2-49").unwrap().unwrap().value.unwrap(), b"value-49"[..]);
    let status = other.status();
    assert_eq!(
        (status.protocol, status.scheme),
        (site.genesis.protocol.as_str(), site.genesis.scheme.as_str())
    );
    assert_eq!((status.me, status.peers.len()), (Some(3), 3));
    assert!(status.peers.iter().all(|p| p.faults == 0 && p.frames_refused == 0), "{:?}", status.peers);
    assert_eq!(status.pending_transactions, 0);
    stop(members).await;
    block
}

/// A member that is stopped while the other three commit catches up after its restart, and commits its own transactions.
pub(crate) async fn catches_up(site: &Site, start: StartNode) {
    let mut members = Vec::new();
    for i in 0..4 {
        members.push(Member::start(start(site.config(i))).await);
    }
    let tickets = members[3].submit(puts(3, 20)).await;
    eventually("the transactions are committed", || members[3].committed(&tickets)).await;
    let stopped = members.pop().unwrap();
    let stopped_at = stopped.executed();
    stopped.node.shutdown().await.unwrap();
    for round in 0..5 {
        let tickets = members[0].submit(puts(10 + round, 20)).await;
        eventually("three members commit without the stopped one", || members[0].committed(&tickets)).await;
    }
    let top = members[0].executed();
    assert!(top > stopped_at);
    members.push(Member::start(start(site.config(3))).await);
    eventually("the restarted member catches up", || members[3].executed() >= top).await;
    let tickets = members[3].submit(puts(30, 20)).await;
    eventually("the restarted member commits its own transactions", || members[3].committed(&tickets)).await;
    members.iter_mut().for_each(Member::follow);
    assert!(members[3].chain.keys().next().unwrap() > &stopped_at);
    agree(&members);
    assert_eq!(members[3].node.handle().query(b"key-12-7").unwrap().unwrap().value.unwrap(), b"value-7"[..]);
    stop(members).await;
}

/// A member that was stopped while others pruned what it lacks gets the blocks from the one that keeps all. Once that one has
/// pruned them, too, a member that lacks them says so.
pub(crate) async fn catches_up_while_others_prune(site: &Site, start: StartNode) {
    let pruning = |i| {
        let mut config = site.config(i);
        config.archive = ArchiveConfig { prune: Some(4), min_prune: 1, ..ArchiveConfig::default() };
        config
    };
    let oldest = |member: &Member| member.node.handle().status().oldest_height;
    let mut members = Vec::new();
    for config in [pruning(0), pruning(1), site.config(2), site.config(3)] {
        members.push(Member::start(start(config)).await);
    }
    let tickets = members[3].submit(puts(3, 5)).await;
    eventually("the transactions are committed", || members[3].committed(&tickets)).await;
    // A member executes a few more blocks, without transactions, before it stops.
    let margin = 6;
    let mut from = 10;
    for (stage, pruners) in [(1, 2), (2, 3)] {
        let stopped = members.pop().unwrap();
        let lacks = stopped.executed() + 1;
        stopped.node.shutdown().await.unwrap();
        if stage == 2 {
            // The last member with all blocks prunes from now on.
            members.pop().unwrap().node.shutdown().await.unwrap();
            members.push(Member::start(start(pruning(2))).await);
        }
        while members[..pruners].iter().any(|member| oldest(member) <= lacks + margin) {
            let tickets = members[0].submit(puts(from, 5)).await;
            eventually("the others commit", || members[0].committed(&tickets)).await;
            from += 1;
        }
        let top = members[0].executed();
        assert_eq!(members[0].node.handle().block(lacks).unwrap_err().code(), "PRUNED");
        members.push(Member::start(start(site.config(3))).await);
        let late = members[3].node.handle();
        if stage == 1 {
            eventually("the member catches up", || members[3].executed() >= top).await;
            assert_eq!(late.status().missing_history, None);
            members.iter_mut().for_each(Member::follow);
            agree(&members);
        } else {
            eventually("the member states what it lacks", || late.status().missing_history.is_some()).await;
            let missing = late.status().missing_history.unwrap();
            assert!((lacks..=lacks + margin).contains(&missing.height), "{missing:?} from {lacks} on");
            assert!(missing.oldest > missing.height, "{missing:?}");
        }
        let peers = late.status().peers;
        assert!(peers.iter().all(|peer| peer.faults == 0 && peer.frames_refused == 0), "{peers:?}");
    }
    stop(members).await;
}

/// A network that is stopped and started again continues the same chain with the same state.
pub(crate) async fn restarts(site: &Site, start: StartNode) {
    let mut roots = BTreeMap::new();
    let mut top = 0;
    for round in 0..3 {
        let mut members = Vec::new();
        for i in 0..4 {
            members.push(Member::start(start(site.config(i))).await);
        }
        assert!(members.iter().all(|m| m.executed() <= top + 64));
        let tickets = members[round].submit(puts(round, 30)).await;
        eventually("the transactions are committed", || members[round].committed(&tickets)).await;
        members.iter_mut().for_each(Member::follow);
        agree(&members);
        for commit in members.iter().flat_map(|m| m.chain.values()) {
            assert_eq!(*roots.entry(commit.height).or_insert(commit.state_root), commit.state_root);
        }
        let now = members.iter().map(Member::executed).max().unwrap();
        assert!(now > top, "the chain grows");
        top = now;
        for earlier in 0..=round {
            let key = format!("key-{earlier}-29");
            assert!(members[round].node.handle().query(key.as_bytes()).unwrap().is_some(), "{key}");
        }
        stop(members).await;
    }
}

/// Transactions that one member accepts while no quorum runs are committed after that member restarts.
pub(crate) async fn commits_after_a_restart(site: &Site, start: StartNode) {
    let single = Member::start(start(site.config(0))).await;
    let tickets = single.submit(puts(0, 10)).await;
    single.node.shutdown().await.unwrap();
    let mut members = Vec::new();
    for i in 0..4 {
        members.push(Member::start(start(site.config(i))).await);
    }
    let handle = members[2].node.handle();
    eventually("the transactions are committed", || {
        tickets.iter().all(|ticket| handle.transaction(ticket.id).unwrap().is_some())
    })
    .await;
    stop(members).await;
}

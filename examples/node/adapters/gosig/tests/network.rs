//! Networks in one process with real TLS, real disks and real consensus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/members/mod.rs"]
mod members;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use common::{Site, eventually};
use members::{Member, agree, puts, stop};
use quorate_gosig::CHANGE_PREFIX;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, Schedule, SchemeName};
use quorate_node::runtime::Starting;

fn start(config: NodeConfig) -> Starting {
    Box::pin(async move {
        let genesis = Genesis::load(&config.node.genesis)?;
        quorate_node_gosig::start(config, genesis, Box::new(Ledger::default())).await
    })
}

/// A chain of `n` members whose rounds began an hour ago.
fn site(n: usize) -> Site {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    Site::new(quorate_node_gosig::NAME, n, SchemeName::Bls, Some(Schedule::starting(now - 3600)))
}

async fn commits_transactions(site: Site) {
    let scheme = site.genesis.scheme;
    let mut members = Vec::new();
    for i in 0..4 {
        members.push(Member::start(&site, i).await);
    }
    eventually("all are linked", || {
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
    assert!(block.signers.len() >= 3 && !block.certificate.is_empty(), "{block:?}");
    assert_eq!(other.query(b"key-2-49").unwrap().unwrap().value.unwrap(), b"value-49"[..]);
    let status = other.status();
    assert_eq!((status.protocol, status.scheme), (quorate_node_gosig::NAME, scheme.as_str()));
    assert_eq!((status.me, status.peers.len()), (Some(3), 3));
    assert!(status.peers.iter().all(|p| p.faults == 0 && p.frames_refused == 0), "{:?}", status.peers);
    assert_eq!(status.pending_transactions, 0);
    stop(members).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_commit() {
    commits_transactions(site(4)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_was_offline_catches_up() {
    catches_up(site(4)).await;
}

async fn catches_up(site: Site) {
    let mut members = Vec::new();
    for i in 0..4 {
        members.push(Member::start(&site, i).await);
    }
    let tickets = members[3].submit(puts(3, 20)).await;
    eventually("it commits", || members[3].committed(&tickets)).await;
    let away = members.pop().unwrap();
    let left_at = away.executed();
    away.node.shutdown().await.unwrap();
    for round in 0..5 {
        let tickets = members[0].submit(puts(10 + round, 20)).await;
        eventually("three go on", || members[0].committed(&tickets)).await;
    }
    let top = members[0].executed();
    assert!(top > left_at);
    members.push(Member::start(&site, 3).await);
    eventually("it catches up", || members[3].executed() >= top).await;
    let tickets = members[3].submit(puts(30, 20)).await;
    eventually("and takes part", || members[3].committed(&tickets)).await;
    members.iter_mut().for_each(Member::follow);
    assert!(members[3].chain.keys().next().unwrap() > &left_at);
    agree(&members);
    assert_eq!(members[3].node.handle().query(b"key-12-7").unwrap().unwrap().value.unwrap(), b"value-7"[..]);
    stop(members).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_restarts_where_it_stopped() {
    restarts(site(4)).await;
}

async fn restarts(site: Site) {
    let mut roots = BTreeMap::new();
    let mut top = 0;
    for round in 0..3 {
        let mut members = Vec::new();
        for i in 0..4 {
            members.push(Member::start(&site, i).await);
        }
        assert!(members.iter().all(|m| m.executed() <= top + 64));
        let tickets = members[round].submit(puts(round, 30)).await;
        eventually("it commits", || members[round].committed(&tickets)).await;
        members.iter_mut().for_each(Member::follow);
        agree(&members);
        for commit in members.iter().flat_map(|m| m.chain.values()) {
            assert_eq!(*roots.entry(commit.height).or_insert(commit.state_root), commit.state_root);
        }
        let now = members.iter().map(Member::executed).max().unwrap();
        assert!(now > top, "the chain goes on");
        top = now;
        for earlier in 0..=round {
            let key = format!("key-{earlier}-29");
            assert!(members[round].node.handle().query(key.as_bytes()).unwrap().is_some(), "{key}");
        }
        stop(members).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accepted_transactions_are_committed_after_a_restart() {
    commits_after_a_restart(site(4)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_transactions_are_ordered_once_and_reported() {
    let site = site(1);
    let mut member = Member::start(&site, 0).await;
    let handle = member.node.handle();
    let tickets = member.submit(puts(0, 3)).await;
    eventually("it commits", || member.committed(&tickets)).await;
    let mut repeats = handle.repeats();
    let again = member.submit(puts(0, 3)).await;
    let mut told = Vec::new();
    while !again.iter().all(|ticket| told.contains(&ticket.batch_sequence)) {
        let batches = tokio::time::timeout(Duration::from_secs(30), repeats.recv()).await;
        told.extend_from_slice(&batches.expect("no report arrives").unwrap());
    }
    assert_eq!(handle.status().pending_transactions, 0);
    // A batch with a new transaction is committed as usual; the known transactions in it are not executed again.
    let mixed = member.submit(puts(0, 4)).await;
    eventually("it commits", || member.committed(&mixed)).await;
    assert_eq!(member.chain.values().map(|commit| commit.transactions).sum::<u32>(), 4);
    stop(vec![member]).await;
}

/// Every member would have to verify its certificate when it is committed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uncertified_membership_changes_are_rejected() {
    let site = site(1);
    let member = Member::start(&site, 0).await;
    let epoch = |number: u64| [CHANGE_PREFIX, &number.to_le_bytes(), &[0; 60]].concat();
    let handle = member.node.handle();
    let refusal = handle.submit(epoch(0).into()).unwrap_err();
    assert!(refusal.code() == "REJECTED" && refusal.to_string().contains("NOT_ALLOWED"), "{refusal}");
    // Members ignore changes of other epochs, so the node accepts them.
    for transaction in [CHANGE_PREFIX.to_vec(), epoch(7)] {
        assert!(handle.submit(transaction.into()).is_ok());
    }
    stop(vec![member]).await;
}

async fn commits_after_a_restart(site: Site) {
    let alone = Member::start(&site, 0).await;
    let tickets = alone.submit(puts(0, 10)).await;
    alone.node.shutdown().await.unwrap();
    let mut members = Vec::new();
    for i in 0..4 {
        members.push(Member::start(&site, i).await);
    }
    let handle = members[2].node.handle();
    eventually("it is committed", || {
        tickets.iter().all(|ticket| handle.transaction(ticket.id).unwrap().is_some())
    })
    .await;
    stop(members).await;
}

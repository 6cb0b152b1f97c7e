//! The node with a protocol that it does not know: committees of one to four, real links, disks and restarts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;
mod fixed_leader;
mod members;

use common::{Site, eventually};
use fixed_leader::FixedLeader;
use members::{Member, agree, puts, stop};
use quorate::ed25519::Ed25519;
use quorate::wire::Decode;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, SchemeName};
use quorate_node::proof::TransactionProof;
use quorate_node::protocol::Protocol;
use quorate_node::runtime::{Node, Starting};

fn start(config: NodeConfig) -> Starting {
    Box::pin(async move {
        let genesis = Genesis::load(&config.node.genesis)?;
        Node::start::<FixedLeader>(config, genesis, Box::new(Ledger::default())).await
    })
}

fn site(n: usize) -> Site {
    Site::new(fixed_leader::NAME, n, SchemeName::Ed25519, None)
}

async fn start_all(site: &Site) -> Vec<Member> {
    let mut members = Vec::new();
    for i in 0..site.genesis.members.len() {
        members.push(Member::start(start(site.config(i))).await);
    }
    members
}

/// Submits ten transactions at each member, and waits until every member has executed all of them.
async fn commit_everywhere(members: &mut [Member], round: usize) {
    let mut tickets = Vec::new();
    for (i, member) in members.iter().enumerate() {
        tickets.push(member.submit(puts(10 * round + i, 10)).await);
    }
    for (member, tickets) in members.iter_mut().zip(&tickets) {
        eventually("own transactions are committed", || member.committed(tickets)).await;
    }
    let top = members.iter().map(Member::executed).max().unwrap();
    for member in members.iter_mut() {
        eventually("all members have all blocks", || member.executed() >= top).await;
        member.follow();
    }
    agree(members);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn committees_of_one_to_four_commit_and_prove() {
    for n in 1..=4 {
        let site = site(n);
        let mut members = start_all(&site).await;
        commit_everywhere(&mut members, 0).await;
        let handle = members[n - 1].node.handle();
        let status = handle.status();
        assert_eq!((status.protocol, status.scheme), ("fixed-leader", "ed25519"));
        assert!(status.peers.iter().all(|p| p.faults == 0 && p.frames_refused == 0), "{:?}", status.peers);
        let id = members[0].node.handle().submit(b"put proved yes".as_slice().into()).unwrap().id;
        eventually("the transaction is committed", || handle.transaction(id).unwrap().is_some()).await;
        let view = handle.transaction(id).unwrap().unwrap();
        let context = FixedLeader::context(&site.genesis.committees::<Ed25519>().unwrap());
        let proof = TransactionProof::<FixedLeader>::decode(&view.proof, &context).unwrap();
        assert_eq!(proof.verify(&context).unwrap().height, view.height);
        assert_eq!(handle.block(view.height).unwrap().unwrap().digest, view.block);
        stop(members).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_validators_restart_from_disk() {
    let site = site(4);
    let mut top = 0;
    for round in 0..3 {
        let mut members = start_all(&site).await;
        commit_everywhere(&mut members, round).await;
        let now = members[0].executed();
        assert!(now > top, "the chain continues");
        top = now;
        for earlier in 0..=round {
            let key = format!("key-{}-9", 10 * earlier + 3);
            let answer = members[round].node.handle().query(key.as_bytes()).unwrap().unwrap();
            assert!(answer.value.is_some(), "{key}");
        }
        stop(members).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_was_offline_catches_up() {
    let site = site(4);
    let mut members = start_all(&site).await;
    commit_everywhere(&mut members, 0).await;
    members.pop().unwrap().node.shutdown().await.unwrap();
    for round in 1..4 {
        commit_everywhere(&mut members, round).await;
    }
    members.push(Member::start(start(site.config(3))).await);
    commit_everywhere(&mut members, 4).await;
    stop(members).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_survive_a_restart_of_the_leader() {
    let site = site(3);
    let leader = Member::start(start(site.config(0))).await;
    let tickets = leader.submit(puts(0, 10)).await;
    leader.node.shutdown().await.unwrap();
    let members = start_all(&site).await;
    let handle = members[2].node.handle();
    eventually("the transactions are committed", || {
        tickets.iter().all(|ticket| handle.transaction(ticket.id).unwrap().is_some())
    })
    .await;
    stop(members).await;
}

/// Comments and shortened bodies on the page are not compared.
#[test]
fn the_page_shows_the_code_of_the_protocol() {
    let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
    let sources =
        [include_str!("fixed_leader/mod.rs"), include_str!("custom_protocol.rs")].map(without_blanks);
    let blocks = include_str!("../PROTOCOL.md").split("```rust\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap().lines());
    let lines: Vec<&str> =
        lines.filter(|line| !line.contains("/*") && !line.trim().starts_with("//")).collect();
    assert!(lines.len() > 50, "the page has {} lines of code", lines.len());
    for line in lines {
        let line_without_blanks = without_blanks(line);
        assert!(
            sources.iter().any(|source| source.contains(&line_without_blanks)),
            "only on the page: {line}"
        );
    }
}

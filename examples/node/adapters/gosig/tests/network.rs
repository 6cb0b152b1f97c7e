//! Networks in one process with real TLS, real disks and real consensus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/members/mod.rs"]
mod members;
#[path = "../../../tests/scenarios/mod.rs"]
mod scenarios;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use common::{Site, eventually};
use members::{Member, puts, stop};
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_commit() {
    let block = scenarios::commits_transactions(&site(4), start).await;
    assert!(block.signers.len() >= 3 && !block.certificate.is_empty(), "{block:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_was_offline_catches_up() {
    scenarios::catches_up(&site(4), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_catches_up_while_others_prune() {
    scenarios::catches_up_while_others_prune(&site(4), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_restarts_where_it_stopped() {
    scenarios::restarts(&site(4), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accepted_transactions_are_committed_after_a_restart() {
    scenarios::commits_after_a_restart(&site(4), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_transactions_are_ordered_once_and_reported() {
    let site = site(1);
    let mut member = Member::start(start(site.config(0))).await;
    let handle = member.node.handle();
    let tickets = member.submit(puts(0, 3)).await;
    eventually("the transactions are committed", || member.committed(&tickets)).await;
    let mut repeats = handle.repeats();
    let again = member.submit(puts(0, 3)).await;
    let mut reported = Vec::new();
    while !again.iter().all(|ticket| reported.contains(&ticket.batch_sequence)) {
        let batches = tokio::time::timeout(Duration::from_secs(120), repeats.recv()).await;
        reported.extend_from_slice(&batches.expect("no report arrives").unwrap());
    }
    assert_eq!(handle.status().pending_transactions, 0);
    // A batch with a new transaction is committed as usual; the known transactions in it are not executed again.
    let mixed = member.submit(puts(0, 4)).await;
    eventually("the new transaction is committed", || member.committed(&mixed)).await;
    assert_eq!(member.chain.values().map(|commit| commit.transactions).sum::<u32>(), 4);
    stop(vec![member]).await;
}

/// Otherwise every member would have to verify the certificate of such a transaction when it is committed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uncertified_membership_changes_are_rejected() {
    let site = site(1);
    let member = Member::start(start(site.config(0))).await;
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

//! Networks in one process with real TLS, real disks and real consensus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/members/mod.rs"]
mod members;
#[path = "../../../tests/scenarios/mod.rs"]
mod scenarios;

use common::Site;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, SchemeName};
use quorate_node::runtime::Starting;

fn start(config: NodeConfig) -> Starting {
    Box::pin(async move {
        let genesis = Genesis::load(&config.node.genesis)?;
        quorate_node_jolteon::start(config, genesis, Box::new(Ledger::default())).await
    })
}

fn site(scheme: SchemeName) -> Site {
    Site::new(quorate_node_jolteon::NAME, 4, scheme, None)
}

async fn commits_transactions(scheme: SchemeName) {
    let block = scenarios::commits_transactions(&site(scheme), start).await;
    // The parent of Jolteon's first block is the genesis, which has no certificate.
    if block.height > 1 {
        assert!(block.signers.len() >= 3 && !block.certificate.is_empty(), "{block:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_commit_with_bls() {
    commits_transactions(SchemeName::Bls).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_commit_with_ed25519() {
    commits_transactions(SchemeName::Ed25519).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_was_offline_catches_up() {
    scenarios::catches_up(&site(SchemeName::Ed25519), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_catches_up_while_others_prune() {
    scenarios::catches_up_while_others_prune(&site(SchemeName::Ed25519), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_restarts_where_it_stopped() {
    scenarios::restarts(&site(SchemeName::Bls), start).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accepted_transactions_are_committed_after_a_restart() {
    scenarios::commits_after_a_restart(&site(SchemeName::Ed25519), start).await;
}

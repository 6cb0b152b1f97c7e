//! Networks in one process with real TLS, real disks and real consensus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/members/mod.rs"]
mod members;
#[path = "../../../tests/scenarios/mod.rs"]
mod scenarios;
#[path = "../../../tests/snapshots/mod.rs"]
mod snapshots;

use common::{Site, eventually};
use members::{Member, puts, stop};
use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::genesis::{Genesis, Hex, Schedule, SchemeName};
use quorate_node::protocol::{Protocol, presignature_directory};
use quorate_node::runtime::Starting;
use quorate_node_abft::Abft;

fn start(config: NodeConfig) -> Starting {
    Box::pin(async move {
        let genesis = Genesis::load(&config.node.genesis)?;
        quorate_node_abft::start(config, genesis, Box::new(Ledger::default())).await
    })
}

fn site(n: usize) -> Site {
    Site::new(quorate_node_abft::NAME, n, SchemeName::Ed25519, None).deal::<Abft<Ed25519>>()
}

fn site_with_bls(n: usize) -> Site {
    Site::new(quorate_node_abft::NAME, n, SchemeName::Bls, None).deal::<Abft<MinSig>>()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_commit_with_bls() {
    let block = scenarios::commits_transactions(&site_with_bls(4), start).await;
    assert!(block.signers.len() >= 3 && !block.certificate.is_empty(), "{block:?}");
    assert_eq!((block.author, block.timestamp), (None, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_commit_with_ed25519() {
    scenarios::commits_transactions(&site(4), start).await;
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

/// A member alone can propose in two epochs. The batches after these are only recorded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_were_not_proposed_survive_a_restart() {
    let site = site(4);
    let single = Member::start(start(site.config(0))).await;
    let mut tickets = Vec::new();
    for round in 0..6 {
        tickets.extend(single.submit(puts(round, 3)).await);
        // Another number means that the batch before it is sealed.
        let last = tickets.last().unwrap().batch_sequence;
        eventually("the batch is sealed", || {
            let transaction = format!("put seal {}", tickets.len());
            let next = single.node.handle().submit(transaction.into()).unwrap();
            tickets.push(next);
            next.batch_sequence > last
        })
        .await;
    }
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_transactions_are_ordered_once_and_reported() {
    let site = site(1);
    let mut member = Member::start(start(site.config(0))).await;
    let mut repeats = member.node.handle().repeats();
    let tickets = member.submit(puts(0, 3)).await;
    eventually("the transactions are committed", || member.committed(&tickets)).await;
    let again = member.submit(puts(0, 3)).await;
    let mut reported = Vec::new();
    while !again.iter().all(|ticket| reported.contains(&ticket.batch_sequence)) {
        reported.extend_from_slice(&repeats.recv().await.unwrap());
    }
    let mixed = member.submit(puts(0, 4)).await;
    eventually("the new transaction is committed", || member.committed(&mixed)).await;
    assert_eq!(member.chain.values().map(|commit| commit.transactions).sum::<u32>(), 4);
    stop(vec![member]).await;
}

/// The first blocks are signed with presignatures, those past them with BLS, and a restart in between changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_members_sign_with_presignatures() {
    let site = Site::new(quorate_node_abft::NAME, 4, SchemeName::Bls, None).deal_epochs::<Abft<MinSig>>(6);
    scenarios::restarts(&site, start).await;
    let directory = |i: usize| presignature_directory(&site.dir.path().join(format!("shares{i}")));
    let files = |i: usize| {
        let entries = std::fs::read_dir(directory(i)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.filter(|name| name.to_str().unwrap().ends_with(".sealed")).count()
    };
    assert!((0..4).all(|i| files(i) < 6), "none was destroyed");
    // Without the journal nothing shows which are spent.
    std::fs::remove_dir_all(directory(0).join("journal")).unwrap();
    let file = directory(0).join("900.sealed");
    std::fs::create_dir(&file).unwrap();
    // A file that cannot be deleted stops the validator, at the next start as well.
    for _ in 0..2 {
        assert_eq!(start(site.config(0)).await.map(drop).unwrap_err().code(), "IO");
    }
    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, b"of another deal").unwrap();
    start(site.config(0)).await.unwrap().shutdown().await.unwrap();
    assert_eq!(files(0), 0);
    // Data that is lost beside a journal.
    let mut config = site.config(1);
    std::fs::remove_dir_all(&config.node.data).unwrap();
    config.node.new_validator = true;
    let error = start(config.clone()).await.map(drop).unwrap_err();
    assert!(error.code() == "CONFIG" && error.to_string().contains("--new-validator"), "{error}");
    assert!(!config.node.data.exists());
    // A journal that would be restored with the data.
    let inside = config.node.data.join("shares");
    std::fs::create_dir(&config.node.data).unwrap();
    std::fs::copy(config.node.shares.unwrap(), &inside).unwrap();
    config.node.shares = Some(inside);
    let error = start(config).await.map(drop).unwrap_err();
    assert!(error.code() == "CONFIG" && error.to_string().contains("data directory"), "{error}");
}

/// Shares of another member, another chain, and none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_needs_its_own_shares() {
    let (site, other) = (site(4), site(4));
    let refused = async |shares| {
        let mut config = site.config(0);
        config.node.shares = shares;
        start(config).await.map(drop).unwrap_err().to_string()
    };
    for shares in [site.dir.path().join("shares1"), other.dir.path().join("shares0")] {
        assert!(refused(Some(shares)).await.contains("not the shares of this validator"));
    }
    assert!(refused(None).await.contains("quorate genesis --shares"));
    start(site.config(0)).await.unwrap().shutdown().await.unwrap();
}

#[test]
fn the_genesis_is_checked() {
    let good = site(4).genesis;
    Abft::<Ed25519>::check_genesis(&good).unwrap();
    let problem = |change: fn(&mut Genesis)| {
        let mut genesis = good.clone();
        change(&mut genesis);
        Abft::<Ed25519>::check_genesis(&genesis).unwrap_err().to_string()
    };
    assert!(problem(|genesis| genesis.members[1].weight = 2).contains("weight 1"));
    assert!(problem(|genesis| genesis.schedule = Some(Schedule::starting(1))).contains("ABFT has none"));
    assert!(problem(|genesis| genesis.dealt = Some(Hex(vec![1, 2]))).contains("dealt"));
    let many = problem(|genesis| genesis.members = vec![genesis.members[0].clone(); 257]);
    assert!(many.contains("at most 256"), "{many}");
    // Keys are dealt for the members of a genesis.
    assert!(problem(|genesis| genesis.members.swap(0, 1)).contains("another genesis"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_joins_from_a_snapshot() {
    snapshots::joins_from_a_snapshot::<Abft<Ed25519>>(&site(4), start).await;
}

//! Networks with membership changes: staying members continue, joining members start with an empty directory, and leaving
//! members stop with an error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/members/mod.rs"]
mod members;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use common::{Site, eventually};
use members::{Member, agree, puts, stop};
use quorate::bls::{Counted, MinSig};
use quorate::certificate::{Suspects, Vote, VoteCollector};
use quorate::ed25519::{self, Ed25519};
use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode};
use quorate_gosig::{Change, Committees};
use quorate_node::Contact;
use quorate_node::application::Ledger;
use quorate_node::config::NodeConfig;
use quorate_node::epochs::Epoch;
use quorate_node::execution::StoppedChain;
use quorate_node::genesis::{Genesis, Schedule, SchemeName};
use quorate_node::keys::NodeKeys;
use quorate_node::protocol::Protocol;
use quorate_node::runtime::Starting;
use quorate_node::store::{Binding, Store};
use quorate_node_gosig::Gosig;

type S = Counted<MinSig>;

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

/// A chain with the keys of all past and present members, so that a quorum of any epoch can certify a change.
struct TestChain {
    site: Site,
    keys: Vec<NodeKeys>,
    epoch: Epoch,
}

impl TestChain {
    fn new(n: usize) -> Self {
        let site = site(n);
        let keys = (0..n).map(|i| NodeKeys::load(&site.config(i).node.keys, None).unwrap()).collect();
        let epoch = Epoch::genesis(&site.genesis);
        Self { site, keys, epoch }
    }

    /// The change that lets a new validator join, and the configuration of that validator.
    fn joiner(&mut self, name: &str) -> (Change<S>, NodeConfig) {
        let (keys, config) = self.site.joiner(name);
        let public = keys.public().unwrap();
        let change = Change::Join {
            voting: (
                Decode::decode(&public.voting_key.0, &()).unwrap(),
                Decode::decode(&public.voting_possession.0, &()).unwrap(),
            ),
            identity: (
                Decode::decode(&public.identity_key.0, &()).unwrap(),
                Decode::decode(&public.identity_possession.0, &()).unwrap(),
            ),
            weight: 1,
            contact: Contact::new(name, &config.links.listen).unwrap().encode(),
        };
        self.keys.push(keys);
        (change, config)
    }

    fn leave(&self, i: usize) -> Change<S> {
        Change::Leave { identity: Ed25519::public_key(&self.keys[i].identity().unwrap()) }
    }

    /// The transaction of a change that all members of the current epoch certify.
    fn certified(&mut self, change: &Change<S>) -> Bytes {
        let committees = self.epoch.committees::<S>(self.site.genesis.chain_id()).unwrap();
        let committees = Committees { voters: committees.voters, identities: committees.identities };
        let statement = change.statement(&committees);
        let mut collector = VoteCollector::new(committees.identities.clone(), statement.kind, statement.view);
        let mut suspects = Suspects::new();
        let mut certificate = None;
        for key in &self.keys {
            let secret = key.identity().unwrap();
            let public: ed25519::PublicKey = Ed25519::public_key(&secret);
            let Some(member) = committees.identities.position(&public) else { continue };
            let vote = Vote::sign_unguarded(&secret, &committees.identities, statement).unwrap();
            assert_eq!(vote.signer(), member);
            certificate = collector.add(vote, &mut suspects).certificate.or(certificate);
        }
        let transaction = change.transaction(&certificate.unwrap().into_inner()).unwrap();
        Bytes::copy_from_slice(transaction.bytes())
    }

    /// Submits a change at a node, and waits until all members are in the next epoch.
    async fn change(&mut self, change: &Change<S>, at: &Member, all: &[&Member]) {
        let transaction = self.certified(change);
        at.submit(vec![transaction]).await;
        let next = self.epoch.number + 1;
        reach(all, next).await;
        self.read_members(at, next);
    }

    /// Reads the current members from a node.
    fn read_members(&mut self, at: &Member, number: u64) {
        let members = at.node.handle().validators();
        let hex = |text: &str| quorate_node::genesis::Hex(hex(text));
        let member = |v: &quorate_node::handle::ValidatorView| quorate_node::epochs::Member {
            name: v.name.clone(),
            address: v.address.clone(),
            weight: v.weight.parse().unwrap(),
            identity_key: hex(&v.identity_key),
            voting_key: hex(&v.voting_key),
        };
        self.epoch = Epoch { number, anchor: None, members: members.iter().map(member).collect() };
    }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

fn current_epoch(member: &Member) -> u64 {
    member.node.handle().status().epoch
}

async fn reach(all: &[&Member], epoch: u64) {
    eventually("all members are in the next epoch", || {
        all.iter().all(|member| current_epoch(member) >= epoch)
    })
    .await;
}

async fn start_members(chain: &TestChain, n: usize) -> Vec<Member> {
    let mut members = Vec::new();
    for i in 0..n {
        members.push(Member::start(start(chain.site.config(i))).await);
    }
    members
}

/// Submits transactions at a member, and waits until all members have executed them.
async fn commit(members: &mut [Member], at: usize, from: usize) {
    let tickets = members[at].submit(puts(from, 10)).await;
    eventually("the transactions are committed", || members[at].committed(&tickets)).await;
    let top = members[at].executed();
    for member in members.iter_mut() {
        eventually("all members have executed them", || member.executed() >= top).await;
        member.follow();
    }
    agree(members);
}

fn names(member: &Member) -> Vec<String> {
    member.node.handle().validators().into_iter().map(|v| v.name).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_member_joins_and_another_leaves() {
    let mut chain = TestChain::new(4);
    let (join, config) = chain.joiner("fifth");
    let mut members = start_members(&chain, 4).await;
    commit(&mut members, 0, 0).await;
    // The observer is not known to the members yet.
    members.push(Member::start(start(config)).await);
    let status = members[4].node.handle().status();
    assert_eq!((status.me, status.epoch, &*status.name), (None, 0, ""));
    assert_eq!(
        members[4].node.handle().submit(Bytes::from_static(b"put a b")).unwrap_err().code(),
        "SYNCING"
    );

    let all: Vec<&Member> = members.iter().collect();
    chain.change(&join, all[2], &all).await;
    assert_eq!(names(&members[0]), ["node0", "node1", "node2", "node3", "fifth"]);
    assert_eq!(members[4].node.handle().status().me, Some(4));
    commit(&mut members, 1, 1).await;
    commit(&mut members, 4, 2).await;
    assert_eq!(members[4].chain.keys().next(), Some(&1), "the new member has executed the whole chain");

    let leave = chain.leave(1);
    let left = members.remove(1);
    let all: Vec<&Member> = members.iter().collect();
    chain.change(&leave, all[3], &all).await;
    left.node.failed().await;
    let error = left.node.shutdown().await.unwrap_err();
    assert_eq!(error.code(), "LEFT");
    assert!(error.to_string().contains("new keys"), "{error}");
    assert_eq!(names(&members[3]), ["node0", "node2", "node3", "fifth"]);
    let indices: Vec<_> = members.iter().map(|m| m.node.handle().status().me).collect();
    assert_eq!(indices, [Some(0), Some(1), Some(2), Some(3)]);
    commit(&mut members, 3, 3).await;

    // It fails in the same way when it is started again.
    let again = crate::start(chain.site.config(1)).await.err().unwrap();
    assert_eq!(again.code(), "LEFT");
    // The archive has blocks and proofs of all epochs.
    let handle = members[3].node.handle();
    for from in 0..4 {
        assert!(handle.query(format!("key-{from}-3").as_bytes()).unwrap().unwrap().value.is_some());
    }
    let epochs: Vec<u64> =
        (1..=handle.status().executed_height).map(|h| handle.block(h).unwrap().unwrap().epoch).collect();
    assert!(epochs.is_sorted() && epochs.first() == Some(&0) && epochs.last() == Some(&2), "{epochs:?}");
    let status = members[0].node.handle().status();
    assert!(status.peers.iter().all(|p| p.faults == 0 && p.frames_refused == 0), "{:?}", status.peers);
    stop(members).await;
    prune_all_changes(&chain.site);
}

/// Clients verify the members from the genesis on, so the proofs of their changes outlast the blocks.
fn prune_all_changes(site: &Site) {
    let (data, genesis) = (site.config(0).node.data, &site.genesis);
    let proofs = || {
        let stopped = StoppedChain::<Gosig<S>>::open(&data, genesis.clone()).unwrap();
        let epochs = stopped.epochs(0).unwrap().into_iter();
        epochs.map(|epoch| (epoch.epoch, epoch.block, epoch.finality, epoch.payload)).collect::<Vec<_>>()
    };
    let before = proofs();
    assert!(before.len() == 3 && before[1].3.is_some() && before[2].2.is_some(), "{before:?}");
    let committees = genesis.committees::<S>().unwrap();
    let binding = Binding::recorded(&data, committees.chain.0).unwrap().with(genesis.protocol.clone());
    let store = Store::<Gosig<S>>::open(&data, &binding, Gosig::context(&committees)).unwrap();
    for epoch in store.epochs().unwrap() {
        Gosig::add_epoch(store.context(), &epoch.committees(committees.chain).unwrap());
    }
    while store.prune(1).unwrap() {}
    let last_change = store.epochs().unwrap().last().unwrap().first_height() - 1;
    assert_eq!(store.check_height(last_change).unwrap_err().code(), "PRUNED");
    drop(store);
    assert_eq!(proofs(), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tickets_stay_valid_across_a_membership_change() {
    let mut chain = TestChain::new(4);
    let (join, config) = chain.joiner("fifth");
    let mut members = start_members(&chain, 4).await;
    let joining = Member::start(start(config)).await;
    commit(&mut members, 0, 0).await;
    // Transactions are submitted before, during and after the change.
    let change = chain.certified(&join);
    let mut tickets = vec![Vec::new(); 4];
    for round in 0..40 {
        for (i, member) in members.iter().enumerate() {
            tickets[i].extend(member.submit(puts(1000 + 100 * round + i, 2)).await);
        }
        if round == 10 {
            members[0].submit(vec![change.clone()]).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let all: Vec<&Member> = members.iter().chain([&joining]).collect();
    reach(&all, 1).await;
    for (member, tickets) in members.iter_mut().zip(&tickets) {
        eventually("all tickets are committed", || member.committed(tickets)).await;
        eventually("no transaction is pending", || member.node.handle().status().pending_transactions == 0)
            .await;
    }
    members.push(joining);
    commit(&mut members, 4, 7).await;
    stop(members).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_restarts_while_the_epoch_ends() {
    let mut chain = TestChain::new(4);
    let mut members = start_members(&chain, 4).await;
    commit(&mut members, 0, 0).await;
    for round in 0..3 {
        let (join, config) = chain.joiner(&format!("new{round}"));
        let joining = Member::start(start(config)).await;
        let change = chain.certified(&join);
        members[0].submit(vec![change]).await;
        // A point in time near the end of the epoch.
        tokio::time::sleep(Duration::from_millis(200 + 150 * round)).await;
        let dropped = members.remove(3);
        drop(dropped.node);
        let config = chain.site.config(3);
        let again = loop {
            match crate::start(config.clone()).await {
                Ok(node) => break node,
                Err(e) if ["DATA_IN_USE", "BIND"].contains(&e.code()) => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                Err(e) => panic!("{e}"),
            }
        };
        members.insert(3, Member::new(again));
        members.push(joining);
        let all: Vec<&Member> = members.iter().collect();
        reach(&all, round + 1).await;
        chain.read_members(&members[0], round + 1);
        commit(&mut members, 3, 10 + round as usize).await;
    }
    stop(members).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offline_members_return_two_epochs_later() {
    // Seven members tolerate two failures.
    let mut chain = TestChain::new(7);
    let (join, config) = chain.joiner("eighth");
    let mut members = start_members(&chain, 7).await;
    commit(&mut members, 0, 0).await;
    let seventh = members.pop().unwrap();
    seventh.node.shutdown().await.unwrap();
    let sixth = members.pop().unwrap();
    sixth.node.shutdown().await.unwrap();

    let joining = Member::start(start(config)).await;
    let all: Vec<&Member> = members.iter().chain([&joining]).collect();
    chain.change(&join, all[0], &all).await;
    members.push(joining);
    let leave = chain.leave(5);
    let all: Vec<&Member> = members.iter().collect();
    chain.change(&leave, all[5], &all).await;
    commit(&mut members, 5, 1).await;

    let sixth = crate::start(chain.site.config(5)).await.unwrap();
    sixth.failed().await;
    assert_eq!(sixth.shutdown().await.unwrap_err().code(), "LEFT");

    members.push(Member::start(start(chain.site.config(6))).await);
    reach(&[&members[6]], 2).await;
    assert_eq!(members[6].node.handle().status().me, Some(5), "a member with a lower index has left");
    commit(&mut members, 6, 2).await;
    stop(members).await;
}

#[tokio::test]
async fn a_node_that_is_not_a_member_needs_observer_mode() {
    let site = site(4);
    let (_, mut config) = site.joiner("fifth");
    config.node.observe = false;
    let error = crate::start(config.clone()).await.err().unwrap();
    assert_eq!(error.code(), "NOT_A_MEMBER");
    assert!(error.to_string().contains("observe"), "{error}");
    config.node.observe = true;
    let node = crate::start(config.clone()).await.unwrap();
    assert_eq!(node.handle().status().me, None);
    node.shutdown().await.unwrap();
    config.links.listen.clear();
    let error = crate::start(config).await.err().unwrap();
    assert!(error.code() == "CONFIG" && error.to_string().contains("links.listen"), "{error}");
    // The committee of a Jolteon chain never changes, so it admits no observers.
    let site = Site::new(quorate_node_jolteon::NAME, 4, SchemeName::Bls, None);
    let (_, config) = site.joiner("fifth");
    let error = quorate_node_jolteon::start(config, site.genesis, Box::new(Ledger::default())).await;
    assert_eq!(error.map(drop).unwrap_err().code(), "NOT_A_MEMBER");
}

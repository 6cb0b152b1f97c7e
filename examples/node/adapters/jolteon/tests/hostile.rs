//! Invalid messages of a faulty member are counted against it and do not disturb the other members.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use common::{Site, eventually};
use quorate::certificate::Vote;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate_jolteon::{AVAILABLE, BLOCK, Batch, Message};
use quorate_node::application::Ledger;
use quorate_node::evidence::{EvidenceFile, SigningKey, Verifier};
use quorate_node::genesis::SchemeName;
use quorate_node::handle::PeerStatus;
use quorate_node::keys::NodeKeys;
use quorate_node::links::{Lane, Limits, LinkEvent, Links, Received, Settings, Sink};
use quorate_node::metrics::Metrics;
use quorate_node::protocol::Protocol;
use quorate_node::runtime::Node;
use quorate_node_jolteon::Jolteon;

/// Records all frames, so that the faulty member can send them again.
#[derive(Default)]
struct Recorder {
    frames: Mutex<Vec<(Lane, Bytes)>>,
}

impl Sink for Recorder {
    fn frame(&self, received: Received) {
        self.frames.lock().unwrap().push((received.lane, received.body));
    }

    fn event(&self, _: LinkEvent) {}
}

/// Member 3, which sends arbitrary bytes over authenticated links.
struct FaultyMember {
    links: Links,
    recorder: Arc<Recorder>,
}

impl FaultyMember {
    /// Starts links with the keys of member 3.
    async fn start(site: &Site) -> Self {
        let keys = NodeKeys::load(&site.config(3).node.keys, None).unwrap();
        let settings = Settings {
            config: site.config(3).links,
            limits: Limits::default(),
            chain: site.genesis.chain_id(),
            me: Some(3),
            identity: keys.identity().unwrap(),
            identities: site.genesis.committees::<Ed25519>().unwrap().identities,
            members: site.genesis.members.iter().map(|m| (m.name.clone(), m.address.clone())).collect(),
            former_members: Vec::new(),
            metrics: Metrics::new().links,
        };
        let recorder = Arc::new(Recorder::default());
        Self { links: Links::start(settings, recorder.clone()).await.unwrap(), recorder }
    }

    fn send(&self, lane: Lane, bytes: impl Into<Bytes>) {
        self.links.sender().broadcast(lane, &bytes.into());
    }
}

async fn start_honest(site: &Site) -> Vec<Node> {
    let mut nodes = Vec::new();
    for i in 0..3 {
        nodes.push(
            quorate_node_jolteon::start(site.config(i), site.genesis.clone(), Box::new(Ledger::default()))
                .await
                .unwrap(),
        );
    }
    nodes
}

/// Starts the honest members and the faulty one, and waits for the links between them.
async fn start(site: &Site) -> (Vec<Node>, FaultyMember) {
    let nodes = start_honest(site).await;
    let faulty = FaultyMember::start(site).await;
    for node in &nodes {
        eventually("the faulty member is linked", || {
            faulty_peer(node).incoming && faulty_peer(node).outgoing
        })
        .await;
    }
    (nodes, faulty)
}

fn faulty_peer(node: &Node) -> PeerStatus {
    node.handle().status().peers.into_iter().find(|p| p.index == 3).unwrap()
}

/// Submits a transaction at each node, and waits until all nodes have committed all of them.
async fn commits_continue(nodes: &[Node], round: usize) {
    for (i, node) in nodes.iter().enumerate() {
        let transaction = Bytes::from(format!("put round-{round}-{i} done"));
        eventually("the transaction is accepted", || {
            let answer = node.handle().submit(transaction.clone());
            answer.is_ok() || answer.is_err_and(|e| e.code() == "DUPLICATE")
        })
        .await;
    }
    for node in nodes {
        for i in 0..3 {
            let key = format!("round-{round}-{i}");
            eventually("every node has committed it", || {
                node.handle()
                    .query(key.as_bytes())
                    .unwrap()
                    .is_some_and(|a| a.value.is_some_and(|v| v == b"done"[..]))
            })
            .await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_and_replays_disturb_no_member() {
    let site = Site::new(quorate_node_jolteon::NAME, 4, SchemeName::Ed25519, None);
    let (nodes, faulty) = start(&site).await;
    commits_continue(&nodes, 0).await;

    // Bytes that are not messages.
    for (lane, bytes) in [
        (Lane::Urgent, vec![0xff]),
        (Lane::Urgent, vec![1; 1000]),
        (Lane::Bulk, vec![6; 300_000]),
        (Lane::Bulk, [&[6, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0][..], &[0xff; 8]].concat()),
    ] {
        faulty.send(lane, bytes);
    }
    for node in &nodes {
        eventually("each refused frame is counted", || faulty_peer(node).frames_refused == 4).await;
    }
    // All received frames again: on the other lane, and truncated.
    let received = faulty.recorder.frames.lock().unwrap().clone();
    assert!(received.len() > 10);
    for (lane, bytes) in received {
        let other = if lane == Lane::Bulk { Lane::Urgent } else { Lane::Bulk };
        faulty.send(other, bytes.clone());
        faulty.send(lane, bytes.slice(..bytes.len() - 1));
    }
    commits_continue(&nodes, 1).await;
    for node in &nodes {
        let status = node.handle().status();
        assert!(faulty_peer(node).frames_refused > 4);
        assert!(status.peers.iter().filter(|p| p.index != 3).all(|p| p.frames_refused == 0 && p.faults == 0));
    }
    let text = nodes[0].handle().metrics().render();
    assert!(text.contains("link_frames_refused_total{peer=\"node3\",code=\"MALFORMED\"}"), "{text}");
    for node in nodes {
        node.shutdown().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_in_the_name_of_others_count_against_the_sender() {
    let site = Site::new(quorate_node_jolteon::NAME, 4, SchemeName::Ed25519, None);
    let (nodes, faulty) = start(&site).await;
    let keys = NodeKeys::load(&site.config(3).node.keys, None).unwrap();
    let secret = keys.voting::<Ed25519>().unwrap();
    let ours = site.genesis.committees::<Ed25519>().unwrap();
    let mut later = site.genesis.clone();
    later.epoch += 1;
    let later = later.committees::<Ed25519>().unwrap();
    let vote = |committees: &quorate_node::genesis::Committees<Ed25519>, view, signer| {
        let statement = committees.voters.statement(BLOCK, view, [7; 32]);
        let signature = Ed25519::sign(&secret, &statement.signed_bytes(&committees.voters.id()));
        Message::<Ed25519>::Vote(Vote::new(statement, signer, signature)).encode()
    };
    // A vote of another epoch, a vote of another member, an acknowledgement of an unknown batch, a batch of another
    // member.
    faulty.send(Lane::Urgent, vote(&later, 1, 3));
    faulty.send(Lane::Urgent, vote(&ours, 1, 1));
    let unknown = ours.identities.statement(AVAILABLE, 77, [1; 32]);
    let signature = Ed25519::sign(&secret, b"something else");
    faulty.send(Lane::Urgent, Message::<Ed25519>::Acknowledge(Vote::new(unknown, 3, signature)).encode());
    let foreign = Batch::new(0, 5, [b"put a b"]).unwrap();
    faulty.send(Lane::Bulk, Message::<Ed25519>::Batch(Arc::new(foreign)).encode());
    for node in &nodes {
        eventually("the faults are counted", || {
            faulty_peer(node).faults + faulty_peer(node).frames_refused >= 3
        })
        .await;
    }
    commits_continue(&nodes, 0).await;
    for node in nodes {
        let status = node.handle().status();
        assert!(status.peers.iter().filter(|p| p.index != 3).all(|p| p.frames_refused == 0 && p.faults == 0));
        node.shutdown().await.unwrap();
    }
}

/// Anyone can verify the file that each member keeps, with the genesis alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contradicting_votes_leave_evidence_in_a_file() {
    let site = Site::new(quorate_node_jolteon::NAME, 4, SchemeName::Ed25519, None);
    let (nodes, faulty) = start(&site).await;
    let keys = NodeKeys::load(&site.config(3).node.keys, None).unwrap();
    let voters = site.genesis.committees::<Ed25519>().unwrap().voters;
    let view = nodes.iter().map(|node| node.handle().status().view).max().unwrap() + 1;
    for digest in [[7; 32], [8; 32]] {
        let statement = voters.statement(BLOCK, view, digest);
        let vote = Vote::sign_unguarded(&keys.voting::<Ed25519>().unwrap(), &voters, statement).unwrap();
        faulty.send(Lane::Urgent, Message::<Ed25519>::Vote(vote).encode());
    }
    let verifier = Verifier::<Ed25519>::new(&site.genesis, Jolteon::<Ed25519>::proves_fault).unwrap();
    for member in 0..3 {
        let file =
            site.config(member).node.data.join(format!("evidence/epoch-0-member-3-kind-1-view-{view}.json"));
        eventually("the evidence is kept", || file.exists()).await;
        let evidence = EvidenceFile::load(&file).unwrap();
        assert_eq!((evidence.key, evidence.name.as_str()), (SigningKey::Voting, "node3"));
        verifier.verify(&evidence).unwrap();
    }
    commits_continue(&nodes, 0).await;
    for node in nodes {
        node.shutdown().await.unwrap();
    }
}

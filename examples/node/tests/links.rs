//! Links over real TLS and real sockets on the local machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod common;

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use common::{chain, eventually};
use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::machine::Time;
use quorate::scheme::Scheme;
use quorate_node::config::LinkConfig;
use quorate_node::genesis::{Genesis, SchemeName};
use quorate_node::handle::PeerStatus;
use quorate_node::keys::NodeKeys;
use quorate_node::links::{
    FormerMember, Lane, Limits, LinkEvent, LinkSender, Links, Received, Settings, Sink,
};
use quorate_node::metrics::Metrics;

/// Stores received frames and events.
#[derive(Default)]
struct Inbox {
    frames: Mutex<Vec<Received>>,
    events: Mutex<Vec<LinkEvent>>,
    /// Milliseconds that the clock of this node is ahead.
    ahead_ms: u64,
    /// Sender, lane and size of each frame. Unlike `frames`, it does not hold a share of the inbound limit.
    order: Mutex<Vec<(u16, Lane, usize)>>,
}

impl Sink for Inbox {
    fn frame(&self, received: Received) {
        self.order.lock().unwrap().push((received.from, received.lane, received.body.len()));
        self.frames.lock().unwrap().push(received);
    }

    fn event(&self, event: LinkEvent) {
        self.events.lock().unwrap().push(event);
    }

    fn now(&self) -> Time {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Time(now.as_micros() as u64).plus(Duration::from_millis(self.ahead_ms))
    }
}

impl Inbox {
    fn bodies(&self, from: u16) -> Vec<Bytes> {
        self.frames.lock().unwrap().iter().filter(|r| r.from == from).map(|r| r.body.clone()).collect()
    }

    fn has(&self, from: u16, body: &[u8]) -> bool {
        self.bodies(from).iter().any(|b| b == body)
    }

    fn saw_same_identity(&self) -> bool {
        self.events.lock().unwrap().iter().any(|e| matches!(e, LinkEvent::SameIdentity { .. }))
    }
}

/// Links of one member, with the frames that they received.
struct TestNode {
    links: Links,
    sender: LinkSender,
    inbox: Arc<Inbox>,
    metrics: Metrics,
}

impl TestNode {
    fn peer(&self, index: u16) -> PeerStatus {
        self.sender.status().into_iter().find(|p| p.index == index).unwrap()
    }

    /// Number of refused connections of unknown peers with a code.
    fn refused(&self, code: &str) -> u64 {
        let label = format!("{{peer=\"unknown\",code=\"{code}\"}} ");
        let metrics = self.metrics.render();
        metrics.lines().find_map(|line| line.split_once(&label)?.1.parse().ok()).unwrap_or(0)
    }

    async fn linked(&self, index: u16) {
        eventually("both directions are linked", || {
            let peer = self.peer(index);
            peer.outgoing && peer.incoming
        })
        .await;
    }
}

fn config() -> LinkConfig {
    LinkConfig { keep_alive_ms: 100, dead_after_ms: 2_000, max_backoff_ms: 500, ..LinkConfig::default() }
}

/// Links of a member with settings changed by `change`.
async fn node(genesis: &Genesis, keys: &NodeKeys, me: u16, change: impl FnOnce(&mut Settings)) -> TestNode {
    let metrics = Metrics::new();
    let mut settings = settings(genesis, keys, me, &metrics);
    change(&mut settings);
    start(settings, Inbox::default(), metrics).await
}

async fn start(settings: Settings, inbox: Inbox, metrics: Metrics) -> TestNode {
    let inbox = Arc::new(inbox);
    let links = Links::start(settings, inbox.clone()).await.unwrap();
    TestNode { sender: links.sender(), links, inbox, metrics }
}

fn settings(genesis: &Genesis, keys: &NodeKeys, me: u16, metrics: &Metrics) -> Settings {
    let members: Vec<_> = genesis.members.iter().map(|m| (m.name.clone(), m.address.clone())).collect();
    Settings {
        config: LinkConfig { listen: members[usize::from(me)].1.clone(), ..config() },
        limits: Limits { probe_every: Duration::from_millis(200), ..Limits::default() },
        chain: genesis.chain_id(),
        me: Some(me),
        identity: keys.identity().unwrap(),
        identities: genesis.committees::<Ed25519>().unwrap().identities,
        members,
        former_members: Vec::new(),
        metrics: metrics.links.clone(),
    }
}

/// Changes nothing.
fn as_is(_: &mut Settings) {}

#[tokio::test]
async fn members_exchange_frames_on_both_lanes() {
    let (genesis, keys) = chain(4, SchemeName::Ed25519);
    let mut nodes = Vec::new();
    for (i, keys) in (0..).zip(&keys) {
        nodes.push(node(&genesis, keys, i, as_is).await);
    }
    for (i, a) in nodes.iter().enumerate() {
        for j in (0..4).filter(|j| *j != i) {
            a.linked(j as u16).await;
        }
    }
    let batch = Bytes::from(vec![7; 500_000]);
    nodes[0].sender.broadcast(Lane::Bulk, &batch);
    nodes[0].sender.broadcast(Lane::Urgent, &Bytes::from_static(b"vote"));
    nodes[2].sender.send(3, Lane::Urgent, Bytes::from_static(b"for one"));
    for other in &nodes[1..] {
        eventually("both broadcast frames arrive", || {
            other.inbox.has(0, &batch) && other.inbox.has(0, b"vote")
        })
        .await;
    }
    eventually("the frame for one member arrives", || nodes[3].inbox.has(2, b"for one")).await;
    assert!(!nodes[1].inbox.has(2, b"for one"));
    let sent = nodes[0].peer(1);
    assert_eq!((sent.frames_sent, sent.bytes_sent), (2, 500_004));
    for node in nodes {
        node.links.shutdown().await;
    }
}

#[tokio::test]
async fn a_former_member_receives_only_answers() {
    let (all, keys) = chain(3, SchemeName::Ed25519);
    let two = Genesis { members: all.members[..2].to_vec(), ..all.clone() };
    let chain = two.chain_id();
    let former_member = || FormerMember {
        identity: Ed25519::public_key(&keys[2].identity().unwrap()),
        name: "gone".into(),
        address: all.members[2].address.clone(),
    };
    let host = node(&two, &keys[0], 0, |s| s.former_members = vec![former_member()]).await;
    let former = node(&all, &keys[2], 2, |s| s.chain = chain).await;
    eventually("the former member is accepted", || former.peer(0).outgoing).await;
    former.sender.send(0, Lane::Urgent, Bytes::from_static(b"hello"));
    eventually("its message arrives", || host.inbox.has(2, b"hello")).await;
    host.sender.broadcast(Lane::Urgent, &Bytes::from_static(b"for members"));
    eventually("the answer arrives", || {
        host.sender.send(2, Lane::Urgent, Bytes::from_static(b"welcome"));
        former.inbox.has(0, b"welcome")
    })
    .await;
    assert!(!former.inbox.has(0, b"for members"));
    assert_eq!(host.sender.status().len(), 1, "it is not listed as a member");
    assert!(!host.inbox.events.lock().unwrap().contains(&LinkEvent::Up(2)));
    former.links.shutdown().await;
    host.links.shutdown().await;
}

#[tokio::test]
async fn an_unknown_key_is_refused_with_a_reason() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let (mut foreign, unknown_keys) = chain(2, SchemeName::Ed25519);
    // The dialer knows address and key of member 0, but its own key belongs to no member.
    foreign.members[0] = genesis.members[0].clone();
    let host = node(&genesis, &keys[0], 0, as_is).await;
    let dialer = node(&foreign, &unknown_keys[1], 1, |s| s.chain = genesis.chain_id()).await;
    eventually("the dialer receives the reason", || {
        dialer.peer(0).last_error.is_some_and(|e| e.starts_with("UNKNOWN_IDENTITY") && e.contains("genesis"))
    })
    .await;
    eventually("the refusal is counted", || {
        let text = host.metrics.render();
        text.contains("quorate_link_connections_refused_total{peer=\"unknown\",code=\"UNKNOWN_IDENTITY\"}")
    })
    .await;
    assert!(!dialer.peer(0).outgoing && !host.peer(1).incoming);
}

#[tokio::test]
async fn a_peer_with_the_wrong_key_is_not_dialled() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let (_, impostor) = chain(1, SchemeName::Ed25519);
    // Another process answers at the address of member 1.
    let mut changed = genesis.clone();
    changed.members[1].keys = impostor[0].public().unwrap();
    let _host = node(&changed, &impostor[0], 1, |s| s.chain = genesis.chain_id()).await;
    let honest = node(&genesis, &keys[0], 0, as_is).await;
    eventually("the wrong key is reported", || {
        honest.peer(1).last_error.is_some_and(|e| e.starts_with("UNKNOWN_IDENTITY"))
    })
    .await;
    assert!(!honest.peer(1).outgoing);
}

#[tokio::test]
async fn another_chain_is_refused_by_name() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let ours = node(&genesis, &keys[0], 0, as_is).await;
    let theirs = node(&genesis, &keys[1], 1, |s| s.chain = ChainId::from_name("another")).await;
    for (node, other) in [(&ours, 1), (&theirs, 0)] {
        eventually("both ends report WRONG_CHAIN", || {
            node.peer(other).last_error.is_some_and(|e| e.contains("WRONG_CHAIN"))
        })
        .await;
        let text = node.metrics.render();
        let line = format!("connections_refused_total{{peer=\"node{other}\",code=\"WRONG_CHAIN\"}}");
        eventually("both ends count the refusal", || node.metrics.render().contains(&line)).await;
        assert!(!node.peer(other).outgoing && !node.peer(other).incoming, "{text}");
    }
}

#[tokio::test]
async fn the_identity_key_determines_the_member() {
    let (genesis, keys) = chain(3, SchemeName::Ed25519);
    let host = node(&genesis, &keys[0], 0, as_is).await;
    // Member 1 assumes the index 2, as in an epoch with other indices.
    let dialer = node(&genesis, &keys[1], 2, |s| s.config.listen = "127.0.0.1:0".into()).await;
    dialer.sender.send(0, Lane::Urgent, Bytes::from_static(b"I am 2"));
    eventually("the frame is attributed to the key of member 1", || host.inbox.has(1, b"I am 2")).await;
    eventually("both lanes are linked", || host.peer(1).incoming).await;
    assert!(!host.peer(2).incoming && !host.inbox.has(2, b"I am 2"));
}

#[tokio::test]
async fn garbage_and_oversized_frames_cost_only_their_sender() {
    let (genesis, keys) = chain(3, SchemeName::Ed25519);
    let host = node(&genesis, &keys[0], 0, |s| s.limits.urgent_frame = 1000).await;
    let honest = node(&genesis, &keys[1], 1, as_is).await;
    let hostile = node(&genesis, &keys[2], 2, as_is).await;
    honest.linked(0).await;
    hostile.linked(0).await;
    hostile.sender.send(0, Lane::Urgent, vec![1; 1001].into());
    let line = "quorate_link_frames_refused_total{peer=\"node2\",code=\"TOO_LARGE\"} 1";
    eventually("the oversized frame is counted", || host.metrics.render().contains(line)).await;
    assert!(host.peer(2).last_error.unwrap().contains("got 1001"));
    hostile.linked(0).await;
    // After too many malformed frames the sender is disconnected for a while.
    for _ in 0..64 {
        host.sender.refuse(2, "MALFORMED");
    }
    eventually("the sender is disconnected", || {
        hostile.peer(0).last_error.is_some_and(|e| e.starts_with("TOO_SOON"))
    })
    .await;
    honest.sender.send(0, Lane::Urgent, Bytes::from_static(b"still here"));
    eventually("frames of other members arrive", || host.inbox.has(1, b"still here")).await;
    assert_eq!((host.peer(2).frames_refused, host.peer(1).frames_refused), (65, 0));
    hostile.linked(0).await;
}

#[tokio::test]
async fn unauthenticated_bytes_do_not_block_links() {
    use std::io::{Read, Write};

    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let host = node(&genesis, &keys[0], 0, |s| {
        s.config.max_unauthenticated = 4;
        s.config.handshake_timeout_ms = 300;
    })
    .await;
    let address = genesis.members[0].address.clone();
    let silent: Vec<_> = (0..4).map(|_| std::net::TcpStream::connect(&address).unwrap()).collect();
    let fifth = std::net::TcpStream::connect(&address).unwrap();
    // This node's probes of its own address need places, too.
    eventually("a connection loses its place", || host.refused("TOO_MANY") >= 1).await;
    eventually("handshake timeouts are counted", || host.refused("TIMEOUT") >= 1).await;
    drop(fifth);
    for mut stream in silent {
        assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)), "the connection is closed");
    }
    let mut garbage = std::net::TcpStream::connect(&address).unwrap();
    garbage.write_all(b"GET / HTTP/1.1\r\nHost: validator\r\n\r\n").unwrap();
    eventually("TLS errors are counted", || host.refused("TLS") >= 1).await;
    let honest = node(&genesis, &keys[1], 1, as_is).await;
    honest.linked(0).await;
}

/// Connections without a byte hold all places until the handshake times out, which is never here.
#[tokio::test]
async fn idle_connections_do_not_keep_a_member_out() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let host = node(&genesis, &keys[0], 0, |s| {
        s.config.max_unauthenticated = 4;
        s.config.handshake_timeout_ms = 3_600_000;
    })
    .await;
    let address = genesis.members[0].address.clone();
    let _idle: Vec<_> = (0..12).map(|_| std::net::TcpStream::connect(&address).unwrap()).collect();
    eventually("eight of the idle connections lost their places", || host.refused("TOO_MANY") >= 8).await;
    let honest = node(&genesis, &keys[1], 1, as_is).await;
    honest.linked(0).await;
}

#[tokio::test]
async fn a_slow_peer_does_not_delay_the_others() {
    let (genesis, keys) = chain(3, SchemeName::Ed25519);
    let sender = node(&genesis, &keys[0], 0, |s| s.config.bulk_queue_bytes = 8 << 20).await;
    // It holds all frames, so that the inbound limit is used up and the receiver stops reading.
    let slow = node(&genesis, &keys[1], 1, |s| {
        s.limits.inbound_bulk = 1 << 20;
        s.limits.bulk_frame = 1 << 20;
    })
    .await;
    let quick = node(&genesis, &keys[2], 2, as_is).await;
    sender.linked(1).await;
    sender.linked(2).await;
    let frame = Bytes::from(vec![3; 500_000]);
    for _ in 0..100 {
        let before = quick.inbox.order.lock().unwrap().len();
        sender.sender.broadcast(Lane::Bulk, &frame);
        eventually("the quick peer receives each frame", || quick.inbox.order.lock().unwrap().len() > before)
            .await;
        quick.inbox.frames.lock().unwrap().clear();
    }
    let status = sender.peer(1);
    assert!(status.queued_bytes <= 8 << 20, "{}", status.queued_bytes);
    assert!(status.frames_dropped > 50, "{}", status.frames_dropped);
    assert_eq!(sender.peer(2).frames_dropped, 0);
    // Only the bulk lane of the slow peer is behind.
    sender.sender.send(1, Lane::Urgent, Bytes::from_static(b"vote"));
    eventually("a vote overtakes batches", || slow.inbox.has(0, b"vote")).await;
    // After it releases its frames, it receives the newest one.
    sender.sender.send(1, Lane::Bulk, vec![9; 400_000].into());
    eventually("the newest bulk frame arrives", || {
        slow.inbox.frames.lock().unwrap().retain(|r| r.body.len() != 500_000);
        slow.inbox.order.lock().unwrap().last() == Some(&(0, Lane::Bulk, 400_000))
    })
    .await;
}

#[tokio::test]
async fn a_restarted_peer_is_reached_again() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let host = node(&genesis, &keys[0], 0, as_is).await;
    for round in 0..3u8 {
        let peer = node(&genesis, &keys[1], 1, as_is).await;
        host.linked(1).await;
        peer.linked(0).await;
        host.sender.send(1, Lane::Urgent, vec![round].into());
        peer.sender.send(0, Lane::Bulk, vec![round + 100].into());
        eventually("frames arrive in both directions", || {
            peer.inbox.has(0, &[round]) && host.inbox.has(1, &[round + 100])
        })
        .await;
        peer.links.shutdown().await;
        eventually("the lost link is noticed", || !host.peer(1).outgoing && !host.peer(1).incoming).await;
    }
    let events = host.inbox.events.lock().unwrap().clone();
    assert_eq!(events.iter().filter(|e| **e == LinkEvent::Up(1)).count(), 3);
    assert_eq!(events.iter().filter(|e| **e == LinkEvent::Down(1)).count(), 3);
}

#[tokio::test]
async fn a_peer_that_connects_is_dialled_at_once() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    // The pause between attempts is longer than the test.
    let host = node(&genesis, &keys[0], 0, |s| s.config.max_backoff_ms = 100_000_000).await;
    eventually("the first attempt fails", || host.peer(1).last_error.is_some()).await;
    let peer = node(&genesis, &keys[1], 1, as_is).await;
    host.linked(1).await;
    peer.linked(0).await;
}

#[tokio::test]
async fn two_processes_with_one_key_are_detected() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let peer = node(&genesis, &keys[0], 0, as_is).await;
    let first = node(&genesis, &keys[1], 1, as_is).await;
    first.linked(0).await;
    assert!(!first.inbox.saw_same_identity(), "a node does not report itself");
    let second = node(&genesis, &keys[1], 1, |s| s.config.listen = "127.0.0.1:0".into()).await;
    // Each of the two processes detects the other, regardless of which one the address reaches.
    eventually("both processes detect the other", || {
        first.inbox.saw_same_identity() && second.inbox.saw_same_identity()
    })
    .await;
    // Their peer reports it as well.
    eventually("the older process is refused", || {
        first.peer(0).last_error.is_some_and(|e| e.starts_with("SAME_IDENTITY"))
    })
    .await;
    let text = peer.metrics.render();
    assert!(text.contains("connections_refused_total{peer=\"node1\",code=\"SAME_IDENTITY\"}"), "{text}");
    assert!(!peer.inbox.saw_same_identity());
}

#[tokio::test]
async fn probes_measure_the_difference_of_clocks() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let metrics = Metrics::new();
    let here = start(settings(&genesis, &keys[0], 0, &metrics), Inbox::default(), metrics).await;
    let (metrics, ahead) = (Metrics::new(), Inbox { ahead_ms: 2_000, ..Inbox::default() });
    let there = start(settings(&genesis, &keys[1], 1, &metrics), ahead, metrics).await;
    eventually("both nodes know the difference", || {
        let near = |node: &TestNode, peer, expected: i64| {
            node.peer(peer).clock_difference_ms.is_some_and(|ms| (ms - expected).abs() < 250)
        };
        near(&here, 1, 2_000) && near(&there, 0, -2_000)
    })
    .await;
    there.links.shutdown().await;
    eventually("the difference is forgotten with the link", || here.peer(1).clock_difference_ms.is_none())
        .await;
    here.links.shutdown().await;
}

#[tokio::test]
async fn an_address_in_use_is_an_error_that_names_it() {
    let (genesis, keys) = chain(2, SchemeName::Ed25519);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let settings = Settings {
        config: LinkConfig { listen: address.clone(), ..config() },
        limits: Limits::default(),
        chain: genesis.chain_id(),
        me: Some(0),
        identity: keys[0].identity().unwrap(),
        identities: genesis.committees::<Ed25519>().unwrap().identities,
        members: vec![("a".into(), "x:1".into()), ("b".into(), "x:2".into())],
        former_members: Vec::new(),
        metrics: Metrics::new().links,
    };
    let error = Links::start(settings, Arc::new(Inbox::default())).await.err().unwrap();
    assert_eq!(error.code(), "BIND");
    assert!(error.to_string().contains(&address));
}

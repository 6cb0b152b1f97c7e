//! The submission stream, with correct and faulty clients.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quorate_node::client::stream::protocol::{Event, PREAMBLE};
use quorate_node::client::{Clients, Code};
use support::{FakeNode, MAX_TRANSACTION, start};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

struct Client {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Client {
    async fn connect(clients: &Clients) -> Self {
        let stream = TcpStream::connect(clients.stream_address().unwrap()).await.unwrap();
        let mut client = Client { stream, bytes: Vec::new() };
        client.stream.write_all(&PREAMBLE).await.unwrap();
        let welcome = client.next().await;
        let expected = support::genesis().chain_id().0;
        assert!(matches!(welcome, Some(Event::Welcome { chain, .. }) if chain == expected), "{welcome:?}");
        client
    }

    async fn send(&mut self, transaction: &[u8]) {
        let mut frame = (transaction.len() as u32).to_le_bytes().to_vec();
        frame.extend_from_slice(transaction);
        self.stream.write_all(&frame).await.unwrap();
    }

    /// The next event; `None` when the server closes.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, length)) = Event::read(&self.bytes).unwrap() {
                self.bytes.drain(..length);
                return Some(event);
            }
            let read = tokio::time::timeout(Duration::from_secs(3000), self.stream.read_buf(&mut self.bytes));
            if read.await.expect("no event arrives").unwrap_or(0) == 0 {
                return None;
            }
        }
    }

    async fn accepted(&mut self, sequence: u64) {
        loop {
            match self.next().await {
                Some(Event::Accepted { up_to }) if up_to > sequence => return,
                Some(Event::Accepted { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    async fn closed_as(&mut self, code: Code) {
        assert_eq!(self.next().await, Some(Event::Closing { code: code.number() }));
        assert_eq!(self.next().await, None);
    }
}

#[tokio::test]
async fn transactions_are_accepted_refused_and_committed() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut client = Client::connect(&clients).await;
    for i in 0..15 {
        client.send(format!("transaction {i}").as_bytes()).await;
    }
    client.accepted(14).await;
    client.send(b"bad").await;
    assert_eq!(client.next().await, Some(Event::Refused { sequence: 15, code: Code::Rejected.number() }));
    client.accepted(15).await;
    fake_node.commit(vec![0, 99]);
    assert_eq!(client.next().await, Some(Event::Committed { first: 0, count: 10, height: 1 }));
    fake_node.commit(vec![1]);
    assert_eq!(client.next().await, Some(Event::Committed { first: 10, count: 5, height: 2 }));
}

/// No commit event lists repeated transactions. Without a refusal they would stay open and fill the window.
#[tokio::test]
async fn repeated_transactions_are_accepted_and_then_refused() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut client = Client::connect(&clients).await;
    for i in 0..12 {
        client.send(format!("transaction {i}").as_bytes()).await;
    }
    client.accepted(11).await;
    fake_node.repeats.send(Arc::new(vec![7, 1])).unwrap();
    for sequence in [10, 11] {
        assert_eq!(client.next().await, Some(Event::Refused { sequence, code: Code::Duplicate.number() }));
    }
    fake_node.commit(vec![0, 1]);
    assert_eq!(client.next().await, Some(Event::Committed { first: 0, count: 10, height: 1 }));
}

#[tokio::test]
async fn a_busy_node_accepts_transactions_later() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut client = Client::connect(&clients).await;
    client.send(b"first").await;
    client.accepted(0).await;
    fake_node.busy.store(true, Ordering::Relaxed);
    for i in 0..20 {
        client.send(format!("transaction {i}").as_bytes()).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(fake_node.accepted(), 1);
    fake_node.busy.store(false, Ordering::Relaxed);
    client.accepted(20).await;
    assert_eq!(fake_node.accepted(), 21);
    fake_node.commit(vec![0, 1, 2]);
    let mut committed = Vec::new();
    while committed.len() < 21 {
        match client.next().await {
            Some(Event::Committed { first, count, .. }) => committed.extend(first..first + u64::from(count)),
            Some(Event::Accepted { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    committed.sort_unstable();
    assert!(committed.into_iter().eq(0..21));
}

#[tokio::test]
async fn the_server_stops_reading_at_a_full_window() {
    let fake_node = FakeNode::new();
    fake_node.per_batch.store(1 << 20, Ordering::Relaxed);
    let clients = start(&fake_node).await;
    let client = Client::connect(&clients).await;
    let (mut reader, mut writer) = client.stream.into_split();
    let writing = tokio::spawn(async move {
        let burst = [&4u32.to_le_bytes()[..], b"abcd"].concat().repeat(1 << 10);
        for _ in 0..(1 << 12) {
            writer.write_all(&burst).await.unwrap();
        }
    });
    let reading = tokio::spawn(async move {
        let mut sink = vec![0; 1 << 16];
        while reader.read(&mut sink).await.unwrap_or(0) > 0 {}
    });
    // One read of 256 KiB may hold 32,768 of these.
    let (window, slack) = (1 << 16, 1 << 15);
    while fake_node.accepted() < window {
        assert!(!writing.is_finished());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(fake_node.accepted() <= window + slack, "{}", fake_node.accepted());
    assert!(!writing.is_finished());
    let before = fake_node.accepted();
    fake_node.commit(vec![0]);
    while fake_node.accepted() == before {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    reading.abort();
    writing.abort();
}

#[tokio::test]
async fn a_wrong_preamble_is_refused() {
    let clients = start(&FakeNode::new()).await;
    let mut stream = TcpStream::connect(clients.stream_address().unwrap()).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    Client { stream, bytes: Vec::new() }.closed_as(Code::BadPreamble).await;
    let mut client = Client::connect(&clients).await;
    client.stream.write_all(&(MAX_TRANSACTION as u32 + 1).to_le_bytes()).await.unwrap();
    assert_eq!(client.next().await, Some(Event::Closing { code: Code::TooLarge.number() }));
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_disconnected() {
    let clients = start(&FakeNode::new()).await;
    let stream = TcpStream::connect(clients.stream_address().unwrap()).await.unwrap();
    Client { stream, bytes: Vec::new() }.closed_as(Code::Timeout).await;
    let mut idle = Client::connect(&clients).await;
    idle.closed_as(Code::Timeout).await;
}

#[tokio::test]
async fn a_half_closed_stream_receives_its_commits() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut client = Client::connect(&clients).await;
    client.send(b"last words").await;
    client.stream.shutdown().await.unwrap();
    client.accepted(0).await;
    fake_node.commit(vec![0]);
    assert_eq!(client.next().await, Some(Event::Committed { first: 0, count: 1, height: 1 }));
    assert_eq!(client.next().await, None);
}

#[tokio::test]
async fn missed_commits_end_the_stream() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut client = Client::connect(&clients).await;
    client.send(b"x").await;
    client.accepted(0).await;
    (0..1000).for_each(|_| fake_node.commit(vec![]));
    client.closed_as(Code::TooSlow).await;
}

#[tokio::test]
async fn garbage_affects_only_its_own_stream() {
    let fake_node = FakeNode::new();
    let clients = Arc::new(start(&fake_node).await);
    for seed in 0..50u64 {
        let mut client = Client::connect(&clients).await;
        let garbage: Vec<u8> = blake3::hash(&seed.to_le_bytes()).as_bytes().repeat(20);
        let _ = client.stream.write_all(&garbage).await;
        let _ = client.stream.shutdown().await;
        while let Some(event) = client.next().await {
            assert!(matches!(event, Event::Accepted { .. } | Event::Refused { .. } | Event::Closing { .. }));
        }
    }
    let mut client = Client::connect(&clients).await;
    client.send(b"still here").await;
    client.accepted(0).await;
}

#[tokio::test]
async fn stopping_is_announced() {
    let clients = start(&FakeNode::new()).await;
    let mut client = Client::connect(&clients).await;
    clients.stop().await;
    client.closed_as(Code::ShuttingDown).await;
}

//! The HTTP interface, with correct and faulty clients.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use quorate_node::client::Clients;
use serde_json::{Value, json};
use support::{FakeNode, MAX_TRANSACTION, start, transaction_id};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// An HTTP response.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }

    fn refused_as(&self, status: u16, code: &str) {
        assert_eq!((self.status, &self.json()["code"]), (status, &json!(code)), "{}", self.body);
        assert!(self.json()["message"].as_str().unwrap().len() > 10);
    }
}

async fn connect(clients: &Clients) -> TcpStream {
    TcpStream::connect(clients.http_address().unwrap()).await.unwrap()
}

/// Sends raw bytes and reads until the server closes the connection.
async fn exchange(clients: &Clients, request: &[u8]) -> Answer {
    let mut stream = connect(clients).await;
    // The server may answer and close before it has read all bytes.
    let _ = stream.write_all(request).await;
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all).await;
    let text = String::from_utf8(all).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_lowercase(), body: body.into() }
}

async fn get(clients: &Clients, path: &str) -> Answer {
    exchange(clients, format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes()).await
}

async fn post(clients: &Clients, headers: &str, body: &[u8]) -> Answer {
    let mut request = format!(
        "POST /v1/transactions HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    exchange(clients, &request).await
}

const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn transactions_are_accepted_or_refused_with_a_code() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let accepted = post(&clients, "", b"hello").await;
    assert_eq!(
        (accepted.status, &accepted.json()["id"]),
        (202, &json!(transaction_id(b"hello").to_string()))
    );
    post(&clients, "", b"").await.refused_as(400, "EMPTY");
    post(&clients, "", b"bad").await.refused_as(422, "REJECTED");
    post(&clients, "", &[7; MAX_TRANSACTION + 1]).await.refused_as(413, "TOO_LARGE");
    fake_node.busy.store(true, Ordering::Relaxed);
    let busy = post(&clients, "", b"hello").await;
    busy.refused_as(429, "BUSY");
    assert!(busy.head.contains("retry-after: 1"), "{}", busy.head);
    assert_eq!(busy.json()["retry_after_ms"], json!(5));
    assert_eq!(fake_node.accepted(), 1);
}

#[tokio::test]
async fn each_transaction_of_a_list_has_its_own_outcome() {
    let clients = start(&FakeNode::new()).await;
    let body = json!([hex::encode("one"), hex::encode("bad"), ""]).to_string();
    let answer = post(&clients, JSON, body.as_bytes()).await;
    assert_eq!(answer.status, 202);
    let outcomes = answer.json();
    assert_eq!(outcomes[0]["id"], json!(transaction_id(b"one").to_string()));
    assert_eq!(outcomes[1]["code"], json!("REJECTED"));
    assert_eq!(outcomes[2]["code"], json!("EMPTY"));
    for wrong in ["", "{}", "[1]", "[\"xyz\"]", "[\"abc\"]", "[[[[[[", "\u{0}"] {
        post(&clients, JSON, wrong.as_bytes()).await.refused_as(400, "BAD_REQUEST");
    }
    let too_many = format!("[{}\"\"]", "\"\",".repeat(3000));
    assert_eq!(post(&clients, JSON, too_many.as_bytes()).await.json().as_array().unwrap().len(), 3001);
}

#[tokio::test]
async fn bodies_above_the_limit_are_refused() {
    let clients = start(&FakeNode::new()).await;
    post(&clients, "", &[7; 20_000]).await.refused_as(413, "BODY_TOO_LARGE");
    let claims = b"POST /v1/transactions HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\nab";
    exchange(&clients, claims).await.refused_as(413, "BODY_TOO_LARGE");
    let mut chunked =
        b"POST /v1/transactions HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..20 {
        chunked.extend_from_slice(b"400\r\n");
        chunked.extend_from_slice(&[7; 1024]);
        chunked.extend_from_slice(b"\r\n");
    }
    exchange(&clients, &chunked).await.refused_as(413, "BODY_TOO_LARGE");
}

#[tokio::test]
async fn invalid_paths_methods_and_parameters_are_refused() {
    let clients = start(&FakeNode::new()).await;
    get(&clients, "/v1/nothing").await.refused_as(404, "NOT_FOUND");
    get(&clients, "/v1/transactions").await.refused_as(405, "METHOD_NOT_ALLOWED");
    exchange(&clients, b"DELETE /v1/status HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await
        .refused_as(405, "METHOD_NOT_ALLOWED");
    let id = transaction_id(b"x");
    for path in [
        "/v1/transactions/xyz".to_owned(),
        format!("/v1/transactions/{id}00"),
        format!("/v1/transactions/{id}?wait=-1"),
        format!("/v1/transactions/{id}?wait=NaN"),
        format!("/v1/transactions/{id}?wait=1e300"),
        format!("/v1/transactions/{id}?wiat=1"),
        "/v1/blocks/-1".into(),
        "/v1/blocks/99999999999999999999999".into(),
        "/v1/blocks?limit=1001".into(),
        "/v1/ledger/zz?encoding=hex".into(),
        format!("/v1/ledger/{}", "k".repeat(1025)),
    ] {
        get(&clients, &path).await.refused_as(400, "BAD_REQUEST");
    }
    for path in [format!("/v1/transactions/{id}"), "/v1/blocks/1".into()] {
        get(&clients, &path).await.refused_as(404, "NOT_FOUND");
    }
}

#[tokio::test]
async fn garbage_does_not_affect_other_clients() {
    let clients = start(&FakeNode::new()).await;
    let garbage: [&[u8]; 5] = [
        b"\0\xff\x16\x03\x01garbage\r\n\r\n",
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"",
    ];
    for bytes in garbage {
        let mut stream = connect(&clients).await;
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(
            answer.is_empty() || answer.starts_with(b"HTTP/1.1 4"),
            "{:?}",
            String::from_utf8_lossy(&answer)
        );
    }
    let endless_head = [b"GET / HTTP/1.1\r\n".to_vec(), b"x: y\r\n".repeat(100_000)].concat();
    let answer = exchange(&clients, &endless_head).await;
    assert!(answer.status == 431 || answer.status == 0, "{}", answer.status);
    assert_eq!(get(&clients, "/v1/status").await.json()["view"], json!(7));
}

#[tokio::test]
async fn a_web_page_of_another_site_cannot_submit() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    post(&clients, "origin: https://evil.example\r\n", b"hello").await.refused_as(403, "FOREIGN_ORIGIN");
    post(&clients, "origin: null\r\n", b"hello").await.refused_as(403, "FOREIGN_ORIGIN");
    assert_eq!(fake_node.accepted(), 0);
    assert_eq!(post(&clients, "origin: http://x\r\n", b"hello").await.status, 202);
}

#[tokio::test]
async fn waiting_for_a_commit_ends_with_it() {
    let fake_node = FakeNode::new();
    let clients = Arc::new(start(&fake_node).await);
    assert_eq!(post(&clients, "", b"hello").await.status, 202);
    let path = format!("/v1/transactions/{}?wait=30", transaction_id(b"hello"));
    let waiting = tokio::spawn({
        let clients = clients.clone();
        async move { get(&clients, &path).await }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    fake_node.commit(vec![0]);
    let found = waiting.await.unwrap();
    assert_eq!((found.status, &found.json()["transaction"]), (200, &json!(hex::encode("hello"))));
    let unknown = format!("/v1/transactions/{}?wait=0.01", transaction_id(b"other"));
    get(&clients, &unknown).await.refused_as(404, "NOT_FOUND");
}

#[tokio::test]
async fn read_requests_return_their_resources() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    (0..5).for_each(|_| fake_node.commit(vec![]));
    let epochs = get(&clients, "/v1/epochs").await.json();
    let epochs = epochs["epochs"].as_array().unwrap();
    assert_eq!((epochs.len(), &epochs[0]["block"], &epochs[2]["payload"]), (3, &json!(null), &json!("62")));
    assert_eq!(get(&clients, "/v1/epochs?from=2").await.json()["epochs"][0]["first_height"], json!(21));
    assert_eq!(get(&clients, "/v1/epochs?from=3").await.json(), json!({ "epochs": [] }));
    get(&clients, "/v1/epochs?from=x").await.refused_as(400, "BAD_REQUEST");
    assert_eq!(get(&clients, "/v1/blocks/3").await.json()["signers"], json!([0, 1, 3]));
    let proof = get(&clients, "/v1/blocks/3/proof").await.json();
    assert_eq!(proof, json!({ "height": 3, "block": "62", "finality": "62" }));
    for missing in ["/v1/blocks/0/proof", "/v1/blocks/99999999/proof"] {
        assert_eq!(get(&clients, missing).await.status, 404, "{missing}");
    }
    let listed = get(&clients, "/v1/blocks?from=4&limit=9").await.json();
    let heights: Vec<u64> =
        listed.as_array().unwrap().iter().map(|b| b["height"].as_u64().unwrap()).collect();
    assert_eq!(heights, [4, 5]);
    let zero = get(&clients, "/v1/blocks?from=0&limit=1").await.json();
    assert_eq!(zero[0]["height"], json!(1));
    assert_eq!(get(&clients, "/v1/ledger/a%20b").await.json()["value"], json!(hex::encode("a b")));
    assert_eq!(get(&clients, "/v1/ledger/00ff?encoding=hex").await.json()["value"], json!("00ff"));
    let absent = get(&clients, "/v1/ledger/nothing").await;
    assert_eq!((absent.status, &absent.json()["value"]), (200, &Value::Null));
    assert_eq!(absent.json()["proof"], json!(hex::encode("p")));
    let genesis = get(&clients, "/v1/genesis").await.body;
    assert_eq!(quorate_node::genesis::Genesis::parse(&genesis).unwrap(), support::genesis());
    assert!(get(&clients, "/").await.body.contains("/v1/commits"));
    assert_eq!(get(&clients, "/v1/validators").await.status, 200);
    let metrics = get(&clients, "/metrics").await.body;
    assert!(metrics.contains("quorate_client_requests_total{code=\"blocks\"} 6"), "{metrics}");
    assert!(metrics.ends_with("# EOF\n"));
    let status = get(&clients, "/v1/status").await.json();
    assert_eq!(status["stream"], json!(clients.stream_address().unwrap()));
}

#[tokio::test]
async fn pruned_blocks_are_refused_with_the_oldest_height() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    post(&clients, "", b"hello").await;
    (0..9).for_each(|_| fake_node.commit(vec![]));
    fake_node.oldest.store(4, Ordering::Relaxed);
    let id = transaction_id(b"hello");
    let transaction = format!("/v1/transactions/{id}");
    for path in ["/v1/blocks/3", "/v1/blocks/1/proof", "/v1/blocks?from=2", "/v1/blocks?from=0", &transaction]
    {
        let answer = get(&clients, path).await;
        answer.refused_as(410, "PRUNED");
        assert!(answer.json()["message"].as_str().unwrap().contains("from height 4 on"), "{}", answer.body);
    }
    assert_eq!(get(&clients, "/v1/blocks/4").await.json()["height"], json!(4));
    // A list begins with the oldest block.
    assert_eq!(get(&clients, "/v1/blocks?limit=1").await.json()[0]["height"], json!(4));
    assert_eq!(get(&clients, "/v1/status").await.json()["oldest_height"], json!(4));
}

#[tokio::test]
async fn pieces_of_a_snapshot_are_bytes() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    get(&clients, "/v1/snapshot").await.refused_as(404, "NOT_FOUND");
    fake_node.commit(vec![]);
    let preparing = get(&clients, "/v1/snapshot").await;
    preparing.refused_as(503, "SNAPSHOT_PREPARING");
    assert_eq!(preparing.json()["retry_after_ms"], json!(1000));
    fake_node.commit(vec![]);
    let view = get(&clients, "/v1/snapshot").await.json();
    assert_eq!((&view["height"], &view["parts"], &view["first_block"]), (&json!(20), &json!(2), &json!(5)));
    assert_eq!(view["state_root"], json!("03".repeat(32)));
    for (path, body) in [("head", "head"), ("blocks/5", "block"), ("parts/1", "\0part")] {
        let answer = get(&clients, &format!("/v1/snapshot/20/{path}")).await;
        assert_eq!((answer.status, answer.body.as_str()), (200, body), "{path}");
    }
    get(&clients, "/v1/snapshot/19/head").await.refused_as(410, "SNAPSHOT_GONE");
    get(&clients, "/v1/snapshot/20/parts/2").await.refused_as(404, "NOT_FOUND");
    for path in ["20/parts/x", "20/parts/4294967296", "x/head", "20/blocks/-1"] {
        get(&clients, &format!("/v1/snapshot/{path}")).await.refused_as(400, "BAD_REQUEST");
    }
}

#[tokio::test]
async fn health_gives_the_reason_if_not_ready() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    assert_eq!(get(&clients, "/health").await.status, 200);
    fake_node.syncing.store(true, Ordering::Relaxed);
    let ready = get(&clients, "/health/ready").await;
    assert_eq!((ready.status, &ready.json()["why"]), (503, &json!("catching up with the chain")));
    assert_eq!(get(&clients, "/health/live").await.status, 200);
}

#[tokio::test]
async fn internal_errors_are_not_disclosed() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    fake_node.broken.store(true, Ordering::Relaxed);
    let answer = get(&clients, "/v1/blocks/1").await;
    answer.refused_as(500, "INTERNAL");
    assert!(!answer.body.contains("secret"));
    assert!(
        get(&clients, "/metrics").await.body.contains("quorate_client_errors_total{code=\"INTERNAL\"} 1")
    );
}

async fn follow(clients: &Clients) -> BufReader<TcpStream> {
    let mut stream = connect(clients).await;
    stream.write_all(b"GET /v1/commits HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.contains("quorate commits") {
        line.clear();
        assert!(reader.read_line(&mut line).await.unwrap() > 0);
    }
    reader
}

#[tokio::test]
async fn commits_are_streamed() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut reader = follow(&clients).await;
    fake_node.commit(vec![7]);
    let mut line = String::new();
    while !line.starts_with("data: ") {
        line.clear();
        assert!(reader.read_line(&mut line).await.unwrap() > 0);
    }
    let event: Value = serde_json::from_str(&line["data: ".len()..]).unwrap();
    assert_eq!((&event["height"], &event["own_batches"]), (&json!(1), &json!([7])));
}

#[tokio::test]
async fn a_slow_reader_of_commits_is_disconnected() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut reader = follow(&clients).await;
    // Without a pause, so that the server cannot run in between and falls behind.
    (0..1000).for_each(|_| fake_node.commit(vec![]));
    let mut rest = String::new();
    tokio::time::timeout(Duration::from_secs(120), reader.read_to_string(&mut rest)).await.unwrap().unwrap();
    assert!(rest.contains("event: end"), "{rest}");
    assert!(rest.contains("TOO_SLOW"), "{rest}");
    assert_eq!(get(&clients, "/health").await.status, 200);
}

/// The paused clock advances to the next timer when all tasks are idle.
#[tokio::test(start_paused = true)]
async fn an_incomplete_request_times_out() {
    let clients = start(&FakeNode::new()).await;
    for unfinished in [&b""[..], b"GET /v1/status HTTP/1.1\r\nx: "] {
        let mut stream = connect(&clients).await;
        stream.write_all(unfinished).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"), "{answer:?}");
    }
    let body = b"POST /v1/transactions HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nab";
    exchange(&clients, body).await.refused_as(408, "TIMEOUT");
}

#[tokio::test]
async fn connections_above_the_limit_are_refused() {
    let clients = start(&FakeNode::new()).await;
    let mut held = Vec::new();
    for _ in 0..support::config().clients.max_connections {
        held.push(follow(&clients).await);
    }
    get(&clients, "/v1/status").await.refused_as(503, "TOO_MANY_CLIENTS");
    // Monitors see the node all the same.
    for path in ["/health", "/health/live", "/metrics"] {
        assert_eq!(get(&clients, path).await.status, 200, "{path}");
    }
    drop(held);
    let mut status = 503;
    let begin = Instant::now();
    while status != 200 {
        assert_eq!(status, 503);
        assert!(begin.elapsed() < Duration::from_secs(120), "closed connections make no room");
        tokio::time::sleep(Duration::from_millis(20)).await;
        status = get(&clients, "/v1/status").await.status;
    }
}

/// Six unfinished bodies want more memory than there is. It is free again when their clients are gone.
#[tokio::test]
async fn unfinished_bodies_use_a_bounded_amount_of_memory() {
    const BODY: usize = 16 << 20;
    let mut config = support::config();
    config.clients.max_body_bytes = BODY;
    let handle = quorate_node::handle::Handle::new(FakeNode::new());
    let clients = Arc::new(Clients::start(&config, handle, &support::genesis()).await.unwrap());
    let mut unfinished =
        format!("POST /v1/transactions HTTP/1.1\r\nhost: x\r\ncontent-length: {BODY}\r\n\r\n").into_bytes();
    unfinished.resize(unfinished.len() + BODY - 1, b'7');
    let unfinished = Arc::new(unfinished);
    let mut bodies = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let (clients, unfinished) = (clients.clone(), unfinished.clone());
        bodies.spawn(async move { exchange(&clients, &unfinished).await });
    }
    let refused = bodies.join_next().await.unwrap().unwrap();
    refused.refused_as(503, "TOO_MANY_CLIENTS");
    bodies.shutdown().await;
    let begin = Instant::now();
    while post(&clients, "", b"hello").await.status != 202 {
        assert!(begin.elapsed() < Duration::from_secs(120), "the memory is not free again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_node_without_a_quorum_is_not_ready() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    assert_eq!(get(&clients, "/health/ready").await.status, 200);
    *fake_node.reachable.lock().unwrap() =
        quorate_node::handle::Reachable { members: 2, of: 4, quorum: false };
    let answer = get(&clients, "/health/ready").await;
    assert_eq!((answer.status, &answer.json()["ready"]), (503, &json!(false)));
    assert_eq!(answer.json()["why"], json!("no quorum: 2 of 4 members are reachable"));
    assert_eq!(get(&clients, "/health/live").await.status, 200);
    assert_eq!(get(&clients, "/v1/status").await.json()["reachable"]["members"], json!(2));
}

#[tokio::test]
async fn paths_that_are_no_text_are_refused_with_a_code() {
    let clients = start(&FakeNode::new()).await;
    for path in ["/v1/transactions/%ff", "/v1/blocks/%ff", "/v1/ledger/%ff"] {
        get(&clients, path).await.refused_as(400, "BAD_REQUEST");
    }
}

#[tokio::test]
async fn stopping_ends_open_requests() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut reader = follow(&clients).await;
    let address = clients.http_address().unwrap();
    clients.stop().await;
    let mut rest = String::new();
    reader.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("SHUTTING_DOWN"), "{rest}");
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn the_error_for_a_port_in_use_names_it() {
    let fake_node = FakeNode::new();
    let clients = start(&fake_node).await;
    let mut config = support::config();
    config.clients.http = clients.http_address().unwrap().to_string();
    let handle = quorate_node::handle::Handle::new(fake_node.clone());
    let error = Clients::start(&config, handle, &support::genesis()).await.unwrap_err();
    assert_eq!(error.code(), "BIND");
    assert!(error.to_string().contains(&config.clients.http));
}

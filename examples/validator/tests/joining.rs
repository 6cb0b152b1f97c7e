//! Validators that join from a snapshot of running ones, of which one lies: real processes.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![allow(clippy::ptr_arg, reason = "all lies have one type")]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use support::chain::{Chain, FOUNDERS};
use support::{eventually, get};

/// Number of blocks between two snapshots of a chain whose blocks are slow.
const OFTEN: u64 = 16;
/// The same for one whose blocks are fast: a snapshot must last until it is fetched.
const SELDOM: u64 = 128;

/// A server between a client and a validator, which changes the answers.
struct Proxy {
    address: String,
    /// Number of requests for pieces.
    pieces: Arc<AtomicU32>,
}

/// What a proxy makes of an answer: its head and its body.
type Lie = fn(path: &str, head: &mut Vec<u8>, body: &mut Vec<u8>);

impl Proxy {
    fn start(validator: &str, lie: Lie) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let pieces = Arc::new(AtomicU32::new(0));
        let (validator, counter) = (validator.strip_prefix("http://").unwrap().to_owned(), pieces.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (validator, counter) = (validator.clone(), counter.clone());
                std::thread::spawn(move || answer(client.unwrap(), &validator, lie, &counter));
            }
        });
        Self { address, pieces }
    }
}

fn answer(mut client: TcpStream, validator: &str, lie: Lie, pieces: &AtomicU32) -> Option<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        client.read_exact(&mut byte).ok()?;
        request.push(byte[0]);
    }
    let path = String::from_utf8_lossy(&request).split(' ').nth(1)?.to_owned();
    if path.contains("/parts/") || path.contains("/blocks/") {
        pieces.fetch_add(1, Ordering::Relaxed);
    }
    let mut server = TcpStream::connect(validator).ok()?;
    server.write_all(&request).ok()?;
    let mut response = Vec::new();
    server.read_to_end(&mut response).ok()?;
    let at = response.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let mut body = response.split_off(at);
    let length = body.len();
    lie(&path, &mut response, &mut body);
    if body.len() != length {
        // The lie is in the body, not in its length.
        let head = String::from_utf8_lossy(&response)
            .replace(&format!("content-length: {length}"), &format!("content-length: {}", body.len()));
        response = head.into_bytes();
    }
    client.write_all(&response).ok()?;
    client.write_all(&body).ok()
}

fn honest(_: &str, _: &mut Vec<u8>, _: &mut Vec<u8>) {}

/// The last byte is that of a value.
fn other_value(path: &str, _: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/parts/") {
        *body.last_mut().unwrap() ^= 1;
    }
}

fn truncated(path: &str, _: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/parts/") {
        body.pop();
    }
}

fn oversized(path: &str, _: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/parts/") {
        body.resize(3 << 20, 0);
    }
}

fn other_block(path: &str, _: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/blocks/") {
        let middle = body.len() / 2;
        body[middle] ^= 1;
    }
}

/// The server has released its snapshot when its first part is asked for.
fn gone(path: &str, head: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/parts/") {
        *body = br#"{"code":"SNAPSHOT_GONE","message":"gone"}"#.to_vec();
        *head = format!("HTTP/1.1 410 Gone\r\ncontent-length: {}\r\n\r\n", body.len()).into_bytes();
    }
}

/// The body never ends.
fn endless(path: &str, head: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/parts/") {
        *head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        *body = vec![0; 64 << 20];
    }
}

fn other_head(path: &str, _: &mut Vec<u8>, body: &mut Vec<u8>) {
    if path.contains("/head") {
        // In the outline, which ends the head.
        *body.last_mut().unwrap() ^= 1;
    }
}

/// Configures a validator that prunes and has snapshots.
fn configure(chain: &Chain, name: &str, every: u64) {
    let config = chain.sandbox.read(&format!("{name}/config.toml"));
    let archive = format!("[archive]\nsnapshot_every = {every}\nprune = 1024\n");
    chain.sandbox.write(&format!("{name}/config.toml"), config + &archive);
}

/// Waits until a validator has a snapshot that is prepared, from a height on.
fn wait_for_snapshot(chain: &Chain, name: &str, from: u64) -> u64 {
    let mut height = 0;
    eventually(&format!("a snapshot of {name}"), || {
        let answer = get(&chain.node(name), "/v1/snapshot");
        let body = answer.split("\r\n\r\n").nth(1).unwrap_or_default();
        let view: Value = serde_json::from_str(body).unwrap_or_default();
        height = view["height"].as_u64().unwrap_or(0);
        height >= from
    });
    height
}

/// The height of a validator that runs.
fn height(chain: &Chain, name: &str) -> u64 {
    let mut height = None;
    eventually(&format!("{name} answers"), || {
        height = chain.status(name).and_then(|status| status["height"].as_u64());
        height.is_some()
    });
    height.unwrap()
}

fn join<'a>(name: &'a str, config: &'a str, from: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["join", "--json", "--config", config];
    from.iter().for_each(|server| arguments.extend(["--from", server]));
    assert!(config.starts_with(name));
    arguments
}

#[test]
fn a_new_member_joins_from_two_servers_of_which_one_lies() {
    let mut chain = Chain::new("gosig");
    FOUNDERS.iter().for_each(|name| configure(&chain, name, OFTEN));
    FOUNDERS.iter().for_each(|name| chain.start(name));
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 0));
    chain.commit("alice", "put first of-epoch-0");

    // The committee changes before the snapshot.
    chain.keys("erin");
    chain.configure("erin", "observe = true\n");
    configure(&chain, "erin", OFTEN);
    chain.ok("alice", &["member", "join", "erin/public.toml", "--out", "erin.toml"]);
    for who in ["alice", "bob", "carol"] {
        chain.ok("alice", &["member", "allow", "erin.toml", "--keys", &format!("{who}/keys"), "--yes"]);
    }
    chain.ok("alice", &["member", "submit", "erin.toml"]);
    FOUNDERS.iter().for_each(|name| chain.wait_for_membership(name, 1));
    let changed = height(&chain, "alice");

    let load = ["bench", "--genesis", "genesis.toml", "--rate", "50", "--duration", "600"];
    let load = chain.sandbox.start(&[&load[..], &["--node", &chain.node("alice")]].concat());
    chain.commit("bob", "put second of-epoch-1");
    let snapshot = wait_for_snapshot(&chain, "alice", changed + 16);
    wait_for_snapshot(&chain, "bob", snapshot);

    // Each server but one lies in another way: it is named, and the pieces come from the honest one.
    let alice = chain.node("alice");
    for (lie, problem) in [
        (other_head as Lie, "the head of its snapshot"),
        (other_block, "block "),
        (truncated, "part 0"),
        (oversized, "longer than 2097152 bytes"),
        (endless, "longer than 2097152 bytes"),
    ] {
        let liar = Proxy::start(&chain.node("bob"), lie);
        let done = chain.sandbox.run(&join("erin", "erin/config.toml", &[&liar.address, &alice]));
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert!(
            done.stderr.contains("is not asked again") && done.stderr.contains(problem),
            "{}",
            done.stderr
        );
        std::fs::remove_dir_all(chain.sandbox.path("erin/data")).unwrap();
    }
    let liar = Proxy::start(&chain.node("bob"), other_value);
    let alone = join("erin", "erin/config.toml", &[&liar.address]);
    chain.sandbox.fails(7, "every server with a snapshot sent a wrong piece", &alone);
    assert!(!chain.sandbox.path("erin/data").exists(), "nothing looks complete");
    // A released snapshot is no lie: the other server delivers, or a newer snapshot is tried.
    let releasing = Proxy::start(&chain.node("bob"), gone);
    let alone = join("erin", "erin/config.toml", &[&releasing.address]);
    chain.sandbox.fails(1, "release their snapshots faster than they are fetched", &alone);
    let done = chain.sandbox.run(&join("erin", "erin/config.toml", &[&releasing.address, &alice]));
    assert!(done.code == 0 && !done.stderr.contains("not asked again"), "{}", done.stderr);
    std::fs::remove_dir_all(chain.sandbox.path("erin/data")).unwrap();
    let none = Proxy::start(&chain.node("bob"), |path, head, _| {
        if path == "/v1/snapshot" {
            *head = b"HTTP/1.1 500 x\r\n\r\n".to_vec();
        }
    });
    chain.sandbox.fails(4, "no server is left", &join("erin", "erin/config.toml", &[&none.address]));

    let done = chain.sandbox.run(&join("erin", "erin/config.toml", &[&liar.address, &alice]));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let report: Value = serde_json::from_str(done.stdout.trim()).unwrap();
    let problem = report["servers"][0]["problem"].as_str().unwrap();
    assert!(problem.contains("wrong piece: part"), "{report}");
    let joined = report["height"].as_u64().unwrap();
    assert!(joined >= snapshot && report["servers"][1]["problem"].is_null(), "{report}");
    chain.sandbox.fails(3, "has data", &join("erin", "erin/config.toml", &[&alice]));

    chain.start("erin");
    chain.wait_for_membership("erin", 1);
    let now = height(&chain, "alice");
    eventually("erin catches up", || height(&chain, "erin") >= now);
    let oldest = chain.status("erin").unwrap()["oldest_height"].as_u64().unwrap();
    assert!(oldest <= joined && (oldest > 1 || joined <= 64), "{oldest}");
    drop(load);
    chain.commit("erin", "put third of-erin");
    assert!(chain.ok("erin", &["get", "--key", "second"]).contains("of-epoch-1"));
    chain.compare_states();
    // It restarts like any other, and serves the epochs with their proofs.
    chain.kill("erin");
    chain.start("erin");
    chain.wait_for_membership("erin", 1);
    assert_eq!(chain.ok("erin", &["member", "list"]), chain.ok("alice", &["member", "list"]));
    assert!(chain.ok("erin", &["get", "--key", "first"]).contains("of-epoch-0"));
    chain.compare_states();
}

#[test]
fn a_download_survives_kills_and_a_founder_may_start_late() {
    let mut chain = Chain::new("abft");
    FOUNDERS.iter().for_each(|name| configure(&chain, name, SELDOM));
    for name in ["alice", "bob", "carol"] {
        chain.start(name);
    }
    chain.wait_for_membership("alice", 0);
    chain.commit("alice", "put first yes");
    let load = ["bench", "--genesis", "genesis.toml", "--rate", "200", "--duration", "600"];
    let load = chain.sandbox.start(&[&load[..], &["--node", &chain.node("alice")]].concat());
    // The joined validator lacks blocks that its peers have.
    wait_for_snapshot(&chain, "alice", 3 * SELDOM);
    wait_for_snapshot(&chain, "bob", 3 * SELDOM);
    let (alice, proxy) = (chain.node("alice"), Proxy::start(&chain.node("bob"), honest));
    let arguments = join("dave", "dave/config.toml", &[&proxy.address, &alice]);

    // Killed after a growing number of pieces, it continues.
    for kill_at in [1, 3, 9, 20] {
        let before = proxy.pieces.load(Ordering::Relaxed);
        let mut running = chain.sandbox.start(&arguments);
        eventually("pieces arrive", || {
            proxy.pieces.load(Ordering::Relaxed) >= before + kill_at
                || running.child.try_wait().unwrap().is_some()
        });
        running.signal("KILL");
        drop(running);
        if chain.sandbox.path("dave/data").exists() {
            break;
        }
    }
    if !chain.sandbox.path("dave/data").exists() {
        let done = chain.sandbox.run(&arguments);
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    assert!(!chain.sandbox.path("dave/data.joining").exists());

    // The key may have signed before, and an ABFT validator does not abstain: the operator must say that it has not.
    let refused = chain.sandbox.run(&["run", "--config", "dave/config.toml"]);
    assert_eq!(refused.code, 13, "{}", refused.stderr);
    chain.start_with("dave", |command| {
        command.arg("--new-validator");
    });
    let now = height(&chain, "alice");
    eventually("dave catches up", || height(&chain, "dave") >= now);
    drop(load);
    // The others need it for a quorum.
    chain.kill("carol");
    let submit = chain.ask("dave", &["submit", "--wait=120", "put second yes"]);
    let submit: Vec<&str> = submit.iter().map(String::as_str).collect();
    // It is busy until it has executed what it fetched.
    eventually("dave commits a transaction", || chain.sandbox.run(&submit).code == 0);
    assert!(chain.ok("dave", &["get", "--key", "first"]).contains("yes"));
    chain.compare_states();
    chain.kill("dave");
    chain.start("dave");
    chain.wait_for_membership("dave", 0);
    chain.commit("dave", "put third yes");
}

#[test]
fn no_snapshot_is_an_error_that_says_what_to_do() {
    let mut chain = Chain::new("gosig");
    FOUNDERS.iter().take(3).for_each(|name| chain.start(name));
    chain.wait_for_membership("alice", 0);
    chain.commit("alice", "put first yes");
    let alice = chain.node("alice");
    let arguments = join("dave", "dave/config.toml", &[&alice]);
    chain.sandbox.fails(6, "the chain is shorter than the interval between two", &arguments);
    let config = chain.sandbox.read("dave/config.toml");
    chain.sandbox.write("dave/config.toml", format!("{config}[archive]\nsnapshot_every = 1\n"));
    chain.sandbox.fails(3, "archive.snapshot_every is 1", &arguments);

    let jolteon = Chain::new("jolteon");
    let arguments = join("dave", "dave/config.toml", &["http://127.0.0.1:1"]);
    jolteon.sandbox.fails(3, "a jolteon validator cannot start from a snapshot", &arguments);
}

/// Prints how long a fourth validator needs to join from a snapshot of a ledger with many keys, and how long to execute all
/// blocks: `KEYS=1000000 cargo test --release -p quorate-validator --test joining -- --ignored --nocapture many_keys`.
#[test]
#[ignore = "a measurement"]
fn many_keys() {
    let keys: u64 = std::env::var("KEYS").map_or(1_000_000, |keys| keys.parse().unwrap());
    let rate = 5_000;
    let mut chain = Chain::new("abft");
    FOUNDERS.iter().for_each(|name| {
        let config = chain.sandbox.read(&format!("{name}/config.toml"));
        chain
            .sandbox
            .write(&format!("{name}/config.toml"), format!("{config}[archive]\nsnapshot_every = 64\n"));
    });
    ["alice", "bob", "carol"].iter().for_each(|name| chain.start(name));
    chain.wait_for_membership("alice", 0);
    let puts: Vec<String> = (0..keys).map(|n| format!("put key-{n:09} {n:0>64}\n")).collect();
    chain.sandbox.write("puts", puts.concat());
    let (rate, seconds) = (rate.to_string(), (keys / rate + 5).to_string());
    let load = ["bench", "--transactions", "puts", "--rate", &rate, "--duration", &seconds, "--drain", "60"];
    chain.ok("alice", &load);
    let loaded = height(&chain, "alice");
    let trickle = ["bench", "--genesis", "genesis.toml", "--rate", "20", "--duration", "3000"];
    let trickle = chain.sandbox.start(&[&trickle[..], &["--node", &chain.node("alice")]].concat());
    let prepared = std::time::Instant::now();
    wait_for_snapshot(&chain, "alice", loaded);
    println!("snapshot after {:.1} s of waiting", prepared.elapsed().as_secs_f64());
    wait_for_snapshot(&chain, "bob", loaded);
    let (alice, bob) = (chain.node("alice"), chain.node("bob"));
    let done = chain.sandbox.run(&join("dave", "dave/config.toml", &[&alice, &bob]));
    assert_eq!(done.code, 0, "{}", done.stderr);
    println!("join: {}", done.stdout.trim());
    let caught_up = |chain: &mut Chain, what: &str| {
        let begin = std::time::Instant::now();
        let is_joined = chain.sandbox.path("dave/data").exists();
        chain.start_with("dave", |command| {
            // Without data, it is added already.
            command.args(is_joined.then_some("--new-validator"));
        });
        let target = height(chain, "alice");
        while chain.status("dave").and_then(|status| status["height"].as_u64()).unwrap_or(0) < target {
            assert!(begin.elapsed().as_secs() < 1200);
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        println!("{what}: at height {target} after {:.1} s", begin.elapsed().as_secs_f64());
        chain.kill("dave");
    };
    let data = |name: &str| chain.sandbox.path(&format!("dave/{name}"));
    let (own, joined) = (data("data"), data("joined"));
    std::fs::rename(&own, &joined).unwrap();
    caught_up(&mut chain, "all blocks");
    std::fs::remove_dir_all(&own).unwrap();
    std::fs::rename(&joined, &own).unwrap();
    caught_up(&mut chain, "start of the joined directory");
    drop(trickle);
}

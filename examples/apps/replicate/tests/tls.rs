//! Replicas that are connected over TCP and TLS, as between hosts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use quorate_replicate::node::client::Client;
use quorate_replicate::node::group::{self, Group};
use quorate_support::ports;

const PROGRAM: &str = env!("CARGO_BIN_EXE_replicate");
const LIMIT: Duration = Duration::from_secs(60);

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Creates a group with these addresses.
fn init(out: &Path, addresses: &str) {
    let made =
        Command::new(PROGRAM).args(["init", "--listen", addresses, "--out"]).arg(out).output().unwrap();
    assert!(made.status.success(), "{made:?}");
}

fn start(folder: &Path, i: usize) -> Process {
    let path = |name: String| -> PathBuf { folder.join(name) };
    let child = Command::new(PROGRAM)
        .args(["run", "--json", "--sync", "kill", "--suspect", "400", "--group"])
        .arg(path("group.toml".into()))
        .arg("--key")
        .arg(path(format!("replica{i}.key")))
        .arg("--data")
        .arg(path(format!("replica{i}")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    Process(child)
}

/// Connects when enough replicas listen.
fn client(folder: &Path) -> Client {
    let group = Group::load(&folder.join("group.toml")).unwrap();
    let began = Instant::now();
    loop {
        match Client::connect(&group, group::load(&folder.join("client0.key")).unwrap()) {
            Ok(client) => return client,
            Err(failure) => assert!(began.elapsed() < LIMIT, "{failure}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn add(client: &mut Client, number: u64) -> u64 {
    u64::from_le_bytes(client.call(number.to_le_bytes(), LIMIT).unwrap().answer)
}

#[test]
fn a_group_over_tls_survives_a_kill_of_its_leader_and_ignores_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let held: Vec<_> = (0..4).map(|_| ports::reserve().unwrap()).collect();
    let addresses: Vec<_> = held.iter().map(|held| held.local_addr().unwrap().to_string()).collect();
    init(folder, &addresses.join(","));
    drop(held);
    let mut replicas: Vec<_> = (0..4).map(|i| start(folder, i)).collect();
    let mut accounts = client(folder);
    assert_eq!(add(&mut accounts, 5), 5);
    // Strangers: bytes that are no TLS, and the client of a group with the same addresses and other keys.
    let strangers: Vec<_> = addresses.iter().map(|address| TcpStream::connect(address).unwrap()).collect();
    strangers.iter().for_each(|mut stranger| drop(stranger.write_all(&[0x16; 4096])));
    let other = folder.join("other");
    init(&other, &addresses.join(","));
    let refused = Client::connect(
        &Group::load(&other.join("group.toml")).unwrap(),
        group::load(&other.join("client0.key")).unwrap(),
    );
    assert!(refused.is_err(), "replicas of another group");
    assert_eq!(add(&mut accounts, 7), 12);
    // The leader.
    replicas.remove(0);
    assert_eq!(add(&mut accounts, 1), 13);
    replicas.push(start(folder, 0));
    assert_eq!(add(&mut accounts, 2), 15);
    // The restarted replica takes the place of another one.
    replicas.remove(0);
    assert_eq!(add(&mut accounts, 3), 18);
}

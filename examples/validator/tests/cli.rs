//! Tests of keys, genesis files and single validators, with invalid input of every kind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use support::{Bench, eventually};

/// Returns two ports that were free a moment ago, below the ephemeral range.
fn ports() -> [u16; 3] {
    use std::hash::{BuildHasher, Hasher};
    let random = std::hash::RandomState::new().build_hasher().finish();
    let base = 10_000 + (random % 20_000) as u16;
    [base, base + 1, base + 2]
}

/// Creates the keys of validators and their genesis.
fn chain(bench: &Bench, names: &[&str], scheme: &str) {
    let [port, ..] = ports();
    let mut arguments = vec!["genesis".to_owned(), "--chain".into(), "test".into()];
    for (i, name) in names.iter().enumerate() {
        let address = format!("127.0.0.1:{}", port + 10 * i as u16);
        bench.ok(&["keygen", "--name", name, "--address", &address, "--scheme", scheme, "--out", name]);
        arguments.push(format!("{name}/public.toml"));
    }
    bench.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Writes a validator's configuration with unique addresses.
fn configure(bench: &Bench, name: &str, keys: &str, data: &str) -> String {
    let [link, http, stream] = ports();
    let config = format!(
        "[node]\ngenesis = 'genesis.toml'\nkeys = '{keys}'\ndata = '{data}'\n\
         [links]\nlisten = '127.0.0.1:{link}'\n\
         [clients]\nhttp = '127.0.0.1:{http}'\nstream = '127.0.0.1:{stream}'\n"
    );
    bench.write(name, config)
}

#[test]
fn help_teaches_and_unknown_flags_are_refused() {
    let bench = Bench::new();
    let help = bench.ok(&["--help"]);
    for word in
        ["testnet", "keygen", "genesis", "run", "member", "submit", "get", "status", "bench", "Exit codes"]
    {
        assert!(help.contains(word), "{word}");
    }
    for command in ["list", "join", "leave", "show", "allow", "submit"] {
        assert!(bench.ok(&["member", command, "--help"]).contains("quorate member"), "{command}");
        bench.fails(2, "--wrong", &["member", command, "--wrong"]);
    }
    for command in ["testnet", "keygen", "genesis", "submit", "get", "status", "bench", "run"] {
        assert!(bench.ok(&[command, "--help"]).contains("quorate "), "{command}");
        bench.fails(2, "--wrong", &[command, "--wrong"]);
    }
    bench.fails(2, "unrecognized subcommand", &["tesnet"]);
    bench.fails(2, "quorate", &[]);
}

#[test]
fn keys_are_private_and_never_overwritten() {
    let bench = Bench::new();
    let keygen = ["keygen", "--name", "a", "--address", "127.0.0.1:1", "--out", "a"];
    bench.ok(&keygen);
    let secret = bench.read("a/keys");
    assert_eq!(std::fs::metadata(bench.path("a/keys")).unwrap().permissions().mode() & 0o777, 0o600);
    bench.fails(3, "a/keys", &keygen);
    assert_eq!(bench.read("a/keys"), secret);
    let public = bench.read("a/public.toml");
    let secrets = secret.lines().filter(|line| line.starts_with("identity ") || line.starts_with("voting "));
    let secrets: Vec<&str> = secrets.filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(secrets.len(), 2);
    for word in secrets {
        assert!(!public.contains(word));
    }
    bench.fails(
        2,
        "known schemes: bls, ed25519",
        &["keygen", "--name", "b", "--address", "x:1", "--scheme", "rsa"],
    );
}

#[test]
fn a_genesis_with_wrong_keys_is_refused_by_name() {
    let bench = Bench::new();
    chain(&bench, &["alice", "bob"], "bls");
    let alice = bench.read("alice/public.toml");
    let bob = bench.read("bob/public.toml");
    let line = |file: &str, key: &str| file.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    let genesis = |file: &str| {
        ["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml", file].map(str::to_owned)
    };
    let refused = |says: &str, content: String| {
        let file = bench.write("other.toml", content);
        let arguments = genesis(&file);
        bench.fails(3, says, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
    };
    refused("have equal or negated identity keys", alice.replace("\"alice\"", "\"mallory\""));
    refused("named alice like an earlier member", alice.clone());
    let stolen = bob
        .replace(&line(&bob, "voting_key"), &line(&alice, "voting_key"))
        .replace(&line(&bob, "voting_possession"), &line(&alice, "voting_possession"));
    refused("alice", stolen);
    refused("bob", bob.replace(&line(&bob, "voting_possession"), &line(&alice, "voting_possession")));
    refused("bob", bob.replace(&line(&bob, "identity_possession"), &line(&alice, "identity_possession")));
    // The sign of a compressed point is a bit of its first byte: the key of minus the secret.
    let key = line(&alice, "voting_key");
    let first = u8::from_str_radix(&key.split('"').nth(1).unwrap()[..2], 16).unwrap();
    let negated = key.replacen(&format!("\"{first:02x}"), &format!("\"{:02x}", first ^ 0x20), 1);
    refused("mallory", alice.replace("\"alice\"", "\"mallory\"").replace(&key, &negated));
    refused("unknown field", format!("{bob}colour = 1\n"));
    refused("TOML", "not a public file".into());
    refused("cannot use", String::new());
    bench.fails(3, "weight 0", &["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml=0"]);
    bench.fails(
        2,
        "too large",
        &["genesis", "--chain", "x", &format!("alice/public.toml={}", "9".repeat(50))],
    );
    bench.fails(3, "missing.toml", &["genesis", "--chain", "x", "missing.toml"]);
    bench.fails(3, "genesis.toml", &["genesis", "--chain", "x", "alice/public.toml"]);
    bench.ok(&["keygen", "--name", "ed", "--address", "x:1", "--scheme", "ed25519", "--out", "ed"]);
    bench.fails(
        3,
        "same scheme",
        &["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml", "ed/public.toml"],
    );
    assert!(!bench.path("new.toml").exists());
    bench.ok(&["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml=3", "bob/public.toml"]);
}

#[test]
fn without_a_validator_clients_say_so() {
    let bench = Bench::new();
    for arguments in
        [vec!["status"], vec!["submit", "x"], vec!["get", "--key", "x", "--unverified"], vec!["bench"]]
    {
        bench.fails(4, "quorate testnet", &arguments);
    }
    let [port, ..] = ports();
    let node = format!("http://127.0.0.1:{port}");
    bench.fails(4, &node[7..], &["submit", "x", "--node", &node]);
    bench.fails(4, "no validator answers", &["status", "--node", &node]);
    bench.fails(2, "write it like", &["status", "--node", "localhost"]);
    bench.fails(2, "--genesis", &["get", "--key", "x", "--node", &node]);
    bench.fails(3, "nothing.toml", &["get", "--key", "x", "--genesis", "nothing.toml"]);
    bench.fails(2, "64 hexadecimal digits", &["get", "abc"]);
    bench.fails(2, "rate", &["bench", "--rate", "-1"]);
}

#[test]
fn what_is_no_validator_is_told_apart() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            use std::io::{Read, Write};
            let mut stream = stream;
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(b"SSH-2.0-OpenSSH\r\n\r\n");
        }
    });
    bench.fails(4, "no validator answers", &["status", "--node", &address]);
}

#[test]
fn a_validator_that_cannot_start_says_why() {
    let bench = Bench::new();
    chain(&bench, &["alice", "bob"], "bls");
    bench.fails(3, "nothing.toml", &["run", "--config", "nothing.toml"]);
    let unknown = bench.write("unknown.toml", "[node]\ngenesis='g'\nkeys='k'\ndata='d'\nspeed=1\n");
    bench.fails(3, "speed", &["run", "--config", &unknown]);
    let config = configure(&bench, "alice.toml", "alice/keys", "data");
    bench.fails(2, "log-level", &["run", "--config", &config, "--log-level", "=,=loud"]);

    let genesis = bench.read("genesis.toml");
    let keys: Vec<&str> = genesis.lines().filter(|line| line.starts_with("voting_key")).collect();
    bench.write("genesis.toml", genesis.replace(keys[1], keys[0]));
    bench.fails(3, "bob", &["run", "--config", &config]);
    bench.write("genesis.toml", &genesis);

    bench.ok(&["keygen", "--name", "carol", "--address", "x:1", "--out", "carol"]);
    let stranger = configure(&bench, "carol.toml", "carol/keys", "data");
    bench.fails(3, "belongs to no member", &["run", "--config", &stranger]);

    let open = bench.path("alice/keys");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o644)).unwrap();
    bench.fails(3, "alice/keys", &["run", "--config", &config]);
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o600)).unwrap();
    assert!(bench.ok(&["run", "--print-config"]).contains("# Configuration"));
}

/// Waits until a validator serves HTTP.
fn until_it_serves(bench: &Bench, config: &str) {
    let config = bench.read(config);
    let http = config.lines().find(|line| line.starts_with("http")).unwrap().split('\'').nth(1).unwrap();
    eventually("HTTP", || std::net::TcpStream::connect(http).is_ok());
}

#[test]
fn a_data_directory_belongs_to_one_chain_one_key_and_one_process() {
    let bench = Bench::new();
    chain(&bench, &["alice", "bob"], "bls");
    let alice = configure(&bench, "alice.toml", "alice/keys", "data");
    let running = bench.start(&["run", "--config", &alice]);
    until_it_serves(&bench, &alice);
    let second = configure(&bench, "second.toml", "alice/keys", "data");
    bench.fails(3, "another process uses", &["run", "--config", &second]);
    let http = bench.read(&alice);
    let http = http.lines().find(|line| line.starts_with("http")).unwrap();
    let clash = bench.read(&second).replace("'data'", "'data2'");
    let own = clash.lines().find(|line| line.starts_with("http")).unwrap().to_owned();
    let clash = bench.write("clash.toml", clash.replace(&own, http));
    bench.fails(10, "cannot listen on", &["run", "--config", &clash]);
    running.signal("TERM");
    let done = running.end();
    assert_eq!(done.code, 0, "{}", done.stderr);

    let bob = configure(&bench, "bob.toml", "bob/keys", "data");
    bench.fails(3, "belongs to another", &["run", "--config", &bob]);
    let genesis = bench.read("genesis.toml");
    bench.write("genesis.toml", genesis.replace("\"test\"", "\"another\""));
    bench.fails(3, "belongs to another chain", &["run", "--config", &alice]);
}

#[test]
fn a_validator_stops_with_its_parent_and_survives_kill_9() {
    let bench = Bench::new();
    chain(&bench, &["alice", "bob"], "ed25519");
    let config = configure(&bench, "alice.toml", "alice/keys", "data");
    for _ in 0..5 {
        let running = bench.start(&["run", "--config", &config]);
        until_it_serves(&bench, &config);
        running.signal("KILL");
        assert_eq!(running.end().code, -1);
    }
    let mut running = bench.start(&["run", "--config", &config, "--stop-with-stdin"]);
    until_it_serves(&bench, &config);
    drop(running.child.stdin.take());
    let done = running.end();
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("standard input ended"), "{}", done.stderr);
}

#[test]
fn of_two_nodes_with_one_key_one_stops_and_says_so() {
    let bench = Bench::new();
    chain(&bench, &["alice", "bob"], "bls");
    let genesis = bench.read("genesis.toml");
    let addresses: Vec<&str> = genesis
        .lines()
        .filter(|line| line.starts_with("address"))
        .map(|line| line.split('"').nth(1).unwrap())
        .collect();
    let at = |config: &str, address: &str| {
        let text = bench.read(config);
        let listen = text.lines().find(|line| line.starts_with("listen")).unwrap().to_owned();
        bench.write(config, text.replace(&listen, &format!("listen = '{address}'")));
    };
    let bob = configure(&bench, "bob.toml", "bob/keys", "bob-data");
    at(&bob, addresses[1]);
    let _bob = bench.start(&["run", "--config", &bob]);
    let first = configure(&bench, "first.toml", "alice/keys", "first-data");
    at(&first, addresses[0]);
    let first = bench.start(&["run", "--config", &first]);
    until_it_serves(&bench, "first.toml");
    until_it_serves(&bench, "bob.toml");
    let second = configure(&bench, "second.toml", "alice/keys", "second-data");
    let mut both = [first, bench.start(&["run", "--config", &second])];
    let mut ended = None;
    eventually("the end of one of them", || {
        ended = both.iter_mut().position(|node| node.child.try_wait().unwrap().is_some());
        ended.is_some()
    });
    let [first, second] = both;
    let done = if ended == Some(0) { first.end() } else { second.end() };
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert!(done.stderr.contains("uses this validator's identity key"), "{}", done.stderr);
}

#[test]
fn testnet_arguments_are_checked_before_anything_starts() {
    let bench = Bench::new();
    bench.fails(2, "there is no validator 9", &["testnet", "--kill", "9@1"]);
    bench.fails(2, "running already", &["testnet", "--restart", "1@1"]);
    bench.fails(2, "2@10", &["testnet", "--kill", "1"]);
    bench.fails(2, "at most", &["testnet", "--tx-size", "10000000"]);
    bench.fails(2, "nodes", &["testnet", "--nodes", "0"]);
    bench.fails(2, "known schemes: bls, ed25519", &["testnet", "--scheme", "rsa"]);
    bench.fails(3, "missing.txt", &["testnet", "--transactions", "missing.txt"]);
    bench.fails(2, "--transactions", &["testnet", "--repeat"]);
}

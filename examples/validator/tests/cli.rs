//! Tests of keys, genesis files and single validators, with invalid input of every kind.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use quorate::certificate::{Equivocation, Kind, Vote};
use quorate::ed25519::Ed25519;
use quorate_node::evidence::{EvidenceFolder, SignedTwice, SigningKey};
use quorate_node::genesis::Genesis;
use quorate_node::keys::NodeKeys;
use quorate_support::ports::{RANGE, free_block};
use support::{Sandbox, eventually};

/// Returns three free ports of 127.0.0.1.
fn ports() -> [u16; 3] {
    let first = free_block(RANGE, 3).unwrap();
    [first, first + 1, first + 2]
}

/// Creates the keys of validators and their genesis.
fn chain(sandbox: &Sandbox, names: &[&str], scheme: &str) {
    let [port, ..] = ports();
    let mut arguments = vec!["genesis".to_owned(), "--chain".into(), "test".into()];
    for (i, name) in names.iter().enumerate() {
        let address = format!("127.0.0.1:{}", port + 10 * i as u16);
        sandbox.ok(&["keygen", "--name", name, "--address", &address, "--scheme", scheme, "--out", name]);
        arguments.push(format!("{name}/public.toml"));
    }
    sandbox.ok(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Writes a validator's configuration with unique addresses.
fn configure(sandbox: &Sandbox, name: &str, keys: &str, data: &str) -> String {
    let [link, http, stream] = ports();
    let config = format!(
        "[node]\ngenesis = 'genesis.toml'\nkeys = '{keys}'\ndata = '{data}'\n\
         [links]\nlisten = '127.0.0.1:{link}'\n\
         [clients]\nhttp = '127.0.0.1:{http}'\nstream = '127.0.0.1:{stream}'\n"
    );
    sandbox.write(name, config)
}

#[test]
fn help_lists_commands_and_unknown_flags_are_refused() {
    let sandbox = Sandbox::new();
    let help = sandbox.ok(&["--help"]);
    for word in [
        "testnet",
        "keygen",
        "genesis",
        "run",
        "doctor",
        "member",
        "submit",
        "get",
        "status",
        "bench",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word}");
    }
    for command in ["show", "import", "export", "backup"] {
        assert!(sandbox.ok(&["key", command, "--help"]).contains("quorate key"), "{command}");
        sandbox.fails(2, "--wrong", &["key", command, "--wrong"]);
    }
    for command in ["list", "join", "leave", "show", "allow", "submit"] {
        assert!(sandbox.ok(&["member", command, "--help"]).contains("quorate member"), "{command}");
        sandbox.fails(2, "--wrong", &["member", command, "--wrong"]);
    }
    for command in [
        "testnet", "keygen", "genesis", "submit", "get", "export", "verify", "status", "bench", "run",
        "doctor", "evidence", "explain",
    ] {
        assert!(sandbox.ok(&[command, "--help"]).contains("quorate "), "{command}");
        sandbox.fails(2, "--wrong", &[command, "--wrong"]);
    }
    sandbox.fails(2, "unrecognized subcommand", &["tesnet"]);
    sandbox.fails(2, "quorate", &[]);
}

#[test]
fn keys_are_private_and_never_overwritten() {
    let sandbox = Sandbox::new();
    let keygen = ["keygen", "--name", "a", "--address", "127.0.0.1:1", "--out", "a"];
    sandbox.ok(&keygen);
    let secret = sandbox.read("a/keys");
    assert_eq!(std::fs::metadata(sandbox.path("a/keys")).unwrap().permissions().mode() & 0o777, 0o600);
    sandbox.fails(3, "a/keys", &keygen);
    assert_eq!(sandbox.read("a/keys"), secret);
    let public = sandbox.read("a/public.toml");
    let secrets = secret.lines().filter(|line| line.starts_with("identity ") || line.starts_with("voting "));
    let secrets: Vec<&str> = secrets.filter_map(|line| line.split(' ').nth(1)).collect();
    assert_eq!(secrets.len(), 2);
    for word in secrets {
        assert!(!public.contains(word));
    }
    sandbox.fails(
        2,
        "known schemes: bls, ed25519",
        &["keygen", "--name", "b", "--address", "x:1", "--scheme", "rsa"],
    );
}

#[test]
fn a_genesis_with_wrong_keys_names_the_member() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice", "bob"], "bls");
    let alice = sandbox.read("alice/public.toml");
    let bob = sandbox.read("bob/public.toml");
    let line = |file: &str, key: &str| file.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    let genesis = |file: &str| {
        ["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml", file].map(str::to_owned)
    };
    let refused = |expected: &str, content: String| {
        let file = sandbox.write("other.toml", content);
        let arguments = genesis(&file);
        sandbox.fails(3, expected, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
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
    sandbox.fails(3, "weight 0", &["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml=0"]);
    sandbox.fails(
        2,
        "too large",
        &["genesis", "--chain", "x", &format!("alice/public.toml={}", "9".repeat(50))],
    );
    sandbox.fails(3, "missing.toml", &["genesis", "--chain", "x", "missing.toml"]);
    sandbox.fails(3, "genesis.toml", &["genesis", "--chain", "x", "alice/public.toml"]);
    sandbox.ok(&["keygen", "--name", "ed", "--address", "x:1", "--scheme", "ed25519", "--out", "ed"]);
    sandbox.fails(
        3,
        "same scheme",
        &["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml", "ed/public.toml"],
    );
    assert!(!sandbox.path("new.toml").exists());
    sandbox.ok(&["genesis", "--chain", "x", "--out", "new.toml", "alice/public.toml=3", "bob/public.toml"]);
}

#[test]
fn shares_are_dealt_to_files_of_their_own() {
    let sandbox = Sandbox::new();
    for name in ["alice", "bob"] {
        sandbox.ok(&["keygen", "--name", name, "--address", "127.0.0.1:1", "--out", name]);
    }
    let members = ["alice/public.toml", "bob/public.toml"];
    let genesis = |more: &[&'static str]| [&["genesis", "--chain", "x"][..], more, &members[..]].concat();
    sandbox.fails(2, "needs --shares", &genesis(&["--protocol", "abft"]));
    sandbox.fails(2, "has no --shares", &genesis(&["--shares", "secret"]));
    sandbox.fails(2, "does not encrypt", &genesis(&["--no-encryption"]));
    let printed = sandbox.ok(&genesis(&["--protocol", "abft", "--shares", "secret"]));
    assert!(printed.contains("secret/alice.shares") && printed.contains("abft, 2 validators"), "{printed}");
    let mode = std::fs::metadata(sandbox.path("secret/bob.shares")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(sandbox.read("genesis.toml").contains("\ndealt = \""));
    // Shares belong to one genesis, so neither file is overwritten.
    let again = ["--protocol", "abft", "--shares", "secret", "--out", "other.toml"];
    sandbox.fails(3, "alice.shares", &genesis(&again));
    assert!(!sandbox.path("other.toml").exists());
}

#[test]
fn presignatures_are_dealt_once_for_each_epoch() {
    let sandbox = Sandbox::new();
    for (name, scheme) in [("alice", "bls"), ("bob", "bls"), ("carol", "ed25519")] {
        let keygen =
            ["keygen", "--name", name, "--address", "127.0.0.1:1", "--scheme", scheme, "--out", name];
        sandbox.ok(&keygen);
    }
    let genesis = |more: &[&'static str], member: &'static str| {
        [&["genesis", "--chain", "x", "--protocol"][..], more, &[member]].concat()
    };
    let ecdsa = ["abft", "--shares", "secret", "--signatures", "ecdsa"];
    sandbox.fails(
        2,
        "has no threshold signatures",
        &genesis(&["jolteon", "--signatures", "bls"], "alice/public.toml"),
    );
    let few = ["abft", "--shares", "secret", "--presigned-epochs", "2"];
    sandbox.fails(2, "needs --signatures ecdsa", &genesis(&few, "alice/public.toml"));
    sandbox.fails(3, "scheme = \"bls\"", &genesis(&ecdsa, "carol/public.toml"));
    let dealt = [&ecdsa[..], &["--presigned-epochs", "2", "alice/public.toml"]].concat();
    let printed = sandbox.ok(&genesis(&dealt, "bob/public.toml"));
    assert!(printed.contains("presignatures: epochs 1 to 2"), "{printed}");
    assert!(printed.contains("secret: secret/dealer.key"), "{printed}");
    sandbox.fails(2, "needs --signatures ecdsa", &["testnet", "--presigned-epochs", "2"]);
    let file = |out: &str, name: &str, epoch: u64| {
        let path = sandbox.path(&format!("{out}/{name}.shares.presignatures/{epoch}.sealed"));
        std::fs::read(path).unwrap()
    };
    // Two validators: 2 + 20 · 9 presignatures.
    assert_eq!(file("secret", "alice", 1).len(), 169 + 32 * 2 + 161 * 182);
    assert_ne!(file("secret", "alice", 2), file("secret", "bob", 2));
    let deal = |more: &[&'static str]| {
        [&["presignatures", "--dealer", "secret", "--epochs", "1"][..], more].concat()
    };
    sandbox.fails(2, "none is dealt twice", &deal(&["--from", "2", "--out", "more"]));
    assert!(sandbox.ok(&deal(&["--out", "more"])).contains("epochs 3 to 3"));
    assert_eq!(file("more", "bob", 3).len(), file("secret", "bob", 2).len());
    assert!(sandbox.ok(&deal(&["--from", "9", "--out", "more"])).contains("epochs 9 to 9"));
    sandbox.fails(2, "up to 9 were dealt", &deal(&["--from", "4", "--out", "other"]));
    assert!(!sandbox.path("other").exists());
    let lock = std::fs::File::open(sandbox.path("secret/dealer.lock")).unwrap();
    lock.lock().unwrap();
    sandbox.fails(3, "another process deals", &deal(&["--out", "other"]));
    assert!(!sandbox.path("other").exists());
}

#[test]
fn clients_report_that_no_validator_responds() {
    let sandbox = Sandbox::new();
    for arguments in
        [vec!["status"], vec!["submit", "x"], vec!["get", "--key", "x", "--unverified"], vec!["bench"]]
    {
        sandbox.fails(4, "quorate testnet", &arguments);
    }
    let [port, ..] = ports();
    let node = format!("http://127.0.0.1:{port}");
    sandbox.fails(4, &node[7..], &["submit", "x", "--node", &node]);
    sandbox.fails(4, "no validator answers", &["status", "--node", &node]);
    sandbox.fails(2, "write it like", &["status", "--node", "localhost"]);
    sandbox.fails(2, "--genesis", &["get", "--key", "x", "--node", &node]);
    sandbox.fails(3, "nothing.toml", &["get", "--key", "x", "--genesis", "nothing.toml"]);
    sandbox.fails(2, "64 hexadecimal digits", &["get", "abc"]);
    sandbox.fails(2, "rate", &["bench", "--rate", "-1"]);
}

#[test]
fn a_server_that_is_no_validator_is_reported() {
    let sandbox = Sandbox::new();
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
    sandbox.fails(4, "no validator answers", &["status", "--node", &address]);
}

#[test]
fn a_failed_start_reports_its_reason() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice", "bob"], "bls");
    sandbox.fails(3, "nothing.toml", &["run", "--config", "nothing.toml"]);
    let unknown = sandbox.write("unknown.toml", "[node]\ngenesis='g'\nkeys='k'\ndata='d'\nspeed=1\n");
    sandbox.fails(3, "speed", &["run", "--config", &unknown]);
    let config = configure(&sandbox, "alice.toml", "alice/keys", "data");
    sandbox.fails(2, "log-level", &["run", "--config", &config, "--log-level", "=,=loud"]);

    let genesis = sandbox.read("genesis.toml");
    let keys: Vec<&str> = genesis.lines().filter(|line| line.starts_with("voting_key")).collect();
    sandbox.write("genesis.toml", genesis.replace(keys[1], keys[0]));
    sandbox.fails(3, "bob", &["run", "--config", &config]);
    sandbox.write("genesis.toml", &genesis);

    sandbox.ok(&["keygen", "--name", "carol", "--address", "x:1", "--out", "carol"]);
    let non_member = configure(&sandbox, "carol.toml", "carol/keys", "data");
    sandbox.fails(3, "belongs to no member", &["run", "--config", &non_member]);

    let open = sandbox.path("alice/keys");
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o644)).unwrap();
    sandbox.fails(3, "alice/keys", &["run", "--config", &config]);
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o600)).unwrap();
    assert!(sandbox.ok(&["run", "--print-config"]).contains("# Configuration"));
}

/// Waits until a validator serves HTTP.
fn wait_until_serving(sandbox: &Sandbox, config: &str) {
    let config = sandbox.read(config);
    let http = config.lines().find(|line| line.starts_with("http")).unwrap().split('\'').nth(1).unwrap();
    eventually("the validator accepts HTTP connections", || std::net::TcpStream::connect(http).is_ok());
}

#[test]
fn a_data_directory_belongs_to_one_chain_key_and_process() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice", "bob"], "bls");
    let alice = configure(&sandbox, "alice.toml", "alice/keys", "data");
    let running = sandbox.start(&["run", "--config", &alice, "--new-validator"]);
    wait_until_serving(&sandbox, &alice);
    let second = configure(&sandbox, "second.toml", "alice/keys", "data");
    sandbox.fails(3, "another process uses", &["run", "--config", &second]);
    let http = sandbox.read(&alice);
    let http = http.lines().find(|line| line.starts_with("http")).unwrap();
    let clash = sandbox.read(&second).replace("'data'", "'data2'");
    let own = clash.lines().find(|line| line.starts_with("http")).unwrap().to_owned();
    let clash = sandbox.write("clash.toml", clash.replace(&own, http));
    sandbox.fails(10, "cannot listen on", &["run", "--config", &clash, "--new-validator"]);
    running.signal("TERM");
    let done = running.end();
    assert_eq!(done.code, 0, "{}", done.stderr);

    let bob = configure(&sandbox, "bob.toml", "bob/keys", "data");
    sandbox.fails(3, "belongs to another", &["run", "--config", &bob]);
    let genesis = sandbox.read("genesis.toml");
    sandbox.write("genesis.toml", genesis.replace("\"test\"", "\"another\""));
    sandbox.fails(3, "belongs to another chain", &["run", "--config", &alice]);
}

/// A new disk under the same path, or a wrong mount: the key may not sign without the records of what it has signed.
#[test]
fn a_validator_without_its_data_starts_only_as_a_new_one() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice"], "bls");
    let config = configure(&sandbox, "alice.toml", "alice/keys", "data");
    let run = ["run", "--config", &config];
    let new = ["run", "--config", &config, "--new-validator"];
    sandbox.fails(13, "it may sign twice", &run);
    assert!(!sandbox.path("data").exists());
    let running = sandbox.start(&new);
    wait_until_serving(&sandbox, &config);
    running.signal("TERM");
    assert_eq!(running.end().code, 0);
    sandbox.fails(3, "start it without --new-validator", &new);
    let running = sandbox.start(&run);
    wait_until_serving(&sandbox, &config);
    running.signal("KILL");
    running.end();
    std::fs::remove_dir_all(sandbox.path("data")).unwrap();
    sandbox.fails(13, "--new-validator", &run);
    std::fs::create_dir(sandbox.path("data")).unwrap();
    sandbox.fails(13, "the mounted disk", &run);
}

#[test]
fn a_validator_stops_with_its_parent_and_survives_kill_9() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice", "bob"], "ed25519");
    let config = configure(&sandbox, "alice.toml", "alice/keys", "data");
    for start in 0..5 {
        let more: &[&str] = if start == 0 { &["--new-validator"] } else { &[] };
        let running = sandbox.start(&[&["run", "--config", &config][..], more].concat());
        wait_until_serving(&sandbox, &config);
        running.signal("KILL");
        assert_eq!(running.end().code, -1);
    }
    let mut running = sandbox.start(&["run", "--config", &config, "--stop-with-stdin"]);
    wait_until_serving(&sandbox, &config);
    drop(running.child.stdin.take());
    let done = running.end();
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("standard input ended"), "{}", done.stderr);
}

#[test]
fn one_of_two_nodes_with_one_key_stops() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice", "bob"], "bls");
    let genesis = sandbox.read("genesis.toml");
    let addresses: Vec<&str> = genesis
        .lines()
        .filter(|line| line.starts_with("address"))
        .map(|line| line.split('"').nth(1).unwrap())
        .collect();
    let at = |config: &str, address: &str| {
        let text = sandbox.read(config);
        let listen = text.lines().find(|line| line.starts_with("listen")).unwrap().to_owned();
        sandbox.write(config, text.replace(&listen, &format!("listen = '{address}'")));
    };
    let bob = configure(&sandbox, "bob.toml", "bob/keys", "bob-data");
    at(&bob, addresses[1]);
    let _bob = sandbox.start(&["run", "--config", &bob, "--new-validator"]);
    let first = configure(&sandbox, "first.toml", "alice/keys", "first-data");
    at(&first, addresses[0]);
    let first = sandbox.start(&["run", "--config", &first, "--new-validator"]);
    wait_until_serving(&sandbox, "first.toml");
    wait_until_serving(&sandbox, "bob.toml");
    let second = configure(&sandbox, "second.toml", "alice/keys", "second-data");
    let mut both = [first, sandbox.start(&["run", "--config", &second, "--new-validator"])];
    let mut ended = None;
    eventually("one of the nodes exits", || {
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
    let sandbox = Sandbox::new();
    sandbox.fails(2, "there is no validator 9", &["testnet", "--kill", "9@1"]);
    sandbox.fails(2, "running already", &["testnet", "--restart", "1@1"]);
    sandbox.fails(2, "2@10", &["testnet", "--kill", "1"]);
    sandbox.fails(2, "at most", &["testnet", "--tx-size", "10000000"]);
    sandbox.fails(2, "nodes", &["testnet", "--nodes", "0"]);
    sandbox.fails(2, "known schemes: bls, ed25519", &["testnet", "--scheme", "rsa"]);
    sandbox.fails(3, "missing.txt", &["testnet", "--transactions", "missing.txt"]);
    sandbox.fails(2, "--transactions", &["testnet", "--repeat"]);
}

#[test]
fn evidence_is_verified_with_the_genesis_alone() {
    let sandbox = Sandbox::new();
    chain(&sandbox, &["alice", "bob"], "ed25519");
    let genesis = Genesis::load(&sandbox.path("genesis.toml")).unwrap();
    let bob = NodeKeys::load(&sandbox.path("bob/keys"), None).unwrap().voting::<Ed25519>().unwrap();
    let voters = genesis.committees::<Ed25519>().unwrap().voters;
    let mut folder = EvidenceFolder::new(sandbox.path("evidence"), genesis.chain_id());
    // Kind 1: votes for blocks. Members may sign several statements of kind 9, which Jolteon does not have.
    for kind in [1, 9] {
        let statement = |digest| voters.statement(Kind::new(kind), 7, [digest; 32]);
        let vote = |digest| Vote::sign_unguarded(&bob, &voters, statement(digest)).unwrap();
        let evidence = Equivocation::new(vote(1), vote(2)).unwrap().verify(&voters).unwrap();
        folder.keep(SignedTwice::new(SigningKey::Voting, &evidence), "bob").unwrap().unwrap();
    }

    let file = "evidence/epoch-0-member-1-kind-1-view-7.json";
    let verify = |more: &[&'static str]| [&["evidence", "--genesis", "genesis.toml"][..], more].concat();
    let text = sandbox.ok(&verify(&[file]));
    assert!(
        text.contains("valid: the voting key of bob (member 1) signed two different statements"),
        "{text}"
    );
    let object: serde_json::Value = serde_json::from_str(&sandbox.ok(&verify(&["--json", file]))).unwrap();
    assert_eq!((object["name"].as_str(), object["view"].as_u64()), (Some("bob"), Some(7)));
    sandbox.fails(
        7,
        "honest members sign several",
        &verify(&["evidence/epoch-0-member-1-kind-9-view-7.json"]),
    );
    let content = sandbox.read(file);
    let digits = content.split('"').max_by_key(|part| part.len()).unwrap();
    let (first, rest) = digits.split_at(digits.len() - 1);
    let other = if rest == "0" { "1" } else { "0" };
    for (from, to) in [
        ("\"member\": 1".to_owned(), "\"member\": 0".to_owned()),
        ("\"bob\"".to_owned(), "\"alice\"".to_owned()),
        ("\"voting\"".to_owned(), "\"identity\"".to_owned()),
        ("\"view\": 7".to_owned(), "\"view\": 8".to_owned()),
        (digits.to_owned(), format!("{first}{other}")),
    ] {
        assert!(content.contains(&from), "{from}");
        sandbox.write("forged.json", content.replace(&from, &to));
        sandbox.fails(7, "forged.json: not valid", &verify(&[file, "forged.json"]));
    }
    sandbox.write("garbage.json", "{}");
    sandbox.fails(7, "not the JSON of evidence", &verify(&["garbage.json"]));
    sandbox.fails(3, "missing.json", &verify(&["missing.json"]));
    sandbox.fails(3, "no.toml", &["evidence", "--genesis", "no.toml", file]);
}

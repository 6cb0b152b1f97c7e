//! `quorate signer`: killed and started again, and as the key of a validator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::fs;
use std::path::Path;

use quorate::bls::MinSig;
use quorate::certificate::Kind;
use quorate_node::genesis::Genesis;
use quorate_node::keys::NodeKeys;
use quorate_node::signer::{RemoteSigner, SignerAddress};
use quorate_support::ports::free_address;
use support::chain::{Chain, FOUNDERS};
use support::{Running, Sandbox, eventually};

const KINDS: [Kind; 2] = [Kind::new(1), Kind::new(2)];

/// Makes the chain again, with a signer for alice.
fn chain_with_signer() -> Chain {
    let chain = Chain::new("jolteon");
    let sandbox = &chain.sandbox;
    let public = sandbox.read("alice/public.toml");
    let address = public.lines().find_map(|line| line.strip_prefix("address = ")).unwrap().trim_matches('"');
    for file in ["alice/keys", "alice/public.toml", "genesis.toml"] {
        fs::remove_file(sandbox.path(file)).unwrap();
    }
    sandbox.ok(&["keygen", "--name", "alice", "--address", address, "--out", "signer"]);
    let keygen = ["keygen", "--name", "alice", "--address", address, "--out", "alice", "--signer"];
    sandbox.ok(&[&keygen, ["signer/public.toml"].as_slice()].concat());
    let files = FOUNDERS.map(|name| format!("{name}/public.toml"));
    let mut arguments = vec!["genesis", "--chain", "test", "--out", "genesis.toml"];
    arguments.extend(files.iter().map(String::as_str));
    sandbox.ok(&arguments);
    chain
}

fn arguments<'a>(listen: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let signer = [
        "signer",
        "--genesis",
        "genesis.toml",
        "--keys",
        "signer/keys",
        "--data",
        "journal",
        "--listen",
        listen,
    ];
    [&signer, more].concat()
}

/// Starts the signer, and returns it with its line for the configuration.
fn start(sandbox: &Sandbox, listen: &str, more: &[&str]) -> (Running, String) {
    let mut command = sandbox.command(&arguments(listen, more));
    command.stderr(fs::File::create(sandbox.path("signer.log")).unwrap());
    let mut running = Running { child: command.spawn().unwrap() };
    let line = running.wait_for_line("signer = ");
    (running, line)
}

/// Ends a signer, and returns its exit code.
fn end(mut running: Running, signal: &str) -> Option<i32> {
    running.signal(signal);
    running.child.wait().unwrap().code()
}

fn client(sandbox: &Sandbox, line: &str) -> RemoteSigner<MinSig> {
    let text = line.trim().strip_prefix("signer = ").unwrap().trim_matches('"');
    let signer: SignerAddress = text.parse().unwrap();
    let genesis = Genesis::load(&sandbox.path("genesis.toml")).unwrap();
    let voters = genesis.committees::<MinSig>().unwrap().voters;
    let identity = NodeKeys::load(&sandbox.path("alice/keys"), None).unwrap().identity().unwrap();
    RemoteSigner::new(signer, identity, voters, 0).unwrap()
}

#[test]
fn a_killed_signer_signs_nothing_contradicting() {
    let chain = chain_with_signer();
    let sandbox = &chain.sandbox;
    let genesis = Genesis::load(&sandbox.path("genesis.toml")).unwrap();
    let voters = genesis.committees::<MinSig>().unwrap().voters;
    let statement = |kind, view, digest: u8| voters.statement(kind, view, [digest; 32]);
    sandbox.fails(3, "JOURNAL_MISSING", &arguments("127.0.0.1:0", &[]));
    let (running, line) = start(sandbox, "127.0.0.1:0", &["--new-signer"]);
    let mut signer = client(sandbox, &line);
    let vote = signer.sign(statement(KINDS[0], 7, 1)).unwrap();
    let timeout = signer.sign_timeout(KINDS[1], 8, 7).unwrap();
    assert_eq!(end(running, "KILL"), None);

    sandbox.fails(3, "JOURNAL_EXISTS", &arguments("127.0.0.1:0", &["--new-signer"]));
    let (running, line) = start(sandbox, "127.0.0.1:0", &[]);
    let mut signer = client(sandbox, &line);
    assert_eq!(signer.sign(statement(KINDS[0], 7, 2)).unwrap_err().code(), "CONTRADICTION");
    assert_eq!(signer.sign(statement(KINDS[0], 6, 1)).unwrap_err().code(), "CONTRADICTION");
    assert_eq!(signer.sign_timeout(KINDS[1], 8, 6).unwrap_err().code(), "CONTRADICTION");
    assert_eq!(signer.sign(statement(KINDS[0], 7, 1)).unwrap(), vote);
    assert_eq!(signer.sign_timeout(KINDS[1], 8, 7).unwrap(), timeout);
    // One signer for a journal, and one program for a port.
    sandbox.fails(3, "JOURNAL_IN_USE", &arguments("127.0.0.1:0", &[]));
    assert_eq!(end(running, "TERM"), Some(0));
    let log = sandbox.read("signer.log");
    assert!(log.contains("SIGNER_REFUSED") && log.contains("CONTRADICTION"), "{log}");

    // After a loss, nothing up to a view; the damaged journal is not used by accident.
    let journal = sandbox.path("journal/guard.journal");
    let mut bytes = fs::read(&journal).unwrap();
    bytes[100] ^= 1;
    fs::write(&journal, bytes).unwrap();
    sandbox.fails(3, "JOURNAL_DAMAGED", &arguments("127.0.0.1:0", &[]));
    let (running, line) = start(sandbox, "127.0.0.1:0", &["--recover-above", "100"]);
    let mut signer = client(sandbox, &line);
    assert_eq!(signer.sign(statement(KINDS[0], 100, 1)).unwrap_err().code(), "CONTRADICTION");
    assert!(signer.sign(statement(KINDS[0], 101, 1)).is_ok());
    drop(running);

    // Keys of no member, a chain without signers, and two options that exclude each other.
    sandbox.ok(&["keygen", "--name", "x", "--address", "x:1", "--out", "x"]);
    let other =
        ["signer", "--genesis", "genesis.toml", "--keys", "x/keys", "--data", "x/journal", "--new-signer"];
    sandbox.fails(3, "belongs to no member", &other);
    assert!(!Path::new(&sandbox.path("x/journal")).exists());
    sandbox.fails(
        2,
        "cannot be used with",
        &arguments("127.0.0.1:0", &["--new-signer", "--recover-above", "1"]),
    );
}

#[test]
fn a_validator_votes_with_its_signer() {
    let mut chain = chain_with_signer();
    let listen = free_address().unwrap().to_string();
    let (running, line) = start(&chain.sandbox, &listen, &["--new-signer"]);
    chain.configure("alice", &line);
    // Without alice's votes the other two are no quorum.
    for name in ["alice", "bob", "carol"] {
        chain.start(name);
    }
    for name in ["alice", "bob", "carol"] {
        chain.wait_for_membership(name, 0);
    }
    chain.commit("bob", "put greeting hello");
    let doctor = chain.sandbox.run(&["doctor", "--config", "alice/config.toml"]);
    assert!(doctor.stdout.contains("holds the voting key"), "{}{}", doctor.stdout, doctor.stderr);

    // The key in alice's own file is not the member's.
    let keys = NodeKeys::load(&chain.sandbox.path("alice/keys"), None).unwrap().public().unwrap();
    assert!(!chain.sandbox.read("genesis.toml").contains(&keys.voting_key.to_string()));

    assert_eq!(end(running, "KILL"), None);
    chain.sandbox.ok(&["submit", "--node", &chain.node("bob"), "put greeting stalled"]);
    eventually("alice misses its signer", || chain.sandbox.read("alice/log.txt").contains("SIGNER_FAILED"));
    let (_running, _) = start(&chain.sandbox, &listen, &[]);
    chain.commit("bob", "put greeting again");
    chain.compare_states();
    assert!(chain.sandbox.read("alice/log.txt").contains("the signer signs again"));
}

//! Error messages and refusals of the program.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use support::{World, said};

fn fails(outcome: (Option<i32>, String), code: i32, says: &str) {
    let (exit, text) = outcome;
    assert_eq!(exit, Some(code), "{text}");
    assert!(text.contains(says) && !text.contains("panicked"), "{says:?} is not in {text:?}");
}

#[test]
fn nothing_is_overwritten_and_errors_name_the_file() {
    let world = World::new(4, 4);
    let run = |arguments: &[&str]| said(&world.run(arguments));
    fails(run(&["keys", "--name", "client"]), 3, "exists and is not overwritten");
    fails(run(&["keys", "--name", "../evil"]), 3, "is not a name");
    let dealt = run(&["deal", "--group", "group.toml", "--out", "dealt", "--count", "2"]);
    assert_eq!(dealt.0, Some(0), "{}", dealt.1);
    fails(run(&["deal", "--group", "group.toml", "--out", "dealt"]), 3, "exists and is not overwritten");
    fails(run(&["deal", "--group", "group.toml", "--out", "dealt", "--count", "0"]), 2, "--count");
    let mode = std::fs::metadata(world.path("dealt/p0-1.sealed")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fails(
        run(&["group", "--name", "g", "--faulty", "1", "--out", "g.toml", "group.toml"]),
        3,
        "the files do not make a group",
    );

    let serve = |deal: &str, keys: &str, shares: &str| {
        let own = ["--keys", keys, "--shares", shares, "--data", "d"];
        run(&[&["serve", "--group", "group.toml", "--deal", deal][..], &own].concat())
    };
    fails(serve("deal.public", "p0.keys", "p1.sealed"), 3, "p1.sealed");
    fails(serve("dealt/deal-1.public", "p0.keys", "p0.sealed"), 3, "p0.sealed");
    fails(serve("deal.public", "client.keys", "p0.sealed"), 3, "do not belong to a party");
    fails(serve("p0.sealed", "p0.keys", "p0.sealed"), 3, "deal file p0.sealed");
    fails(serve("nowhere", "p0.keys", "p0.sealed"), 3, "nowhere");
    std::fs::set_permissions(world.path("p0.keys"), std::fs::Permissions::from_mode(0o644)).unwrap();
    fails(serve("deal.public", "p0.keys", "p0.sealed"), 3, "chmod 600");
    fails(
        run(&["sign", "--group", "group.toml", "--deal", "deal.public", "--keys", "client.keys"]),
        2,
        "--message",
    );
    let foreign = World::new(4, 2);
    std::fs::copy(foreign.path("deal.public"), world.path("foreign.public")).unwrap();
    let sign = ["sign", "--group", "group.toml", "--keys", "client.keys", "--message", "x"];
    fails(run(&[&sign[..], &["--deal", "foreign.public"]].concat()), 3, "belongs to another group");
}

#[test]
fn shares_have_one_journal_and_closed_epochs_stay_closed() {
    let world = World::new(4, 4);
    let mut running = world.start(0, &[]);
    fails(said(&world.party(0, &[]).stderr(Stdio::piped()).output().unwrap()), 3, "DATA_IN_USE");
    let elsewhere = |data: &str| {
        let own = ["--keys", "p0.keys", "--shares", "p0.sealed", "--data", data];
        said(&world.run(&[&["serve", "--group", "group.toml", "--deal", "deal.public"][..], &own].concat()))
    };
    // With an empty journal it would sign again.
    fails(elsewhere("empty"), 3, "SHARES_IN_USE");
    running.kill();
    fails(elsewhere("empty"), 3, "SHARES_IN_USE");
    drop(running);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = world.party(0, &["--listen", &address]);
    fails(said(&command.stderr(Stdio::piped()).output().unwrap()), 4, "cannot listen");

    // Two epochs under one key.
    let run = |arguments: &[&str]| said(&world.run(arguments));
    for epoch in ["1", "2"] {
        let dealt =
            run(&["deal", "--group", "group.toml", "--out", "d", "--count", "2", "--key", "dealer.key"]);
        assert!(dealt.0 == Some(0) && dealt.1.contains(&format!("in epoch {epoch}")), "{}", dealt.1);
    }
    let epoch = |number: u32| {
        let (deal, shares) = (format!("d/deal-{number}.public"), format!("d/p0-{number}.sealed"));
        let own = ["--keys", "p0.keys", "--shares", &shares, "--data", "data0"];
        let mut command =
            world.command(&[&["serve", "--group", "group.toml", "--deal", &deal][..], &own].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        world.started(0, command)
    };
    let index_of = |number: u32| {
        let deal = format!("d/deal-{number}.public");
        let sign =
            ["sign", "--group", "group.toml", "--keys", "client.keys", "--index", "0", "--message", "x"];
        run(&[&sign[..], &["--deal", &deal]].concat()).1
    };
    drop(epoch(2));
    let _back = epoch(1);
    assert!(index_of(1).contains("p0: refused: the presignature does not exist"), "{}", index_of(1));
}

#[test]
fn a_signature_verifies_with_the_program_and_with_openssl() {
    let world = World::new(4, 2);
    let _parties = world.start_all();
    let signed = said(&world.sign(&["--message", "hello", "--out", "s.der", "--json"]));
    assert_eq!(signed.0, Some(0), "{}", signed.1);
    let report: serde_json::Value = serde_json::from_str(signed.1.trim()).unwrap();
    let der = std::fs::read(world.path("s.der")).unwrap();
    assert_eq!(
        (report["index"].as_u64(), report["signature"].as_str()),
        (Some(0), Some(&*hex::encode(&der)))
    );
    let verify = |message: &str, signature: &str| {
        let what = ["--deal", "deal.public", "--signature", signature, "--message", message];
        said(&world.run(&[&["verify"][..], &what].concat()))
    };
    assert_eq!(verify("hello", "s.der").0, Some(0));
    fails(verify("hell", "s.der"), 6, "BAD_SIGNATURE");
    std::fs::write(world.path("long.der"), [&der[..], &[0]].concat()).unwrap();
    fails(verify("hello", "long.der"), 6, "NON_CANONICAL");
    std::fs::write(world.path("none.der"), "hello").unwrap();
    fails(verify("hello", "none.der"), 6, "MALFORMED");
    fails(verify("hello", "nowhere"), 3, "nowhere");

    let pem = quorate_threshold_signing::der::public_key_pem(&world.public.key).unwrap();
    std::fs::write(world.path("key.pem"), pem).unwrap();
    for (message, good) in [("hello", true), ("hell", false)] {
        std::fs::write(world.path("message"), message).unwrap();
        let mut openssl = Command::new("openssl");
        openssl.args(["dgst", "-sha256", "-verify", "key.pem", "-signature", "s.der", "message"]);
        let said = said(&openssl.current_dir(world.dir.path()).output().unwrap());
        assert_eq!(said.0 == Some(0), good, "{}", said.1);
    }
    // The last presignature; then none is left.
    assert_eq!(said(&world.sign(&["--message", "two"])).0, Some(0));
    fails(said(&world.sign(&["--message", "three"])), 7, "EXHAUSTED");
    std::fs::write(world.path("large"), vec![0; (1 << 20) + 1]).unwrap();
    fails(said(&world.sign(&["--file", "large"])), 3, "sign the hash");
}

#[test]
fn the_demo_names_the_faulty_party_and_cleans_up() {
    let temporary = tempfile::tempdir().unwrap();
    let demo = |arguments: &[&str]| {
        let mut command = Command::new(support::PROGRAM);
        command.arg("demo").args(arguments).env("TMPDIR", temporary.path()).stdin(Stdio::null());
        command.output().unwrap()
    };
    let output = demo(&["--corrupt", "2", "--kill", "0", "--json"]);
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!((report["messages"].as_u64(), report["culprit"].as_str()), (Some(3), Some("party2")));
    let output = demo(&["--kill", "1", "--messages", "1"]);
    assert_eq!(said(&output).0, Some(0), "{output:?}");
    assert!(!said(&output).1.contains('\x1b'), "no colours where there is no terminal");
    fails(said(&demo(&["--corrupt", "4"])), 3, "unknown party 4");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

//! Error messages and refusals of the program.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use support::{TestGroup, exit_code_and_output};

fn fails(outcome: (Option<i32>, String), code: i32, expected: &str) {
    let (exit, text) = outcome;
    assert_eq!(exit, Some(code), "{text}");
    assert!(text.contains(expected) && !text.contains("panicked"), "{expected:?} is not in {text:?}");
}

#[test]
fn nothing_is_overwritten_and_errors_name_the_file() {
    let setup = TestGroup::new(4, 4);
    let run = |arguments: &[&str]| exit_code_and_output(&setup.run(arguments));
    fails(run(&["keys", "--name", "client"]), 3, "exists and is not overwritten");
    fails(run(&["keys", "--name", "../evil"]), 3, "is not a name");
    let dealt = run(&["deal", "--group", "group.toml", "--out", "dealt", "--count", "2"]);
    assert_eq!(dealt.0, Some(0), "{}", dealt.1);
    fails(run(&["deal", "--group", "group.toml", "--out", "dealt"]), 3, "exists and is not overwritten");
    fails(run(&["deal", "--group", "group.toml", "--out", "dealt", "--count", "0"]), 2, "--count");
    let mode = std::fs::metadata(setup.path("dealt/p0-1.sealed")).unwrap().permissions().mode();
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
    std::fs::set_permissions(setup.path("p0.keys"), std::fs::Permissions::from_mode(0o644)).unwrap();
    fails(serve("deal.public", "p0.keys", "p0.sealed"), 3, "chmod 600");
    fails(
        run(&["sign", "--group", "group.toml", "--deal", "deal.public", "--keys", "client.keys"]),
        2,
        "--message",
    );
    let foreign = TestGroup::new(4, 2);
    std::fs::copy(foreign.path("deal.public"), setup.path("foreign.public")).unwrap();
    let sign = ["sign", "--group", "group.toml", "--keys", "client.keys", "--message", "x"];
    fails(run(&[&sign[..], &["--deal", "foreign.public"]].concat()), 3, "belongs to another group");
}

#[test]
fn shares_have_one_journal_and_closed_epochs_stay_closed() {
    let setup = TestGroup::new(4, 4);
    let mut running = setup.start(0, &[]);
    fails(
        exit_code_and_output(&setup.party(0, &[]).stderr(Stdio::piped()).output().unwrap()),
        3,
        "DATA_IN_USE",
    );
    let elsewhere = |data: &str| {
        let own = ["--keys", "p0.keys", "--shares", "p0.sealed", "--data", data];
        exit_code_and_output(
            &setup.run(&[&["serve", "--group", "group.toml", "--deal", "deal.public"][..], &own].concat()),
        )
    };
    // With an empty journal it would sign again.
    fails(elsewhere("empty"), 3, "SHARES_IN_USE");
    running.kill();
    fails(elsewhere("empty"), 3, "SHARES_IN_USE");
    drop(running);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = setup.party(0, &["--listen", &address]);
    fails(exit_code_and_output(&command.stderr(Stdio::piped()).output().unwrap()), 4, "cannot listen");

    // Two epochs under one key.
    let run = |arguments: &[&str]| exit_code_and_output(&setup.run(arguments));
    for epoch in ["1", "2"] {
        let dealt =
            run(&["deal", "--group", "group.toml", "--out", "d", "--count", "2", "--key", "dealer.key"]);
        assert!(dealt.0 == Some(0) && dealt.1.contains(&format!("in epoch {epoch}")), "{}", dealt.1);
    }
    let epoch = |number: u32| {
        let (deal, shares) = (format!("d/deal-{number}.public"), format!("d/p0-{number}.sealed"));
        let own = ["--keys", "p0.keys", "--shares", &shares, "--data", "data0"];
        let mut command =
            setup.command(&[&["serve", "--group", "group.toml", "--deal", &deal][..], &own].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        setup.started(0, command)
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
    let setup = TestGroup::new(4, 2);
    let _parties = setup.start_all();
    let signed = exit_code_and_output(&setup.sign(&["--message", "hello", "--out", "s.der", "--json"]));
    assert_eq!(signed.0, Some(0), "{}", signed.1);
    let report: serde_json::Value = serde_json::from_str(signed.1.trim()).unwrap();
    let der = std::fs::read(setup.path("s.der")).unwrap();
    assert_eq!(
        (report["index"].as_u64(), report["signature"].as_str()),
        (Some(0), Some(&*hex::encode(&der)))
    );
    let verify = |message: &str, signature: &str| {
        let what = ["--deal", "deal.public", "--signature", signature, "--message", message];
        exit_code_and_output(&setup.run(&[&["verify"][..], &what].concat()))
    };
    assert_eq!(verify("hello", "s.der").0, Some(0));
    fails(verify("hell", "s.der"), 6, "BAD_SIGNATURE");
    std::fs::write(setup.path("long.der"), [&der[..], &[0]].concat()).unwrap();
    fails(verify("hello", "long.der"), 6, "NON_CANONICAL");
    std::fs::write(setup.path("none.der"), "hello").unwrap();
    fails(verify("hello", "none.der"), 6, "MALFORMED");
    fails(verify("hello", "nowhere"), 3, "nowhere");

    let pem = quorate_threshold_signing::der::public_key_pem(&setup.public.key).unwrap();
    std::fs::write(setup.path("key.pem"), pem).unwrap();
    for (message, good) in [("hello", true), ("hell", false)] {
        std::fs::write(setup.path("message"), message).unwrap();
        let mut openssl = Command::new("openssl");
        openssl.args(["dgst", "-sha256", "-verify", "key.pem", "-signature", "s.der", "message"]);
        let exit_code_and_output =
            exit_code_and_output(&openssl.current_dir(setup.dir.path()).output().unwrap());
        assert_eq!(exit_code_and_output.0 == Some(0), good, "{}", exit_code_and_output.1);
    }
    // The last presignature; then none is left.
    assert_eq!(exit_code_and_output(&setup.sign(&["--message", "two"])).0, Some(0));
    fails(exit_code_and_output(&setup.sign(&["--message", "three"])), 7, "EXHAUSTED");
    std::fs::write(setup.path("large"), vec![0; (1 << 20) + 1]).unwrap();
    fails(exit_code_and_output(&setup.sign(&["--file", "large"])), 3, "sign the hash");
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
    assert_eq!(exit_code_and_output(&output).0, Some(0), "{output:?}");
    assert!(!exit_code_and_output(&output).1.contains('\x1b'), "no colours where there is no terminal");
    fails(exit_code_and_output(&demo(&["--corrupt", "4"])), 3, "unknown party 4");
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
}

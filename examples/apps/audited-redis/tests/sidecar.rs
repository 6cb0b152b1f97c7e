//! Unmodified Redis clients, redis-cli and redis-benchmark, through the sidecar.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use quorate_audited_redis::resp::{Value, encode_command};
use support::{Deployment, Process};

fn sidecar(deployment: &Deployment) -> (Process, String) {
    sidecar_with(deployment, &["--key", "alice.key"])
}

fn sidecar_with(deployment: &Deployment, more: &[&str]) -> (Process, String) {
    let arguments = ["sidecar", "--json", "--listen", "127.0.0.1:0", "--front", &deployment.address];
    let (process, ready) = deployment.spawn(&[&arguments, more].concat());
    let address = ready["listen"].as_str().unwrap();
    (process, address.rsplit_once(':').unwrap().1.to_owned())
}

fn redis_cli(port: &str, arguments: &[&str], input: &str) -> String {
    let mut cli = Command::new("redis-cli")
        .args(["-p", port])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("redis-cli starts; on Debian: apt-get install redis-tools");
    cli.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = cli.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

#[test]
fn every_command_of_redis_cli_is_signed() {
    let mut deployment = Deployment::new();
    let (_sidecar, port) = sidecar(&deployment);
    assert_eq!(redis_cli(&port, &["SET", "greeting", "hello world"], ""), "OK");
    assert_eq!(redis_cli(&port, &["GET", "greeting"], ""), "hello world");
    assert_eq!(redis_cli(&port, &["LPUSH", "greeting", "x"], "").split(' ').next(), Some("WRONGTYPE"));
    // Commands on standard input, one per line, through one connection.
    assert_eq!(redis_cli(&port, &[], "RPUSH l a b c\nLRANGE l 0 -1\nPING\n"), "3\na\nb\nc\nPONG");
    // Commands that change the state of the shared connection are refused before they are signed.
    let refused = [
        ["MULTI"].as_slice(),
        &["BLPOP", "x", "0"],
        &["SELECT", "1"],
        &["CLIENT", "KILL", "x"],
        &["EVAL", "return 1", "0"],
    ];
    for command in refused {
        assert!(redis_cli(&port, command, "").starts_with("NOT_ALLOWED"), "{command:?}");
    }
    assert_eq!(redis_cli(&port, &["SELECT", "0"], ""), "OK");
    assert_eq!(deployment.redis(&["GET", "greeting"]), Value::Bulk(Some(b"hello world".into())));
    let report = deployment.audit();
    assert!(report.ok && report.entries >= 6, "{:?}", report.findings);
    assert!(report.signers.iter().all(|signer| (signer.name == "alice") == (signer.commands > 0)));

    // The sidecar reconnects to a restarted front.
    deployment.kill_front();
    let address = deployment.address.clone();
    let answer = redis_cli(&port, &["GET", "greeting"], "");
    assert!(answer.starts_with("UNREACHABLE") || answer.starts_with("LOST"), "{answer}");
    deployment.start_front_at(&address);
    assert_eq!(redis_cli(&port, &["GET", "greeting"], ""), "hello world");
    assert!(deployment.audit().ok);
}

#[test]
fn scripts_are_signed_only_if_the_sidecar_enables_them() {
    let mut deployment = Deployment::new();
    deployment.kill_front();
    deployment.scripts = true;
    deployment.start_front();
    let (_plain, port) = sidecar(&deployment);
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    let lines = [["SET", "a", "1"].as_slice(), &["EVAL", "return 1", "0"], &["GET", "a"], &["QUIT"]];
    let pipelined: Vec<_> = lines.iter().map(|line| encode_command(line).unwrap()).collect();
    stream.write_all(&pipelined.concat()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    let answers: Vec<_> = answers.split("\r\n").collect();
    assert!(answers[1].starts_with("-NOT_ALLOWED EVAL") && answers[1].contains("--scripts"), "{answers:?}");
    assert_eq!([answers[0], answers[3], answers[4]], ["+OK", "1", "+OK"]);
    let (_told, port) = sidecar_with(&deployment, &["--key", "bob.key", "--scripts"]);
    assert_eq!(redis_cli(&port, &["EVAL", "return redis.call('INCR', 'a')", "0"], ""), "2");
    assert_eq!(deployment.audit().entries, 3);
}

#[test]
fn many_connections_pipeline_through_one_sidecar() {
    let deployment = Deployment::new();
    let (_sidecar, port) = sidecar(&deployment);
    let output = Command::new("redis-benchmark")
        .args(["-p", &port, "-n", "4000", "-c", "8", "-P", "16", "-q", "-t", "set,get,incr"])
        .stdin(Stdio::null())
        .output()
        .expect("redis-benchmark starts; on Debian: apt-get install redis-tools");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("requests per second"), "{text}");
    let report = deployment.audit();
    assert!(report.ok && report.entries >= 12_000, "{:?}", report.findings);
}

#[test]
fn malformed_requests_are_refused_and_the_sidecar_continues() {
    let deployment = Deployment::new();
    let (_sidecar, port) = sidecar(&deployment);
    for rubbish in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"*1\r\n$99999999\r\n", b"*-5\r\n", &[0; 64]] {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
        stream.write_all(rubbish).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.starts_with("-ERR Protocol error"), "{answer:?}");
    }
    assert_eq!(redis_cli(&port, &["PING"], ""), "PONG");
    let (code, _, error) = deployment.run(&[
        "sidecar",
        "--listen",
        "0.0.0.0:0",
        "--front",
        &deployment.address,
        "--key",
        "alice.key",
    ]);
    assert!(code == 3 && error.contains("loopback"), "{error}");
}

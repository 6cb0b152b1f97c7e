//! The log of a validator as JSON.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::chain::Chain;
use support::eventually;

fn lines(log: &str) -> Vec<Value> {
    log.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn each_line_of_a_json_log_is_an_object() {
    let mut chain = Chain::new("jolteon");
    for name in ["alice", "bob"] {
        chain.start_with(name, |command| {
            command.args(["--log-format", "json"]);
        });
    }
    eventually("the validators are connected", || chain.sandbox.read("alice/log.txt").contains("link up"));
    // A warning: the link to a killed peer is lost.
    chain.kill("bob");
    eventually("the link is lost", || chain.sandbox.read("alice/log.txt").contains("LINK_LOST"));
    chain.process("alice").signal("TERM");
    let (code, log) = chain.wait_for_exit("alice");
    assert_eq!(code, Some(0), "{log}");
    let log = lines(&log);
    for line in &log {
        for field in ["timestamp", "level", "target", "message"] {
            assert!(line[field].is_string(), "{field}: {line}");
        }
        let is_warning = ["WARN", "ERROR"].contains(&line["level"].as_str().unwrap());
        assert!(!is_warning || line["code"].is_string(), "{line}");
    }
    let lost = log.iter().find(|line| line["code"] == "LINK_LOST").unwrap();
    assert_eq!((&lost["level"], &lost["peer"]), (&json!("WARN"), &json!("bob")));

    // The error that stops a validator is the last line.
    let refused = ["run", "--config", "alice/config.toml", "--new-validator", "--log-format", "json"];
    let refused = chain.sandbox.run(&refused);
    assert_eq!(refused.code, 3);
    let log = lines(&refused.stderr);
    let last = log.last().unwrap();
    assert_eq!((&last["code"], &last["exit_code"]), (&json!("DATA_EXISTS"), &json!(3)));
    assert!(last["message"].as_str().unwrap().contains("OPERATING.md#data_exists"), "{last}");
}

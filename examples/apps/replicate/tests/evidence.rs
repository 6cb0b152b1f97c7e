//! A replica that signs two values is named with evidence, which a full or broken folder only delays.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate_replicate::node::client::connect_as;
use quorate_replicate::node::group;
use quorate_replicate::node::handshake::Party;
use quorate_replicate::{Ballot, Message, Request, Statement, Value, Vote};
use support::{Deployment, eventually, json};

/// The events of a kind that a replica printed.
fn events(deployment: &Deployment, replica: usize, kind: &str) -> Vec<serde_json::Value> {
    let output = deployment.output(replica);
    let lines = output.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    lines.filter(|line| line["event"] == kind).collect()
}

#[test]
fn evidence_is_kept_until_it_is_written_and_convinces_a_third_party() {
    let mut deployment = Deployment::stopped("eddsa", &["--sync", "kill"]);
    // The folder of replica 0 cannot be made yet.
    let blocked = deployment.path("replica0").join("evidence");
    std::fs::create_dir(deployment.path("replica0")).unwrap();
    std::fs::write(&blocked, []).unwrap();
    (0..3).for_each(|i| deployment.start(i));

    // Replica 3 signs two values for one slot.
    let group = deployment.group();
    let key = group::load(&deployment.path("replica3.key")).unwrap();
    let request = Value::Request(Request { client: 0, sequence: 1, operation: [7; 8] });
    let votes = [Value::Noop, request].map(|value| {
        let ballot = Ballot { view: 0, slot: 1, value };
        let signature = Ed25519::sign(&key, &Statement::Prepare(ballot).bytes(&group.committee.id(), 3));
        [&[0][..], &Message::Prepare(Vote { ballot, signature }).encode()].concat()
    });
    let mut links = Vec::new();
    for to in 0..2u16 {
        let mut link = None;
        eventually("a replica accepts the link", || {
            link = connect_as(&group, to, Party::Replica(3), &key).ok();
            link.is_some()
        });
        let mut link = link.unwrap();
        votes.iter().for_each(|vote| link.send(vote).unwrap());
        links.push(link);
    }

    eventually("replica 1 has evidence", || !events(&deployment, 1, "fault").is_empty());
    let fault = &events(&deployment, 1, "fault")[0];
    assert_eq!((&fault["culprit"], &fault["code"]), (&"replica3".into(), &"EQUIVOCATION".into()));
    let file = deployment.path("replica1").join("evidence/3-0-1.evidence");
    assert_eq!(fault["evidence"].as_str().unwrap(), file.to_str().unwrap());
    let checked = deployment.run(&["check-evidence", "--json", file.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    assert_eq!(
        json(&checked),
        serde_json::json!({ "holds": true, "culprit": "replica3", "view": 0, "slot": 1 })
    );
    // Any other byte proves nothing.
    let valid = std::fs::read(&file).unwrap();
    let damaged = deployment.path("damaged.evidence");
    for at in (0..valid.len()).step_by(7) {
        let mut bytes = valid.clone();
        bytes[at] ^= 1;
        std::fs::write(&damaged, bytes).unwrap();
        let checked = deployment.run(&["check-evidence", damaged.to_str().unwrap()]);
        assert_eq!(checked.status.code(), Some(7), "byte {at}: {checked:?}");
    }

    eventually("replica 0 reports", || !events(&deployment, 0, "evidence_unsaved").is_empty());
    assert!(events(&deployment, 0, "fault")[0]["evidence"].is_null());
    std::fs::remove_file(&blocked).unwrap();
    eventually("replica 0 writes the evidence", || !events(&deployment, 0, "evidence_saved").is_empty());
    assert_eq!(std::fs::read(blocked.join("3-0-1.evidence")).unwrap(), valid);
}

//! The records of replicas that ran as processes are proven, and a changed byte is named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod support;

use support::{Deployment, json};

#[test]
fn records_of_replicas_are_proven_and_a_changed_byte_is_named() {
    for (signer, options) in
        [("dsig", &["--sync", "kill"][..]), ("eddsa", &["--sync", "kill", "--slow", "--fast-timeout", "1"])]
    {
        let mut deployment = Deployment::stopped(signer, options);
        (0..4).for_each(|i| deployment.start(i));
        let mut client = deployment.client(0);
        for sum in 1..=70 {
            assert_eq!(deployment.add(&mut client, 1), sum);
        }
        // Also while the replicas run.
        let running = deployment.path("replica1");
        let audited = deployment.run(&["audit", running.to_str().unwrap()]);
        assert_eq!(audited.status.code(), Some(0), "{audited:?}");
        (0..4).for_each(|i| deployment.kill(i));
        let (mut executed, mut proven) = (0, Vec::new());
        for i in 0..4 {
            let data = deployment.path(&format!("replica{i}"));
            let audited = deployment.run(&["audit", "--json", data.to_str().unwrap()]);
            let report = json(&audited);
            assert_eq!((audited.status.code(), &report["ok"]), (Some(0), &true.into()), "{report}");
            assert_eq!(report["replica"], format!("replica{i}"));
            // A replica that was behind has not the operations of all slots.
            let slots = report["executed"].as_u64().unwrap() + report["adopted"].as_u64().unwrap();
            let stable = report["stable"].as_u64().unwrap();
            assert!(slots <= stable, "{report}");
            proven.extend((stable >= 32).then_some(data));
            executed += report["executed"].as_u64().unwrap();
        }
        // The slots above 64 were accepted by n − f replicas with a checkpoint, and the first one executed everything before it.
        assert!(executed >= 32 && proven.len() >= 3, "{executed} {proven:?}");
        let data = &proven[0];
        let log = data.join("records.log");
        let mut bytes = std::fs::read(&log).unwrap();
        bytes[300] ^= 0x55;
        std::fs::write(&log, bytes).unwrap();
        let audited = deployment.run(&["audit", "--json", data.to_str().unwrap()]);
        let finding = &json(&audited)["findings"][0];
        assert_eq!((audited.status.code(), &finding["code"]), (Some(9), &"DAMAGED".into()), "{audited:?}");
        assert!(finding["byte"].as_u64().unwrap() <= 300 && finding["record"].as_u64().unwrap() > 0);
        assert!(String::from_utf8_lossy(&audited.stderr).contains("DAMAGED"));
    }
}

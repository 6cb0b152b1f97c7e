//! A data directory is bound to one protocol.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::time::{SystemTime, UNIX_EPOCH};

use common::Site;
use quorate_node::application::Ledger;
use quorate_node::genesis::{ProtocolName, Schedule, SchemeName};

#[tokio::test]
async fn data_of_another_protocol_is_refused() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let schedule = Schedule::starting(now - 3600);
    let site = Site::new(quorate_node_gosig::NAME, 1, SchemeName::Bls, Some(schedule));
    let start =
        || quorate_node_gosig::start(site.config(0), site.genesis.clone(), Box::new(Ledger::default()));
    start().await.unwrap().shutdown().await.unwrap();
    let other = site.genesis.clone().with_protocol(ProtocolName::DEFAULT, None);
    let refused = quorate_node_jolteon::start(site.config(0), other, Box::new(Ledger::default())).await;
    let error = refused.map(drop).unwrap_err();
    assert_eq!(error.code(), "DATA_MISMATCH");
    let text = error.to_string();
    assert!(text.contains("gosig") && text.contains("jolteon") && text.contains("protocol"), "{text}");
    start().await.unwrap().shutdown().await.unwrap();
}

#[test]
fn genesis_fields_are_checked_for_each_protocol() {
    use quorate::bls::{Counted, MinSig};
    use quorate_node::protocol::Protocol;
    use quorate_node_gosig::Gosig;
    use quorate_node_jolteon::Jolteon;

    let genesis = |scheme, schedule| Site::new(quorate_node_gosig::NAME, 1, scheme, schedule).genesis;
    let timed = genesis(SchemeName::Bls, Some(Schedule::starting(1)));
    Gosig::<Counted<MinSig>>::check_genesis(&timed).unwrap();
    let untimed = genesis(SchemeName::Bls, None);
    Jolteon::<MinSig>::check_genesis(&untimed).unwrap();
    let mut large = timed.clone();
    large.parameters.max_transaction_bytes = u32::MAX;
    let ed25519 = genesis(SchemeName::Ed25519, Some(Schedule::starting(1)));
    let refused = [
        (Gosig::<Counted<MinSig>>::check_genesis(&untimed), "Gosig needs one"),
        (Gosig::<Counted<MinSig>>::check_genesis(&ed25519), "needs scheme = \"bls\""),
        (Gosig::<Counted<MinSig>>::check_genesis(&large), "parameters.max_transaction_bytes"),
        (Jolteon::<MinSig>::check_genesis(&timed), "Jolteon has none"),
    ];
    for (checked, text) in refused {
        let error = checked.unwrap_err();
        assert!(error.code() == "GENESIS" && error.to_string().contains(text), "{error}");
    }
}

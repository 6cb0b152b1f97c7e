//! Every fuzz target on its seeds and on a bounded number of mutations of them, the same on every run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use quorate_fuzz::mutate::{Rng, mutate};
use quorate_fuzz::{TARGETS, Target};

fn brief(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of that name");
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for seed in &seeds {
        try_one(target, seed);
    }
    let mut rng = Rng::new(0);
    for _ in 0..target.brief {
        let mut input = seeds[rng.below(seeds.len())].clone();
        let other = &seeds[rng.below(seeds.len())];
        mutate(&mut input, other, &mut rng);
        try_one(target, &input);
    }
}

/// Shows the input of a failure as hexadecimal digits; `cargo xtask fuzz <target> --replay FILE` runs it again.
fn try_one(target: &Target, input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        let digits: String = input.iter().map(|byte| format!("{byte:02x}")).collect();
        eprintln!("target {} fails on {} bytes: {digits}", target.name, input.len());
        std::panic::resume_unwind(panic);
    }
}

/// One test per target, so that they run side by side and a failure names its target.
macro_rules! targets {
    ($($test:ident = $name:literal),* $(,)?) => {
        $(#[test] fn $test() { brief($name); })*

        #[test]
        fn every_target_has_its_test() {
            assert_eq!(TARGETS.iter().map(|target| target.name).collect::<Vec<_>>(), [$($name),*]);
        }
    };
}

targets! {
    keys = "keys",
    signer_sets = "signer-sets",
    votes = "votes",
    certificates = "certificates",
    journals = "journals",
    interchanges = "interchanges",
    light = "light",
    vote_collector = "vote-collector",
    timeout_collector = "timeout-collector",
    jolteon_decoders = "jolteon-decoders",
    jolteon_machine = "jolteon-machine",
    gosig_decoders = "gosig-decoders",
    gosig_machine = "gosig-machine",
    sortition_decoders = "sortition-decoders",
    aggregate_decoders = "aggregate-decoders",
    gossip_machine = "gossip-machine",
    dsig_decoders = "dsig-decoders",
    dsig_verifier = "dsig-verifier",
    erasure_decoders = "erasure-decoders",
    erasure_senders = "erasure-senders",
    broadcast_decoders = "broadcast-decoders",
    broadcast_evidence = "broadcast-evidence",
    broadcast_machine = "broadcast-machine",
    abft_decoders = "abft-decoders",
    abft_machine = "abft-machine",
    abft_chain = "abft-chain",
    share_decoders = "share-decoders",
    share_collectors = "share-collectors",
    signing_decoders = "signing-decoders",
    signing_combiners = "signing-combiners",
    audited_redis_wire = "audited-redis-wire",
    audited_redis_log = "audited-redis-log",
    audited_redis_crash = "audited-redis-crash",
    node_wire = "node-wire",
    node_text = "node-text",
    service_wire = "service-wire",
    service_replay = "service-replay",
    audited_kv_wire = "audited-kv-wire",
    audited_kv_machine = "audited-kv-machine",
    audited_kv_answers = "audited-kv-answers",
    exchange_wire = "exchange-wire",
    exchange_machine = "exchange-machine",
    exchange_answers = "exchange-answers",
    exchange_log = "exchange-log",
    replicate_decoders = "replicate-decoders",
    replicate_machine = "replicate-machine",
    threshold_signing_wire = "threshold-signing-wire",
    threshold_signing_files = "threshold-signing-files",
    threshold_signing_text = "threshold-signing-text",
}

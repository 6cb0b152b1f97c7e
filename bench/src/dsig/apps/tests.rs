use serde_json::json;

use super::*;
use crate::chart::Drawing;
use crate::dsig::costs::Costs;

fn samples(signers: &[(&str, f64, Option<f64>)]) -> Samples {
    let mut samples = Samples::default();
    for shift in [0.0, 2.0, 1.0] {
        let line = |(signer, p50, crypto): &(&str, f64, Option<f64>)| {
            json!({
                "signer": signer, "p10": p50 - 1.0, "p50": p50 + shift, "p90": p50 + 5.0, "p99": p50 + 9.0,
                "sign": crypto.map(|_| 0.5), "verify": crypto,
            })
        };
        let results: Vec<_> = signers.iter().map(line).collect();
        samples.add(&json!({ "results": results }), "").unwrap();
    }
    samples
}

fn redis() -> Samples {
    samples(&[
        ("direct", 30.0, None),
        ("none", 80.0, None),
        ("eddsa", 140.0, Some(38.0)),
        ("dsig", 84.0, Some(1.0)),
    ])
}

fn costs() -> Costs {
    Costs {
        suite: SUITE,
        ed: 40_000.0,
        ed_sign: 20_000.0,
        ed_verify: 40_000.0,
        generate: 1.0,
        sign: 500.0,
        verify: 1_500.0,
        verify_decoded: 1.0,
        verify_slowly: 1.0,
        announce: 1.0,
        signature_bytes: 1584,
        announced_bytes: 33.0,
    }
}

const LOAD: Load = Load { requests: 10_000, warm_up: 500, suite: SUITE, pin: true };

fn program(binary: &str) -> &'static MeasuredProgram {
    PROGRAMS.iter().find(|about| about.binary == binary).unwrap()
}

#[test]
fn added_latency_is_relative_to_the_unsigned_front() {
    let rows = targets(program("audited-redis"), &redis()).unwrap();
    assert_eq!(rows[0].value, 1.5);
    assert_eq!(rows[0].is_reached(), Some(true));
    assert!(rows[0].note.contains("add 4 µs") && rows[1].note.contains("add 60 µs"), "{}", rows[0].note);
    assert_eq!([2, 3, 4].map(|row: usize| rows[row].value), [4.0, 4.0, 54.0]);
    assert_eq!(redis().bar("a", "eddsa", "none").unwrap().values, [81.0, 60.0]);
    assert_eq!(redis().bar("a", "direct", "direct").unwrap().values, [31.0, 0.0]);
}

#[test]
fn targets_compare_with_the_program_without_signatures() {
    let values = |binary: &str, samples: &Samples| {
        let rows = targets(program(binary), samples).unwrap();
        rows.iter().map(|row| row.value).collect::<Vec<_>>()
    };
    let about = program("quorate-broadcast");
    let broadcast = samples(&[(about.plain, 20.0, None), ("eddsa", 120.0, None), ("dsig", 40.0, None)]);
    assert_eq!(values("quorate-broadcast", &broadcast), [0.2]);
    let replicate = samples(&[("eddsa", 99.0, None), ("dsig", 19.0, None)]);
    assert_eq!(values("replicate", &replicate), [0.2]);
    assert!(values("exchange", &replicate).is_empty());
    let mut store = samples(&[("plain", 3.0, None), ("dsig", 5.5, None)]);
    assert_eq!(values("audited-kv", &store), [2.5, 2.5], "an unpinned run");
    let result = |signer, p99| json!({ "signer": signer, "p99_between_ticks": p99 });
    store.add(&json!({ "results": [result("plain", 4.0), result("dsig", 8.5)] }), "").unwrap();
    assert_eq!(values("audited-kv", &store), [2.5, 2.5, 4.5]);
}

#[test]
fn an_incomplete_report_is_refused() {
    let mut samples = Samples::default();
    assert!(samples.add(&json!({}), "").is_err());
    samples
        .add(&json!({ "results": [{ "signer": "none", "latency_us": { "p50": 3.5 } }] }), "/latency_us")
        .unwrap();
    assert_eq!(samples.median("none", "p50"), Ok(3.5));
    assert!(samples.median("none", "p90").is_err() && samples.median("dsig", "p50").is_err());
}

#[test]
fn a_missing_redis_is_reported_with_its_package() {
    assert!(!is_there("no-such-program"));
    let about = program("audited-redis");
    let (_, hint) = about.needs.unwrap();
    let table = figures::unmeasured(about, hint);
    assert!(table.text().contains("apt-get install redis-server"));
    assert!(table.rows.is_empty() && table.drawing.is_none());
}

#[test]
fn every_program_has_its_row_for_each_signer() {
    let signed = [("eddsa", 140.0, None), ("sodium", 160.0, None), ("dsig", 84.0, None)];
    for about in PROGRAMS {
        let mut signers = vec![(about.plain, 30.0, None)];
        if about.has_log {
            signers.push(("none", 80.0, None));
        }
        signers.extend(signed);
        let table = figures::figure_7(about, &samples(&signers), &LOAD, &costs()).unwrap();
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.text());
        assert_eq!(table.rows.len(), signers.len());
        let text = table.text();
        for needed in
            ["p99, µs", "EdDSA, Dalek", "EdDSA, Sodium", "DSig", "10000 requests", "No process is pinned"]
        {
            assert!(text.contains(needed), "{needed}: {text}");
        }
        assert!(!text.contains("without libsodium"), "{text}");
        assert!(text.contains(&format!("≈ {} + {}", about.paper.plain, about.paper.added[1])), "{text}");
        // The paper's three bars beside ours.
        let Some(Drawing::Bars(bars)) = table.drawing else { panic!("no bars") };
        assert_eq!(bars.bars.len(), signers.len() + 3);
        let paper = bars.bars.iter().filter(|bar| bar.name.contains("the paper"));
        assert!(paper.map(|bar| bar.values[0]).eq([about.paper.plain; 3]));
    }
}

#[test]
fn a_program_without_libsodium_says_what_is_missing() {
    let table = figures::figure_7(program("audited-redis"), &redis(), &LOAD, &costs()).unwrap();
    assert_eq!(table.rows.len(), 4);
    assert!(table.text().contains("Not measured: EdDSA, Sodium") && table.text().contains("libsodium-dev"));
}

#[test]
fn the_cores_of_pinned_processes_are_named() {
    let mut samples = Samples::default();
    samples.add(&json!({ "client_core": 0, "server_core": 3, "results": [] }), "").unwrap();
    let text = samples.pinning();
    assert!(
        text.contains("client with its keys is pinned to core 0") && text.contains("to core 3"),
        "{text}"
    );
    samples.add(&json!({ "core": 2, "results": [] }), "").unwrap();
    assert!(samples.pinning().contains("All processes are pinned to core 2"));
}

#[test]
fn figure_1_states_the_reduction_of_cryptography_and_of_latency() {
    let broadcast = samples(&[("none", 19.0, None), ("eddsa", 119.0, None), ("dsig", 29.0, None)]);
    let measured = [(program("quorate-broadcast"), &broadcast), (program("audited-redis"), &redis())];
    let table = figures::figure_1(&measured).unwrap();
    // Redis is not in the paper's figure. Medians are one above the first round.
    assert_eq!(table.rows.len(), 1);
    assert_eq!(table.rows[0], ["consistent broadcast", "20", "100", "10", "90", "75", "82, 73"]);
}

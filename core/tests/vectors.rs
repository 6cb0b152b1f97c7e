//! Runs every case of `spec/vectors` against the public API.
//!
//! The independent model in `spec/model` generates the cases; `spec/vectors/README.md` has the schema.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
#![cfg(all(feature = "bls", feature = "ed25519", feature = "dsig"))]

mod cases;
mod operations;

use cases::folder;

fn run(block: &str) {
    cases::run(block, operations::run);
}

#[test]
fn the_spec_lists_exactly_the_domains_and_error_codes() {
    let page = std::fs::read_to_string(folder().join("../wire.md")).unwrap();
    let listed = quorate::wire::domain::ALL.iter().chain(quorate::Error::CODES);
    for name in listed {
        assert!(page.contains(&format!("`{name}`")), "spec/wire.md does not list {name}");
    }
    let strings = page.split('`').filter(|word| word.starts_with("quorate-v1-"));
    for name in strings {
        assert!(quorate::wire::domain::ALL.contains(&name), "spec/wire.md names {name}, which nothing uses");
    }
    let (_, errors) = page.split_once("## Errors").unwrap();
    for code in errors.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next()) {
        assert!(quorate::Error::CODES.contains(&code), "spec/wire.md names {code}, which nothing reports");
    }
}

macro_rules! blocks {
    ($($(#[$only:meta])* $block:ident),*) => {
        $($(#[$only])* #[test] fn $block() { run(stringify!($block)); })*

        #[test]
        fn every_vector_file_is_read() {
            // The tests of the Jolteon, Gosig and ABFT crates read their files, and `jerasure.rs` reads its own.
            let mut known =
                ["README.md", "public", "jolteon.json", "gosig.json", "abft.json", "jerasure.json"].map(str::to_owned).to_vec();
            known.extend(THRESHOLD.map(str::to_owned));
            known.extend([$(concat!(stringify!($block), ".json").to_owned()),*]);
            for entry in std::fs::read_dir(folder()).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(known.contains(&name), "no test reads {name}");
            }
        }
    };
}

blocks!(
    wire,
    bls,
    ed25519,
    merkle,
    committee,
    vote,
    certificate,
    timeout,
    evidence,
    guard,
    dsig,
    #[cfg(all(feature = "gossip", feature = "light"))]
    light,
    #[cfg(feature = "gossip")]
    aggregate,
    #[cfg(feature = "gossip")]
    gossip,
    #[cfg(all(feature = "gossip", feature = "sortition"))]
    sortition,
    #[cfg(feature = "erasure")]
    erasure
);

/// Vector files of the feature `threshold`.
const THRESHOLD: [&str; 3] = ["tdh2.json", "coin.json", "threshold.json"];

#[cfg(feature = "threshold")]
#[test]
fn threshold() {
    THRESHOLD.into_iter().filter_map(|name| name.strip_suffix(".json")).for_each(run);
}

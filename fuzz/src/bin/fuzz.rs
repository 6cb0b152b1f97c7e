//! The libFuzzer entry. `QUORATE_FUZZ_TARGET` names the target, or is `list`; with `QUORATE_FUZZ_SEEDS` the seeds of
//! the target are written to that folder, without fuzzing, and no more than `QUORATE_FUZZ_SEED_LIMIT` of them.
//! `cargo xtask fuzz` sets these variables.
#![no_main]

use std::path::Path;
use std::sync::OnceLock;
use std::{env, fs, process};

use quorate_fuzz::{TARGETS, Target};

static TARGET: OnceLock<&'static Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(init: choose(), |bytes: &[u8]| {
    if let Some(target) = TARGET.get() {
        (target.run)(bytes);
    }
});

fn choose() {
    let wanted = env::var("QUORATE_FUZZ_TARGET").unwrap_or_default();
    if wanted == "list" {
        TARGETS.iter().for_each(|target| println!("{}", target.name));
        process::exit(0);
    }
    let Some(target) = TARGETS.iter().find(|target| target.name == wanted) else {
        eprintln!("set QUORATE_FUZZ_TARGET to a target, or to `list`; or use `cargo xtask fuzz`");
        process::exit(2);
    };
    if let Some(folder) = env::var_os("QUORATE_FUZZ_SEEDS") {
        process::exit(write_seeds(target, Path::new(&folder)));
    }
    // libFuzzer initialises once; a second call would carry the same name.
    let _ = TARGET.set(target);
}

fn write_seeds(target: &Target, folder: &Path) -> i32 {
    let seeds = (target.seeds)();
    let limit = env::var("QUORATE_FUZZ_SEED_LIMIT").ok().and_then(|limit| limit.parse().ok());
    let step = seeds.len().div_ceil(limit.unwrap_or(usize::MAX).max(1)).max(1);
    for (number, seed) in seeds.iter().enumerate().step_by(step) {
        let file = folder.join(format!("seed-{number:04}"));
        if let Err(error) = fs::write(&file, seed) {
            eprintln!("{}: {error}", file.display());
            return 1;
        }
    }
    0
}

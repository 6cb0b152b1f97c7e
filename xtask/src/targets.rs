//! Checks of the core for wasm32 with `std` and for bare metal without, and tests on 64-bit ARM.

use std::env;
use std::path::PathBuf;

use crate::process::{Outcome, is_on_path};
use crate::steps::{Log, Steps, tests_in};
use crate::toolchain::{Compiler, WASM, compiles_wasm, has_std};
use crate::{debian, environment, workspace};

/// WebAssembly without a standard library: code that compiles for it needs none.
const NO_STD_WASM: &str = "wasm32v1-none";
/// Clang under its usual names; blst is C, and only clang compiles C to WebAssembly.
const CLANGS: &[&str] = &[
    "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
];

/// Adds the steps. They have a folder of their own, so they run in the background.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add_background("core on wasm32", |log| {
        let compiler = compiler_for(log, WASM)?;
        compiler.check(log, WASM, &["--features", "erasure,threshold"])?;
        Ok(compiler.origin)
    });
    steps.add_background("core as no_std", |log| {
        const NO_STD: &[&str] =
            &["--no-default-features", "--features", "bls,ed25519,dsig,erasure,threshold,gossip,sortition"];
        if has_std("rustc", NO_STD_WASM) || rustup_adds(log, NO_STD_WASM) {
            let compiler = compiler_for(log, NO_STD_WASM)?;
            compiler.check(log, NO_STD_WASM, NO_STD)?;
            return Ok(format!("{NO_STD_WASM}, which has no std"));
        }
        let compiler = compiler_for(log, WASM)?;
        compiler.check(log, WASM, NO_STD)?;
        Ok(format!("{WASM}, because {NO_STD_WASM} cannot be installed here; {}", compiler.origin))
    });
    steps.add_background("vector code on 64-bit ARM", on_arm);
}

/// 64-bit ARM: DSig uses its AES instructions and the erasure codes its vector instructions. An emulator runs its programs.
const ARM: &str = "aarch64-unknown-linux-gnu";

/// Runs the unit tests of DSig and the erasure codes on an emulated ARM processor.
fn on_arm(log: &Log) -> Outcome<String> {
    if cfg!(target_arch = "aarch64") {
        return Ok("this processor is one, and ran the unit tests".to_owned());
    }
    let tools = ["aarch64-linux-gnu-gcc", "qemu-aarch64"];
    if !tools.into_iter().all(is_on_path) {
        environment::install(log, &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"])?;
    }
    if !has_std("rustc", ARM) && !rustup_adds(log, ARM) {
        return Err(format!("no standard library for {ARM}: `rustup target add {ARM}` failed"));
    }
    let mut cargo = workspace::cargo();
    cargo.args([
        "test",
        "--package",
        "quorate",
        "--lib",
        "--no-default-features",
        "--features",
        "std,dsig,erasure",
    ]);
    cargo.env("CARGO_BUILD_TARGET", ARM).env("CARGO_TARGET_DIR", workspace::target("targets"));
    let name = ARM.replace('-', "_");
    cargo.env(format!("CC_{name}"), "aarch64-linux-gnu-gcc");
    cargo.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), "aarch64-linux-gnu-gcc");
    let runner = format!("CARGO_TARGET_{}_RUNNER", name.to_uppercase());
    cargo.env(runner, "qemu-aarch64 -L /usr/aarch64-linux-gnu");
    log.run(cargo.args(["--", "dsig", "erasure"])).map(|output| tests_in(&output))
}

/// The compiler for a target, installed if it is missing.
pub(crate) fn compiler_for(log: &Log, target: &str) -> Outcome<Compiler> {
    // Tests the path without rustup on a machine that has rustup.
    let forced = env::var_os("QUORATE_DEBIAN_WASM").is_some();
    if !forced && (has_std("rustc", target) || rustup_adds(log, target)) {
        let clang = match system_clang() {
            Some(clang) => clang,
            None => {
                environment::install(log, &["clang", "llvm"])?;
                system_clang()
                    .ok_or("clang was installed but has no wasm32 target; set CC_wasm32_unknown_unknown")?
            }
        };
        return Ok(Compiler { rustc: None, clang, linker: None, origin: "toolchain from rustup".to_owned() });
    }
    debian::compiler(log)
}

fn rustup_adds(log: &Log, target: &str) -> bool {
    environment::rustup(log, &["target", "add", target]).is_ok() && has_std("rustc", target)
}

fn system_clang() -> Option<PathBuf> {
    let chosen = env::var_os("CC_wasm32_unknown_unknown").map(PathBuf::from);
    chosen.into_iter().chain(CLANGS.iter().map(PathBuf::from)).find(|clang| compiles_wasm(clang))
}

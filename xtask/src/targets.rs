//! The core on machines without an operating system: wasm32 with `std`, and bare metal without.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use sha2::{Digest, Sha256};

use crate::process::{Outcome, is_there, output_of};
use crate::steps::{Log, Steps, tests_in};
use crate::{debian, environment, workspace};

/// WebAssembly as browsers run it.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";
/// WebAssembly for which no standard library exists: what compiles here needs none.
const BARE: &str = "wasm32v1-none";
/// Clang under its usual names; blst is C, and only clang compiles C to WebAssembly.
const CLANGS: &[&str] = &[
    "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
];

/// Adds both builds.
pub(crate) fn add_to(steps: &mut Steps) {
    steps.add("core on wasm32", |log| {
        let compiler = Compiler::for_target(log, WASM)?;
        compiler.build(log, WASM, &["--features", "erasure,threshold"])?;
        Ok(compiler.origin)
    });
    steps.add("core as no_std", |log| {
        const NO_STD: &[&str] =
            &["--no-default-features", "--features", "bls,ed25519,dsig,erasure,threshold,gossip,sortition"];
        if has_std("rustc", BARE) || rustup_adds(log, BARE) {
            let compiler = Compiler::for_target(log, BARE)?;
            compiler.build(log, BARE, NO_STD)?;
            return Ok(format!("{BARE}, which has no std"));
        }
        let compiler = Compiler::for_target(log, WASM)?;
        compiler.build(log, WASM, NO_STD)?;
        Ok(format!("{WASM}, because {BARE} is not to be had here; {}", compiler.origin))
    });
    steps.add("vector code on 64-bit ARM", on_arm);
}

/// 64-bit ARM, whose AES instructions DSig and whose vectors erasure codes use; its programs run in an emulator.
const ARM: &str = "aarch64-unknown-linux-gnu";

/// Their unit tests as an ARM processor runs them.
fn on_arm(log: &Log) -> Outcome<String> {
    if cfg!(target_arch = "aarch64") {
        return Ok("this is one: the unit tests ran on it".to_owned());
    }
    let tools = ["aarch64-linux-gnu-gcc", "qemu-aarch64"];
    if !tools.into_iter().all(is_there) {
        environment::install(log, &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"])?;
    }
    if !has_std("rustc", ARM) && !rustup_adds(log, ARM) {
        return Err(format!("no standard library for {ARM}: `rustup target add {ARM}` did not bring it"));
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

/// A compiler for a target, with the C compiler that goes with it.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// None: the toolchain in use.
    pub(crate) rustc: Option<PathBuf>,
    pub(crate) clang: PathBuf,
    pub(crate) linker: Option<PathBuf>,
    /// For the step's line.
    pub(crate) origin: String,
}

impl Compiler {
    /// The compiler for a target, set up if need be.
    pub(crate) fn for_target(log: &Log, target: &str) -> Outcome<Self> {
        // To try the way round rustup on a machine that has it.
        let forced = env::var_os("QUORATE_DEBIAN_WASM").is_some();
        if !forced && (has_std("rustc", target) || rustup_adds(log, target)) {
            let clang = match system_clang() {
                Some(clang) => clang,
                None => {
                    environment::install(log, &["clang", "llvm"])?;
                    system_clang().ok_or(
                        "clang was installed but has no wasm32 target; set CC_wasm32_unknown_unknown",
                    )?
                }
            };
            return Ok(Self { rustc: None, clang, linker: None, origin: "toolchain from rustup".to_owned() });
        }
        debian::compiler(log)
    }

    /// Cargo with this compiler, for a target; what it makes is under [`target_folder`](Self::target_folder).
    pub(crate) fn cargo(&self, target: &str) -> Command {
        let mut cargo = workspace::cargo();
        // Not on the command line, where it would have to follow the subcommand.
        cargo.env("CARGO_BUILD_TARGET", target).env("CARGO_TARGET_DIR", self.target_folder());
        let name = target.replace('-', "_");
        cargo.env(format!("CC_{name}"), &self.clang);
        let asked = env::var(format!("CFLAGS_{name}")).unwrap_or_default();
        let header = workspace::root().join("xtask/wasm/blst.h");
        cargo.env(format!("CFLAGS_{name}"), c_flags(&header, &asked));
        cargo.env("CC_SHELL_ESCAPED_FLAGS", "1");
        cargo.env(format!("AR_{name}"), if is_there("llvm-ar") { "llvm-ar" } else { "ar" });
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc).env_remove("RUSTC_WRAPPER");
        }
        if let Some(linker) = &self.linker {
            cargo.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), linker);
        }
        cargo
    }

    /// Another compiler invalidates what the first one made: apart from each other.
    pub(crate) fn target_folder(&self) -> PathBuf {
        workspace::target(if self.rustc.is_some() { "debian" } else { "targets" })
    }

    fn build(&self, log: &Log, target: &str, features: &[&str]) -> Outcome<String> {
        log.run(self.cargo(target).args(["build", "--package", "quorate"]).args(features))
    }
}

/// The C compiler's flags for blst. cargo compiles anew when they change but not when a file changes that they name,
/// and so they carry a hash of it. What the user asked for comes last, where it wins.
fn c_flags(header: &Path, asked: &str) -> String {
    let hash = hex::encode(Sha256::digest(fs::read(header).unwrap_or_default()));
    format!("-include '{}' -DQUORATE_BLST_H={hash} {asked}", header.display())
}

/// Whether `rustc` finds a standard library (or at least `core`) for the target: rustup's word is not enough.
pub(crate) fn has_std(rustc: impl AsRef<Path>, target: &str) -> bool {
    let print = ["--print", "target-libdir", "--target", target];
    let Some(folder) = output_of(Command::new(rustc.as_ref()).args(print)) else { return false };
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("libcore-")
        })
    })
}

fn rustup_adds(log: &Log, target: &str) -> bool {
    environment::rustup(log, &["target", "add", target]).is_ok() && has_std("rustc", target)
}

fn system_clang() -> Option<PathBuf> {
    let chosen = env::var_os("CC_wasm32_unknown_unknown").map(PathBuf::from);
    chosen.into_iter().chain(CLANGS.iter().map(PathBuf::from)).find(|clang| compiles_wasm(clang))
}

/// Whether a clang can compile C for wasm32.
pub(crate) fn compiles_wasm(clang: &Path) -> bool {
    let source = workspace::target("xtask/empty.c");
    let written = source.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok())
        && fs::write(&source, "int empty(void) { return 0; }\n").is_ok();
    written
        && Command::new(clang)
            .args(["--target=wasm32-unknown-unknown", "-c", "-o", "/dev/null"])
            .arg(&source)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_header_means_other_flags() {
        let header = workspace::target("xtask/unit/blst.h");
        fs::create_dir_all(header.parent().unwrap()).unwrap();
        let of = |text: &str| {
            fs::write(&header, text).unwrap();
            c_flags(&header, "-O1")
        };
        let flags = of("int one;");
        assert!(flags.ends_with(" -O1"), "{flags}");
        assert_ne!(of("int two;"), flags);
        assert_eq!(of("int one;"), flags);
    }
}

//! A Rust compiler for WebAssembly, and the C compiler that it is used with.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use sha2::{Digest, Sha256};

use crate::process::{Outcome, is_on_path, output_of};
use crate::steps::Log;
use crate::workspace;

/// WebAssembly with a standard library, as browsers run it.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Option of cargo for a check, which compiles C code but does not run it.
pub(crate) const C_QUICKLY: &str = "profile.dev.package.blst.opt-level=0";

/// A Rust compiler for a target, with its C compiler.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// `None`: the toolchain in use.
    pub(crate) rustc: Option<PathBuf>,
    pub(crate) clang: PathBuf,
    pub(crate) linker: Option<PathBuf>,
    /// Description for the step's line.
    pub(crate) origin: String,
}

impl Compiler {
    /// Cargo with this compiler, for a target; its output is below [`target_folder`](Self::target_folder).
    pub(crate) fn cargo(&self, target: &str) -> Command {
        let mut cargo = workspace::cargo();
        // As a variable, because an argument would have to follow the subcommand.
        cargo.env("CARGO_BUILD_TARGET", target).env("CARGO_TARGET_DIR", self.target_folder());
        let name = target.replace('-', "_");
        cargo.env(format!("CC_{name}"), &self.clang);
        let user_flags = env::var(format!("CFLAGS_{name}")).unwrap_or_default();
        let header = workspace::root().join("xtask/wasm/blst.h");
        cargo.env(format!("CFLAGS_{name}"), c_flags(&header, &user_flags));
        cargo.env("CC_SHELL_ESCAPED_FLAGS", "1");
        cargo.env(format!("AR_{name}"), if is_on_path("llvm-ar") { "llvm-ar" } else { "ar" });
        if let Some(rustc) = &self.rustc {
            cargo.env("RUSTC", rustc).env_remove("RUSTC_WRAPPER");
        }
        if let Some(linker) = &self.linker {
            cargo.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), linker);
        }
        cargo
    }

    /// The target folder. Each compiler has its own, because one would invalidate the output of the other.
    pub(crate) fn target_folder(&self) -> PathBuf {
        workspace::target(if self.rustc.is_some() { "debian" } else { "targets" })
    }

    /// Checks the core for a target with these features, and compiles its C code.
    pub(crate) fn check(&self, log: &Log, target: &str, features: &[&str]) -> Outcome<String> {
        let mut cargo = self.cargo(target);
        log.run(cargo.args(["check", "--config", C_QUICKLY, "--package", "quorate"]).args(features))
    }
}

/// The C compiler's flags for blst. Cargo compiles again when they change, but not when a file changes that they name, so
/// they contain a hash of the file. The user's flags are last and so take precedence.
fn c_flags(header: &Path, user_flags: &str) -> String {
    let hash = hex::encode(Sha256::digest(fs::read(header).unwrap_or_default()));
    format!("-include '{}' -DQUORATE_BLST_H={hash} {user_flags}", header.display())
}

/// Returns true if `rustc` finds a standard library (or at least `core`) for the target. Rustup's exit code is not enough.
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

/// Returns true if this clang can compile C for wasm32.
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
    fn another_header_changes_the_flags() {
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

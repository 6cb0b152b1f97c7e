//! Builds a JavaScript module from a crate: cargo for wasm32, and wasm-bindgen at the version of the crate (`xtask/wasm`).

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::process::Outcome;
use crate::steps::Log;
use crate::targets::compiler_for;
use crate::toolchain::WASM;
use crate::{npm, workspace};

/// A module to build. `..Pack::new("crate")` sets the defaults.
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    /// The crate; its library must be a `cdylib`.
    pub(crate) package: &'static str,
    /// Features beside the default ones.
    pub(crate) features: &'static str,
    /// Enables the crate's default features.
    pub(crate) default_features: bool,
    /// Cargo's profile: `wasm` for downloads, `dev` for debugging.
    pub(crate) profile: &'static str,
    /// wasm-bindgen's target: `web` suits browsers, bundlers, workers and Node.
    pub(crate) target: &'static str,
    /// The files' name: NAME.js and NAME_bg.wasm.
    pub(crate) name: &'static str,
}

/// The compiler copies functions into their callers only below this estimated size, unless they are marked `#[inline]`. The
/// default, 225, makes the modules a seventh larger when compressed, and nothing that we measured faster.
const FLAGS: &str = "-Cllvm-args=--inline-threshold=25";

impl Pack {
    /// A crate with its default features, for the web.
    pub(crate) fn new(package: &'static str) -> Self {
        Self { package, features: "", default_features: true, profile: "wasm", target: "web", name: "module" }
    }
}

/// Builds a module into `out` and returns the path of its .wasm.
pub(crate) fn build(log: &Log, pack: &Pack, out: &Path) -> Outcome<PathBuf> {
    let compiler = compiler_for(log, WASM)?;
    let mut cargo = compiler.cargo(WASM);
    cargo.args(["build", "--lib", "--package", pack.package, "--profile", pack.profile]);
    cargo.args(["--features", pack.features]);
    if !pack.default_features {
        cargo.arg("--no-default-features");
    }
    cargo.env(format!("CARGO_TARGET_{}_RUSTFLAGS", WASM.replace('-', "_").to_uppercase()), FLAGS);
    log.run(&mut cargo)?;
    let folder = if pack.profile == "dev" { "debug" } else { pack.profile };
    let library = format!("{}.wasm", pack.package.replace('-', "_"));
    let built = compiler.target_folder().join(WASM).join(folder).join(library);
    let module = out.join(format!("{}_bg.wasm", pack.name));
    let fingerprint_file = workspace::target("xtask/wasm").join(format!("{}-{}", pack.package, pack.name));
    let tools = workspace::root().join("xtask/wasm");
    let files = [
        built.clone(),
        tools.join("src/main.rs"),
        tools.join("package-lock.json"),
        module.clone(),
        out.join(format!("{}.js", pack.name)),
    ];
    if fs::read_to_string(&fingerprint_file).is_ok_and(|last| last == fingerprint(pack, &files)) {
        return Ok(module);
    }
    bind(log, pack, &built, out)?;
    fs::create_dir_all(workspace::target("xtask/wasm")).map_err(|e| e.to_string())?;
    fs::write(&fingerprint_file, fingerprint(pack, &files)).map_err(|e| e.to_string())?;
    Ok(module)
}

/// Hash of a module's inputs and outputs. It covers the contents of the files, not their times: two feature sets of one
/// crate share a file in the target folder, which cargo writes again for each.
fn fingerprint(pack: &Pack, files: &[PathBuf]) -> String {
    let mut all = Sha256::new();
    all.update(format!("{pack:?}"));
    for file in files {
        all.update(Sha256::digest(fs::read(file).unwrap_or_default()));
    }
    hex::encode(all.finalize())
}

fn bind(log: &Log, pack: &Pack, built: &Path, out: &Path) -> Outcome {
    fs::create_dir_all(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let mut cargo = workspace::cargo();
    // A folder of its own, so that it never waits for another build.
    cargo.env("CARGO_TARGET_DIR", workspace::target("xtask/wasm-pack"));
    cargo.args(["run", "--quiet", "--package", "quorate-wasm-pack", "--"]).arg(built).arg("--out").arg(out);
    cargo.args(["--target", pack.target, "--name", pack.name]);
    log.run(&mut cargo).map(drop)
}

/// The folder whose `node_modules` holds Playwright, which drives a browser.
pub(crate) fn tools(log: &Log) -> Outcome<PathBuf> {
    let folder = workspace::root().join("xtask/wasm");
    npm::install(log, &folder).map(|()| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_depends_on_contents_only() {
        let folder = workspace::target("xtask/unit/wasm");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("one.wasm");
        let (full, small) = (Pack::new("one"), Pack { default_features: false, ..Pack::new("one") });
        let of = |pack, text: &str| {
            let _ = fs::remove_file(&file);
            fs::write(&file, text).unwrap();
            fingerprint(pack, std::slice::from_ref(&file))
        };
        let first = of(&full, "a");
        assert_ne!(of(&full, "b"), first);
        assert_ne!(of(&small, "a"), first);
        assert_eq!(of(&full, "a"), first);
    }
}

//! Builds a JavaScript module from a crate: cargo for wasm32, wasm-bindgen at the version of the crate (`xtask/wasm`), and
//! Binaryen's optimiser where size matters.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    /// Level of Binaryen's optimiser, such as `-O3` or `-Oz`; `None` skips it.
    pub(crate) optimise: Option<&'static str>,
}

impl Pack {
    /// A crate with its default features, optimised by the compiler alone, for the web.
    pub(crate) fn new(package: &'static str) -> Self {
        Self {
            package,
            features: "",
            default_features: true,
            profile: "wasm",
            target: "web",
            name: "module",
            optimise: None,
        }
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
        return Ok(module); // Optimising takes minutes.
    }
    bind(log, pack, &built, out)?;
    if let Some(level) = pack.optimise {
        optimise(log, &module, level)?;
    }
    fs::create_dir_all(workspace::target("xtask/wasm")).map_err(|e| e.to_string())?;
    fs::write(&fingerprint_file, fingerprint(pack, &files)).map_err(|e| e.to_string())?;
    Ok(module)
}

/// Hash of a module's inputs and outputs. It covers the contents of the files, not their times: two feature sets of one
/// crate share a file in the target folder, which cargo writes again for each.
fn fingerprint(pack: &Pack, files: &[PathBuf]) -> String {
    let mut all = Sha256::new();
    all.update(format!("{pack:?} {IN_USE:?}"));
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

/// Extensions of WebAssembly that Rust's compiler (or, for SIMD, one of our crates) uses. The optimiser may use no other,
/// so that the module still loads in the same engines.
const IN_USE: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-simd",
];

/// The folder whose `node_modules` holds Binaryen, and Playwright to drive a browser.
pub(crate) fn tools(log: &Log) -> Outcome<PathBuf> {
    let folder = workspace::root().join("xtask/wasm");
    npm::install(log, &folder).map(|()| folder)
}

/// Runs Binaryen from npm: Debian's version is too old and breaks the module.
fn optimise(log: &Log, module: &Path, level: &str) -> Outcome {
    let tools = tools(log)?;
    let mut optimiser = Command::new("node");
    optimiser.arg(tools.join("node_modules/binaryen/bin/wasm-opt")).arg(level).args(IN_USE);
    log.run(optimiser.arg(module).arg("-o").arg(module)).map(drop)
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

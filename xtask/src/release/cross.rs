//! Compiles our native libraries for other platforms, with zig as the C compiler and linker of all of them: it comes from
//! PyPI with the headers and libraries that they need.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::platforms::{Platform, System};
use crate::bindings::generated;
use crate::bindings::python::virtual_environment;
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::toolchain::has_std;
use crate::{environment, workspace};

pub(super) const REQUIREMENTS: &[&str] = &["ziglang==0.17.1", "cargo-zigbuild==0.24.1"];
/// Interval between two lines about a build that goes on.
const NEWS: Duration = Duration::from_secs(60);

/// Compiles the libraries of `packages` for a platform, in the target folder of all other builds: dependencies are compiled
/// once per platform, and macros and build scripts once for all. Returns the libraries.
pub(super) fn build(log: &Log, platform: &Platform, packages: &[&str]) -> Outcome<Vec<PathBuf>> {
    let tools = virtual_environment(log, "zig", REQUIREMENTS)?;
    let tools = tools.parent().ok_or("the virtual environment has no folder of programs")?;
    let installs = || environment::rustup(log, &["target", "add", platform.target]);
    // Rustup's exit code says too little: there must be a standard library.
    if !has_std("rustc", platform.target) && (installs().is_err() || !has_std("rustc", platform.target)) {
        return Err(format!(
            "no standard library for {0}; run `rustup target add {0}`, or leave the platform out with --only",
            platform.target
        ));
    }
    let mut cargo = workspace::cargo();
    cargo.args(["zigbuild", "--release", "--target", &platform.zig_target()]);
    for package in packages {
        cargo.args(["--package", package]);
    }
    cargo.env("PATH", with_path(tools)?);
    let name = platform.target.replace('-', "_").to_uppercase();
    cargo.env(format!("CARGO_TARGET_{name}_RUSTFLAGS"), flags(platform)?);
    if let Some((major, minor)) = platform.oldest_macos() {
        cargo.env("MACOSX_DEPLOYMENT_TARGET", format!("{major}.{minor}"));
    }
    if platform.system == System::Windows {
        cargo.env("LIBNODE_PATH", empty_libnode()?);
    }
    with_news(log, || log.run(&mut cargo).map(drop))?;
    let copied = |package: &&str| {
        let library = platform.library(package);
        workspace::copy(&platform.compiled(package), &library).map(|()| library)
    };
    packages.iter().map(copied).collect()
}

/// Flags for Rust's compiler: the paths in messages of panics name nothing of this machine.
fn flags(platform: &Platform) -> Outcome<String> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cargo")));
    let home = home.ok_or("neither CARGO_HOME nor HOME is set")?;
    let folders = [(home.join("registry/src"), "crates"), (workspace::root().to_path_buf(), "quorate")];
    let mut flags: Vec<String> =
        folders.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).into();
    if platform.system == System::Musl {
        // Otherwise Rust links musl statically, and cannot make a library.
        flags.push("-C target-feature=-crt-static".to_owned());
    }
    Ok(flags.join(" "))
}

/// A folder with a `libnode` that has nothing, which the build script of the crate `napi` demands for this target: Node does
/// not ship it, and with the feature `dyn-symbols` the module looks all functions up in the process instead.
fn empty_libnode() -> Outcome<PathBuf> {
    let folder = workspace::target("xtask/release/libnode");
    generated::put(&folder.join("libnode.dll"), "")?;
    // An archive without members, by the names under which linkers search.
    for name in ["libnode.a", "libnode.dll.a", "node.lib"] {
        generated::put(&folder.join(name), "!<arch>\n")?;
    }
    Ok(folder)
}

/// Copies the library of a package to `place`, without the names of symbols that are not exported.
pub(super) fn put(log: &Log, platform: &Platform, package: &str, place: &Path) -> Outcome {
    workspace::copy(&platform.library(package), place)?;
    // On macOS it would invalidate the signature, without which the system does not load a library.
    if platform.system == System::Macos {
        return Ok(());
    }
    if !is_on_path("llvm-strip") {
        environment::install(log, &["llvm"])?;
    }
    log.run(Command::new("llvm-strip").arg("--strip-unneeded").arg(place)).map(drop)
}

/// Compiles a program in C for musl; returns its path.
pub(super) fn compile_c(log: &Log, platform: &Platform, source: &str, program: &Path) -> Outcome<PathBuf> {
    let file = program.with_extension("c");
    generated::put(&file, source)?;
    let processor = platform.target.split('-').next().unwrap_or_default();
    let target = format!("{processor}-linux-musl");
    log.run(zig_cc(log, &target)?.args(["-dynamic", "-o"]).arg(program).arg(&file))?;
    Ok(program.to_path_buf())
}

/// Makes a library for Windows that only forwards to another one, as a module-definition file says.
pub(super) fn forwarding_library(log: &Log, definitions: &str, library: &Path) -> Outcome {
    let [source, names] = ["c", "def"].map(|end| library.with_extension(end));
    generated::put(&source, "int quorate_forwarder;\n")?;
    generated::put(&names, definitions)?;
    let mut zig = zig_cc(log, "x86_64-windows-gnu")?;
    log.run(zig.args(["-shared", "-o"]).arg(library).arg(&source).arg(&names)).map(drop)
}

/// Compiles a library in C for Windows; its source stays beside it.
pub(super) fn compile_windows_library(log: &Log, source: &str, library: &Path) -> Outcome {
    let file = library.with_extension("c");
    generated::put(&file, source)?;
    let mut zig = zig_cc(log, "x86_64-windows-gnu")?;
    log.run(zig.args(["-shared", "-o"]).arg(library).arg(&file).arg("-ladvapi32")).map(drop)
}

/// The program zig itself.
pub(super) fn zig(log: &Log) -> Outcome<PathBuf> {
    let python = virtual_environment(log, "zig", REQUIREMENTS)?;
    let where_is = "import pathlib, ziglang; print(pathlib.Path(ziglang.__file__).with_name('zig'))";
    let printed = log.run(Command::new(python).args(["-c", where_is]))?;
    Ok(PathBuf::from(printed.trim()))
}

/// zig as a C compiler for a target of its own naming.
fn zig_cc(log: &Log, target: &str) -> Outcome<Command> {
    let mut zig = Command::new(virtual_environment(log, "zig", REQUIREMENTS)?);
    zig.args(["-m", "ziglang", "cc", "-target", target]);
    Ok(zig)
}

/// The search path with our tools first.
fn with_path(tools: &Path) -> Outcome<std::ffi::OsString> {
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths([tools.to_path_buf()].into_iter().chain(env::split_paths(&rest)))
        .map_err(|e| e.to_string())
}

/// Does long work, and prints a line about its log from time to time.
fn with_news<T>(log: &Log, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    let path: PathBuf = log.path();
    thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(move || {
            let began = Instant::now();
            while ended.recv_timeout(NEWS) == Err(RecvTimeoutError::Timeout) {
                let text = fs::read_to_string(&path).unwrap_or_default();
                eprint!("\n        … after {} s: {}", began.elapsed().as_secs(), latest(&text));
            }
        });
        let outcome = work();
        drop(done);
        outcome
    })
}

/// Number of compiled crates and the last of them, from cargo's output.
fn latest(text: &str) -> String {
    let crates: Vec<&str> =
        text.lines().filter_map(|line| line.trim_start().strip_prefix("Compiling ")).collect();
    match crates.last() {
        Some(last) => format!("{} crates, last {last} ", crates.len()),
        None => "no crate compiled yet ".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn news_name_the_last_crate() {
        assert_eq!(
            super::latest("   Compiling blst v0.3.17\nwarning: x\n   Compiling aes v0.9.2\n"),
            "2 crates, last aes v0.9.2 "
        );
        assert_eq!(super::latest("    Blocking waiting for file lock\n"), "no crate compiled yet ");
    }
}

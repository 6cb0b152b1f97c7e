//! CPython for musl. The registries have none, so it is compiled with zig from Debian's source package of the release whose
//! Python has the oldest version that our wheels support. Once per processor; it takes minutes.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::platforms::{Platform, Processor};
use super::{cross, debian_root};
use crate::bindings::generated;
use crate::process::{Outcome, is_on_path};
use crate::steps::Log;
use crate::{environment, workspace};

/// The release of Debian with the source package.
const RELEASE: &str = "bookworm";
/// The source package, and the program of the same version for this machine, which the build of another one needs.
const SOURCE: &str = "python3.11";
/// The modules in C, linked into the program. Those that need other libraries, such as `ssl` and `zlib`, are left out.
const MODULES: &str = include_str!("../../smoke/cpython-modules.txt");
/// Answers to what a configuration for another system cannot find out by running programs.
const ANSWERS: &[(&str, &str)] =
    &[("ac_cv_file__dev_ptmx", "yes"), ("ac_cv_file__dev_ptc", "no"), ("ac_cv_buggy_getaddrinfo", "no")];

/// A Python, without what runs it.
pub(super) struct MuslPython {
    pub(super) program: PathBuf,
    /// Value of the variable `PYTHONHOME`: the folder with the standard library.
    pub(super) home: OsString,
}

/// Compiles Python for a platform with musl, unless it is there already.
pub(super) fn prepare(log: &Log, platform: &Platform) -> Outcome<MuslPython> {
    let processor = match platform.processor {
        Processor::X86_64 => "x86_64",
        Processor::Aarch64 => "aarch64",
    };
    let folder = workspace::target("xtask/release/runtimes").join(format!("{SOURCE}-musl-{processor}"));
    let python = MuslPython { program: folder.join("python"), home: folder.join("home").into() };
    let ready = folder.join("ready");
    if ready.exists() {
        return Ok(python);
    }
    let _ = fs::remove_dir_all(&folder);
    let source = source(log, &folder)?;
    let build = folder.join("build");
    configure(log, processor, &source, &build)?;
    log.run(Command::new("make").current_dir(&build).args(["-j", &jobs(), "python"]))?;
    workspace::copy(&build.join("python"), &python.program)?;
    add_home(&source, &folder.join("home"))?;
    fs::remove_dir_all(&build).map_err(|e| format!("{}: {e}", build.display()))?;
    generated::put(&ready, SOURCE)?;
    Ok(python)
}

/// Unpacks the source without its tests; returns its folder.
fn source(log: &Log, folder: &Path) -> Outcome<PathBuf> {
    for (tool, package) in [("make", "make"), ("readelf", "binutils"), (SOURCE, SOURCE)] {
        if !is_on_path(tool) {
            environment::install(log, &[package])?;
        }
    }
    let archive = debian_root::source(log, RELEASE, SOURCE)?;
    let source = folder.join("source");
    fs::create_dir_all(&source).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--file").arg(&archive).arg("--directory").arg(&source);
    log.run(unpack.args(["--strip-components=1", "--exclude=*/Lib/test", "--exclude=*/Doc"]))?;
    Ok(source)
}

fn configure(log: &Log, processor: &str, source: &Path, build: &Path) -> Outcome {
    let host = format!("{processor}-linux-musl");
    let zig = cross::zig(log)?;
    let compiler = build.join("zig-cc");
    generated::put(&compiler, &format!("#!/bin/sh\nexec '{}' cc -target {host} \"$@\"\n", zig.display()))?;
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).map_err(|e| e.to_string())?;
    generated::put(&build.join("Modules/Setup.local"), MODULES)?;
    let mut configure = Command::new(source.join("configure"));
    configure.current_dir(build).arg(format!("--host={host}")).arg("--build=x86_64-linux-gnu");
    // The program of this machine by its path: a shim on the search path may choose another version.
    configure.arg(format!("--with-build-python=/usr/bin/{SOURCE}"));
    // Without pkg-config, which would find libraries of this machine.
    configure.args(["--without-ensurepip", "--disable-test-modules", "PKG_CONFIG=false"]);
    configure.arg("READELF=/usr/bin/readelf");
    configure.arg(format!("CC={}", compiler.display()));
    for tool in ["ar", "ranlib"] {
        configure.arg(format!("{}={} {tool}", tool.to_uppercase(), zig.display()));
    }
    // zig links musl statically unless told otherwise, and refuses the macros of the date. Code that is not independent of
    // its position would take copies of variables of musl, all of which would be at one address.
    configure
        .args(["LDFLAGS=-dynamic", "OPT=-DNDEBUG", "CFLAGS=-O1 -fPIC -Wno-date-time"])
        .envs(ANSWERS.iter().copied());
    log.run(&mut configure).map(drop)
}

/// The folder in which the interpreter finds its standard library.
fn add_home(source: &Path, home: &Path) -> Outcome {
    let problem = |e: std::io::Error| format!("{}: {e}", home.display());
    fs::create_dir_all(home.join("lib")).map_err(problem)?;
    symlink(source.join("Lib"), home.join("lib").join(SOURCE)).map_err(problem)?;
    // It warns if the folder of compiled modules is not there.
    fs::create_dir_all(source.join("Lib/lib-dynload")).map_err(problem)
}

/// Number of processors.
fn jobs() -> String {
    std::thread::available_parallelism().map_or(1, usize::from).to_string()
}

//! What the machine must offer, installed where we may, named where we may not.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use crate::process::{Outcome, is_there, output_of};
use crate::steps::Log;

/// Tools that the tests need: how to see that one is there, and the Debian package that brings it.
const TOOLS: &[(&str, &str)] = &[
    ("cc", "gcc"),
    ("c++", "g++"),
    ("clang", "clang"),
    ("python3", "python3"),
    ("git", "git"),
    ("openssl", "openssl"),
    ("redis-server", "redis-server"),
    ("redis-cli", "redis-tools"),
];
/// What compiling Jerasure needs beside a C compiler: its scripts are made by the first three, and its declarations
/// are read by libclang.
const JERASURE: &[(&str, &str)] =
    &[("autoconf", "autoconf"), ("automake", "automake"), ("libtoolize", "libtool"), ("make", "make")];
/// Parts of the toolchain beyond rustc and cargo; a minimal rustup has neither.
const COMPONENTS: &[(&str, &str)] = &[("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")];

/// Installs what is missing (Debian packages only as root) or says what is.
pub(crate) fn prepare(log: &Log) -> Outcome<String> {
    let packages: Vec<&str> =
        TOOLS.iter().filter(|(tool, _)| !is_there(tool)).map(|(_, package)| *package).collect();
    if !packages.is_empty() {
        install(log, &packages)?;
    }
    let components: Vec<&str> =
        COMPONENTS.iter().filter(|(tool, _)| !is_there(tool)).map(|(_, component)| *component).collect();
    if !components.is_empty() {
        let hint = format!("missing: run `rustup component add {}`", components.join(" "));
        log.run(Command::new("rustup").args(["component", "add"]).args(&components))
            .map_err(|e| format!("{e}\n{hint}"))?;
    }
    let rustc = output_of(Command::new("rustc").arg("--version")).unwrap_or_default();
    let added = packages.iter().chain(&components).copied().collect::<Vec<_>>().join(", ");
    Ok(if added.is_empty() { rustc } else { format!("{rustc}; installed {added}") })
}

/// Runs rustup, which is not made for two that change it at the same time.
pub(crate) fn rustup(log: &Log, args: &[&str]) -> Outcome {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    log.run(Command::new("rustup").args(args)).map(drop)
}

/// What the feature `jerasure` needs to be compiled: installed where it is missing, or named.
pub(crate) fn for_jerasure(log: &Log) -> Outcome {
    let mut packages: Vec<&str> =
        JERASURE.iter().filter(|(tool, _)| !is_there(tool)).map(|(_, package)| *package).collect();
    if !has_libclang() {
        packages.push("libclang-dev");
    }
    if packages.is_empty() { Ok(()) } else { install(log, &packages) }
}

/// Whether the library is where those look who load it by themselves: where a variable says, beside clang's other
/// libraries, or where the system's loader looks.
fn has_libclang() -> bool {
    let named = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with("libclang.so");
    let holds = |folder: &Path| fs::read_dir(folder).is_ok_and(|files| files.flatten().any(named));
    let versions = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let of_llvm = versions.filter(|entry| entry.file_name().to_string_lossy().starts_with("llvm"));
    if env::var_os("LIBCLANG_PATH").is_some_and(|path| holds(Path::new(&path)))
        || of_llvm.into_iter().any(|entry| holds(&entry.path().join("lib")))
    {
        return true;
    }
    let loaded = ["ldconfig", "/sbin/ldconfig"].map(|tool| output_of(Command::new(tool).arg("-p")));
    let from_llvm = output_of(Command::new("llvm-config").arg("--libdir"));
    loaded.into_iter().flatten().any(|list| list.contains("libclang.so"))
        || from_llvm.is_some_and(|folder| holds(Path::new(&folder)))
        || cfg!(target_os = "macos")
}

/// Where Chromium's program is; Debian's is installed where there is none. `CHROMIUM` names another.
pub(crate) fn chromium(log: &Log) -> Outcome<String> {
    const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let named = env::var("CHROMIUM").ok();
    let found = || named.iter().map(String::as_str).chain(NAMES.iter().copied()).find(|name| is_there(name));
    if found().is_none() {
        install(log, &["chromium"])?;
    }
    let name =
        found().ok_or("chromium was installed but does not start; CHROMIUM may name another browser")?;
    output_of(Command::new("sh").args(["-c", &format!("command -v '{name}'")]))
        .ok_or_else(|| format!("{name}: not on the path"))
}

/// Installs Debian packages, if this is Debian (or its kin) and we are root.
pub(crate) fn install(log: &Log, packages: &[&str]) -> Outcome {
    // Steps go on beside each other, and apt-get refuses a second one.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let hint =
        format!("missing: run `apt-get install {}` as root, or your system's equivalent", packages.join(" "));
    if !is_there("apt-get") || output_of(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err(hint);
    }
    let apt = || {
        let mut command = Command::new("apt-get");
        // The second asks for no questions, the first that what is installed is not started as a service.
        command.env("RUNLEVEL", "1").env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    // The lists may be stale or absent in a fresh container; if they cannot be renewed, the old ones may do.
    let _ = log.run(apt().args(["-q", "update"]));
    log.run(apt().args(["-q", "-y", "--no-install-recommends", "install"]).args(packages))
        .map(drop)
        .map_err(|e| format!("{e}\n{hint}"))
}

//! Tools that the machine must have: installed where permitted, otherwise named.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use crate::process::{Outcome, is_on_path, output_of};
use crate::steps::Log;

/// Tools that the tests need, with the Debian package of each.
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
/// Tools that Jerasure's build needs beside a C compiler. It needs libclang too, which reads its declarations.
const JERASURE: &[(&str, &str)] =
    &[("autoconf", "autoconf"), ("automake", "automake"), ("libtoolize", "libtool"), ("make", "make")];
/// Components of the toolchain that a minimal rustup does not install.
const COMPONENTS: &[(&str, &str)] = &[("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")];

/// Installs missing tools (Debian packages only as root), or names them.
pub(crate) fn prepare(log: &Log) -> Outcome<String> {
    let packages: Vec<&str> =
        TOOLS.iter().filter(|(tool, _)| !is_on_path(tool)).map(|(_, package)| *package).collect();
    if !packages.is_empty() {
        install(log, &packages)?;
    }
    let components: Vec<&str> =
        COMPONENTS.iter().filter(|(tool, _)| !is_on_path(tool)).map(|(_, component)| *component).collect();
    if !components.is_empty() {
        let hint = format!("missing: run `rustup component add {}`", components.join(" "));
        log.run(Command::new("rustup").args(["component", "add"]).args(&components))
            .map_err(|e| format!("{e}\n{hint}"))?;
    }
    let rustc = output_of(Command::new("rustc").arg("--version")).unwrap_or_default();
    let added = packages.iter().chain(&components).copied().collect::<Vec<_>>().join(", ");
    Ok(if added.is_empty() { rustc } else { format!("{rustc}; installed {added}") })
}

/// Runs rustup. A lock prevents concurrent changes, which rustup does not support.
pub(crate) fn rustup(log: &Log, args: &[&str]) -> Outcome {
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    log.run(Command::new("rustup").args(args)).map(drop)
}

/// Installs the tools for the feature `jerasure`, or names them.
pub(crate) fn for_jerasure(log: &Log) -> Outcome {
    let mut packages: Vec<&str> =
        JERASURE.iter().filter(|(tool, _)| !is_on_path(tool)).map(|(_, package)| *package).collect();
    if !has_libclang() {
        packages.push("libclang-dev");
    }
    if packages.is_empty() { Ok(()) } else { install(log, &packages) }
}

/// Installs libsodium for the feature `sodium`, or names its package.
pub(crate) fn for_sodium(log: &Log) -> Outcome {
    if links_sodium() {
        return Ok(());
    }
    install(log, &["libsodium-dev"])?;
    let found = links_sodium();
    found.then_some(()).ok_or("libsodium-dev was installed, but `cc -lsodium` does not link it".to_owned())
}

/// Installs SoftHSM2, the token of the tests of `quorate signer --pkcs11`, or names its package.
pub(crate) fn for_softhsm(log: &Log) -> Outcome {
    if is_on_path("softhsm2-util") { Ok(()) } else { install(log, &["softhsm2"]) }
}

/// Returns true if the C compiler, which links Rust's programs too, finds libsodium.
fn links_sodium() -> bool {
    let script = "echo 'int main(void) { return 0; }' | cc -x c - -lsodium -o /dev/null";
    let quiet = Command::new("sh").args(["-c", script]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// Returns true if libclang is where programs search for it: in the folder of `LIBCLANG_PATH`, beside clang's other
/// libraries, or on the path of the system's loader.
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

/// The path of Chromium, which is installed from Debian if it is missing. The variable `CHROMIUM` names another browser.
pub(crate) fn chromium(log: &Log) -> Outcome<String> {
    const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let named = env::var("CHROMIUM").ok();
    let found =
        || named.iter().map(String::as_str).chain(NAMES.iter().copied()).find(|name| is_on_path(name));
    if found().is_none() {
        install(log, &["chromium"])?;
    }
    let name = found().ok_or("chromium was installed but does not start; set CHROMIUM to another browser")?;
    output_of(Command::new("sh").args(["-c", &format!("command -v '{name}'")]))
        .ok_or_else(|| format!("{name}: not on the path"))
}

/// Installs Debian packages, if this is Debian or a derivative and the user is root.
pub(crate) fn install(log: &Log, packages: &[&str]) -> Outcome {
    // Steps run in parallel, and apt-get refuses a second instance.
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let hint =
        format!("missing: run `apt-get install {}` as root, or your system's equivalent", packages.join(" "));
    if !is_on_path("apt-get") || output_of(Command::new("id").arg("-u")).as_deref() != Some("0") {
        return Err(hint);
    }
    let apt = || {
        let mut command = Command::new("apt-get");
        // The first variable prevents that installed services are started, the second that apt-get asks questions.
        command.env("RUNLEVEL", "1").env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    // The lists may be stale or absent in a fresh container; if they cannot be renewed, the old ones may do.
    let _ = log.run(apt().args(["-q", "update"]));
    log.run(apt().args(["-q", "-y", "--no-install-recommends", "install"]).args(packages))
        .map(drop)
        .map_err(|e| format!("{e}\n{hint}"))
}

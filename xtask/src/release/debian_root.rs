//! Debian packages of another processor or another release, unpacked into a folder below the target folder. The system's own
//! packages and lists stay as they are.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Outcome, is_on_path, output_of};
use crate::steps::Log;
use crate::workspace;

/// Its musl can load libraries with relative relocations, which runtimes for musl have and Debian 12's cannot.
const RELEASE: &str = "trixie";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Unpacks packages, and all that they need if `whole`; returns the folder. What is there already stays.
pub(super) fn unpack(log: &Log, architecture: &str, names: &[&str], whole: bool) -> Outcome<PathBuf> {
    let root = workspace::target("xtask/release/roots").join(format!("{architecture}-{}", names.join("-")));
    let ready = root.join("ready");
    if ready.exists() {
        return Ok(root);
    }
    needs_debian()?;
    let _ = fs::remove_dir_all(&root);
    let apt = Apt::new(&root, architecture, "deb", RELEASE)?;
    log.run(apt.command().args(["-q", "update"]))?;
    let names: Vec<String> = if whole {
        let listed =
            log.run(apt.command().args(["-q", "-s", "--no-install-recommends", "install"]).args(names))?;
        listed.lines().filter_map(installed).collect()
    } else {
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    log.run(apt.command().args(["-q", "download"]).args(&names))?;
    for deb in fs::read_dir(&apt.debs).map_err(|e| e.to_string())?.flatten() {
        log.run(Command::new("dpkg").arg("-x").arg(deb.path()).arg(&root))?;
    }
    // An installation has this link; the packages alone do not.
    if !root.join("lib").exists() {
        symlink("usr/lib", root.join("lib")).map_err(|e| e.to_string())?;
    }
    fs::write(&ready, "").map_err(|e| format!("{}: {e}", ready.display()))?;
    Ok(root)
}

/// Downloads a source package of a release; returns the archive of the unmodified source.
pub(super) fn source(log: &Log, release: &str, package: &str) -> Outcome<PathBuf> {
    let root = workspace::target("xtask/release/roots").join(format!("source-{package}"));
    let archive = |folder: &Path| {
        let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        files.into_iter().find(|path| path.to_string_lossy().contains(".orig.tar."))
    };
    if let Some(archive) = archive(&root) {
        return Ok(archive);
    }
    needs_debian()?;
    let apt = Apt::new(&root, "amd64", "deb-src", release)?;
    log.run(apt.command().args(["-q", "update"]))?;
    log.run(apt.command().args(["-q", "source", "--download-only", package]))?;
    let downloaded = archive(&apt.debs).ok_or_else(|| format!("apt downloaded no source of {package}"))?;
    let place = root.join(downloaded.file_name().unwrap_or_default());
    fs::rename(&downloaded, &place).map_err(|e| format!("{}: {e}", downloaded.display()))?;
    Ok(place)
}

fn needs_debian() -> Outcome {
    match ["apt-get", "dpkg"].into_iter().find(|tool| !is_on_path(tool)) {
        Some(tool) => Err(format!("no `{tool}`, which downloads runtimes of other systems: use Debian")),
        None => Ok(()),
    }
}

/// The name in a line `Inst libc6 (2.41-12 Debian:13/stable [arm64])`.
fn installed(line: &str) -> Option<String> {
    line.strip_prefix("Inst ")?.split(' ').next().map(str::to_owned)
}

/// apt with its own lists, sources and state.
struct Apt {
    folder: PathBuf,
    debs: PathBuf,
    architecture: String,
}

impl Apt {
    /// `kind` is `deb` for programs, `deb-src` for sources.
    fn new(root: &Path, architecture: &str, kind: &str, release: &str) -> Outcome<Self> {
        let folder = root.join("apt");
        let debs = folder.join("debs");
        for name in ["lists/partial", "cache/archives/partial", "debs"] {
            fs::create_dir_all(folder.join(name)).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let archive = archive().ok_or("apt has no archive of Debian among its sources")?;
        let source = format!("{kind} [signed-by={KEYS}] {archive} {release} main\n");
        fs::write(folder.join("sources.list"), source).map_err(|e| e.to_string())?;
        Ok(Self { folder, debs, architecture: architecture.to_owned() })
    }

    fn command(&self) -> Command {
        let mut apt = Command::new("apt-get");
        apt.current_dir(&self.debs);
        let path = |name: &str| self.folder.join(name).display().to_string();
        for option in [
            format!("Dir::Etc::sourcelist={}", path("sources.list")),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            format!("Dir::State::lists={}", path("lists")),
            "Dir::State::status=/dev/null".to_owned(),
            format!("Dir::Cache={}", path("cache")),
            format!("APT::Architecture={}", self.architecture),
            format!("APT::Architectures::={}", self.architecture),
            "APT::Sandbox::User=root".to_owned(),
        ] {
            apt.arg("-o").arg(option);
        }
        apt
    }
}

/// The address of Debian's main archive, as this system has it.
fn archive() -> Option<String> {
    let listed = output_of(Command::new("apt-get").args(["indextargets", "--format", "$(REPO_URI)"]))?;
    listed.lines().find(|line| line.trim_end_matches('/').ends_with("/debian")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_needed_packages_are_read() {
        let line = "Inst libpython3.13-minimal (3.13.5-2 Debian:13.0/stable [arm64])";
        assert_eq!(super::installed(line).as_deref(), Some("libpython3.13-minimal"));
        assert_eq!(super::installed("Conf libc6 (2.41-12 Debian:13.0/stable [arm64])"), None);
    }
}

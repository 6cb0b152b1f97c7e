//! A folder outside the repository, whose commands cannot see the repository.
//!
//! A package must work without its sources. Where the system permits it, each command runs in its own mount namespace, in
//! which the repository and its target folder are empty; elsewhere the commands do not receive the repository's path.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};

use crate::process::Outcome;
use crate::workspace;

/// A fresh folder that is deleted when the value is dropped.
#[derive(Debug)]
pub(crate) struct Sandbox {
    folder: PathBuf,
}

impl Sandbox {
    /// Creates an empty folder. The name must not be in use.
    pub(crate) fn new(name: &str) -> Outcome<Self> {
        let folder = env::temp_dir().join(format!("quorate-{name}-{}", std::process::id()));
        // Remains of a killed process with the same number.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        Ok(Self { folder })
    }

    /// The folder.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.join(name)
    }

    /// Copies a file into the folder and returns the copy's path.
    pub(crate) fn bring(&self, file: &Path) -> Outcome<PathBuf> {
        let copy = self.path(file.file_name().unwrap_or_default());
        fs::copy(file, &copy).map_err(|e| format!("{}: {e}", file.display()))?;
        Ok(copy)
    }

    /// Writes a file.
    pub(crate) fn put(&self, name: &str, text: &str) -> Outcome<PathBuf> {
        let path = self.path(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        }
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(path)
    }

    /// A command in this folder, from which the repository is hidden.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.hidden(HIDE, &[], program)
    }

    /// The same for cargo and its callers: they see the target folder, in which dependencies are already compiled.
    pub(crate) fn building(&self, program: impl AsRef<OsStr>) -> Outcome<Command> {
        let target = self.path("target");
        fs::create_dir_all(&target).map_err(|e| format!("{}: {e}", target.display()))?;
        let mut command = self.hidden(HIDE_BUT_TARGET, &[&target], program);
        command.env("CARGO_TARGET_DIR", workspace::target(""));
        workspace::set_incremental(&mut command);
        Ok(command)
    }

    fn hidden(&self, script: &str, more: &[&Path], program: impl AsRef<OsStr>) -> Command {
        let mut command = match hiding() {
            Hiding::None => Command::new(program),
            hiding => {
                let mut unshare = Command::new("unshare");
                unshare.args(hiding.flags()).args(["sh", "-c", script]);
                unshare.arg(workspace::root()).arg(workspace::target("")).args(more).arg(program);
                unshare
            }
        };
        command.current_dir(&self.folder);
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if REMOVED_VARIABLES.iter().any(|prefix| text.starts_with(prefix)) {
                command.env_remove(&name);
            }
        }
        command
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // An error does no harm: the system deletes temporary files eventually.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Describes whether commands of a sandbox can see the repository.
pub(crate) fn isolation() -> &'static str {
    match hiding() {
        Hiding::None => "repository NOT hidden (no mount namespaces here)",
        Hiding::Root | Hiding::User => "repository hidden",
    }
}

/// Variables that may contain paths of the repository.
const REMOVED_VARIABLES: &[&str] = &[
    "CARGO_PKG_",
    "CARGO_MANIFEST_",
    "CARGO_CRATE_",
    "CARGO_BIN_",
    "CARGO_TARGET_DIR",
    "PYTHONPATH",
    "NODE_PATH",
];

/// Hides both folders from the command. The target folder may be inside the repository, and is then hidden already.
const HIDE: &str =
    r#"mount -t tmpfs none "$0" && { [ ! -d "$1" ] || mount -t tmpfs none "$1"; } && shift && exec "$@""#;

/// Hides the repository but not its target folder, which is mounted at a third place meanwhile.
const HIDE_BUT_TARGET: &str = r#"mount --bind "$1" "$2" && mount -t tmpfs none "$0" && mkdir -p "$1" && \
    mount --bind "$2" "$1" && shift 2 && exec "$@""#;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hiding {
    /// Mounts as root.
    Root,
    /// Mounts as the root of a user namespace.
    User,
    /// Hides nothing, because mounts are not permitted.
    None,
}

impl Hiding {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Hiding::User => &["--map-root-user", "--mount"],
            _ => &["--mount"],
        }
    }
}

/// The kind of isolation that works here, determined once.
fn hiding() -> Hiding {
    static FOUND: OnceLock<Hiding> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let works = |hiding: &Hiding| {
            let manifest = workspace::root().join("Cargo.toml");
            Command::new("unshare")
                .args(hiding.flags())
                .args(["sh", "-c", HIDE])
                .arg(workspace::root())
                .arg(workspace::target(""))
                .args(["test", "!", "-e"])
                .arg(manifest)
                .current_dir(env::temp_dir())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        [Hiding::Root, Hiding::User].into_iter().find(works).unwrap_or(Hiding::None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_is_outside_the_repository_and_does_not_see_it() {
        let sandbox = Sandbox::new("unit").unwrap();
        let folder = sandbox.path("");
        assert!(!folder.starts_with(workspace::root()));
        if hiding() != Hiding::None {
            let manifest = workspace::root().join("Cargo.toml");
            assert!(manifest.exists());
            let seen = sandbox.command("test").arg("-e").arg(&manifest).status().unwrap();
            assert!(!seen.success());
            let mut building = sandbox.building("test").unwrap();
            let shown =
                format!("! -e '{}' -a -d '{}'", manifest.display(), workspace::target("debug").display());
            assert!(
                building
                    .args(shown.split(' ').map(|word| word.trim_matches('\'')))
                    .status()
                    .unwrap()
                    .success()
            );
        }
        drop(sandbox);
        assert!(!folder.exists());
    }
}

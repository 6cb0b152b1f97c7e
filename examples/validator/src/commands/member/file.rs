use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use quorate_node::genesis::{Hex, Member};
use quorate_node::handle::Digest;
use serde::{Deserialize, Serialize};

use crate::exit::{Exit, Failure, OrFail};

const HEAD: &str = "\
# A membership change of a quorate chain. `quorate member show` shows its effect, `quorate member allow` signs it for a
# member, and `quorate member submit` submits it once a quorum has signed. Editing anything above [[allowed]] makes a
# different change and invalidates the signatures.
";

/// A membership change as a TOML file, for review before signing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeFile {
    /// The chain's identity.
    pub chain_id: Digest,
    /// The epoch that the change ends. It is valid in this epoch only.
    pub epoch: u64,
    /// The joining validator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Member>,
    /// The leaving member. Exactly one of `join` and `leave` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<Leaving>,
    /// Approvals of members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Allowance>,
}

/// A leaving member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Leaving {
    /// Human-readable name; not signed.
    pub name: String,
    /// The key that identifies the member.
    pub identity_key: Hex,
}

/// A member's signed approval of the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowance {
    /// Human-readable name; not signed.
    pub name: String,
    /// The signer's identity key.
    pub identity_key: Hex,
    /// The signature.
    pub signature: Hex,
}

impl ChangeFile {
    /// Reads a file.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let doing = format!("cannot use the change in {}", path.display());
        let text = fs::read_to_string(path).or_fail(Exit::Setup, &doing)?;
        let file: Self = toml::from_str(&text).or_fail(Exit::Setup, &doing)?;
        if file.join.is_some() == file.leave.is_some() {
            let text = format!("{doing}: expected exactly one of [join] and [leave]");
            return Err(Failure::new(Exit::Setup, text));
        }
        Ok(file)
    }

    /// Reads copies of one change file and merges their approvals. Fails if the copies describe different changes.
    pub(crate) fn load_all(paths: &[impl AsRef<Path>]) -> Result<Self, Failure> {
        let mut copies = paths.iter().map(|path| Self::load(path.as_ref()).map(|file| (path, file)));
        let none = || Failure::new(Exit::Usage, "expected a change file");
        let (first, mut all) = copies.next().ok_or_else(none)??;
        for copy in copies {
            let (path, copy) = copy?;
            if (Self { allowed: Vec::new(), ..copy.clone() }) != (Self { allowed: Vec::new(), ..all.clone() })
            {
                let (first, path) = (first.as_ref().display(), path.as_ref().display());
                return Err(Failure::new(Exit::Setup, format!("{first} and {path} are different changes")));
            }
            for allowance in copy.allowed {
                if !all.allowed.contains(&allowance) {
                    all.allowed.push(allowance);
                }
            }
        }
        Ok(all)
    }

    /// Writes a new file. Fails if the file exists.
    pub(crate) fn create(&self, path: &Path) -> Result<(), Failure> {
        let doing = format!("cannot write {}", path.display());
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let text = self.text()?;
        file.and_then(|mut file| file.write_all(text.as_bytes())).or_fail(Exit::Setup, doing)
    }

    /// Replaces the file atomically.
    pub(crate) fn replace(&self, path: &Path) -> Result<(), Failure> {
        let doing = format!("cannot write {}", path.display());
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(directory).or_fail(Exit::Setup, &doing)?;
        file.write_all(self.text()?.as_bytes()).or_fail(Exit::Setup, &doing)?;
        if let Ok(old) = fs::metadata(path) {
            file.as_file().set_permissions(old.permissions()).or_fail(Exit::Setup, &doing)?;
        }
        file.persist(path).map(drop).or_fail(Exit::Setup, doing)
    }

    fn text(&self) -> Result<String, Failure> {
        let body = toml::to_string(self).or_fail(Exit::Failed, "cannot write the change")?;
        Ok(format!("{HEAD}\n{body}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaving(allowed: &[u8]) -> ChangeFile {
        let key = |n: u8| Hex(vec![n; 32]);
        let allow = |n: &u8| Allowance {
            name: format!("node{n}"),
            identity_key: key(*n),
            signature: Hex(vec![*n; 64]),
        };
        ChangeFile {
            chain_id: Digest([7; 32]),
            epoch: 3,
            join: None,
            leave: Some(Leaving { name: "node2".into(), identity_key: key(2) }),
            allowed: allowed.iter().map(allow).collect(),
        }
    }

    #[test]
    fn files_round_trip_and_copies_are_merged() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["a", "b", "c"].map(|name| dir.path().join(name));
        leaving(&[0, 1]).create(&paths[0]).unwrap();
        assert_eq!(leaving(&[]).create(&paths[0]).unwrap_err().exit(), Exit::Setup, "it exists");
        leaving(&[1, 3]).create(&paths[1]).unwrap();
        assert_eq!(ChangeFile::load(&paths[0]).unwrap(), leaving(&[0, 1]));
        assert_eq!(ChangeFile::load_all(&paths[..2]).unwrap(), leaving(&[0, 1, 3]));
        leaving(&[2]).replace(&paths[0]).unwrap();
        assert_eq!(ChangeFile::load(&paths[0]).unwrap(), leaving(&[2]));
        ChangeFile { epoch: 4, ..leaving(&[]) }.create(&paths[2]).unwrap();
        assert!(ChangeFile::load_all(&paths).unwrap_err().to_string().contains("different changes"));
    }

    #[test]
    fn malformed_changes_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("change.toml");
        let text = leaving(&[0]).text().unwrap();
        let neither: String = text.split("[leave]").next().unwrap().to_owned();
        for (wrong, says) in [
            (neither, "one of [join] and [leave]"),
            (text.replace("epoch", "epok"), "epok"),
            (text.replace("0202", "xx02"), "hexadecimal"),
            (String::new(), "chain_id"),
        ] {
            fs::write(&path, wrong).unwrap();
            let failure = ChangeFile::load(&path).unwrap_err();
            assert_eq!(failure.exit(), Exit::Setup);
            assert!(failure.to_string().contains(says), "{failure}");
        }
    }
}

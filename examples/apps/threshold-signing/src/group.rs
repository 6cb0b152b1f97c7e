//! The group file: the parties, the requesters and the number of faulty parties tolerated. TOML, identical for all:
//!
//! ```toml
//! name = "vault"
//! faulty = 1                   # of at least 3 · faulty + 1 parties
//!
//! [[party]]                    # in order: a party's index is its position in this list
//! name = "alice"
//! address = "10.0.0.1:7501"
//! identity = "…"               # Ed25519: TLS, and attestations of shares
//! possession = "…"             # proof of possession of the identity key
//! sealing = "…"                # X25519: the key that shares are sealed to
//!
//! [[requester]]                # parties answer only the requesters listed here
//! name = "client"
//! identity = "…"
//! possession = "…"
//! ```
//!
//! `threshold-signing keys` writes these sections, and `threshold-signing group` joins them. The author of the file
//! decides which keys are the parties': compare the group id that `group` prints with the other parties.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::machine::MemberIndex;
use quorate::scheme::{UnverifiedKey, VerifiedKey};
use quorate::threshold::Tolerance;
use quorate::threshold::seal::SealingPublicKey;
use quorate::wire::Decode;
use serde::Deserialize;

use crate::failure::{Exit, Failure, OrFail};
use crate::files::read;
use crate::text::{bytes, check_name};

/// Maximum size of a group file, far above any real one.
const MAX_FILE: u64 = 1 << 20;
/// Maximum number of requesters.
const MAX_REQUESTERS: usize = 1_024;

/// A group whose keys and proofs of possession are verified.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name.
    pub name: String,
    /// Number of parties, and how many of them may be faulty.
    pub tolerance: Tolerance,
    /// Parties, by index.
    pub parties: Vec<Party>,
    /// Identity keys of the parties. The id of this committee is the group's id.
    pub committee: Arc<Committee<Ed25519>>,
    /// Names of the requesters, by index.
    pub requesters: Vec<String>,
    /// Identity keys of the requesters; `None` if there are no requesters.
    pub requester_keys: Option<Arc<Committee<Ed25519>>>,
}

/// Public data of a party.
#[derive(Clone, Debug)]
pub struct Party {
    /// Name.
    pub name: String,
    /// Address at which it serves.
    pub address: String,
    /// Key that its shares are sealed to.
    pub sealing: SealingPublicKey,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    faulty: u16,
    #[serde(default)]
    party: Vec<PartyTable>,
    #[serde(default)]
    requester: Vec<RequesterTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartyTable {
    name: String,
    address: String,
    identity: String,
    possession: String,
    sealing: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequesterTable {
    name: String,
    identity: String,
    possession: String,
}

impl Group {
    /// Reads and verifies a file. Cost: one signature verification per key.
    ///
    /// # Errors
    /// [`Failure::setup`] with the section and the field.
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let what = format!("group file {}", path.display());
        let text = String::from_utf8(read(path, MAX_FILE).or_fail(Exit::Setup, &what)?);
        Self::parse(&text.map_err(|_| "not UTF-8 text; check the path").or_fail(Exit::Setup, &what)?)
            .or_fail(Exit::Setup, what)
    }

    /// Decodes and verifies a file.
    ///
    /// # Errors
    /// A message with the section and the field.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        check_name(&file.name).map_err(|e| format!("name: {e}"))?;
        let count = u16::try_from(file.party.len()).unwrap_or(u16::MAX);
        let tolerance = Tolerance::new(count, file.faulty)
            .map_err(|e| format!("{count} parties, {} of them faulty: {e}", file.faulty))?;
        if file.requester.len() > MAX_REQUESTERS {
            return Err(format!(
                "too many requesters: at most {MAX_REQUESTERS}, got {}",
                file.requester.len()
            ));
        }
        let chain = ChainId::from_name(&file.name);
        let mut parties = Vec::with_capacity(file.party.len());
        let identities =
            file.party.iter().map(|t| (t.name.as_str(), t.identity.as_str(), t.possession.as_str()));
        let committee = committee(chain, "party", identities)?;
        for table in file.party {
            let sealing = bytes::<32>(&table.sealing)
                .and_then(|bytes| SealingPublicKey::decode(&bytes, &()).map_err(|e| e.to_string()));
            parties.push(Party {
                sealing: sealing.map_err(|e| format!("party {}: sealing: {e}", table.name))?,
                name: table.name,
                address: table.address,
            });
        }
        let identities =
            file.requester.iter().map(|t| (t.name.as_str(), t.identity.as_str(), t.possession.as_str()));
        let requester_keys = match file.requester.is_empty() {
            true => None,
            false => Some(Arc::new(self::committee(chain, "requester", identities)?)),
        };
        Ok(Self {
            name: file.name,
            tolerance,
            parties,
            committee: Arc::new(committee),
            requesters: file.requester.into_iter().map(|table| table.name).collect(),
            requester_keys,
        })
    }

    /// Returns a party's name; "?" for an unknown index.
    pub fn party(&self, index: MemberIndex) -> &str {
        self.parties.get(usize::from(index)).map_or("?", |party| &party.name)
    }

    /// Returns the group id, a hash of its name and the parties' keys, in hexadecimal.
    pub fn id(&self) -> String {
        hex::encode(self.committee.id().0)
    }
}

fn committee<'a>(
    chain: ChainId,
    kind: &str,
    members: impl Iterator<Item = (&'a str, &'a str, &'a str)>,
) -> Result<Committee<Ed25519>, String> {
    let (mut names, mut keys) = (BTreeSet::new(), Vec::new());
    for (name, identity, possession) in members {
        check_name(name).map_err(|e| format!("{kind} {}: {e}", keys.len()))?;
        if !names.insert(name) {
            return Err(format!("two sections [[{kind}]] have the name {name}; rename one"));
        }
        let key = verified(identity, possession).map_err(|e| format!("{kind} {name}: {e}"))?;
        keys.push((key, 1));
    }
    Committee::new(chain, 0, keys).map_err(|e| format!("[[{kind}]]: {e}"))
}

fn verified(identity: &str, possession: &str) -> Result<VerifiedKey<Ed25519>, String> {
    let identity = bytes::<32>(identity).map_err(|e| format!("identity: {e}"))?;
    let possession = bytes::<64>(possession).map_err(|e| format!("possession: {e}"))?;
    let key = UnverifiedKey::<Ed25519>::decode(&[&identity[..], &possession].concat(), &());
    key.and_then(|key| key.verify()).map_err(|e| format!("identity and possession: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Keys, Role};

    fn section(name: &str, role: Role<'_>) -> String {
        Keys::generate(name, matches!(role, Role::Party { .. })).unwrap().section(role).unwrap()
    }

    fn file() -> String {
        let party =
            |i: u16| section(&format!("p{i}"), Role::Party { address: &format!("127.0.0.1:{}", 7500 + i) });
        let parties: String = (0..4).map(party).collect();
        format!("name = \"g\"\nfaulty = 1\n{parties}{}", section("c", Role::Requester))
    }

    #[test]
    fn a_group_is_parsed_from_its_sections() {
        let group = Group::parse(&file()).unwrap();
        assert_eq!((group.parties.len(), group.requesters.len()), (4, 1));
        assert_eq!((group.party(3), group.party(4)), ("p3", "?"));
        assert_eq!(group.parties[2].address, "127.0.0.1:7502");
        assert_eq!(group.requester_keys.unwrap().len(), 1);
    }

    #[test]
    fn files_are_read_up_to_the_size_limit() {
        let refused = |path: &str| Group::load(Path::new(path)).unwrap_err();
        assert!(refused("/dev/zero").message.contains("larger than"));
        assert_eq!(refused("/nowhere/group.toml").code, "SETUP");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), [0xff; 9]).unwrap();
        assert!(Group::load(file.path()).unwrap_err().message.contains("not UTF-8 text"));
    }

    #[test]
    fn errors_name_the_section_and_the_field() {
        let file = file();
        let refused_with = |text: &str, what: &str| {
            let problem = Group::parse(text).unwrap_err();
            assert!(problem.contains(what), "{problem}");
        };
        refused_with("", "name");
        refused_with(&file.replace("faulty = 1", "faulty = 2"), "less than a third");
        refused_with(&file.replace("faulty = 1", "faulty = 1\nweight = 3"), "weight");
        refused_with(&file.replace("\"p1\"", "\"p2\""), "two sections [[party]] have the name p2");
        for evil in ["../p1", "", ".p1", "-p1", "a/b", "a b", &"x".repeat(65)] {
            refused_with(&file.replace("\"p1\"", &format!("{evil:?}")), "is not a name");
        }
        let sealing = file.lines().find(|line| line.starts_with("sealing")).unwrap();
        refused_with(&file.replace(sealing, "sealing = \"12\""), "party p0: sealing: expected 64");
        // A key with the proof of another key.
        let identity = |n: usize| file.lines().filter(|line| line.starts_with("identity")).nth(n).unwrap();
        refused_with(&file.replace(identity(0), identity(1)), "party p0: identity and possession");
        let first = file.find("[[party]]").unwrap();
        let second = file[first + 1..].find("[[party]]").unwrap() + first + 1;
        let twice = format!("{}{}", file, file[first..second].replace("\"p0\"", "\"p9\""));
        refused_with(&twice, "members 0 and 4 are equal");
    }
}

//! The genesis: its text form, its checks and the chain's identity.

use std::fs;
use std::path::Path;

use quorate::committee::ChainId;
use quorate::wire::{Encode, Writer, domain};
use serde::{Deserialize, Serialize};

use super::check::{check_text, wrong};
use super::hexadecimal::Hex;
use super::member::Member;
use super::names::{ProtocolName, SchemeName};
use super::parameters::{Parameters, Schedule};
use crate::{NodeError, Result};

/// Maximum number of members of a committee.
pub const MAX_MEMBERS: usize = 65_535;

/// The genesis of a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genesis {
    /// The chain's name.
    pub chain: String,
    /// The consensus protocol.
    #[serde(default, skip_serializing_if = "ProtocolName::is_default")]
    pub protocol: ProtocolName,
    /// The signature scheme of votes.
    pub scheme: SchemeName,
    /// The epoch.
    #[serde(default)]
    pub epoch: u64,
    /// Public keys from a dealer, for protocols that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dealt: Option<Hex>,
    /// Parameters that all validators share.
    #[serde(default)]
    pub parameters: Parameters,
    /// Schedule of rounds, for protocols with timed rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The members, in order.
    #[serde(rename = "member", default)]
    pub members: Vec<Member>,
}

impl Genesis {
    /// Creates a genesis with the default protocol and parameters.
    pub fn new(chain: &str, scheme: SchemeName, members: Vec<Member>) -> Self {
        Self {
            chain: chain.to_owned(),
            protocol: ProtocolName::DEFAULT,
            scheme,
            epoch: 0,
            dealt: None,
            parameters: Parameters::default(),
            schedule: None,
            members,
        }
    }

    /// The same genesis for another protocol, with a schedule if the protocol needs one.
    #[must_use]
    pub fn with_protocol(self, protocol: ProtocolName, schedule: Option<Schedule>) -> Self {
        Self { protocol, schedule, ..self }
    }

    /// The same genesis before keys were dealt for it. Dealt keys name its chain identifier.
    #[must_use]
    pub fn undealt(&self) -> Self {
        Self { dealt: None, ..self.clone() }
    }

    /// Reads and checks a file. Cheap: [`committees`](Self::committees) verifies the signatures.
    ///
    /// # Errors
    /// [`NodeError::Genesis`], which names the member and the field.
    pub fn load(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).map_err(|e| NodeError::file("reading the genesis file", path, e))?;
        Self::parse(&text).map_err(|e| match e {
            NodeError::Genesis { problem, .. } => NodeError::Genesis { path: Some(path.to_owned()), problem },
            other => other,
        })
    }

    /// Parses and checks the text of a file.
    ///
    /// # Errors
    /// [`NodeError::Genesis`], which names the member and the field.
    pub fn parse(text: &str) -> Result<Self> {
        let genesis: Self = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        genesis.check()?;
        Ok(genesis)
    }

    /// The text of the file.
    ///
    /// # Errors
    /// [`NodeError::Genesis`] if the genesis is invalid.
    pub fn to_toml(&self) -> Result<String> {
        self.check()?;
        let body = toml::to_string(self).map_err(|e| wrong(e.to_string()))?;
        Ok(format!(
            "# Genesis of a quorate chain: the same at every validator. A member's index is its position in the list.\n\
             # Any change creates a different chain.\n\n{body}"
        ))
    }

    /// The chain's identifier.
    pub fn chain_id(&self) -> ChainId {
        ChainId(domain::hash(domain::GENESIS, &self.encode()))
    }

    /// Index of the member with a name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|m| m.name == name)
    }

    /// Checks all fields that need no cryptography and no knowledge of the protocol.
    fn check(&self) -> Result<()> {
        check_text("chain", &self.chain)?;
        if self.members.is_empty() {
            return Err(wrong("no members: add one [[member]] for each validator".into()));
        }
        if self.members.len() > MAX_MEMBERS {
            return Err(wrong(format!(
                "too many members: expected at most {MAX_MEMBERS}, got {}",
                self.members.len()
            )));
        }
        let mut names = std::collections::BTreeSet::new();
        for (i, member) in self.members.iter().enumerate() {
            check_text(&format!("name of member {i}"), &member.name)?;
            check_text(&format!("address of member {i} ({})", member.name), &member.address)?;
            if !names.insert(&member.name) {
                return Err(wrong(format!(
                    "member {i} is named {} like an earlier member; rename it",
                    member.name
                )));
            }
            if member.weight == 0 {
                return Err(wrong(format!(
                    "member {i} ({}) has weight 0; set a positive weight or remove it",
                    member.name
                )));
            }
        }
        self.parameters.check()?;
        self.schedule.as_ref().map_or(Ok(()), Schedule::check)
    }
}

/// Input of the hash that identifies the chain. It includes names and addresses. A node's configuration can override an
/// address, so moving a validator does not need a new chain.
impl Encode for Genesis {
    fn encode_to(&self, w: &mut Writer) {
        if let Some(Hex(dealt)) = &self.dealt {
            w.u8(4);
            w.bytes(dealt);
        }
        match &self.schedule {
            None if self.protocol.is_default() => w.u8(1),
            None => {
                w.u8(3);
                w.bytes(self.protocol.as_str().as_bytes());
            }
            Some(schedule) => {
                w.u8(2);
                w.bytes(self.protocol.as_str().as_bytes());
                w.u64(schedule.start);
                w.u32(schedule.proposals_ms);
                w.u32(schedule.signatures_ms);
                w.u16(schedule.proposers);
            }
        }
        w.bytes(self.chain.as_bytes());
        w.bytes(self.scheme.as_str().as_bytes());
        w.u64(self.epoch);
        let p = &self.parameters;
        for v in [
            p.max_transaction_bytes,
            p.batch_bytes,
            p.batch_delay_ms,
            p.view_timeout_ms,
            p.max_view_timeout_ms,
        ] {
            w.u32(v);
        }
        w.count(self.members.len());
        for member in &self.members {
            w.bytes(member.name.as_bytes());
            w.bytes(member.address.as_bytes());
            w.u128(member.weight);
            let k = &member.keys;
            for key in [&k.identity_key, &k.identity_possession, &k.voting_key, &k.voting_possession] {
                w.bytes(&key.0);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::keys::NodeKeys;

    pub(in crate::genesis) fn sample(scheme: SchemeName) -> Genesis {
        let member = |n: u16| Member {
            name: format!("node{n}"),
            address: format!("127.0.0.1:{}", 7000 + n),
            weight: if n == 0 { u128::from(u64::MAX) * 5 } else { 1 },
            keys: NodeKeys::generate(scheme).unwrap().public().unwrap(),
        };
        Genesis { epoch: 3, ..Genesis::new("sample", scheme, (0..4).map(member).collect()) }
    }

    #[test]
    fn a_written_file_names_the_same_chain() {
        let genesis = sample(SchemeName::Bls);
        let again = Genesis::parse(&genesis.to_toml().unwrap()).unwrap();
        assert_eq!(again, genesis);
        assert_eq!(again.chain_id(), genesis.chain_id());
    }

    fn gosig() -> Genesis {
        let protocol = "gosig".parse().unwrap();
        sample(SchemeName::Bls).with_protocol(protocol, Some(Schedule::starting(1_800_000_000)))
    }

    #[test]
    fn the_protocol_is_part_of_the_chain_identifier() {
        let (gosig, jolteon) =
            (gosig(), Genesis { protocol: ProtocolName::DEFAULT, schedule: None, ..gosig() });
        let text = gosig.to_toml().unwrap();
        assert!(text.contains("protocol = \"gosig\"") && text.contains("[schedule]"), "{text}");
        assert_eq!(Genesis::parse(&text).unwrap(), gosig);
        assert_ne!(gosig.chain_id(), jolteon.chain_id());
        // The format from before there was a choice of protocols.
        let text = jolteon.to_toml().unwrap();
        assert!(!text.contains("protocol") && !text.contains("schedule"), "{text}");
        let later = Genesis { schedule: Some(Schedule::starting(1_800_000_001)), ..gosig.clone() };
        assert_ne!(gosig.chain_id(), later.chain_id());
        let untimed = Genesis { schedule: None, ..gosig.clone() };
        assert_eq!(Genesis::parse(&untimed.to_toml().unwrap()).unwrap(), untimed);
        let ids = [&gosig, &jolteon, &untimed].map(Genesis::chain_id);
        assert!(ids[2] != ids[0] && ids[2] != ids[1], "the protocol's name is part of the chain's identity");
    }

    #[test]
    fn a_light_client_reads_the_same_chain() {
        let quoted = Genesis { chain: "a \"chain\" \\ é".into(), ..sample(SchemeName::Bls) };
        let abft = sample(SchemeName::Ed25519).with_protocol("abft".parse().unwrap(), None);
        let dealt = Genesis { dealt: Some(Hex(vec![1, 2, 3])), ..abft };
        for genesis in [sample(SchemeName::Bls), sample(SchemeName::Ed25519), gosig(), quoted, dealt] {
            let light = quorate::light::Genesis::parse(&genesis.to_toml().unwrap()).unwrap();
            assert_eq!(
                (light.chain(), light.protocol().name()),
                (genesis.chain_id(), genesis.protocol.as_str())
            );
        }
    }

    #[test]
    fn any_change_creates_another_chain() {
        let original = sample(SchemeName::Bls);
        let changes: [fn(&mut Genesis); 7] = [
            |g| g.chain.push('x'),
            |g| g.scheme = SchemeName::Ed25519,
            |g| g.epoch += 1,
            |g| g.parameters.batch_bytes += 1,
            |g| g.members.swap(0, 1),
            |g| g.members[2].weight += 1,
            |g| g.dealt = Some(Hex(vec![1])),
        ];
        for change in changes {
            let mut genesis = original.clone();
            change(&mut genesis);
            assert_ne!(genesis.chain_id(), original.chain_id());
        }
    }

    #[test]
    fn errors_name_the_field() {
        type Change = fn(&mut Genesis);
        let cases: [(Change, &str); 6] = [
            (
                |g| {
                    let schedule = Schedule { signatures_ms: 0, ..Schedule::starting(1) };
                    *g = Genesis { schedule: Some(schedule), ..gosig() };
                },
                "schedule.signatures_ms",
            ),
            (|g| g.members.clear(), "no members"),
            (|g| g.members[3].name = "node1".into(), "member 3 is named node1"),
            (|g| g.members[2].weight = 0, "member 2 (node2) has weight 0"),
            (|g| g.parameters.batch_bytes = 1, "parameters.batch_bytes"),
            (|g| g.members[1].address.clear(), "address of member 1 (node1)"),
        ];
        for (change, text) in cases {
            let mut genesis = sample(SchemeName::Bls);
            change(&mut genesis);
            let error = genesis.to_toml().unwrap_err();
            assert_eq!(error.code(), "GENESIS");
            assert!(error.to_string().contains(text), "{error}");
        }
        let name = gosig().to_toml().unwrap().replace("\"gosig\"", "\"Go sig\"");
        let error = Genesis::parse(&name).unwrap_err().to_string();
        assert!(error.contains("lower-case letters"), "{error}");
        let typo = sample(SchemeName::Bls).to_toml().unwrap().replace("address", "adress");
        assert!(Genesis::parse(&typo).unwrap_err().to_string().contains("adress"), "{typo}");
    }
}

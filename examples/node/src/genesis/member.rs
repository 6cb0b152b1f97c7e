//! Members in the genesis file.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::hexadecimal::Hex;

/// A member in the genesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "MemberTable", into = "MemberTable")]
pub struct Member {
    /// Human-readable name, unique in the file.
    pub name: String,
    /// Link address: host and port.
    pub address: String,
    /// Its weight.
    pub weight: u128,
    /// Its keys.
    pub keys: PublicKeys,
}

/// The public part of a key file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKeys {
    /// Ed25519 key that authenticates links and signs blocks.
    pub identity_key: Hex,
    /// Proof of possession of the identity key.
    pub identity_possession: Hex,
    /// Key that signs votes.
    pub voting_key: Hex,
    /// Proof of possession of the voting key.
    pub voting_possession: Hex,
}

/// A `[[member]]` table: flat, without unknown fields.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberTable {
    name: String,
    address: String,
    #[serde(serialize_with = "write_weight", deserialize_with = "read_weight")]
    weight: u128,
    identity_key: Hex,
    identity_possession: Hex,
    voting_key: Hex,
    voting_possession: Hex,
}

impl From<MemberTable> for Member {
    fn from(t: MemberTable) -> Self {
        let MemberTable { identity_key, identity_possession, voting_key, voting_possession, .. } = t;
        let keys = PublicKeys { identity_key, identity_possession, voting_key, voting_possession };
        Member { name: t.name, address: t.address, weight: t.weight, keys }
    }
}

impl From<Member> for MemberTable {
    fn from(m: Member) -> Self {
        let PublicKeys { identity_key, identity_possession, voting_key, voting_possession } = m.keys;
        let (name, address, weight) = (m.name, m.address, m.weight);
        MemberTable {
            name,
            address,
            weight,
            identity_key,
            identity_possession,
            voting_key,
            voting_possession,
        }
    }
}

fn write_weight<S: Serializer>(weight: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(*weight) {
        Ok(weight) => serializer.serialize_i64(weight),
        Err(_) => serializer.collect_str(weight),
    }
}

fn read_weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Weight {
        Number(u64),
        Text(String),
    }
    match Weight::deserialize(deserializer)? {
        Weight::Number(n) => Ok(n.into()),
        Weight::Text(t) => t.parse().map_err(|_| serde::de::Error::custom("weight: expected a whole number")),
    }
}

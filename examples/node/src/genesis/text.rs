use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Member, PublicKeys};

/// Bytes whose text form is hexadecimal, lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Hex(pub Vec<u8>);

/// A `[[member]]` table: flat, and no unknown field is accepted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberTable {
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

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(&text).map(Hex).map_err(|e| serde::de::Error::custom(format!("not hexadecimal: {e}")))
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
        Weight::Text(t) => {
            t.parse().map_err(|_| serde::de::Error::custom("weight: a whole number is needed"))
        }
    }
}

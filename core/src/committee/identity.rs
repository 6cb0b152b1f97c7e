use alloc::string::String;
use core::fmt;

use crate::scheme::Scheme;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// Identifier of a chain: 32 bytes that no other chain uses, for instance the hash of the genesis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId(pub [u8; 32]);

impl ChainId {
    /// Derives an identifier from a name, for tests and demonstrations.
    ///
    /// Two chains with the same name have the same identifier, so a production chain hashes its genesis instead.
    pub fn from_name(name: &str) -> Self {
        Self(domain::hash(domain::CHAIN_NAME, name.as_bytes()))
    }
}

/// Identifier of a committee: a hash of its suite, chain, epoch, members and weights. Every signed statement contains
/// it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitteeId(pub [u8; 32]);

impl CommitteeId {
    pub(super) fn derive<S: Scheme>(chain: ChainId, epoch: u64, members: &[(S::PublicKey, u128)]) -> Self {
        let mut w = Writer::new();
        w.u8(S::SUITE);
        w.raw(&chain.0);
        w.u64(epoch);
        w.u16(members.len() as u16);
        for (key, weight) in members {
            key.encode_to(&mut w);
            w.u128(*weight);
        }
        Self(domain::hash(domain::COMMITTEE, &w.into_bytes()))
    }
}

macro_rules! identifier {
    ($name:ident) => {
        impl Encode for $name {
            fn encode_to(&self, w: &mut Writer) {
                w.raw(&self.0);
            }
        }

        impl Decode for $name {
            fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
                r.array().map(Self)
            }
        }

        impl core::str::FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                let mut bytes = [0; 32];
                hex::decode_to_slice(text, &mut bytes)
                    .map_err(|_| Error::Malformed { what: "identifier: expected 64 hex digits" })?;
                Ok(Self(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let text: String = hex::encode(self.0);
                write!(f, concat!(stringify!($name), "({}…)"), text.get(..8).unwrap_or(&text))
            }
        }
    };
}

identifier!(ChainId);
identifier!(CommitteeId);

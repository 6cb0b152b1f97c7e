use alloc::sync::Arc;
use alloc::vec::Vec;

use super::committees::Committees;
use super::protocol::ChainProtocol;
use super::toml::{Document, Table};
use crate::committee::{ChainId, Committee};
use crate::ed25519::Ed25519;
use crate::scheme::{Scheme, UnverifiedKey, VerifiedKey};
use crate::wire::{Decode, Writer, domain};
use crate::{Error, Result};

/// Suites of the voters: BLS with short signatures, Ed25519, and BLS with counts, which Gosig uses.
const MIN_SIG: u8 = 1;
const ED25519: u8 = 3;
const MIN_SIG_COUNTED: u8 = 4;
/// Parameters of a genesis with their default values, in the order of the encoding.
const PARAMETERS: [(&str, u32); 5] = [
    ("max_transaction_bytes", 128 << 10),
    ("batch_bytes", 500_000),
    ("batch_delay_ms", 100),
    ("view_timeout_ms", 1_000),
    ("max_view_timeout_ms", 30_000),
];
const KEYS: [&str; 4] = ["identity_key", "identity_possession", "voting_key", "voting_possession"];

/// A chain's genesis file, which a client trusts: the members with their keys, and the chain's identity.
///
/// The file is that of the example's node (`spec/node.md`), in the subset of TOML that `quorate genesis` writes: comments,
/// fields of a line each, basic and literal strings, decimal integers, `[parameters]`, `[schedule]` and `[[member]]`. An
/// unknown or a repeated field is an error, because it may change the meaning of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Genesis {
    chain: ChainId,
    protocol: ChainProtocol,
    suite: u8,
    epoch: u64,
    members: Vec<Member>,
}

/// A member: its keys and proofs of possession are encoded and not verified.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    weight: u128,
    identity: (Vec<u8>, Vec<u8>),
    voting: (Vec<u8>, Vec<u8>),
}

impl Genesis {
    /// Parses the text of a file, and hashes its content to the chain's identifier. Verifies no key.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a text that is no genesis file; [`Error::UnknownName`] for an unknown protocol.
    pub fn parse(text: &str) -> Result<Self> {
        let file = Document::parse(text)?;
        file.root.require_known(&["chain", "protocol", "scheme", "epoch", "dealt"])?;
        file.parameters.require_known(&PARAMETERS.map(|(name, _)| name))?;
        let protocol = file.root.text("protocol")?.unwrap_or("jolteon");
        let scheme =
            file.root.text("scheme")?.ok_or(Error::Malformed { what: "genesis file without a scheme" })?;
        let epoch = file.root.integer("epoch")?.unwrap_or(0);
        let mut w = Writer::new();
        write_head(&file, protocol, &mut w)?;
        let name =
            file.root.text("chain")?.ok_or(Error::Malformed { what: "genesis file without a chain" })?;
        w.bytes(name.as_bytes());
        w.bytes(scheme.as_bytes());
        w.u64(epoch);
        for (name, default) in PARAMETERS {
            w.u32(file.parameters.integer(name)?.unwrap_or(default));
        }
        w.count(file.members.len());
        let members =
            file.members.iter().map(|table| Member::read(table, &mut w)).collect::<Result<Vec<_>>>()?;
        if members.is_empty() {
            return Err(Error::Malformed { what: "genesis file without members" });
        }
        let protocol = ChainProtocol::from_name(protocol)?;
        let suite = match (scheme, protocol) {
            ("bls", ChainProtocol::Gosig) => MIN_SIG_COUNTED,
            ("bls", _) => MIN_SIG,
            ("ed25519", ChainProtocol::Jolteon | ChainProtocol::Abft) => ED25519,
            _ => return Err(Error::Malformed { what: "genesis file: scheme" }),
        };
        let chain = ChainId(domain::hash(domain::GENESIS, &w.into_bytes()));
        Ok(Self { chain, protocol, suite, epoch, members })
    }

    /// Returns the chain's identifier: a hash of the content of the file.
    pub fn chain(&self) -> ChainId {
        self.chain
    }

    /// Returns the protocol of the chain.
    pub fn protocol(&self) -> ChainProtocol {
        self.protocol
    }

    /// Returns the number of the voters' suite.
    pub fn suite(&self) -> u8 {
        self.suite
    }

    /// Returns the committees, after verification of every key. Cost: a proof of possession per key.
    ///
    /// # Errors
    /// [`Error::Mismatch`] if the voters have another suite than `S`; the errors of keys and of
    /// [`Committee::new`].
    pub fn committees<S: Scheme>(&self) -> Result<Committees<S>> {
        if self.suite != S::SUITE {
            let (expected, actual) = (S::SUITE.into(), self.suite.into());
            return Err(Error::Mismatch { what: "suite", expected, actual });
        }
        let voters = self.committee(|member| &member.voting)?;
        Committees::new(Arc::new(voters), Arc::new(self.committee::<Ed25519>(|member| &member.identity)?))
    }

    fn committee<S: Scheme>(&self, keys: impl Fn(&Member) -> &(Vec<u8>, Vec<u8>)) -> Result<Committee<S>> {
        let verified = |member| Ok((verified_key::<S>(keys(member))?, member.weight));
        let members = self.members.iter().map(verified).collect::<Result<Vec<_>>>()?;
        Committee::new(self.chain, self.epoch, members)
    }
}

impl Member {
    /// Reads a member, and writes it to the encoding of the file.
    fn read(table: &Table, w: &mut Writer) -> Result<Self> {
        let [identity_key, identity_possession, voting_key, voting_possession] = KEYS;
        table.require_known(&[&["name", "address", "weight"][..], &KEYS].concat())?;
        for field in ["name", "address"] {
            let text = table
                .text(field)?
                .ok_or(Error::Malformed { what: "genesis file: name or address of a member" })?;
            w.bytes(text.as_bytes());
        }
        let weight =
            table.integer("weight")?.ok_or(Error::Malformed { what: "genesis file: weight of a member" })?;
        w.u128(weight);
        let mut key = |field| {
            let bytes =
                table.bytes(field)?.ok_or(Error::Malformed { what: "genesis file: key of a member" })?;
            w.bytes(&bytes);
            Ok(bytes)
        };
        Ok(Self {
            weight,
            identity: (key(identity_key)?, key(identity_possession)?),
            voting: (key(voting_key)?, key(voting_possession)?),
        })
    }
}

/// Writes the fields before those of all protocols.
fn write_head(file: &Document, protocol: &str, w: &mut Writer) -> Result<()> {
    if let Some(dealt) = file.root.bytes("dealt")? {
        w.u8(4);
        w.bytes(&dealt);
    }
    match &file.schedule {
        None if protocol == "jolteon" => w.u8(1),
        None => {
            w.u8(3);
            w.bytes(protocol.as_bytes());
        }
        Some(schedule) => {
            schedule.require_known(&["start", "proposals_ms", "signatures_ms", "proposers"])?;
            w.u8(2);
            w.bytes(protocol.as_bytes());
            w.u64(
                schedule
                    .integer("start")?
                    .ok_or(Error::Malformed { what: "genesis file: start of the schedule" })?,
            );
            for stage in ["proposals_ms", "signatures_ms"] {
                w.u32(schedule.integer(stage)?.unwrap_or(250));
            }
            w.u16(schedule.integer("proposers")?.unwrap_or(7));
        }
    }
    Ok(())
}

fn verified_key<S: Scheme>((key, possession): &(Vec<u8>, Vec<u8>)) -> Result<VerifiedKey<S>> {
    let key = S::PublicKey::decode(key, &())?;
    UnverifiedKey::new(key, S::Signature::decode(possession, &())?).verify()
}

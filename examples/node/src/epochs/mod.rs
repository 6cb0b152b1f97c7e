//! Epochs of the chain: its members, from a height on.
//!
//! The genesis defines the first epoch. If the protocol allows membership changes, each later epoch follows from the previous
//! one and from a block of the chain, its [anchor](Anchor), so all nodes derive the same epoch. The protocol determines
//! members, keys and weights ([`NextEpoch`]). A staying member keeps its name and address; those of a joining member are
//! part of the change, as a [`Contact`].
//!
//! A node makes an epoch durable before it enters it, so that blocks of all epochs stay readable.
//!
//! ```text
//! epoch     number u64 | anchor | count u32 | members
//! anchor    0, or 1 | height u64 | digest 32 | seed 40 | payload height u64
//! member    name | address | weight u128 | identity key | voting key          each text and key with its length u32
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate::committee::{ChainId, Committee, Repeats};
use quorate::ed25519::Ed25519;
use quorate::merkle::Hash;
use quorate::scheme::Scheme;
use quorate::sortition::Seed;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::genesis::{Committees, Contact, Genesis, Hex, MAX_MEMBERS};

/// Maximum length of a name or an address in bytes.
const MAX_TEXT: usize = 255;
/// Maximum length of a public key of any scheme in bytes.
const MAX_KEY: usize = 256;

/// An epoch of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Its number.
    pub number: u64,
    /// The block on which it begins; `None` for the genesis epoch.
    pub anchor: Option<Anchor>,
    /// Its members, in the order of their indices.
    pub members: Vec<Member>,
}

/// A member of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Human-readable name, unique in the epoch.
    pub name: String,
    /// Link address; empty if unknown.
    pub address: String,
    /// Its weight.
    pub weight: u128,
    /// Ed25519 key that authenticates its links.
    pub identity_key: Hex,
    /// The key that signs votes.
    pub voting_key: Hex,
}

/// The block on which an epoch begins: the last block of the previous epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its height.
    pub height: u64,
    /// Its digest.
    pub digest: Hash,
    /// Sortition seed after it.
    pub seed: Seed,
    /// Height of the last block up to it with transactions.
    pub payload_height: u64,
}

/// Description of the next epoch by the protocol, at the end of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextEpoch {
    /// Number of the next epoch.
    pub number: u64,
    /// Block on which it begins.
    pub anchor: Anchor,
    /// Identity key, voting key and weight of each member, in order.
    pub members: Vec<(Hex, Hex, u128)>,
    /// Encoded [contacts](Contact) of the members that joined, by identity key.
    pub contacts: Vec<(Hex, Vec<u8>)>,
}

impl Epoch {
    /// The first epoch.
    pub fn genesis(genesis: &Genesis) -> Self {
        let member = |member: &crate::genesis::Member| Member {
            name: member.name.clone(),
            address: member.address.clone(),
            weight: member.weight,
            identity_key: member.keys.identity_key.clone(),
            voting_key: member.keys.voting_key.clone(),
        };
        Self { number: genesis.epoch, anchor: None, members: genesis.members.iter().map(member).collect() }
    }

    /// The epoch after this one.
    #[must_use]
    pub fn next(&self, successor: &NextEpoch) -> Self {
        let members = self.next_members(&successor.members, &successor.contacts);
        Self { number: successor.number, anchor: Some(successor.anchor), members }
    }

    /// The members of the next epoch, from their keys and weights, and from the contacts of the members that joined.
    pub fn next_members(&self, members: &[(Hex, Hex, u128)], contacts: &[(Hex, Vec<u8>)]) -> Vec<Member> {
        let stays = |key: &Hex| self.members.iter().find(|member| member.identity_key == *key);
        let staying = members.iter().filter_map(|(key, ..)| stays(key));
        let mut taken: BTreeSet<String> = staying.map(|member| member.name.clone()).collect();
        let mut next_members = Vec::with_capacity(members.len());
        for (identity_key, voting_key, weight) in members {
            let (name, address) = match stays(identity_key) {
                Some(member) => (member.name.clone(), member.address.clone()),
                None => {
                    let contact = contacts.iter().find(|(key, _)| key == identity_key);
                    let contact = contact.map_or(&[][..], |(_, contact)| contact);
                    let (name, address) =
                        Contact::resolve(contact, &identity_key.0, |name| taken.contains(name));
                    taken.insert(name.clone());
                    (name, address.unwrap_or_default())
                }
            };
            let (identity_key, voting_key) = (identity_key.clone(), voting_key.clone());
            next_members.push(Member { name, address, weight: *weight, identity_key, voting_key });
        }
        next_members
    }

    /// The height of its first block.
    pub fn first_height(&self) -> u64 {
        self.anchor.map_or(0, |anchor| anchor.height).saturating_add(1)
    }

    /// Index of the member with an identity key.
    pub fn position(&self, identity_key: &[u8]) -> Option<u16> {
        let place = self.members.iter().position(|member| member.identity_key.0 == identity_key);
        place.and_then(|place| u16::try_from(place).ok())
    }

    /// The committees. Possession of the keys was verified when the members joined, and is not verified again.
    ///
    /// # Errors
    /// If a key is invalid, or if the keys do not form a committee.
    pub fn committees<S: Scheme>(&self, chain: ChainId) -> Result<Committees<S>> {
        let identities = self.committee::<Ed25519>(chain, |member| &member.identity_key)?;
        let voters = self.committee::<S>(chain, |member| &member.voting_key)?;
        Ok(Committees { chain, voters: Arc::new(voters), identities: Arc::new(identities) })
    }

    fn committee<S: Scheme>(&self, chain: ChainId, pick: impl Fn(&Member) -> &Hex) -> Result<Committee<S>> {
        let key = |member: &Member| Ok((S::PublicKey::decode(&pick(member).0, &())?, member.weight));
        let members = self.members.iter().map(key).collect::<Result<Vec<_>>>()?;
        Committee::from_attested(chain, self.number, members, Repeats::Refuse)
    }
}

impl Encode for Epoch {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.number);
        w.option(self.anchor.as_ref());
        w.list(&self.members);
    }
}

impl Decode for Epoch {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (number, anchor) = (r.u64()?, r.option(&())?);
        Ok(Self { number, anchor, members: r.list("members", MAX_MEMBERS, &())? })
    }
}

impl Encode for Anchor {
    fn encode_to(&self, w: &mut Writer) {
        w.u64(self.height);
        w.raw(&self.digest);
        self.seed.encode_to(w);
        w.u64(self.payload_height);
    }
}

impl Decode for Anchor {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let (height, digest) = (r.u64()?, r.array()?);
        Ok(Self { height, digest, seed: Seed::decode_from(r, &())?, payload_height: r.u64()? })
    }
}

impl Encode for Member {
    fn encode_to(&self, w: &mut Writer) {
        w.bytes(self.name.as_bytes());
        w.bytes(self.address.as_bytes());
        w.u128(self.weight);
        w.bytes(&self.identity_key.0);
        w.bytes(&self.voting_key.0);
    }
}

impl Decode for Member {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        let mut text = |what| {
            let bytes = r.bytes(what, MAX_TEXT)?.to_vec();
            String::from_utf8(bytes).map_err(|_| Error::Malformed { what })
        };
        let (name, address) = (text("name")?, text("address")?);
        let weight = r.u128()?;
        let mut key = |what| Ok(Hex(r.bytes(what, MAX_KEY)?.to_vec()));
        Ok(Self { name, address, weight, identity_key: key("identity key")?, voting_key: key("voting key")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::genesis::SchemeName;
    use crate::keys::NodeKeys;
    use quorate::bls::MinSig;

    fn genesis() -> Genesis {
        let member = |n: u16| crate::genesis::Member {
            name: format!("node{n}"),
            address: format!("127.0.0.1:{}", 7000 + n),
            weight: 1,
            keys: NodeKeys::generate(SchemeName::Bls).unwrap().public().unwrap(),
        };
        Genesis::new("sample", SchemeName::Bls, (0..4).map(member).collect())
    }

    /// Description of the next epoch: staying members by index, and joining members with contacts.
    fn successor(of: &Epoch, stay: &[usize], join: &[(Hex, Vec<u8>)]) -> NextEpoch {
        let stays = |i: &usize| {
            let member = &of.members[*i];
            (member.identity_key.clone(), member.voting_key.clone(), member.weight)
        };
        let joins = |(key, _): &(Hex, Vec<u8>)| (key.clone(), Hex(vec![9]), 2);
        let seed = Seed::genesis(ChainId([1; 32]), b"");
        let anchor = Anchor { height: 9, digest: [3; 32], seed, payload_height: 9 };
        let members = stay.iter().map(stays).chain(join.iter().map(joins)).collect();
        NextEpoch { number: of.number + 1, anchor, members, contacts: join.to_vec() }
    }

    #[test]
    fn names_stay_unique_for_any_contacts() {
        let first = Epoch::genesis(&genesis());
        let contact = |name: &str| Contact::new(name, "10.0.0.1:7").unwrap().encode();
        let key = |n: u8| Hex(vec![n; 32]);
        let join = [
            (key(0xa0), contact("node9")),
            (key(0xa1), contact("node2")),
            (key(0xa2), vec![1]),
            (key(0xa3), contact(&format!("member-{}", "a4".repeat(4)))),
            (key(0xa4), contact("node9")),
            // The name of a member that left is free again.
            (key(0xa5), contact("node1")),
        ];
        let next = first.next(&successor(&first, &[0, 2, 3], &join));
        let names: Vec<&str> = next.members.iter().map(|member| &*member.name).collect();
        let made = |n: &str| format!("member-{n}");
        let expected =
            ["node0", "node2", "node3", "node9", &made("a1a1a1a1"), &made("a2a2a2a2"), &made("a4a4a4a4")];
        assert_eq!(names[..7], expected);
        assert_eq!(names[7..], [&made("a4a4a4a4-1"), "node1"]);
        assert_eq!(next.members[5].address, "");
        assert_eq!((next.position(&[0xa1; 32]), next.first_height()), (Some(4), 10));
        assert_eq!(next.members[2], first.members[3]);
    }

    #[test]
    fn an_epoch_round_trips_and_forms_the_committees() {
        let genesis = genesis();
        let first = Epoch::genesis(&genesis);
        let next = first.next(&successor(&first, &[1, 2, 3], &[]));
        for epoch in [&first, &next] {
            let bytes = epoch.encode();
            assert_eq!(&Epoch::decode(&bytes, &()).unwrap(), epoch);
            for end in 0..bytes.len() {
                assert!(Epoch::decode(&bytes[..end], &()).is_err(), "{end}");
            }
        }
        let (ours, theirs) = (
            first.committees::<MinSig>(genesis.chain_id()).unwrap(),
            genesis.committees::<MinSig>().unwrap(),
        );
        assert_eq!((ours.voters.id(), ours.identities.id()), (theirs.voters.id(), theirs.identities.id()));
        let later = next.committees::<MinSig>(genesis.chain_id()).unwrap();
        assert_eq!((later.voters.epoch(), later.voters.len()), (1, 3));
    }
}

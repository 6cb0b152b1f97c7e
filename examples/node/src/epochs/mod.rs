//! The chain's epochs: who its members are from which height on.
//!
//! The genesis is the first epoch. Where the members may change, each later one follows from the one before and a block
//! of the chain, its [anchor](Anchor), so that all nodes know the same: the protocol says who is a member with which
//! keys and weight ([`NextEpoch`]); names and addresses stay what they were, and those of who joins come with the change
//! as a [`Contact`].
//!
//! A node keeps every epoch before it begins its first own step in it, for blocks of all epochs are to stay readable.
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

/// Longest name or address.
const MAX_TEXT: usize = 255;
/// Longest public key of any scheme.
const MAX_KEY: usize = 256;

/// An epoch of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// Its number.
    pub number: u64,
    /// The block on which it begins; none for the genesis.
    pub anchor: Option<Anchor>,
    /// Its members, in order: a member's index is its place.
    pub members: Vec<Member>,
}

/// A member of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// A name for people, unique in the epoch.
    pub name: String,
    /// Where it accepts links; empty if it did not say so.
    pub address: String,
    /// Its weight.
    pub weight: u128,
    /// The Ed25519 key that its links are pinned to.
    pub identity_key: Hex,
    /// The key that signs votes.
    pub voting_key: Hex,
}

/// The block on which an epoch begins: the last one of the epoch before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its height.
    pub height: u64,
    /// Its digest.
    pub digest: Hash,
    /// The seed after it.
    pub seed: Seed,
    /// The height of the last block up to it that has transactions.
    pub payload_height: u64,
}

/// How an epoch ended, as the protocol says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextEpoch {
    /// The number of the next one.
    pub number: u64,
    /// Where it begins.
    pub anchor: Anchor,
    /// Identity key, voting key and weight of each member, in order.
    pub members: Vec<(Hex, Hex, u128)>,
    /// What those who joined said of themselves, by identity key.
    pub contacts: Vec<(Hex, Vec<u8>)>,
}

impl Epoch {
    /// The first one.
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

    /// The one after this.
    #[must_use]
    pub fn next(&self, successor: &NextEpoch) -> Self {
        let members = self.next_members(&successor.members, &successor.contacts);
        Self { number: successor.number, anchor: Some(successor.anchor), members }
    }

    /// The members of the epoch after this, from identity key, voting key and weight of each, and what those who joined
    /// said of themselves by identity key.
    pub fn next_members(&self, members: &[(Hex, Hex, u128)], contacts: &[(Hex, Vec<u8>)]) -> Vec<Member> {
        let stays = |key: &Hex| self.members.iter().find(|member| member.identity_key == *key);
        let staying = members.iter().filter_map(|(key, ..)| stays(key));
        let mut taken: BTreeSet<String> = staying.map(|member| member.name.clone()).collect();
        let mut next_members = Vec::with_capacity(members.len());
        for (identity_key, voting_key, weight) in members {
            let (name, address) = match stays(identity_key) {
                Some(member) => (member.name.clone(), member.address.clone()),
                None => {
                    let said = contacts.iter().find(|(key, _)| key == identity_key);
                    let contact = said.map_or(&[][..], |(_, contact)| contact);
                    let (name, address) =
                        Contact::settle(contact, &identity_key.0, |name| taken.contains(name));
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

    /// The place of the member with an identity key.
    pub fn position(&self, identity_key: &[u8]) -> Option<u16> {
        let place = self.members.iter().position(|member| member.identity_key.0 == identity_key);
        place.and_then(|place| u16::try_from(place).ok())
    }

    /// The committees. The keys were proved to be somebody's when their owners became members: that is not checked
    /// again.
    ///
    /// # Errors
    /// If a key is none, or they make no committee: then they were not written by this node.
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

    /// Who stays of an epoch, and who joins with what.
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
    fn names_stay_and_indices_shift_and_a_contact_stops_nothing() {
        let first = Epoch::genesis(&genesis());
        let contact = |name: &str| Contact::new(name, "10.0.0.1:7").unwrap().encode();
        let key = |n: u8| Hex(vec![n; 32]);
        let join = [
            (key(0xa0), contact("node9")),
            (key(0xa1), contact("node2")),
            (key(0xa2), vec![1]),
            (key(0xa3), contact(&format!("member-{}", "a4".repeat(4)))),
            (key(0xa4), contact("node9")),
            // Who has left has no name any more.
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
    fn an_epoch_reads_back_and_makes_the_committees_of_the_genesis() {
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

//! Join and leave: a transaction of a special form, allowed by a quorum of the members, ends the epoch; from the next
//! height on another committee decides.
//!
//! | bytes of such a transaction | field |
//! |---|---|
//! | 22 | [`CHANGE_PREFIX`] |
//! | 8 | epoch that it ends |
//! | 1 | 0: leave, then the identity key 32; 1: join, then voting key, its possession proof, identity key 32, its possession proof 64, weight 16, contact (its length 4, then at most [`MAX_CONTACT`]) |
//! | | a certificate of the epoch's identity committee, kind [`MEMBERSHIP`], view 0, digest = a hash of the change |
//!
//! All changes in one block are applied together, in its order; one that cannot be (a key that is there already, the
//! last member) is skipped. A transaction that is not well formed or not allowed is to Gosig a transaction as any other.

use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Statement};
use quorate::committee::{Committee, Repeats};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::sortition::Seed;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::block::Committees;
use crate::digests::BlockDigest;
use crate::payload::{Payload, Transaction};

/// "This change of the members is allowed", with the identity key: view = 0, digest = the change's.
pub const MEMBERSHIP: Kind = Kind::new(5);
/// How a transaction begins that changes the members.
pub const CHANGE_PREFIX: &[u8] = domain::GOSIG_EPOCH.as_bytes();
/// The most bytes of a contact.
pub const MAX_CONTACT: usize = 512;

/// A change of the members.
#[derive(Clone, Debug)]
pub enum Change<S: Scheme> {
    /// A member leaves.
    Leave {
        /// Its identity key.
        identity: <Ed25519 as Scheme>::PublicKey,
    },
    /// Somebody joins, behind all who are there.
    Join {
        /// Its voting key with the proof of its possession.
        voting: (S::PublicKey, S::Signature),
        /// Its identity key with the proof of its possession.
        identity: (<Ed25519 as Scheme>::PublicKey, <Ed25519 as Scheme>::Signature),
        /// Its weight.
        weight: u128,
        /// How it is reached, as drivers see fit: Gosig keeps it as it is. At most [`MAX_CONTACT`] bytes.
        contact: Vec<u8>,
    },
}

/// The next epoch: what a driver makes the next [`Replica`](crate::Replica) of, and what every member computes alike.
#[derive(Clone, Debug)]
pub struct Successor<S: Scheme> {
    /// Its members. The epoch is one more.
    pub committees: Committees<S>,
    /// Where it begins.
    pub anchor: Anchor,
    /// Those of them who joined with the last block, by their identity keys, and how each is reached.
    pub contacts: Contacts,
}

/// Identity keys of members, each with a contact.
pub type Contacts = Vec<(<Ed25519 as Scheme>::PublicKey, Vec<u8>)>;

/// The block on which an epoch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its height; 0 for the genesis.
    pub height: u64,
    /// Its digest.
    pub digest: BlockDigest,
    /// The seed after it.
    pub seed: Seed,
    /// The height of the last block up to it that has transactions.
    pub payload_height: u64,
}

impl<S: Scheme> Change<S> {
    /// What members sign who allow it.
    pub fn statement(&self, committees: &Committees<S>) -> Statement {
        let digest = domain::hash(domain::GOSIG_MEMBERSHIP, &self.encode());
        committees.identities.statement(MEMBERSHIP, 0, digest)
    }

    /// The transaction that makes it, with the certificate of those who allow it.
    ///
    /// # Errors
    /// As [`Transaction::new`]; [`Error::TooLarge`] for a contact of more than [`MAX_CONTACT`] bytes.
    pub fn transaction(&self, allowed: &Certificate<Ed25519>) -> Result<Transaction> {
        if let Change::Join { contact, .. } = self
            && contact.len() > MAX_CONTACT
        {
            return Err(Error::TooLarge { what: "contact", limit: MAX_CONTACT as u64 });
        }
        let mut w = Writer::new();
        w.raw(CHANGE_PREFIX);
        w.u64(allowed.statement().epoch);
        self.encode_to(&mut w);
        allowed.encode_to(&mut w);
        Transaction::new(w.into_bytes())
    }

    /// The change that a transaction makes in the epoch of `committees`; `None` for any other transaction. Cost for
    /// one of the special form: a certificate of Ed25519, and two possession proofs.
    pub fn from_transaction(transaction: &Transaction, committees: &Committees<S>) -> Option<Self> {
        let rest = transaction.bytes().strip_prefix(CHANGE_PREFIX)?;
        Self::read(rest, committees).ok()
    }

    fn read(bytes: &[u8], committees: &Committees<S>) -> Result<Self> {
        let mut r = Reader::new(bytes);
        if r.u64()? != committees.voters.epoch() {
            return Err(Error::WrongContext { what: "epoch" });
        }
        let change = Self::decode_from(&mut r, &())?;
        let allowed = Certificate::<Ed25519>::decode_from(&mut r, &*committees.identities)?;
        r.finish()?;
        if *allowed.statement() != change.statement(committees) {
            return Err(Error::WrongContext { what: "change that is allowed" });
        }
        allowed.check(&committees.identities)?;
        if let Change::Join { voting: (key, proof), identity, .. } = &change {
            UnverifiedKey::<S>::new(key.clone(), proof.clone()).verify()?;
            UnverifiedKey::<Ed25519>::new(identity.0.clone(), identity.1.clone()).verify()?;
        }
        Ok(change)
    }

    /// The committees of `epoch` that the change makes of these. What members have allowed is another question.
    ///
    /// # Errors
    /// If it is not possible: who leaves is no member or the last one, who joins has a key that is a member's.
    pub fn apply(&self, committees: &Committees<S>, epoch: u64) -> Result<Committees<S>> {
        let mut voters = members(&committees.voters);
        let mut identities = members(&committees.identities);
        match self {
            Change::Leave { identity } => {
                let place = committees.identities.position(identity).map(usize::from);
                let place = place.ok_or(Error::WrongContext { what: "member who leaves" })?;
                voters.remove(place);
                identities.remove(place);
            }
            Change::Join { voting, identity, weight, .. } => {
                voters.push((voting.0.clone(), *weight));
                identities.push((identity.0.clone(), *weight));
            }
        }
        let chain = committees.voters.chain();
        Ok(Committees {
            voters: Arc::new(Committee::from_attested(chain, epoch, voters, Repeats::Refuse)?),
            identities: Arc::new(Committee::from_attested(chain, epoch, identities, Repeats::Refuse)?),
        })
    }
}

/// The committees after a block with this payload, if it changes them, and the contacts of who is new in them.
pub fn next_committees<S: Scheme>(
    committees: &Committees<S>,
    payload: &Payload,
) -> Option<(Committees<S>, Contacts)> {
    let next = committees.voters.epoch().checked_add(1)?;
    let (mut made, mut contacts) = (None, Contacts::new());
    let changes = payload
        .transactions()
        .iter()
        .filter_map(|transaction| Change::from_transaction(transaction, committees));
    for change in changes {
        let Ok(changed) = change.apply(made.as_ref().unwrap_or(committees), next) else { continue };
        made = Some(changed);
        match change {
            Change::Join { identity, contact, .. } => contacts.push((identity.0, contact)),
            // Who left before, or leaves right away.
            Change::Leave { identity } => contacts.retain(|(joined, _)| *joined != identity),
        }
    }
    Some((made?, contacts))
}

fn members<T: Scheme>(committee: &Committee<T>) -> Vec<(T::PublicKey, u128)> {
    let weight = |member| committee.weight(member).unwrap_or_default();
    (0..=u16::MAX).zip(committee.keys()).map(|(member, key)| (key.clone(), weight(member))).collect()
}

impl<S: Scheme> Encode for Change<S> {
    fn encode_to(&self, w: &mut Writer) {
        match self {
            Change::Leave { identity } => {
                w.u8(0);
                identity.encode_to(w);
            }
            Change::Join { voting, identity, weight, contact } => {
                w.u8(1);
                voting.0.encode_to(w);
                voting.1.encode_to(w);
                identity.0.encode_to(w);
                identity.1.encode_to(w);
                w.u128(*weight);
                w.bytes(contact);
            }
        }
    }
}

impl<S: Scheme> Decode for Change<S> {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(match r.u8()? {
            0 => Change::Leave { identity: Decode::decode_from(r, &())? },
            1 => Change::Join {
                voting: (Decode::decode_from(r, &())?, Decode::decode_from(r, &())?),
                identity: (Decode::decode_from(r, &())?, Decode::decode_from(r, &())?),
                weight: r.u128()?,
                contact: r.bytes("contact", MAX_CONTACT)?.to_vec(),
            },
            _ => return Err(Error::Malformed { what: "change of members" }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{T, certify, committees, secret};
    use quorate::scheme::VerifiedKey;

    fn join(member: u16) -> Change<T> {
        let (voting, identity) = (secret::<T>(member), secret::<Ed25519>(member));
        Change::Join {
            voting: (T::public_key(&voting), T::prove_possession(&voting)),
            identity: (Ed25519::public_key(&identity), Ed25519::prove_possession(&identity)),
            weight: 1,
            contact: member.to_le_bytes().to_vec(),
        }
    }

    fn leave(member: u16) -> Change<T> {
        Change::Leave { identity: Ed25519::public_key(&secret::<Ed25519>(member)) }
    }

    fn allowed(c: &Committees<T>, change: &Change<T>) -> Transaction {
        change.transaction(&certify(&c.identities, change.statement(c))).unwrap()
    }

    #[test]
    fn members_join_and_leave_and_the_epoch_is_the_next() {
        let c = committees::<T>(4);
        let changes = [allowed(&c, &join(7)), allowed(&c, &leave(1)), Transaction::new(*b"other").unwrap()];
        let (next, contacts) = next_committees(&c, &Payload::new(changes.to_vec()).unwrap()).unwrap();
        assert_eq!((next.voters.epoch(), next.identities.epoch(), next.voters.len()), (1, 1, 4));
        let key = |member| VerifiedKey::<T>::from_secret(&secret::<T>(member)).into_public();
        assert_eq!(next.voters.keys(), [key(0), key(2), key(3), key(7)]);
        let joined = Ed25519::public_key(&secret::<Ed25519>(7));
        assert_eq!(next.identities.position(&joined), Some(3));
        assert_eq!(contacts, [(joined, vec![7, 0])]);
        assert!(next_committees(&c, &Payload::from_bytes([b"nothing of that kind"]).unwrap()).is_none());
    }

    #[test]
    fn contacts_are_those_of_who_joined_and_stays() {
        let c = committees::<T>(4);
        let contacts = |changes: &[Change<T>]| {
            let changes = changes.iter().map(|change| allowed(&c, change)).collect();
            let (_, contacts) = next_committees(&c, &Payload::new(changes).unwrap()).unwrap();
            contacts.into_iter().map(|(_, contact)| contact).collect::<Vec<_>>()
        };
        assert_eq!(contacts(&[join(7), join(2), join(5)]), [vec![7, 0], vec![5, 0]], "2 is there already");
        assert_eq!(contacts(&[join(7), leave(7), leave(0)]), Vec::<Vec<u8>>::new());
        assert_eq!(contacts(&[join(7), join(7)]).len(), 1);
    }

    #[test]
    fn a_contact_is_part_of_what_is_allowed_and_bounded() {
        let c = committees::<T>(4);
        let with = |contact: Vec<u8>| {
            let Change::Join { voting, identity, weight, .. } = join(7) else { unreachable!() };
            Change::Join { voting, identity, weight, contact }
        };
        let most = with(vec![1; MAX_CONTACT]);
        assert!(Change::<T>::from_transaction(&allowed(&c, &most), &c).is_some());
        assert_eq!(Change::<T>::decode(&most.encode(), &()).unwrap().encode(), most.encode());
        let more = with(vec![1; MAX_CONTACT + 1]);
        let certificate = certify(&c.identities, more.statement(&c));
        assert_eq!(more.transaction(&certificate).unwrap_err().code(), "TOO_LARGE");
        assert_eq!(Change::<T>::decode(&more.encode(), &()).unwrap_err().code(), "TOO_LARGE");
        let other = with(vec![2; MAX_CONTACT]);
        let forged = other.transaction(&certify(&c.identities, most.statement(&c))).unwrap();
        assert!(Change::<T>::from_transaction(&forged, &c).is_none(), "another contact was allowed");
    }

    #[test]
    fn what_is_not_allowed_changes_nothing() {
        let c = committees::<T>(4);
        let change = join(7);
        let mut few = change.transaction(&certify(&c.identities, leave(1).statement(&c))).unwrap();
        assert!(Change::<T>::from_transaction(&few, &c).is_none(), "another change was allowed");
        let mut bytes = allowed(&c, &change).bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        few = Transaction::new(bytes).unwrap();
        assert!(Change::<T>::from_transaction(&few, &c).is_none(), "a signature is wrong");
        let (next, _) = next_committees(&c, &Payload::new(vec![allowed(&c, &change)]).unwrap()).unwrap();
        assert!(
            Change::<T>::from_transaction(&allowed(&c, &change), &next).is_none(),
            "of an epoch that is over"
        );
        let Change::Join { identity, weight, contact, .. } = join(7) else { unreachable!() };
        let (other, voting) = (secret::<T>(8), secret::<T>(7));
        let stolen = (T::public_key(&voting), T::prove_possession(&other));
        let unproven = Change::Join { voting: stolen, identity, weight, contact };
        assert!(
            Change::<T>::from_transaction(&allowed(&c, &unproven), &c).is_none(),
            "a key that nobody proved"
        );
        // Allowed, and impossible: who is there already, who is not there.
        for change in [join(2), leave(9)] {
            let transaction = allowed(&c, &change);
            assert!(Change::<T>::from_transaction(&transaction, &c).is_some());
            assert!(next_committees(&c, &Payload::new(vec![transaction]).unwrap()).is_none());
        }
    }
}

//! Changes of the members: a transaction of a special form, allowed by a quorum of the members, ends the epoch. From the next
//! height on the new committee decides.
//!
//! | bytes | field of such a transaction |
//! |---|---|
//! | 22 | [`CHANGE_PREFIX`] |
//! | 8 | the epoch that it ends |
//! | 1 | 0: leave, then the identity key 32; 1: join, then voting key, its possession proof, identity key 32, its possession proof 64, weight 16, contact (its length 4, then at most [`MAX_CONTACT`]) |
//! | | a certificate of the epoch's identity committee, kind [`MEMBERSHIP`], view 0, digest = a hash of the change |
//!
//! All changes in one block are applied together, in its order. A change that cannot be applied (a key that is there already,
//! the last member) is skipped. A transaction that is malformed or not allowed is an ordinary transaction to Gosig.

use std::sync::Arc;

use quorate::certificate::{Certificate, Kind, Statement};
use quorate::committee::{Committee, Repeats};
use quorate::ed25519::Ed25519;
use quorate::merkle::Hash;
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::sortition::Seed;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};

use crate::block::Committees;
use crate::digests::BlockDigest;
use crate::payload::{CHANGE_PREFIX, Payload, Transaction};

/// A vote to allow a change of the members, signed with the identity key. View: 0. Digest: the change's.
pub const MEMBERSHIP: Kind = Kind::new(5);
/// Maximum number of transactions in a block that have the form of a change, valid or not. Every member verifies a certificate
/// for each of them when it commits the block.
pub const MAX_CHANGES: usize = 64;
/// Maximum bytes of a contact.
pub const MAX_CONTACT: usize = 512;

/// A change of the members.
#[derive(Clone, Debug)]
pub enum Change<S: Scheme> {
    /// A member leaves.
    Leave {
        /// Identity key of the member.
        identity: <Ed25519 as Scheme>::PublicKey,
    },
    /// A member joins, with the next index.
    Join {
        /// Voting key with the proof of its possession.
        voting: (S::PublicKey, S::Signature),
        /// Identity key with the proof of its possession.
        identity: (<Ed25519 as Scheme>::PublicKey, <Ed25519 as Scheme>::Signature),
        /// Weight of the member.
        weight: u128,
        /// Address at which drivers reach the member. Gosig does not interpret it. At most [`MAX_CONTACT`] bytes.
        contact: Vec<u8>,
    },
}

/// The next epoch, from which a driver creates the next [`Replica`](crate::Replica). Every member computes the same.
#[derive(Clone, Debug)]
pub struct Successor<S: Scheme> {
    /// Committees of the next epoch, whose number is one more.
    pub committees: Committees<S>,
    /// Block on which the next epoch begins.
    pub anchor: Anchor,
    /// Contacts of the members that joined with the last block.
    pub contacts: Contacts,
}

/// Identity keys of members, each with a contact.
pub type Contacts = Vec<(<Ed25519 as Scheme>::PublicKey, Vec<u8>)>;

/// The block on which an epoch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Height of the block; 0 for the genesis.
    pub height: u64,
    /// Digest of the block.
    pub digest: BlockDigest,
    /// The seed after the block.
    pub seed: Seed,
    /// Height of the last block with transactions, up to this one.
    pub payload_height: u64,
}

impl Anchor {
    /// Returns the anchor of a new chain. `randomness` must be chosen by no member and unpredictable until the keys are
    /// fixed, see [`Seed::genesis`].
    pub fn genesis<S: Scheme>(committees: &Committees<S>, state_root: &Hash, randomness: &[u8]) -> Self {
        Self {
            height: 0,
            digest: committees.genesis(state_root),
            seed: Seed::genesis(committees.voters.chain(), randomness),
            payload_height: 0,
        }
    }
}

impl<S: Scheme> Change<S> {
    /// Returns the statement that members sign to allow the change.
    pub fn statement(&self, committees: &Committees<S>) -> Statement {
        let digest = domain::hash(domain::GOSIG_MEMBERSHIP, &self.encode());
        committees.identities.statement(MEMBERSHIP, 0, digest)
    }

    /// Returns the transaction that makes the change, with the certificate that allows it.
    ///
    /// # Errors
    /// Those of [`Transaction::new`]; [`Error::TooLarge`] for a contact of more than [`MAX_CONTACT`] bytes.
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

    /// Returns the change that a transaction makes in the epoch of `committees`; `None` for an ordinary transaction. Cost for a
    /// transaction of the special form: an Ed25519 certificate and two possession proofs.
    pub fn from_transaction(transaction: &Transaction, committees: &Committees<S>) -> Option<Self> {
        let rest = transaction.bytes().strip_prefix(CHANGE_PREFIX)?;
        Self::read(rest, committees).ok()
    }

    /// Checks a transaction that another member brings. A transaction that has the form of a change, and names this epoch, must
    /// be allowed: members forward and propose no others. Cost: that of [`from_transaction`](Self::from_transaction).
    ///
    /// # Errors
    /// The reason for which it is not allowed.
    pub(crate) fn check_forwarded(transaction: &Transaction, committees: &Committees<S>) -> Result<()> {
        let Some(rest) = transaction.bytes().strip_prefix(CHANGE_PREFIX) else { return Ok(()) };
        let names_epoch = Reader::new(rest).u64().is_ok_and(|epoch| epoch == committees.voters.epoch());
        if names_epoch { Self::read(rest, committees).map(|_| ()) } else { Ok(()) }
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
            return Err(Error::WrongContext { what: "certificate of a change; it allows another one" });
        }
        allowed.check(&committees.identities)?;
        if let Change::Join { voting: (key, proof), identity, .. } = &change {
            UnverifiedKey::<S>::new(key.clone(), proof.clone()).verify()?;
            UnverifiedKey::<Ed25519>::new(identity.0.clone(), identity.1.clone()).verify()?;
        }
        Ok(change)
    }

    /// Applies the change to these committees, and returns those of `epoch`. Does not check that it is allowed.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the leaving key is not a member's; [`Error::BadCommittee`] if the last member leaves or a
    /// joining key is already a member's.
    pub fn apply(&self, committees: &Committees<S>, epoch: u64) -> Result<Committees<S>> {
        let mut voters = members(&committees.voters);
        let mut identities = members(&committees.identities);
        match self {
            Change::Leave { identity } => {
                let place = committees.identities.position(identity).map(usize::from);
                let place = place
                    .ok_or(Error::WrongContext { what: "leaving member; its key is not in the committee" })?;
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

/// Returns the committees after a block with this payload, if it changes them, and the contacts of the new members.
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
            // A member that joined in this block leaves again.
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
    fn joins_and_leaves_make_the_next_epoch() {
        let c = committees::<T>(4);
        let changes = [allowed(&c, &join(7)), allowed(&c, &leave(1)), Transaction::new(*b"other").unwrap()];
        let (next, contacts) = next_committees(&c, &Payload::new(changes.to_vec()).unwrap()).unwrap();
        assert_eq!((next.voters.epoch(), next.identities.epoch(), next.voters.len()), (1, 1, 4));
        let key = |member| VerifiedKey::<T>::from_secret(&secret::<T>(member)).into_public();
        assert_eq!(next.voters.keys(), [key(0), key(2), key(3), key(7)]);
        let joined = Ed25519::public_key(&secret::<Ed25519>(7));
        assert_eq!(next.identities.position(&joined), Some(3));
        assert_eq!(contacts, [(joined, vec![7, 0])]);
        assert!(next_committees(&c, &Payload::from_bytes([b"an ordinary transaction"]).unwrap()).is_none());
    }

    #[test]
    fn contacts_are_those_of_joined_members_that_stay() {
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
    fn a_contact_is_bounded_and_part_of_the_allowed_change() {
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
    fn changes_that_are_not_allowed_have_no_effect() {
        let c = committees::<T>(4);
        let change = join(7);
        let mut few = change.transaction(&certify(&c.identities, leave(1).statement(&c))).unwrap();
        assert!(Change::<T>::from_transaction(&few, &c).is_none(), "another change was allowed");
        let mut bytes = allowed(&c, &change).bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        few = Transaction::new(bytes).unwrap();
        assert!(Change::<T>::from_transaction(&few, &c).is_none(), "a signature is wrong");
        let (next, _) = next_committees(&c, &Payload::new(vec![allowed(&c, &change)]).unwrap()).unwrap();
        assert!(Change::<T>::from_transaction(&allowed(&c, &change), &next).is_none(), "of an earlier epoch");
        let Change::Join { identity, weight, contact, .. } = join(7) else { unreachable!() };
        let (other, voting) = (secret::<T>(8), secret::<T>(7));
        let stolen = (T::public_key(&voting), T::prove_possession(&other));
        let unproven = Change::Join { voting: stolen, identity, weight, contact };
        assert!(
            Change::<T>::from_transaction(&allowed(&c, &unproven), &c).is_none(),
            "a key without a possession proof"
        );
        // Allowed but impossible: a key that is there already, and one that is not there.
        for change in [join(2), leave(9)] {
            let transaction = allowed(&c, &change);
            assert!(Change::<T>::from_transaction(&transaction, &c).is_some());
            assert!(next_committees(&c, &Payload::new(vec![transaction]).unwrap()).is_none());
        }
    }
}

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::marker::PhantomData;

use zeroize::{Zeroizing, zeroize_stack};

use super::chain::KeySalt;
use super::one_time::{OneTime, Room, Secrets};
use super::signature::{self, Announcement};
use super::suite::Suite;
use super::tree::{self, Tree};
use crate::Error;
use crate::Result;
use crate::ed25519::{Ed25519, PublicKey, SecretKey};
use crate::machine::Time;
use crate::scheme::{Scheme, SecretBytes};

/// A batch that is to be made: everything that [`make`](Plan::make) needs of a [`Signer`](super::Signer), so that the
/// signer can sign in the meantime. As little a thing to copy as the signer.
///
/// ```compile_fail,E0277
/// fn copy<T: Clone>() {}
/// copy::<quorate::dsig::Plan<quorate::dsig::WotsBlake3>>();
/// ```
///
/// ```compile_fail,E0277
/// fn write<T: quorate::wire::Encode>() {}
/// write::<quorate::dsig::Plan<quorate::dsig::WotsBlake3>>();
/// ```
///
/// ```compile_fail,E0277
/// fn print<T: std::fmt::Debug>() {}
/// print::<quorate::dsig::Plan<quorate::dsig::WotsBlake3>>();
/// ```
pub struct Plan<S: Suite> {
    pub(super) seed: SecretBytes,
    pub(super) made: Time,
    pub(super) log2: u8,
    pub(super) group: usize,
    pub(super) origin: Origin,
    /// What signs no more: `make` wipes it.
    pub(super) expired: Vec<Batch<S>>,
    /// Where keys can be made.
    pub(super) rooms: Vec<Room>,
    pub(super) identity: Arc<SecretKey>,
    pub(super) public: PublicKey,
    pub(super) suite: PhantomData<S>,
}

/// One-time keys, signed by the identity key. Of no use but to the signer that planned it, where it did.
///
/// ```compile_fail,E0277
/// fn copy<T: Clone>() {}
/// copy::<quorate::dsig::Batch<quorate::dsig::WotsBlake3>>();
/// ```
///
/// ```compile_fail,E0277
/// fn write<T: quorate::wire::Encode>() {}
/// write::<quorate::dsig::Batch<quorate::dsig::WotsBlake3>>();
/// ```
///
/// ```compile_fail,E0277
/// fn print<T: std::fmt::Debug>() {}
/// print::<quorate::dsig::Batch<quorate::dsig::WotsBlake3>>();
/// ```
pub struct Batch<S: Suite> {
    pub(super) made: Time,
    pub(super) group: usize,
    pub(super) origin: Origin,
    pub(super) tree: Tree,
    pub(super) eddsa: [u8; 64],
    /// Taken from the front; a key's place is the batch's size less what is left.
    pub(super) keys: VecDeque<Key<S>>,
}

/// Where keys come from, and where alone they are of use: the same batch in two places signs twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    /// Of the signer's first seed, so that no other signer takes them, be it of the same identity.
    pub(super) signer: [u8; 16],
    /// The process, and what the owner's hook said: a copy of the signer is elsewhere.
    pub(super) place: (u64, u64),
    /// Counts the signer's invalidations.
    pub(super) life: u64,
}

pub(super) struct Key<S: Suite> {
    pub(super) salt: KeySalt,
    pub(super) nonce: Zeroizing<[u8; 16]>,
    pub(super) secret: <S::OneTime as OneTime>::Secret,
}

/// More than the making of a key takes.
const STACK: usize = 32 * 1024;

impl<S: Suite> Plan<S> {
    /// Wipes what expired and makes the keys. Cost: 204 chain steps per key in suites 1 to 3, one Ed25519 signature.
    ///
    /// # Errors
    /// None that can occur; [`Error::TooLarge`] stands for a batch of more than 2⁷ keys, which no signer plans.
    pub fn make(self) -> Result<Batch<S>> {
        let batch = self.make_below();
        // What the compiler kept of the secrets on the stack: temporary vectors, spilled registers.
        zeroize_stack::<STACK>();
        batch
    }

    #[inline(never)]
    fn make_below(mut self) -> Result<Batch<S>> {
        self.expired.clear();
        let count = 1u16 << self.log2;
        let (mut keys, mut publics) =
            (VecDeque::with_capacity(count.into()), Vec::with_capacity(count.into()));
        let mut work = <S::OneTime as OneTime>::Work::default();
        for index in 0..count {
            let mut secrets = Secrets::new(&self.seed, self.made.0, S::NUMBER, index);
            let (mut salt, mut nonce) = ([0; 12], Zeroizing::new([0; 16]));
            secrets.fill(&mut salt);
            secrets.fill(&mut *nonce);
            let room = self.rooms.pop().unwrap_or_default();
            let (secret, public) = S::OneTime::generate(&mut secrets, &salt, room, &mut work);
            publics.push(public);
            keys.push_back(Key { salt, nonce, secret });
        }
        let tree = Tree::new(self.log2, publics)
            .ok_or(Error::TooLarge { what: "DSig batch, log2", limit: tree::MAX_LOG2.into() })?;
        let signed = signature::batch_bytes::<S>(self.log2, self.public.as_bytes(), &tree.root());
        let eddsa = Ed25519::sign(&self.identity, &signed).to_bytes();
        Ok(Batch { made: self.made, group: self.group, origin: self.origin, tree, eddsa, keys })
    }
}

impl<S: Suite> Batch<S> {
    pub(super) fn announcement(&self) -> Announcement<S> {
        let leaves = self.tree.leaves().to_vec();
        Announcement { log2: self.tree.log2(), eddsa: self.eddsa, leaves, suite: PhantomData }
    }
}

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::marker::PhantomData;

use zeroize::{Zeroizing, zeroize_stack};

use super::cell::KeySalt;
use super::one_time::{KeyBuffer, OneTimeScheme, Secrets};
use super::signature::{self, Announcement};
use super::suite::DsigSuite;
use super::tree::{self, Tree};
use crate::Error;
use crate::Result;
use crate::ed25519::{Ed25519, PublicKey, SecretKey};
use crate::machine::Time;
use crate::scheme::{Scheme, SecretBytes};

/// A planned batch: everything that [`make`](Plan::make) needs of a [`Signer`](super::Signer), which can sign in the
/// meantime. Like the signer, a plan has no `Clone` and no serialised form.
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
pub struct Plan<S: DsigSuite> {
    pub(super) seed: SecretBytes,
    pub(super) made: Time,
    pub(super) log2: u8,
    pub(super) group: usize,
    pub(super) origin: Origin,
    /// Expired batches, which `make` wipes.
    pub(super) expired: Vec<Batch<S>>,
    /// Memory of used keys, to be reused.
    pub(super) buffers: Vec<KeyBuffer>,
    pub(super) identity: Arc<SecretKey>,
    pub(super) public: PublicKey,
    pub(super) suite: PhantomData<S>,
}

/// One-time keys and the Ed25519 signature of their root. Only the signer that planned a batch can add it, in the
/// same process.
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
pub struct Batch<S: DsigSuite> {
    pub(super) made: Time,
    pub(super) group: usize,
    pub(super) origin: Origin,
    pub(super) tree: Tree,
    pub(super) eddsa: [u8; 64],
    /// Keys in ascending order of index. A key's index is the batch size minus the number of keys left.
    pub(super) keys: VecDeque<Key<S>>,
}

/// Identifies the state of the signer that planned a batch. A batch with another origin is refused: its keys may
/// exist twice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Origin {
    /// Hash of the signer's first seed. It distinguishes signers that share an identity key.
    pub(super) signer: [u8; 16],
    /// Process generation and the last value of the copy-detection hook.
    pub(super) place: (u64, u64),
    /// Number of invalidations of the signer so far.
    pub(super) invalidations: u64,
}

pub(super) struct Key<S: DsigSuite> {
    pub(super) salt: KeySalt,
    pub(super) nonce: Zeroizing<[u8; 16]>,
    pub(super) secret: <S::OneTime as OneTimeScheme>::Secret,
}

/// Bytes of stack to wipe: more than generating a key uses.
const MAX_STACK: usize = 32 * 1024;

impl<S: DsigSuite> Plan<S> {
    /// Wipes expired batches and generates the keys. Cost: 204 chain steps per key in suites 1 to 3, one Ed25519
    /// signature.
    ///
    /// # Errors
    /// [`Error::TooLarge`] for a batch of more than 2⁷ keys, which no signer plans.
    pub fn make(self) -> Result<Batch<S>> {
        let batch = self.make_inner();
        // Wipe copies of secrets that the compiler left on the stack: temporary vectors, spilled registers.
        zeroize_stack::<MAX_STACK>();
        batch
    }

    #[inline(never)]
    fn make_inner(mut self) -> Result<Batch<S>> {
        self.expired.clear();
        let count = 1u16 << self.log2;
        let (mut keys, mut publics) =
            (VecDeque::with_capacity(count.into()), Vec::with_capacity(count.into()));
        let mut work = <S::OneTime as OneTimeScheme>::Workspace::default();
        for index in 0..count {
            let mut secrets = Secrets::new(&self.seed, self.made.0, S::NUMBER, index);
            let (mut salt, mut nonce) = ([0; 12], Zeroizing::new([0; 16]));
            secrets.fill(&mut salt);
            secrets.fill(&mut *nonce);
            let buffer = self.buffers.pop().unwrap_or_default();
            let (secret, public) = S::OneTime::generate(&mut secrets, &salt, buffer, &mut work);
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

impl<S: DsigSuite> Batch<S> {
    pub(super) fn announcement(&self) -> Announcement<S> {
        let leaves = self.tree.leaves().to_vec();
        Announcement { log2: self.tree.log2(), eddsa: self.eddsa, leaves, suite: PhantomData }
    }
}

//! What was signed, so that nothing contradictory ever is.
//!
//! A [`Guard`] owns a validator's secret key and signs statements under one rule: per kind, the pair (epoch, view)
//! strictly increases, or is the last one again **and the statement is identical**, which gives the same vote
//! again. Whatever the consensus code above it does wrong, and whatever it forgets in a crash, the key never signs
//! two contradicting statements.
//!
//! Each signature comes with a [`GuardRecord`], a small one of fixed size:
//!
//! 1. `sign` returns the vote and the record, and remembers the record in memory.
//! 2. The caller makes the record **durable**, file and directory.
//! 3. Only then the vote leaves.
//!
//! After a crash [`Guard::restore`] takes the records back, all or only the last of each kind, in any order. A
//! record that was lost before it was durable does no harm, for its vote never left. If making a record durable
//! fails, drop the vote and stop: the guard in memory goes on refusing what contradicts it.
//!
//! A record names the key, the chain and the suite that it belongs to, so that a data directory that was copied
//! to another validator, or used for another chain, is refused instead of trusted.
//!
//! | bytes | field of a record |
//! |---|---|
//! | 32 | binding: BLAKE3 under [`GUARD`](domain::GUARD) of suite 1, chain 32, public key |
//! | 1 | kind |
//! | 8 | epoch |
//! | 8 | view |
//! | 32 | [identity](Statement::identity) of the statement, which binds the committee |
//!
//! A member of a threshold key records in the same journal which presignatures it has spent
//! ([`spend`](Guard::spend)), for which the rule is simpler still: each signs one message, ever. Such a record has the
//! same form with another binding, BLAKE3 over the same bytes and a 1:
//!
//! | kind | says | epoch | view | identity |
//! |---|---|---|---|---|
//! | 0 | one presignature is spent | its epoch | first 4 bytes of the key's id · 2³² + index | what it signed |
//! | 1 | a block of 1,024 is reserved | its epoch | … · 2³² + index / 1,024 | zero |
//! | 2 | an epoch and all before are over | the epoch | … · 2³² | zero |
//!
//! What a guard cannot see: **two processes with one key**. Each would be consistent by itself. Nor does it relate
//! one kind to another: that a member who gave up a view no longer votes in it is the protocol's rule.
//!
//! ```
//! # #[cfg(feature = "ed25519")] {
//! use quorate::certificate::Kind;
//! use quorate::committee::{ChainId, Committee};
//! use quorate::ed25519::Ed25519;
//! use quorate::guard::Guard;
//! use quorate::scheme::{Scheme, VerifiedKey};
//!
//! # fn main() -> quorate::Result<()> {
//! let secret = Ed25519::generate(&mut getrandom::SysRng)?;
//! let on_disk = Ed25519::secret_to_bytes(&secret);
//! let chain = ChainId::from_name("example");
//! let committee = Committee::<Ed25519>::new(chain, 0, vec![(VerifiedKey::from_secret(&secret), 1)])?;
//!
//! let mut guard = Guard::<Ed25519>::new(secret, chain);
//! let (vote, record) = guard.sign(&committee, committee.statement(Kind::new(1), 5, [1; 32]))?;
//! let log = vec![record];                       // durable now, and only now `vote` may leave
//!
//! // After a crash, the same key and the log:
//! let mut guard = Guard::<Ed25519>::restore(Ed25519::secret_from_bytes(on_disk.as_ref())?, chain, log)?;
//! let refused = guard.sign(&committee, committee.statement(Kind::new(1), 5, [2; 32]));
//! assert_eq!(refused.unwrap_err().code(), "CONTRADICTION");
//! let (again, _) = guard.sign(&committee, committee.statement(Kind::new(1), 5, [1; 32]))?;
//! assert!(again == vote);
//! # Ok(()) } main().unwrap(); }
//! ```

mod spending;

use alloc::collections::BTreeMap;
use core::fmt;

use spending::Spending;
pub use spending::{BLOCK, Spend};

use crate::certificate::{Kind, Statement, TimeoutVote, Vote};
use crate::committee::{ChainId, Committee};
use crate::scheme::Scheme;
use crate::wire::{Decode, Encode, Reader, Writer, domain};
use crate::{Error, Result};

/// A secret key that signs nothing contradictory. See the [module](self).
///
/// Memory: one record per kind in use, 256 at most; and 48 bytes for each presignature that was spent, until its epoch is
/// closed.
pub struct Guard<S: Scheme> {
    secret: S::SecretKey,
    public: S::PublicKey,
    chain: ChainId,
    binding: [u8; 32],
    last: BTreeMap<Kind, GuardRecord>,
    spending: Spending,
}

/// What was signed last of one kind, or with one presignature. Make it durable before the vote or the share leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardRecord {
    binding: [u8; 32],
    kind: Kind,
    epoch: u64,
    view: u64,
    identity: [u8; 32],
}

impl<S: Scheme> Guard<S> {
    /// The guard of a key that has **never signed on this chain**. After a restart it is
    /// [`restore`](Guard::restore).
    pub fn new(secret: S::SecretKey, chain: ChainId) -> Self {
        let public = S::public_key(&secret);
        let mut w = Writer::new();
        w.u8(S::SUITE);
        chain.encode_to(&mut w);
        public.encode_to(&mut w);
        let mut bytes = w.into_bytes();
        let binding = domain::hash(domain::GUARD, &bytes);
        bytes.push(1);
        let spending = Spending::new(domain::hash(domain::GUARD, &bytes));
        Self { secret, public, chain, binding, last: BTreeMap::new(), spending }
    }

    /// The guard of a key that may have signed before, from all records that are durable. Order does not matter;
    /// of each kind the latest counts.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a record of another key, chain or suite; [`Error::Contradiction`] if two records
    /// contradict each other, so that the key has signed twice already. That is always found at the latest epoch
    /// and view of a kind; earlier ones are not remembered past a later record.
    pub fn restore(
        secret: S::SecretKey,
        chain: ChainId,
        records: impl IntoIterator<Item = GuardRecord>,
    ) -> Result<Self> {
        let mut guard = Self::new(secret, chain);
        for record in records {
            if record.binding == guard.spending.binding {
                guard.spending.restore(&record)?;
                continue;
            }
            if record.binding != guard.binding {
                return Err(Error::WrongContext { what: "key, chain or suite of the guard's record" });
            }
            match guard.last.get(&record.kind) {
                Some(last) if last.place() == record.place() && last.identity != record.identity => {
                    return Err(last.contradiction());
                }
                Some(last) if last.place() >= record.place() => {}
                _ => drop(guard.last.insert(record.kind, record)),
            }
        }
        Ok(guard)
    }

    /// Signs a statement, unless it contradicts an earlier one. **The record must be durable before the vote
    /// leaves**. The same statement again gives the same vote and record.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a committee of another chain, a statement of another epoch, or a key that is no
    /// member's; [`Error::Contradiction`] for a lower (epoch, view) of that kind, or the same with another
    /// statement. Nothing is signed or remembered then.
    pub fn sign(&mut self, committee: &Committee<S>, statement: Statement) -> Result<(Vote<S>, GuardRecord)> {
        if committee.chain() != self.chain {
            return Err(Error::WrongContext { what: "chain" });
        }
        if statement.epoch != committee.epoch() {
            return Err(Error::WrongContext { what: "epoch" });
        }
        let signer = committee.position(&self.public).ok_or(Error::WrongContext { what: "signing key" })?;
        let Statement { kind, epoch, view, .. } = statement;
        let identity = statement.identity(&committee.id());
        let record = GuardRecord { binding: self.binding, kind, epoch, view, identity };
        match self.last.get(&kind) {
            Some(last) if record.place() < last.place() => return Err(last.contradiction()),
            Some(last) if record.place() == last.place() && record != *last => {
                return Err(last.contradiction());
            }
            _ => {}
        }
        self.last.insert(kind, record);
        Ok((Vote::sign(&self.secret, signer, &committee.id(), statement), record))
    }

    /// Signs a timeout vote under the same rule: in one view of a kind only ever one value.
    ///
    /// # Errors
    /// As [`sign`](Guard::sign).
    pub fn sign_timeout(
        &mut self,
        committee: &Committee<S>,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<(TimeoutVote<S>, GuardRecord)> {
        let statement = TimeoutVote::<S>::statement_of(kind, committee.epoch(), view, value);
        let (vote, record) = self.sign(committee, statement)?;
        Ok((TimeoutVote::from_vote(value, vote), record))
    }

    /// The public key.
    pub fn public_key(&self) -> &S::PublicKey {
        &self.public
    }

    /// The chain that the guard signs for.
    pub fn chain(&self) -> ChainId {
        self.chain
    }

    /// Epoch and view of the last statement of a kind.
    pub fn last(&self, kind: Kind) -> Option<(u64, u64)> {
        self.last.get(&kind).map(GuardRecord::place)
    }

    /// The last record of each kind, and what is spent of open epochs: all that a compacted log must keep.
    pub fn records(&self) -> impl Iterator<Item = GuardRecord> + '_ {
        self.last.values().copied().chain(self.spending.records())
    }
}

/// Without the secret.
impl<S: Scheme> fmt::Debug for Guard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("public", &self.public)
            .field("chain", &self.chain)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

impl GuardRecord {
    /// Bytes of an encoded record.
    pub const LEN: usize = 81;

    /// The kind of the statement, or what the record says of presignatures.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The epoch of the statement or of the presignatures.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The view of the statement, or which presignatures.
    pub fn view(&self) -> u64 {
        self.view
    }

    fn place(&self) -> (u64, u64) {
        (self.epoch, self.view)
    }

    fn contradiction(&self) -> Error {
        Error::Contradiction { kind: self.kind.number(), signed_view: self.view }
    }
}

impl Encode for GuardRecord {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&self.binding);
        w.u8(self.kind.number());
        w.u64(self.epoch);
        w.u64(self.view);
        w.raw(&self.identity);
    }
}

impl Decode for GuardRecord {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        Ok(Self {
            binding: r.array()?,
            kind: Kind::new(r.u8()?),
            epoch: r.u64()?,
            view: r.u64()?,
            identity: r.array()?,
        })
    }
}

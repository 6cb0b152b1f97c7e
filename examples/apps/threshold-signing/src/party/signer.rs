use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::ed25519::{self, Ed25519};
use quorate::guard::{Guard, GuardRecord, PRESIGNATURES_PER_BLOCK, Spend};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::Secp256k1;
use quorate::threshold::ecdsa::{Opener, Opening, Presignatures, SignatureShare};
use quorate::wire::Encode;
use quorate::{Error, Result};

use super::crash::{CrashPoints, Point};
use super::durable::Durable;
use super::misbehave::Misbehaviour;
use crate::deal::PublicDeal;
use crate::protocol::{Refusal, RefusalReason};

/// A share and its opener, cached so that a repeated request gets the same share and its opening.
struct SignedShare {
    share: SignatureShare<Secp256k1>,
    opener: Opener<Secp256k1>,
}

/// The part of a party that holds secrets: presignatures, guard and journal. One thread owns it.
///
/// Memory: 160 bytes per presignature, and about 300 more per presignature spent since the start.
pub struct Signer {
    public: Arc<PublicDeal>,
    presignatures: Presignatures<Secp256k1>,
    guard: Guard<Ed25519>,
    /// Signs the attestations of shares.
    identity: ed25519::SecretKey,
    journal: Box<dyn Durable>,
    made: BTreeMap<u32, SignedShare>,
    next: u32,
    reserving: bool,
    /// Last block that this process reserved.
    reserved: Option<u32>,
    failed: Option<String>,
    pub(super) points: CrashPoints,
    pub(super) misbehaviour: Option<Misbehaviour>,
}

impl Signer {
    /// Creates a signer. The guard must have been restored from all records of the journal. With `reserving`, whole
    /// blocks of presignatures are made durable in advance, so that signing does not wait for the disk; a crash
    /// burns the rest of the block.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the presignatures belong to another deal.
    pub fn new(
        public: Arc<PublicDeal>,
        presignatures: Presignatures<Secp256k1>,
        guard: Guard<Ed25519>,
        identity: ed25519::SecretKey,
        journal: Box<dyn Durable>,
        reserving: bool,
    ) -> Result<Self> {
        if **presignatures.deal() != *public.deal {
            return Err(Error::WrongContext { what: "deal of the presignatures" });
        }
        let next = next(&public, guard.records());
        Ok(Self {
            public,
            presignatures,
            guard,
            identity,
            journal,
            made: BTreeMap::new(),
            next,
            reserving,
            reserved: None,
            failed: None,
            points: CrashPoints::default(),
            misbehaviour: None,
        })
    }

    /// Returns the index of the party.
    pub fn member(&self) -> MemberIndex {
        self.presignatures.member()
    }

    /// Returns the index from which on no presignature was ever used.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Returns the number of presignatures of the epoch.
    pub fn count(&self) -> u32 {
        self.public.count()
    }

    /// Returns the error of the disk after which the signer refuses to sign.
    pub fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Computes the shares of messages, each under its index. When it returns, all records of the shares are
    /// durable, so the shares may be sent. The journal waits for the disk once for all of them.
    pub fn sign(&mut self, requests: &[(u32, Vec<u8>)]) -> Vec<Result<SignatureShare<Secp256k1>, Refusal>> {
        let mut records = Vec::new();
        let shares: Vec<_> =
            requests.iter().map(|(index, message)| self.prepare(*index, message, &mut records)).collect();
        if !shares.iter().any(Result::is_ok) {
            return shares.into_iter().map(|share| share.map_err(|reason| self.refuse(reason))).collect();
        }
        self.points.reach(Point::Made);
        self.write(&records);
        if self.failed.is_some() {
            return requests.iter().map(|_| Err(self.refuse(RefusalReason::Store))).collect();
        }
        self.points.reach(Point::Recorded);
        shares.into_iter().map(|share| share.map_err(|reason| self.refuse(reason))).collect()
    }

    /// Opens the share of a message, and computes the share if necessary. Cost: three multiplications, and one hash
    /// per presignature of the epoch.
    ///
    /// # Errors
    /// The refusal of the share.
    pub fn open(&mut self, index: u32, message: &[u8]) -> Result<Opening<Secp256k1>, Refusal> {
        self.sign(&[(index, message.to_vec())])
            .pop()
            .unwrap_or_else(|| Err(self.refuse(RefusalReason::Store)))?;
        let opened = self.made.get(&index).ok_or(Error::Exhausted).and_then(|made| made.opener.open());
        opened.map_err(|_| self.refuse(RefusalReason::BadDeal))
    }

    /// Computes one share and adds the record that must be durable before the share is sent.
    fn prepare(
        &mut self,
        index: u32,
        message: &[u8],
        records: &mut Vec<GuardRecord>,
    ) -> Result<SignatureShare<Secp256k1>, RefusalReason> {
        if self.failed.is_some() {
            return Err(RefusalReason::Store);
        }
        let tag = self.public.tag(index).map_err(|_| RefusalReason::Exhausted)?;
        let digest = self.public.digest(index, message);
        if let Some(made) = self.made.get(&index) {
            let same = *made.share.digest() == digest;
            return if same { Ok(made.share.clone()) } else { Err(RefusalReason::Contradiction) };
        }
        self.reserve(index)?;
        // The guard decides before the presignature is taken, so that a refusal does not consume it.
        let spend = Spend { key: self.public.key.id().0, epoch: self.public.deal.epoch(), index, digest };
        self.guard.spend(&spend).map_err(|e| reason(&e))?;
        let presignature = self.presignatures.take(tag).map_err(|e| reason(&e))?;
        let signed = presignature.sign(&mut self.guard, message).map_err(|e| reason(&e))?;
        records.extend(signed.record);
        self.next = self.next.max(index.saturating_add(1));
        let share = self.attest(signed.share).map_err(|e| reason(&e))?;
        self.made.insert(index, SignedShare { share: share.clone(), opener: signed.opener });
        Ok(share)
    }

    /// Reserves the block of `index` if reservations are enabled and the block is new.
    fn reserve(&mut self, index: u32) -> Result<(), RefusalReason> {
        let block = index / PRESIGNATURES_PER_BLOCK;
        if !self.reserving || self.reserved == Some(block) {
            return Ok(());
        }
        let (key, epoch) = (self.public.key.id().0, self.public.deal.epoch());
        // A burnt block cannot be reserved. Presignatures with a record of their own can still sign their message
        // again.
        let Ok(reservation) = self.guard.reserve(&key, epoch, index) else { return Ok(()) };
        self.write(&[reservation]);
        if self.failed.is_some() {
            return Err(RefusalReason::Store);
        }
        self.points.reach(Point::Reserved);
        self.guard.confirm(&reservation).map_err(|e| reason(&e))?;
        self.reserved = Some(block);
        Ok(())
    }

    fn write(&mut self, records: &[GuardRecord]) {
        if !records.is_empty() && self.failed.is_none() {
            self.failed = self.journal.append(records).err();
        }
    }

    fn attest(&self, share: SignatureShare<Secp256k1>) -> Result<SignatureShare<Secp256k1>> {
        let mut share = self.misbehaviour.map_or(share.clone(), |misbehaviour| misbehaviour.share(share));
        let attestation = Ed25519::sign(&self.identity, &share.attested_bytes());
        share.attest(attestation.encode())?;
        Ok(share)
    }

    fn refuse(&self, reason: RefusalReason) -> Refusal {
        Refusal { reason, next: self.next }
    }
}

/// Returns the first presignature of the epoch after all recorded ones.
fn next(public: &PublicDeal, records: impl Iterator<Item = GuardRecord>) -> u32 {
    let key = public.key.id().0.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let ours = records.filter(|r| r.epoch() == public.deal.epoch() && (r.view() >> 32) as u32 == key);
    let behind = ours.filter_map(|record| match (record.kind().number(), record.view() as u32) {
        (0, index) => index.checked_add(1),
        (1, block) => block.checked_add(1)?.checked_mul(PRESIGNATURES_PER_BLOCK),
        _ => None,
    });
    behind.max().unwrap_or(0).min(public.count())
}

fn reason(error: &Error) -> RefusalReason {
    match error {
        Error::Contradiction { .. } => RefusalReason::Contradiction,
        Error::Exhausted => RefusalReason::Exhausted,
        _ => RefusalReason::BadDeal,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use getrandom::SysRng;
    use quorate::committee::{ChainId, CommitteeId};
    use quorate::threshold::Tolerance;
    use quorate::threshold::ecdsa::{Plan, TrustedDealer};

    use super::*;
    use quorate::wire::Decode;

    const SECRET: [u8; 32] = [7; 32];

    /// A fake disk that fails when it is full.
    #[derive(Clone, Default)]
    struct Disk(Arc<Mutex<Content>>);

    #[derive(Default)]
    struct Content {
        records: Vec<GuardRecord>,
        /// Number of further records that fit; `None` for unlimited.
        room: Option<usize>,
        writes: usize,
    }

    impl Durable for Disk {
        fn append(&mut self, records: &[GuardRecord]) -> Result<(), String> {
            let mut content = self.0.lock().unwrap();
            if content.room.is_some_and(|room| room < records.len()) {
                return Err("no space left on device".into());
            }
            content.room = content.room.map(|room| room - records.len());
            content.writes += 1;
            content.records.extend(records);
            Ok(())
        }
    }

    fn shares(count: u32) -> Vec<u8> {
        let tolerance = Tolerance::new(4, 1).unwrap();
        let dealer = TrustedDealer::<Secp256k1>::new(CommitteeId([3; 32]), tolerance, &mut SysRng).unwrap();
        dealer.deal(1, Plan::Unagreed { count }, &mut SysRng).unwrap()[2].to_bytes().unwrap().to_vec()
    }

    fn start(shares: &[u8], disk: &Disk, reserving: bool) -> Signer {
        let presignatures = Presignatures::from_bytes(shares).unwrap();
        let public = Arc::new(PublicDeal::from_shares(&presignatures).unwrap());
        let secret = || Ed25519::secret_from_bytes(&SECRET).unwrap();
        let records = disk.0.lock().unwrap().records.clone();
        let guard = Guard::restore(secret(), ChainId([1; 32]), records).unwrap();
        Signer::new(public, presignatures, guard, secret(), Box::new(disk.clone()), reserving).unwrap()
    }

    fn one(
        signer: &mut Signer,
        index: u32,
        message: &[u8],
    ) -> Result<SignatureShare<Secp256k1>, &'static str> {
        signer.sign(&[(index, message.to_vec())]).pop().unwrap().map_err(|refusal| refusal.reason.code())
    }

    #[test]
    fn repeated_requests_get_the_same_share_and_others_none() {
        let (shares, disk) = (shares(4), Disk::default());
        let mut signer = start(&shares, &disk, false);
        let share = one(&mut signer, 1, b"a").unwrap();
        assert_eq!((signer.next(), disk.0.lock().unwrap().records.len()), (2, 1));
        let attestation = quorate::ed25519::Signature::decode(share.attestation(), &()).unwrap();
        let key = Ed25519::public_key(&Ed25519::secret_from_bytes(&SECRET).unwrap());
        Ed25519::verify(&key, &share.attested_bytes(), &attestation).unwrap();
        for _ in 0..2 {
            assert_eq!(one(&mut signer, 1, b"b"), Err("CONTRADICTION"));
            assert_eq!(one(&mut signer, 1, b"a").as_ref(), Ok(&share));
            assert_eq!(signer.open(1, b"a").unwrap().index(), 1);
            assert_eq!(signer.open(1, b"b").unwrap_err().reason, RefusalReason::Contradiction);
            assert_eq!(one(&mut signer, 4, b"a"), Err("EXHAUSTED"));
            assert_eq!(signer.next(), 2);
            signer = start(&shares, &disk, false);
        }
    }

    #[test]
    fn waiting_requests_share_one_write() {
        let (shares, disk) = (shares(4), Disk::default());
        let mut signer = start(&shares, &disk, false);
        let requests = [(0, b"a".to_vec()), (2, b"b".to_vec()), (0, b"x".to_vec()), (2, b"b".to_vec())];
        let outcomes: Vec<_> = signer.sign(&requests).into_iter().map(|r| r.map_err(|e| e.reason)).collect();
        assert_eq!(outcomes[2], Err(RefusalReason::Contradiction));
        assert_eq!(outcomes[1], outcomes[3]);
        let content = disk.0.lock().unwrap();
        assert_eq!((content.records.len(), content.writes), (2, 1));
    }

    #[test]
    fn a_full_disk_stops_all_shares() {
        let (shares, disk) = (shares(8), Disk::default());
        disk.0.lock().unwrap().room = Some(1);
        let mut signer = start(&shares, &disk, false);
        one(&mut signer, 0, b"a").unwrap();
        let both = signer.sign(&[(1, b"b".to_vec()), (2, b"c".to_vec())]);
        assert!(both.iter().all(|outcome| outcome.as_ref().is_err_and(|e| e.reason == RefusalReason::Store)));
        assert!(signer.failed().unwrap().contains("no space"));
        // Not even when there is space again: the content of the disk is unknown.
        disk.0.lock().unwrap().room = None;
        for index in 0..4 {
            assert_eq!(one(&mut signer, index, b"a"), Err("STORE"));
        }
        // After a restart, a presignature whose share was never sent can sign another message.
        one(&mut start(&shares, &disk, false), 1, b"other").unwrap();
    }

    #[test]
    fn a_reservation_writes_once_and_a_crash_burns_the_block() {
        let (shares, disk) = (shares(2 * PRESIGNATURES_PER_BLOCK + 5), Disk::default());
        one(&mut start(&shares, &disk, false), 3, b"own record").unwrap();
        let mut signer = start(&shares, &disk, true);
        for index in 4..40 {
            one(&mut signer, index, b"a").unwrap();
        }
        assert_eq!((disk.0.lock().unwrap().records.len(), signer.next()), (2, 40));
        assert_eq!(one(&mut signer, 4, b"b"), Err("CONTRADICTION"));

        for (reserving, next) in [(false, PRESIGNATURES_PER_BLOCK), (true, PRESIGNATURES_PER_BLOCK + 1)] {
            let mut after = start(&shares, &disk, reserving);
            assert_eq!(after.next(), next);
            for index in [0, 4, 39, 40, PRESIGNATURES_PER_BLOCK - 1] {
                assert_eq!(one(&mut after, index, b"a"), Err("EXHAUSTED"), "{index}");
            }
            one(&mut after, 3, b"own record").unwrap();
            assert_eq!(one(&mut after, 3, b"another"), Err("CONTRADICTION"));
            one(&mut after, next, b"a").unwrap();
        }
        // The disk fails at the reservation.
        disk.0.lock().unwrap().room = Some(0);
        assert_eq!(
            one(&mut start(&shares, &disk, true), 2 * PRESIGNATURES_PER_BLOCK + 1, b"a"),
            Err("STORE")
        );
    }

    #[test]
    fn a_misbehaving_signer_sends_an_invalid_share() {
        let (shares, disk) = (shares(2), Disk::default());
        let right = one(&mut start(&shares, &disk, false), 0, b"a").unwrap();
        let mut signer = start(&shares, &disk, false);
        signer.misbehaviour = Some(Misbehaviour::WrongShares);
        let wrong = one(&mut signer, 0, b"a").unwrap();
        assert_ne!(wrong, right);
        assert_eq!(wrong.digest(), right.digest());
    }
}

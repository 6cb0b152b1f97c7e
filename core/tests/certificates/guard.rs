use quorate::Error;
use quorate::certificate::Statement;
use quorate::committee::{ChainId, Committee};
use quorate::guard::{ExternalKey, Floor, Guard, GuardRecord, MonotonicCounter};
use quorate::wire::{Decode, Encode};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::harness::{Spoil, TIMEOUT, VOTE, World};

fn secret<S: Spoil>(world: &World<S>, member: usize) -> S::SecretKey {
    S::secret_from_bytes(S::secret_to_bytes(&world.secrets[member]).as_ref()).unwrap()
}

fn contradiction(signed_view: u64) -> Error {
    Error::Contradiction { kind: VOTE.number(), signed_view }
}

pub(crate) fn signs_ascending_views_and_repeats_the_same_vote<S: Spoil>() {
    let world = World::<S>::new(4);
    let mut guard = Guard::<S>::new(secret(&world, 2), world.committee.chain());
    assert_eq!(guard.last(VOTE), None);
    let statement = |view, digest| world.committee.statement(VOTE, view, [digest; 32]);
    let (vote, record) = guard.sign(&world.committee, statement(0, 1)).unwrap();
    assert_eq!(vote.signer(), 2);
    assert!(vote.check(&world.committee).is_ok());
    assert_eq!(guard.sign(&world.committee, statement(0, 1)).unwrap(), (vote, record));
    let (_, later) = guard.sign(&world.committee, statement(9, 2)).unwrap();
    assert_eq!((later.kind(), later.epoch(), later.view()), (VOTE, 3, 9));
    assert_eq!(guard.last(VOTE), Some((3, 9)));
    // Kinds are independent of each other.
    assert!(guard.sign(&world.committee, world.committee.statement(TIMEOUT, 4, [7; 32])).is_ok());
    assert_eq!(guard.records().count(), 2);

    let bytes = later.encode();
    assert_eq!(bytes.len(), GuardRecord::LEN);
    assert_eq!(GuardRecord::decode(&bytes, &()), Ok(later));
    assert!(GuardRecord::decode(&bytes[1..], &()).is_err());
    let shown = format!("{guard:?}");
    assert!(!shown.contains(&hex::encode(S::secret_to_bytes(&world.secrets[2]).as_ref())), "{shown}");
}

pub(crate) fn refuses_contradictions_before_and_after_a_restart<S: Spoil>() {
    let world = World::<S>::new(4);
    let chain = world.committee.chain();
    let mut guard = Guard::<S>::new(secret(&world, 0), chain);
    let statement = |view, digest| world.committee.statement(VOTE, view, [digest; 32]);
    let mut records = Vec::new();
    for view in [3, 5] {
        records.push(guard.sign(&world.committee, statement(view, 1)).unwrap().1);
    }
    records.reverse();
    let restored = Guard::<S>::restore(secret(&world, 0), chain, records.clone()).unwrap();
    for mut guard in [guard, restored] {
        for (view, digest) in [(5, 2), (4, 1), (3, 1), (0, 0)] {
            assert_eq!(guard.sign(&world.committee, statement(view, digest)), Err(contradiction(5)));
        }
        assert!(guard.sign(&world.committee, statement(5, 1)).is_ok());
        // A later epoch may start at a lower view; after that the earlier epoch is closed.
        let later = World::<S>::weighted(&[1; 4], 4);
        assert!(guard.sign(&later.committee, later.committee.statement(VOTE, 1, [9; 32])).is_ok());
        assert_eq!(guard.sign(&world.committee, statement(6, 1)), Err(contradiction(1)));
        // The same statement under another committee of the same epoch is a different statement.
        let twin = World::<S>::weighted(&[1, 1, 1, 2], 4);
        let twin_statement = twin.committee.statement(VOTE, 1, [9; 32]);
        assert_eq!(guard.sign(&twin.committee, twin_statement), Err(contradiction(1)));
    }
    let mut other = Guard::<S>::new(secret(&world, 0), chain);
    records.push(other.sign(&world.committee, statement(5, 2)).unwrap().1);
    assert_eq!(Guard::<S>::restore(secret(&world, 0), chain, records).err(), Some(contradiction(5)));
}

pub(crate) fn refuses_records_of_other_keys_chains_and_committees<S: Spoil>() {
    let (world, other) = (World::<S>::new(4), World::<S>::with_chain(&[1; 4], 3, "other"));
    let chain = world.committee.chain();
    let mut guard = Guard::<S>::new(secret(&world, 0), chain);
    let (_, record) = guard.sign(&world.committee, world.statement(1)).unwrap();
    let code = |result: quorate::Result<Guard<S>>| result.err().map(|error| error.code());
    assert_eq!(code(Guard::restore(secret(&world, 1), chain, [record])), Some("WRONG_CONTEXT"));
    assert_eq!(
        code(Guard::restore(secret(&world, 0), ChainId::from_name("other"), [record])),
        Some("WRONG_CONTEXT")
    );
    assert_eq!(code(Guard::restore(secret(&world, 0), chain, [record])), None);

    let refusal = |result: quorate::Result<_>| result.err();
    let differs = |what| Some(Error::WrongContext { what });
    assert_eq!(refusal(guard.sign(&other.committee, other.statement(1))), differs("chain"));
    let mut statement = world.statement(1);
    statement.epoch += 1;
    assert_eq!(
        refusal(guard.sign(&world.committee, statement)),
        Some(Error::Mismatch { what: "epoch", expected: statement.epoch - 1, actual: statement.epoch })
    );
    let small = World::<S>::new(2);
    let mut outsider = Guard::<S>::new(secret(&world, 3), chain);
    assert_eq!(refusal(outsider.sign(&small.committee, small.statement(1))), differs("signing key"));
    assert_eq!(outsider.last(VOTE), None);
}

/// Crashes at every point between signing and sending: a vote that left is never contradicted.
pub(crate) fn losing_a_record_before_it_is_durable_is_harmless<S: Spoil>() {
    let world = World::<S>::new(1);
    let chain = world.committee.chain();
    let mut disk: Vec<GuardRecord> = Vec::new();
    let mut left = std::collections::BTreeMap::new();
    // Each step has a view, a digest and the progress: a crash before the write (0), before the send (1), or none (2).
    let steps =
        [(1, 1, 0), (1, 2, 1), (1, 3, 2), (2, 1, 2), (2, 2, 2), (3, 1, 1), (3, 2, 2), (3, 1, 2), (2, 1, 2)];
    let mut guard = Guard::<S>::new(secret(&world, 0), chain);
    for (view, digest, reached) in steps {
        if let Ok((vote, record)) =
            guard.sign(&world.committee, world.committee.statement(VOTE, view, [digest; 32]))
        {
            if reached >= 1 {
                disk.push(record);
            }
            if reached >= 2 {
                let earlier = left.insert(view, vote.statement().digest);
                assert!(earlier.is_none_or(|earlier| earlier == vote.statement().digest));
            }
        }
        guard = Guard::restore(secret(&world, 0), chain, disk.clone()).unwrap();
    }
    assert_eq!(left.into_iter().collect::<Vec<_>>(), [(2, [1; 32]), (3, [1; 32])]);
}

pub(crate) fn records_restore_in_any_order_and_with_repetitions<S: Spoil>() {
    let world = World::<S>::new(1);
    let (committee, chain) = (&world.committee, world.committee.chain());
    let mut guard = Guard::<S>::new(secret(&world, 0), chain);
    let mut records = Vec::new();
    for (view, digest) in [(1, 1), (4, 1), (4, 1), (9, 2)] {
        records.push(guard.sign(committee, committee.statement(VOTE, view, [digest; 32])).unwrap().1);
        records.push(guard.sign_timeout(committee, TIMEOUT, view + 1, 3).unwrap().1);
    }
    records.extend_from_within(..4);
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..20 {
        records.shuffle(&mut rng);
        let mut guard = Guard::<S>::restore(secret(&world, 0), chain, records.clone()).unwrap();
        assert_eq!((guard.last(VOTE), guard.last(TIMEOUT)), (Some((3, 9)), Some((3, 10))));
        assert_eq!(guard.records().count(), 2);
        for (view, digest) in [(1, 1), (4, 1), (8, 2), (9, 1)] {
            let refused = guard.sign(committee, committee.statement(VOTE, view, [digest; 32])).unwrap_err();
            assert_eq!(refused, contradiction(9));
        }
        assert!(guard.sign(committee, committee.statement(VOTE, 9, [2; 32])).is_ok());
    }

    // Two processes with one key: the contradiction at the latest view is detected whatever else is on the disk.
    let mut twin = Guard::<S>::new(secret(&world, 0), chain);
    records.push(twin.sign(committee, committee.statement(VOTE, 9, [7; 32])).unwrap().1);
    for _ in 0..20 {
        records.shuffle(&mut rng);
        let refused = Guard::<S>::restore(secret(&world, 0), chain, records.clone());
        assert_eq!(refused.map(drop).unwrap_err(), contradiction(9));
    }
}

pub(crate) fn signs_one_timeout_value_per_view<S: Spoil>() {
    let world = World::<S>::new(4);
    let mut guard = Guard::<S>::new(secret(&world, 1), world.committee.chain());
    let (vote, _) = guard.sign_timeout(&world.committee, TIMEOUT, 5, 3).unwrap();
    assert_eq!((vote.view(), vote.value(), vote.signer()), (5, 3, 1));
    assert!(vote.check(&world.committee).is_ok());
    assert_eq!(guard.sign_timeout(&world.committee, TIMEOUT, 5, 3).unwrap().0, vote);
    assert_eq!(guard.sign_timeout(&world.committee, TIMEOUT, 5, 4).unwrap_err().code(), "CONTRADICTION");
    assert!(guard.sign_timeout(&world.committee, TIMEOUT, 6, 3).is_ok());
}

/// A counter in memory, as a file on another disk would be.
struct Counter(u64);

impl MonotonicCounter for Counter {
    type Error = core::convert::Infallible;

    fn read(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0)
    }

    fn advance(&mut self, value: u64) -> Result<(), Self::Error> {
        self.0 = self.0.max(value);
        Ok(())
    }
}

pub(crate) fn a_counter_reveals_restored_old_records<S: Spoil>() {
    let world = World::<S>::new(4);
    let (chain, mut counter) = (world.committee.chain(), Counter(0));
    let statement = |kind, view, digest| world.committee.statement(kind, view, [digest; 32]);
    let start = |records: &[GuardRecord], counter: &mut Counter| {
        let Ok(floor) = Floor::read(counter);
        Guard::<S>::restore_above(secret(&world, 0), chain, records.to_vec(), floor).unwrap()
    };
    let mut guard = start(&[], &mut counter);
    let mut records = Vec::new();
    for (kind, view) in [(VOTE, 3), (VOTE, 5), (TIMEOUT, 5)] {
        let record = guard.sign(&world.committee, statement(kind, view, 1)).unwrap().1;
        let Ok(()) = counter.advance(record.mark());
        records.push(record);
    }
    assert!(!start(&records, &mut counter).is_stale());
    // Any earlier state is stale, and none of its guards signs what the lost signatures may contradict.
    for known in 0..records.len() {
        let mut guard = start(&records[..known], &mut counter);
        assert!(guard.is_stale(), "{known} records");
        for (kind, view) in [(VOTE, 4), (VOTE, 5), (TIMEOUT, 5)] {
            let refused = guard.sign(&world.committee, statement(kind, view, 2));
            assert_eq!(refused.err().map(|e| e.code()), Some("CONTRADICTION"), "{known} records");
        }
        if known > 0 {
            let again = statement(VOTE, if known == 1 { 3 } else { 5 }, 1);
            assert!(guard.sign(&world.committee, again).is_ok(), "the last recorded statement again");
        }
        assert!(guard.sign(&world.committee, statement(VOTE, 6, 2)).is_ok());
        assert!(guard.sign(&world.committee, statement(TIMEOUT, 6, 2)).is_ok());
        assert!(guard.sign(&world.committee, statement(VOTE, 6, 3)).is_err());
    }
    // Over all kinds, marks ascend: otherwise the counter would not show a lost record.
    let mut guard = start(&records, &mut counter);
    assert!(guard.sign(&world.committee, statement(TIMEOUT, 7, 1)).is_ok());
    assert!(guard.sign(&world.committee, statement(VOTE, 6, 1)).is_err());
}

/// A key in a signer that first fails a number of times.
struct Remote<S: Spoil> {
    secret: S::SecretKey,
    public: S::PublicKey,
    failures: usize,
}

impl<S: Spoil> ExternalKey<S> for Remote<S> {
    fn public_key(&self) -> &S::PublicKey {
        &self.public
    }

    fn sign(&mut self, committee: &Committee<S>, statement: &Statement) -> quorate::Result<S::Signature> {
        if self.failures > 0 {
            self.failures -= 1;
            return Err(Error::Exhausted);
        }
        Ok(S::sign(&self.secret, &statement.signed_bytes(&committee.id())))
    }
}

pub(crate) fn an_external_key_signs_under_the_same_rule<S: Spoil>() {
    let world = World::<S>::new(4);
    let chain = world.committee.chain();
    let start = |failures, records: &[GuardRecord], floor| {
        let (secret, public) = (secret(&world, 1), S::public_key(&world.secrets[1]));
        let key = Box::new(Remote::<S> { secret, public, failures });
        Guard::restore_external(key, chain, records.to_vec(), floor)
    };
    let statement = |view, digest| world.committee.statement(VOTE, view, [digest; 32]);
    let mut guard = start(1, &[], None).unwrap();
    assert_eq!(guard.sign(&world.committee, statement(5, 1)), Err(Error::Exhausted));
    assert_eq!((guard.last(VOTE), guard.records().count()), (None, 0), "nothing is recorded");
    let (vote, record) = guard.sign(&world.committee, statement(5, 1)).unwrap();
    assert!(vote.check(&world.committee).is_ok());
    let mut own = Guard::<S>::new(secret(&world, 1), chain);
    assert_eq!(own.sign(&world.committee, statement(5, 1)), Ok((vote, record)), "as a key in the process");
    // The guard refuses before it asks.
    let mut restored = start(1, &[record], None).unwrap();
    for guard in [&mut guard, &mut restored] {
        assert_eq!(guard.sign(&world.committee, statement(5, 2)), Err(contradiction(5)));
    }
    assert_eq!(restored.sign(&world.committee, statement(6, 1)), Err(Error::Exhausted));
    assert!(restored.sign(&world.committee, statement(6, 2)).is_ok(), "the failed statement left no trace");
    // Records of another key, and a floor.
    let other = Guard::<S>::new(secret(&world, 0), chain).sign(&world.committee, statement(5, 1)).unwrap().1;
    assert!(start(0, &[other], None).is_err());
    let mut counter = Counter(0);
    let Ok(()) = counter.advance(record.mark());
    let Ok(floor) = Floor::read(&mut counter);
    let mut stale = start(0, &[], Some(floor)).unwrap();
    assert!(stale.is_stale() && stale.sign(&world.committee, statement(5, 2)).is_err());
    assert!(stale.sign(&world.committee, statement(6, 2)).is_ok());
}

//! Costs of threshold ECDSA, measured alternately with Ed25519.

use std::hint::black_box;

use quorate::Result;
use quorate::committee::{ChainId, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, PRESIGNATURES_PER_BLOCK};
use quorate::scheme::Scheme;
use quorate::threshold::combiner::Counts;
use quorate::threshold::ecdsa::{Curve, Plan, Presignatures, Signature, Signed, TrustedDealer};
use quorate::threshold::lagrange::Cache;
use quorate::threshold::{Agreed, Class, Tolerance, Unagreed};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::blame::{Attack, MESSAGE, Shares};
use super::results::{Basics, Combined, PARTIES};
use crate::certificates::SingleEd;
use crate::sampling::{Case, SamplePlan, medians};

/// Number of presignatures that one sample consumes: half a block.
const SPENT: u32 = PRESIGNATURES_PER_BLOCK / 2;

/// Nanoseconds until f wrong shares are identified and the signature exists, and the work for it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Blamed {
    pub(super) needed: usize,
    pub(super) faulty: u16,
    pub(super) ed: f64,
    pub(super) first: (f64, Counts),
    pub(super) last: (f64, Counts),
    pub(super) silent: (f64, Counts),
}

/// Signing and verifying.
pub(super) fn basics<G: Curve>(care: SamplePlan) -> Result<Basics> {
    // A share costs the same for any number of parties; dealing does not.
    let mut rng = StdRng::seed_from_u64(1);
    let dealer = TrustedDealer::<G>::new(CommitteeId([7; 32]), Tolerance::new(4, 1)?, &mut rng)?;
    let plan = Plan::Agreed { count: SPENT };
    let file = dealer.deal(1, plan, &mut rng)?.swap_remove(0).to_bytes()?;
    let shares = shares::<G>(4, 1)?;
    let signature = shares.sign(&mut Cache::default())?;
    settle(&shares, &signature)?;
    let single = SingleEd::new();
    let file = file.as_slice();
    let sign = |reserved| {
        Case::prepared(
            move || ready::<G>(file, reserved),
            move |ready| {
                let Ok((party, guard, done)) = ready else { return assert!(ready.is_ok()) };
                for number in 0..SPENT {
                    let signed = plan
                        .agreed(1, number)
                        .and_then(|tag| party.take(tag))
                        .and_then(|presignature| presignature.sign(guard, black_box(&MESSAGE)));
                    assert!(signed.as_ref().is_ok_and(|signed| signed.record.is_none() == reserved));
                    // Openers live until the signature exists.
                    done.extend(signed);
                }
            },
        )
    };
    let mut cases = [
        Case::new(|| single.verify()),
        sign(true),
        sign(false),
        Case::new(|| assert!(shares.verify(black_box(&signature)).is_ok())),
    ];
    let [ed, sign, sign_recorded, verify] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 4]);
    let each = f64::from(SPENT);
    Ok(Basics { ed, sign: sign / each, sign_recorded: Some(sign_recorded / each), verify })
}

type Ready<G> = (Presignatures<G>, Guard<Ed25519>, Vec<Signed<G>>);

/// A party after a start: it has read its file, and reserved its block on request.
fn ready<G: Curve>(file: &[u8], reserved: bool) -> Result<Ready<G>> {
    let party = Presignatures::<G>::from_bytes(file)?;
    let mut rng = StdRng::seed_from_u64(2);
    let mut guard = Guard::<Ed25519>::new(Ed25519::generate(&mut rng)?, ChainId::from_name("bench"));
    if reserved {
        let record = guard.reserve(&party.key().id().0, 1, 0)?;
        guard.confirm(&record)?;
    }
    Ok((party, guard, Vec::with_capacity(SPENT as usize)))
}

/// From t right shares to a verified signature, for agreed messages.
pub(super) fn combined<G: Curve>(care: SamplePlan, parties: u16, faulty: u16) -> Result<Combined> {
    let shares = shares::<G>(parties, faulty)?;
    measure(care, shares)
}

/// The same for chosen messages.
pub(super) fn combined_unagreed<G: Curve>(care: SamplePlan, parties: u16, faulty: u16) -> Result<Combined> {
    let plan = Plan::Unagreed { count: 1 };
    let shares = Shares::<G, Unagreed>::new(Tolerance::new(parties, faulty)?, plan, plan.unagreed(1, 0)?)?;
    measure(care, shares)
}

fn measure<G: Curve, C: Class>(care: SamplePlan, shares: Shares<G, C>) -> Result<Combined> {
    let signature = shares.sign(&mut Cache::default())?;
    settle(&shares, &signature)?;
    let single = SingleEd::new();
    let mut cache = Cache::default();
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| assert!(shares.sign(&mut Cache::default()).is_ok())),
        Case::new(|| assert!(shares.sign(&mut cache).is_ok())),
        Case::new(|| assert!(shares.verify(black_box(&signature)).is_ok())),
    ];
    let [ed, new_set, known_set, verify] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 4]);
    Ok(Combined { needed: shares.needed(), ed, new_set, known_set, verify })
}

/// Verifies until the key has its precomputed multiples, as a key in use has: their time is not measured.
fn settle<G: Curve, C: Class>(shares: &Shares<G, C>, signature: &Signature<G>) -> Result<()> {
    (0..=G::TABLE_AFTER).try_for_each(|_| shares.verify(signature))
}

/// The same with f wrong shares. Fails unless all are identified within the paper's bounds.
pub(super) fn blamed<G: Curve>(care: SamplePlan, faulty: u16) -> Result<Blamed> {
    let shares = shares::<G>(PARTIES, faulty)?;
    let attacks = [Attack::First, Attack::Last, Attack::Silent];
    let mut orders = Vec::new();
    for attack in attacks {
        let order = shares.under(attack)?;
        let collected = shares.collect(&order, attack, &mut Cache::default())?;
        shares.check(&collected)?;
        orders.push((attack, order, collected.counts));
    }
    let single = SingleEd::new();
    let mut cases = vec![Case::new(|| single.verify())];
    cases.extend(orders.iter().map(|(attack, order, counts)| {
        Case::new(|| {
            let collected = shares.collect(order, *attack, &mut Cache::default());
            assert!(collected.is_ok_and(|collected| collected.counts == *counts));
        })
    }));
    let [ed, first, last, silent] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 4]);
    drop(cases);
    let counts: Vec<Counts> = orders.iter().map(|(_, _, counts)| *counts).collect();
    let [first_counts, last_counts, silent_counts] = counts.try_into().unwrap_or_default();
    Ok(Blamed {
        needed: shares.needed(),
        faulty,
        ed,
        first: (first, first_counts),
        last: (last, last_counts),
        silent: (silent, silent_counts),
    })
}

fn shares<G: Curve>(parties: u16, faulty: u16) -> Result<Shares<G, Agreed>> {
    let plan = Plan::Agreed { count: 1 };
    Shares::new(Tolerance::new(parties, faulty)?, plan, plan.agreed(1, 0)?)
}

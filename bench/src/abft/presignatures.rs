//! Committees that sign with ECDSA presignatures.

use std::sync::Arc;

use quorate::Result;
use quorate::bls::MinSig;
use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::guard::Guard;
use quorate::scheme::Scheme;
use quorate::threshold::bls::KeyShare;
use quorate::threshold::ecdsa::{Presignatures, TrustedDealer};
use quorate_abft::signatures::{
    PresignatureGroup, PresignatureSource, Presigned, PresignedKeyShare, Presigner, ThresholdScheme,
    plan as presignature_plan,
};
use quorate_abft::{Secrets, Setup};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::committee::{Committee, Plan, deal_keys};

/// A member's presignatures of the epochs from 1 on, encoded.
struct Dealt(Vec<Vec<u8>>);

impl PresignatureSource for Dealt {
    fn open(&mut self, epoch: u64) -> Option<Presignatures<PresignatureGroup>> {
        let place = usize::try_from(epoch).ok()?.checked_sub(1)?;
        Presignatures::from_bytes(self.0.get(place)?).ok()
    }

    fn destroy(&mut self, _: u64) {}

    fn left(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Committee<Presigned> {
    /// Deals the keys, and presignatures for the epochs from 1 on.
    pub(super) fn with_presignatures(plan: Plan, epochs: u64) -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(plan.members.into());
        let (setup, secrets) = deal_keys::<Presigned>(plan, &mut rng)?;
        let dealer = TrustedDealer::new(setup.committee, setup.tolerance, &mut rng)?;
        let mut dealt: Vec<_> = secrets.iter().map(|_| Dealt(Vec::new())).collect();
        for epoch in 1..=epochs {
            let of_epoch = dealer.deal(epoch, presignature_plan(plan.members), &mut rng)?;
            for (member, presignatures) in dealt.iter_mut().zip(of_epoch) {
                member.0.push(presignatures.to_bytes()?.to_vec());
            }
        }
        let mut members = Vec::new();
        for ((member, secrets), dealt) in (0..).zip(secrets).zip(dealt) {
            let guard = Guard::<Ed25519>::new(Ed25519::generate(&mut rng)?, ChainId::from_name("bench"));
            let presigner = Presigner::new(dealer.key().clone(), member, guard, Box::new(dealt));
            members.push(presigned(&setup, secrets, &presigner)?);
        }
        Self::assemble(plan, members, &mut rng)
    }
}

/// The keys of a member with its presignatures.
fn presigned(
    setup: &Setup<Presigned>,
    secrets: Secrets<Presigned>,
    presigner: &Arc<Presigner>,
) -> Result<(Arc<Setup<Presigned>>, Secrets<Presigned>)> {
    let share = |share: &PresignedKeyShare| {
        let bls = KeyShare::<MinSig>::from_bytes(&share.bls().to_bytes())?;
        PresignedKeyShare::new(bls, Some(presigner.clone()))
    };
    let (agreed, unagreed) = (share(&secrets.agreed)?, share(&secrets.unagreed)?);
    let setup = Setup {
        committee: setup.committee,
        tolerance: setup.tolerance,
        coding: setup.coding,
        agreed: Presigned::group_key(&agreed),
        unagreed: Presigned::group_key(&unagreed),
        coin: setup.coin.clone(),
    };
    Ok((Arc::new(setup), Secrets { agreed, unagreed, ..secrets }))
}

//! Members with presignatures, dealt once for many runs.

use std::sync::{Arc, LazyLock};

use quorate::bls::MinSig;
use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{GroupKey, Presignatures, TrustedDealer};
use quorate::threshold::{bls, coin};
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::Keys;
use crate::setup::{Secrets, Setup};
use crate::signatures::{
    PresignatureGroup, PresignatureSource, Presigned, PresignedKeyShare, Presigner, ThresholdScheme, plan,
};

pub(crate) const MEMBERS: u16 = 4;
/// Epochs for which presignatures are dealt, from 1 on.
pub(crate) const EPOCHS: u64 = 4;

/// The public key, and the encoded presignatures by epoch and member.
type Dealt = (Arc<GroupKey<PresignatureGroup>>, Vec<Vec<Vec<u8>>>);

static DEALT: LazyLock<Dealt> = LazyLock::new(|| {
    let mut rng = StdRng::seed_from_u64(9);
    let setup = &KEYS.setup;
    let dealer = TrustedDealer::new(setup.committee, setup.tolerance, &mut rng).unwrap();
    let mut deal = |epoch| {
        let dealt = dealer.deal(epoch, plan(MEMBERS), &mut rng).unwrap();
        dealt.iter().map(|member| member.to_bytes().unwrap().to_vec()).collect()
    };
    let epochs = (1..=EPOCHS).map(&mut deal).collect();
    (dealer.key().clone(), epochs)
});

static KEYS: LazyLock<Keys<Presigned>> = LazyLock::new(|| Keys::deal(MEMBERS, 1));

/// The presignatures of a member for the first epochs, in memory.
struct MemorySource {
    member: MemberIndex,
    epochs: u64,
    destroyed: u64,
}

impl PresignatureSource for MemorySource {
    fn open(&mut self, epoch: u64) -> Option<Presignatures<PresignatureGroup>> {
        let is_dealt = epoch > self.destroyed && (1..=self.epochs).contains(&epoch);
        is_dealt.then(|| {
            let bytes = &DEALT.1[epoch as usize - 1][usize::from(self.member)];
            Presignatures::from_bytes(bytes).unwrap()
        })
    }

    fn destroy(&mut self, up_to: u64) {
        self.destroyed = up_to.max(self.destroyed);
    }

    fn left(&self) -> u64 {
        self.epochs.saturating_sub(self.destroyed)
    }
}

/// Returns the presigner of a member that has the presignatures of the first epochs and these records.
pub(crate) fn presigner(
    member: MemberIndex,
    epochs: u64,
    (chain, secret): (ChainId, <Ed25519 as Scheme>::SecretKey),
    records: impl IntoIterator<Item = GuardRecord>,
) -> Arc<Presigner> {
    let guard = Guard::<Ed25519>::restore(secret, chain, records).unwrap();
    let source = Box::new(MemorySource { member, epochs, destroyed: 0 });
    Presigner::new(DEALT.0.clone(), member, guard, source)
}

/// Puts the keys of a member together.
pub(crate) fn member_keys(
    member: MemberIndex,
    presigner: &Arc<Presigner>,
) -> (Arc<Setup<Presigned>>, Arc<Secrets<Presigned>>) {
    let secrets = &KEYS.secrets[usize::from(member)];
    let share = |share: &PresignedKeyShare| {
        let bls = bls::KeyShare::<MinSig>::from_bytes(&share.bls().to_bytes()).unwrap();
        PresignedKeyShare::new(bls, Some(presigner.clone())).unwrap()
    };
    let coin = coin::KeyShare::from_bytes(&*secrets.coin.to_bytes()).unwrap();
    let secrets = Secrets { agreed: share(&secrets.agreed), unagreed: share(&secrets.unagreed), coin };
    let Setup { committee, tolerance, coding, coin, .. } = &*KEYS.setup;
    let setup = Setup {
        committee: *committee,
        tolerance: *tolerance,
        coding: *coding,
        agreed: Presigned::group_key(&secrets.agreed),
        unagreed: Presigned::group_key(&secrets.unagreed),
        coin: coin.clone(),
    };
    (Arc::new(setup), Arc::new(secrets))
}

/// Returns the keys of all members, with unused presignatures of one epoch.
pub(crate) fn presigned_keys(epoch: u64) -> Keys<Presigned> {
    let (mut setup, mut secrets) = (None, Vec::new());
    for member in 0..MEMBERS {
        let secret = Ed25519::secret_from_bytes(&[member as u8 + 1; 32]).unwrap();
        let presigner = presigner(member, EPOCHS, (ChainId::from_name("tests"), secret), []);
        let (own_setup, own) = member_keys(member, &presigner);
        assert!(Presigned::open_epoch(&own.agreed, epoch, false));
        // The public parts are the same for all members.
        setup.get_or_insert(own_setup);
        secrets.push(own);
    }
    Keys { setup: setup.unwrap(), secrets }
}

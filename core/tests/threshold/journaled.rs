//! A guard with a journal signs with presignatures: the share exists once the record is durable.

use quorate::committee::ChainId;
use quorate::ed25519::Ed25519;
use quorate::guard::JournaledGuard;
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{Curve, Plan, Presignatures};
use quorate::threshold::{Ristretto255, Secp256k1};

use super::harness::{MESSAGE, dealer, rng};

const PLAN: Plan = Plan::Agreement { parties: 4, rounds: 2 };

#[test]
fn a_journal_records_the_use_of_a_presignature() {
    use_presignatures::<Ristretto255>();
    use_presignatures::<Secp256k1>();
}

fn use_presignatures<G: Curve>() {
    let file = dealer::<G>(4, 1).deal(7, PLAN, &mut rng(7)).unwrap()[1].to_bytes().unwrap();
    let presignatures = || Presignatures::<G>::from_bytes(&file).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (secret, chain) = (|| Ed25519::secret_from_bytes(&[7; 32]).unwrap(), ChainId::from_name("threshold"));
    let tag = PLAN.promotion(7, 0, 2, 3).unwrap();
    let mut guard = JournaledGuard::<Ed25519>::create(directory.path(), secret(), chain).unwrap();
    let signed = presignatures().take(tag).unwrap().sign_journaled(&mut guard, MESSAGE).unwrap();
    drop(guard);
    let mut guard = JournaledGuard::<Ed25519>::open(directory.path(), secret(), chain).unwrap();
    let other = presignatures().take(tag).unwrap().sign_journaled(&mut guard, b"other");
    assert_eq!(other.err().map(|error| error.code()), Some("CONTRADICTION"));
    let again = presignatures().take(tag).unwrap().sign_journaled(&mut guard, MESSAGE).unwrap();
    assert_eq!(again.share.digest(), signed.share.digest());
    guard.close_epoch(&presignatures().key().id().0, 7).unwrap();
    let closed = presignatures().take(tag).unwrap().sign_journaled(&mut guard, MESSAGE);
    assert_eq!(closed.err().map(|error| error.code()), Some("EXHAUSTED"));
}

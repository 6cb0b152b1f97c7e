use std::sync::Arc;

use quorate::committee::{ChainId, CommitteeId};
use quorate::ed25519::Ed25519;
use quorate::guard::GuardRecord;
use quorate::machine::{Machine, MemberIndex};
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{Opening, ShareFault};
use quorate::wire::{Decode, Encode};

use super::statement::StatementTag;
use super::*;
use crate::mvba::{self, Agreement as ValueAgreement, Stage, completion_statement, promotion_statement};
use crate::prbc::{self, ProvableBroadcast};
use crate::setup::Secrets;
use crate::signatures::ShareCollector;
use crate::signatures::ThresholdScheme;
use crate::testing::presigned::{EPOCHS, MEMBERS, member_keys, presigned_keys, presigner};
use crate::testing::{Keys, Network, schedules, seeds};
use crate::violation::Violation;

const EPOCH: u64 = 2;
/// The Byzantine member.
const LIAR: MemberIndex = 3;

fn stage(number: u8) -> Stage {
    (1..number).fold(Stage::KEY, |stage, _| stage.next().unwrap())
}

/// The table of the paper's section II.A.1, for N = 8 and K = 20.
#[test]
fn statements_have_the_presignatures_of_the_paper() {
    let committee = CommitteeId([7; 32]);
    let index = |members, statement: &[u8]| {
        StatementTag::from_statement(&committee, members, statement).map(StatementTag::index)
    };
    let (n, rounds) = (8, u32::from(PLAN_ROUNDS));
    assert_eq!((plan(8).count(), plan(4).count()), (668, 344));
    for j in 0..n {
        assert_eq!(index(8, &prbc::statement(&committee, 5, j as u16, &[1; 32])), Some(j));
        for (k, s) in (0..rounds).flat_map(|k| (1..=4u8).map(move |s| (k, s))) {
            let statement = promotion_statement(&committee, 5, k + 1, j as u16, stage(s), &[1; 32]);
            assert_eq!(index(8, &statement), Some(n + k * (4 * n + 1) + 4 * j + u32::from(s) - 1));
        }
    }
    for k in 0..rounds {
        assert_eq!(index(8, &completion_statement(&committee, 5, k + 1)), Some(n + k * (4 * n + 1) + 4 * n));
    }
    // Views after the last, other members, other committees, other statements.
    assert_eq!(index(8, &completion_statement(&committee, 5, rounds + 1)), None);
    assert_eq!(index(8, &prbc::statement(&committee, 5, 8, &[1; 32])), None);
    assert_eq!(index(8, &completion_statement(&CommitteeId([8; 32]), 5, 1)), None);
    let statement = completion_statement(&committee, 5, 1);
    assert_eq!(index(8, &statement[..statement.len() - 1]), None);
    assert_eq!(index(8, &[&statement[..], &[0]].concat()), None);
    assert_eq!(index(8, b"other"), None);
}

fn secrets(records: impl IntoIterator<Item = GuardRecord>) -> Arc<Secrets<Presigned>> {
    let secret = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
    member_keys(0, &presigner(0, EPOCHS, (ChainId::from_name("tests"), secret), records)).1
}

fn kinds(shares: &[PresignedShare]) -> Vec<u8> {
    shares.iter().map(Presigned::kind).collect()
}

#[test]
fn a_presignature_signs_one_statement_across_restarts() {
    let committee = CommitteeId([7; 32]);
    let statement = |id: u8| prbc::statement(&committee, EPOCH, 1, &[id; 32]);
    let first = secrets([]);
    assert_eq!(kinds(&Presigned::shares(&first.agreed, &statement(1))), [2], "the epoch is not open");
    assert!(Presigned::open_epoch(&first.agreed, EPOCH, false));
    let shares = Presigned::shares(&first.agreed, &statement(1));
    assert_eq!(kinds(&shares), [1]);
    assert!(Presigned::shares(&first.agreed, &statement(2)).is_empty());
    let records = Presigned::take_records(&first.agreed);
    assert_eq!(records.len(), 1);

    // The records are what prevents a second use: without them the same presignature signs.
    let forgetful = secrets([]);
    assert!(Presigned::open_epoch(&forgetful.agreed, EPOCH, false));
    let index = |share: &PresignedShare| match share {
        PresignedShare::Ecdsa(share) => Some(share.index()),
        PresignedShare::Bls(_) => None,
    };
    assert_eq!(index(&Presigned::shares(&forgetful.agreed, &statement(2))[0]), index(&shares[0]));

    let again = secrets(records.clone());
    assert!(Presigned::open_epoch(&again.agreed, EPOCH, false));
    assert!(Presigned::shares(&again.agreed, &statement(2)).is_empty());
    assert_eq!(again.agreed.presigner().unwrap().refused(), 1);
    let again = secrets(records);
    assert!(Presigned::open_epoch(&again.agreed, EPOCH, false));
    assert_eq!(Presigned::shares(&again.agreed, &statement(1)), shares);

    // Destroyed, and refused from the file as well.
    Presigned::close_epochs(&again.agreed, EPOCH);
    assert_eq!(Presigned::epochs_left(&again.agreed), Some(EPOCHS - EPOCH));
    let closed = secrets(Presigned::take_records(&again.agreed));
    assert!(Presigned::open_epoch(&closed.agreed, EPOCH, false), "the epoch was signed with them");
    assert!(Presigned::shares(&closed.agreed, &statement(1)).is_empty());
    assert!(Presigned::open_epoch(&closed.agreed, EPOCH + 1, false));
    assert!(!Presigned::open_epoch(&closed.agreed, EPOCHS + 1, false));
}

#[test]
fn lost_presignatures_are_replaced_by_bls_within_their_records() {
    let committee = CommitteeId([7; 32]);
    let statement = |sender, id: u8| prbc::statement(&committee, EPOCH, sender, &[id; 32]);
    let first = secrets([]);
    assert!(Presigned::open_epoch(&first.agreed, EPOCH, false));
    assert_eq!(kinds(&Presigned::shares(&first.agreed, &statement(1, 1))), [1]);
    let mut records = Presigned::take_records(&first.agreed);
    let without = |records: &[GuardRecord], was_open| {
        let secret = Ed25519::secret_from_bytes(&[1; 32]).unwrap();
        let presigner = presigner(0, 0, (ChainId::from_name("tests"), secret), records.to_vec());
        let secrets = member_keys(0, &presigner).1;
        assert!(Presigned::open_epoch(&secrets.agreed, EPOCH, was_open));
        secrets
    };
    let lost = without(&records, true);
    assert_eq!(kinds(&Presigned::shares(&lost.agreed, &statement(1, 1))), [2]);
    assert!(Presigned::shares(&lost.agreed, &statement(1, 2)).is_empty());
    assert_eq!(kinds(&Presigned::shares(&lost.agreed, &statement(2, 1))), [2]);
    records.extend(Presigned::take_records(&lost.agreed));
    // The records bind also what BLS signed, should the presignatures be there again.
    let again = secrets(records.clone());
    assert!(Presigned::open_epoch(&again.agreed, EPOCH, false));
    assert_eq!(kinds(&Presigned::shares(&again.agreed, &statement(2, 1))), [1]);
    assert!(Presigned::shares(&again.agreed, &statement(2, 2)).is_empty());
    assert!(Presigned::shares(&without(&records, false).agreed, &statement(2, 2)).is_empty());
}

#[test]
fn an_epoch_that_falls_back_is_signed_twice() {
    let committee = CommitteeId([7; 32]);
    let (before, after) =
        (prbc::statement(&committee, EPOCH, 1, &[1; 32]), prbc::statement(&committee, EPOCH, 2, &[1; 32]));
    let secrets = secrets([]);
    assert!(Presigned::open_epoch(&secrets.agreed, EPOCH, false));
    assert_eq!(kinds(&Presigned::shares(&secrets.agreed, &before)), [1]);
    Presigned::fall_back(&secrets.agreed, EPOCH);
    assert_eq!(Presigned::kind(&Presigned::fallback_share(&secrets.agreed, &before).unwrap()), 2);
    assert!(Presigned::fallback_share(&secrets.agreed, &after).is_none());
    assert_eq!(kinds(&Presigned::shares(&secrets.agreed, &after)), [1, 2]);
}

/// Returns the share with another number.
fn wrong(share: &PresignedShare) -> PresignedShare {
    let mut bytes = share.encode();
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    PresignedShare::decode(&bytes, &()).unwrap()
}

/// Returns the evidence against the liar, of which there is none against others.
fn evidence<M: Machine<Fault = Violation>>(network: &Network<M>) -> Option<Vec<u8>> {
    let faults = network.correct().flat_map(|(_, node)| &node.faults);
    let mut evidence = None;
    for (culprit, what) in faults {
        assert_eq!(*culprit, LIAR, "{what:?}");
        if let Violation::WrongShare { evidence: found, .. } = what {
            evidence = Some(found.clone());
        }
    }
    evidence
}

fn verify(keys: &Keys<Presigned>, evidence: &[u8]) {
    let fault = ShareFault::<PresignatureGroup>::decode(evidence, &()).unwrap();
    let presigner = keys.secrets[0].agreed.presigner().unwrap();
    let deal = presigner.deal(EPOCH).unwrap();
    assert_eq!(fault.verify(presigner.key(), &deal, |_, _, _| Ok(())), Ok(LIAR));
}

#[test]
fn wrong_votes_are_named_and_the_agreement_goes_on() {
    let mut named = 0;
    for seed in seeds(6) {
        let keys = presigned_keys(EPOCH);
        let mut network = Network::new(seed, schedules(seed, MEMBERS)).with_tamper(|_, _, _, message| {
            vec![match message {
                mvba::Message::Vote { view, stage, share } => {
                    mvba::Message::Vote { view, stage, share: wrong(&share) }
                }
                other => other,
            }]
        });
        let machine = |me: MemberIndex| {
            let validity: mvba::Validity = Arc::new(|value| value.starts_with(b"valid"));
            ValueAgreement::new(keys.context(me, EPOCH), 100, validity, [me as u8; 32]).unwrap()
        };
        (0..LIAR).for_each(|me| network.add(machine(me)));
        network.add_byzantine(vec![machine(LIAR)]);
        network.start();
        (0..MEMBERS).for_each(|me| {
            network.command(me, 0, mvba::Command::Propose(format!("valid {me}").into_bytes()));
        });
        network.run(20_000).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        assert!(network.correct().all(|(_, node)| node.outputs.len() == 1), "seed {seed}: no decision");
        if let Some(evidence) = evidence(&network) {
            verify(&keys, &evidence);
            named += 1;
        }
    }
    assert!(named > 1, "named in {named} runs");
}

#[test]
fn wrong_shares_of_deliveries_are_named() {
    let mut named = 0;
    for seed in seeds(8) {
        let keys = presigned_keys(EPOCH);
        let mut network = Network::new(seed, schedules(seed, MEMBERS)).with_tamper(|_, _, _, message| {
            vec![match message {
                prbc::Message::Share(share) => prbc::Message::Share(wrong(&share)),
                other => other,
            }]
        });
        let machine = |me| ProvableBroadcast::new(keys.context(me, EPOCH), 0).unwrap();
        (0..LIAR).for_each(|me| network.add(machine(me)));
        network.add_byzantine(vec![machine(LIAR)]);
        network.start();
        network.command(0, 0, prbc::Command::Broadcast(b"value".to_vec()));
        network.run(10_000).unwrap_or_else(|problem| panic!("seed {seed}: {problem}"));
        assert!(network.correct().all(|(_, node)| node.outputs.len() == 2), "seed {seed}: no proof");
        if let Some(evidence) = evidence(&network) {
            verify(&keys, &evidence);
            named += 1;
        }
    }
    assert!(named > 0, "named in {named} runs");
}

/// Whichever shares are wrong and in whatever order they come, at most t + f of them are checked.
#[test]
fn an_instance_checks_few_shares() {
    let committee = CommitteeId([7; 32]);
    for order in 0..24_usize {
        let keys = presigned_keys(EPOCH);
        let statement = promotion_statement(&committee, EPOCH, 1, 0, Stage::KEY, &[order as u8; 32]);
        let mut members: Vec<MemberIndex> = (0..MEMBERS).collect();
        members.rotate_left(order % 4);
        members[1..].rotate_left(order / 4 % 3);
        let mut collector = Presigned::collector(&keys.setup.unagreed, &statement);
        let (mut signature, mut faults, mut wanted) = (None, Vec::new(), Vec::new());
        for member in members {
            let share = Presigned::shares(&keys.secrets[usize::from(member)].unagreed, &statement).remove(0);
            let share = if member == LIAR { wrong(&share) } else { share };
            let mut collected = vec![collector.add(member, share).unwrap()];
            while let Some(one) = collected.pop() {
                signature = signature.or(one.signature);
                faults.extend(one.faults.iter().map(|fault| fault.culprit));
                for member in one.wanted {
                    wanted.push(member);
                    let secrets = &keys.secrets[usize::from(member)];
                    let opening = Presigned::opening(&secrets.unagreed, &statement).unwrap();
                    assert_eq!(Opening::decode(&opening.encode(), &()).as_ref(), Ok(&opening));
                    collected.push(collector.open(member, &opening).unwrap());
                }
            }
        }
        Presigned::verify(&keys.setup.unagreed, &statement, &signature.unwrap()).unwrap();
        let counts = collector.ecdsa_counts();
        assert!(counts.share_checks <= 4 && counts.combinations <= 2, "{counts:?}");
        assert_eq!(faults.is_empty(), wanted.is_empty(), "a wrong share in a combination is named");
        assert!(faults.iter().all(|culprit| *culprit == LIAR));
    }
}

#[test]
fn signatures_hold_for_their_statement_and_kind() {
    let committee = CommitteeId([7; 32]);
    let keys = presigned_keys(EPOCH);
    let [statement, other] = [1, 2].map(|view| completion_statement(&committee, EPOCH, view));
    let mut collector = Presigned::collector(&keys.setup.agreed, &statement);
    let mut signatures = Vec::new();
    for secrets in &keys.secrets[..2] {
        let share = Presigned::shares(&secrets.agreed, &statement).remove(0);
        assert_eq!(PresignedShare::decode(&share.encode(), &()).as_ref(), Ok(&share));
        assert_eq!(share.encode().len(), 84);
        signatures.extend(collector.add(Presigned::member(&secrets.agreed), share).unwrap().signature);
    }
    let mut collector = Presigned::collector(&keys.setup.agreed, &statement);
    for secrets in &keys.secrets[1..3] {
        let share = Presigned::sign(&secrets.agreed, &statement);
        assert_eq!(PresignedShare::decode(&share.encode(), &()).as_ref(), Ok(&share));
        signatures.extend(collector.add(Presigned::member(&secrets.agreed), share).unwrap().signature);
    }
    let [ecdsa, bls] = signatures.try_into().unwrap();
    assert_eq!([ecdsa.encode().len(), bls.encode().len()], [65, 49]);
    for signature in [&ecdsa, &bls] {
        Presigned::verify(&keys.setup.agreed, &statement, signature).unwrap();
        assert!(Presigned::verify(&keys.setup.agreed, &other, signature).is_err());
        assert_eq!(PresignedSignature::decode(&signature.encode(), &()).as_ref(), Ok(signature));
    }
    // A member without the key of the presignatures verifies BLS only.
    let plain = Keys::<Presigned>::deal(MEMBERS, 1);
    assert!(Presigned::verify(&plain.setup.agreed, &statement, &bls).is_ok());
    assert!(Presigned::verify(&plain.setup.agreed, &statement, &ecdsa).is_err());
    assert!(PresignedShare::decode(&[3], &()).is_err() && PresignedSignature::decode(&[0], &()).is_err());
}

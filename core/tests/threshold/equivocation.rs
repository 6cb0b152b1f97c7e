use quorate::threshold::ecdsa::{Curve, Plan, Presignatures, SignatureShare, Tag};
use quorate::threshold::{Class, Field};
use quorate::wire::Encode;

use super::harness::{Party, Run, dealer, guard};

/// The signatures that a leader with control of the first f parties can get if it sends the i-th honest party message
/// `sent >> i & 1`.
fn obtainable<G: Curve, C: Class>(
    files: &[Vec<u8>],
    faulty: u16,
    tag: Tag<C>,
    sent: u32,
) -> [Option<quorate::threshold::ecdsa::Signature<G>>; 2] {
    let messages: [&[u8]; 2] = [b"pay 5 to Bob", b"pay 5 to Carol"];
    let mut shares: [Vec<SignatureShare<G>>; 2] = [vec![], vec![]];
    for (member, file) in files.iter().enumerate() {
        if member < usize::from(faulty) {
            // The faulty party copies its file and discards its journal.
            for (message, shares) in messages.iter().zip(&mut shares) {
                let mut presignatures = Presignatures::<G>::from_bytes(file).unwrap();
                let signed =
                    presignatures.take(tag).unwrap().sign(&mut guard(&[1; 32], []), message).unwrap();
                shares.push(signed.share);
            }
        } else {
            let first = usize::from(sent >> (member - usize::from(faulty)) & 1 == 1);
            let mut party = Party::new(Presignatures::<G>::from_bytes(file).unwrap());
            shares[first].push(party.sign(tag, messages[first]).unwrap().0);
            // When asked for the other message, even after a restart, it refuses.
            let mut again = Party::new(Presignatures::<G>::from_bytes(file).unwrap());
            again.guard = guard(&again.secret, party.log);
            assert_eq!(again.sign(tag, messages[1 - first]).unwrap_err().code(), "CONTRADICTION");
        }
    }
    [0, 1].map(|i| {
        let presignatures = Presignatures::<G>::from_bytes(&files[0]).unwrap();
        let mut run = Run::new(&presignatures.signing(tag, messages[i]).unwrap());
        shares[i].iter().for_each(|share| drop(run.add(share).unwrap()));
        run.combiner.signature().copied()
    })
}

fn files<G: Curve>(parties: u16, faulty: u16, plan: Plan) -> Vec<Vec<u8>> {
    let hands = dealer::<G>(parties, faulty).deal(0, plan, &mut super::harness::rng(3)).unwrap();
    hands.iter().map(|hand| hand.to_bytes().unwrap().to_vec()).collect()
}

/// Mistake 3: with the threshold of unagreed messages neither message gets enough shares.
pub(crate) fn an_equivocating_leader_gets_one_signature_at_most<G: Curve>() {
    for (parties, faulty) in [(4, 1), (5, 1), (7, 2)] {
        let plan = Plan::Agreement { parties, rounds: 1 };
        let files = files::<G>(parties, faulty, plan);
        let tag = plan.promotion(0, 0, 0, 1).unwrap();
        let mut made = 0;
        for sent in 0..1 << (parties - faulty) {
            let signatures = obtainable::<G, _>(&files, faulty, tag, sent);
            assert!(signatures.iter().flatten().count() <= 1, "{parties} parties, sent {sent:b}");
            made += signatures.iter().flatten().count();
        }
        assert!(made > 0, "a leader that sends one message to all parties gets its signature");
    }
}

/// The purpose of a tag's class: the same leader, where f + 1 shares suffice.
pub(crate) fn f_plus_1_shares_give_a_leader_two_signatures_and_the_key<G: Curve>() {
    let plan = Plan::Agreed { count: 1 };
    let files = files::<G>(4, 1, plan);
    let tag = plan.agreed(0, 0).unwrap();
    let [one, two] = obtainable::<G, _>(&files, 1, tag, 0b001).map(Option::unwrap);
    let key = dealer::<G>(4, 1).key().clone();
    let slot = quorate::threshold::ecdsa::Slot { key: key.id(), epoch: 0, index: 0 };
    let head =
        key.encode().len() + 2 + Presignatures::<G>::from_bytes(&files[0]).unwrap().deal().encode().len();
    let nonce = G::Nonce::try_from(&files[0][head..head + G::ELEMENT_LEN]).ok().unwrap();
    let (r, h, g) =
        (G::r(&slot, &nonce), G::h(&slot, &nonce, b"pay 5 to Bob"), G::h(&slot, &nonce, b"pay 5 to Carol"));
    let s = |signature: &quorate::threshold::ecdsa::Signature<G>| G::parse(&signature.to_bytes()).unwrap();
    // s₁ − s₂ = k(h₁ − h₂); over secp256k1 either s may have been negated.
    let found = [(s(&one), s(&two)), (s(&one), -s(&two))].into_iter().any(|(s_1, s_2)| {
        let k = (s_1 - s_2) * (h - g).invert().unwrap();
        let x = (s_1 * k.invert().unwrap() - h) * r.invert().unwrap();
        G::base(&x) == *key.element()
    });
    assert!(found, "two signatures with one R are the key");
}

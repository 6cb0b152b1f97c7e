//! Five steps: keys, a committee, votes including a forged one, a certificate, and its verification by a recipient.
#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "four members, a quorum of votes")]

use std::sync::Arc;

use quorate::{bls::MinSig, certificate::*, committee::*, scheme::*, wire::*};

fn main() -> quorate::Result<()> {
    let (kind, view) = (Kind::new(1), 7);

    // 1. Each member generates a key and submits it with a proof of possession.
    let secrets = (0..4).map(|_| MinSig::generate(&mut getrandom::SysRng)).collect::<Result<Vec<_>, _>>()?;
    let submitted: Vec<_> =
        secrets.iter().map(|secret| UnverifiedKey::<MinSig>::prove(secret).encode()).collect();

    // 2. The committee's creator verifies the proofs. Each member has weight 1; three of four are a quorum.
    let keys = submitted.iter().map(|bytes| UnverifiedKey::<MinSig>::decode(bytes, &())?.verify());
    let members = keys.map(|key| Ok((key?, 1))).collect::<quorate::Result<_>>()?;
    let committee = Arc::new(Committee::new(ChainId::from_name("example"), 0, members)?);

    // 3. The members vote. The vote of member 1 carries another member's signature.
    let statement = committee.statement(kind, view, [0; 32]);
    let vote = |secret| Vote::sign_unguarded(secret, &committee, statement);
    let mut votes = secrets.iter().map(vote).collect::<quorate::Result<Vec<_>>>()?;
    votes[1] = Vote::new(statement, 1, votes[0].signature().clone());

    // 4. The collector finds the forgery and makes a certificate from the remaining votes.
    let (mut collector, mut suspects) = (VoteCollector::new(committee.clone(), kind, view), Suspects::new());
    let (mut forged, mut certificate) = (Vec::new(), None);
    for vote in votes {
        let collected = collector.add(vote, &mut suspects);
        forged.extend(collected.faults.iter().map(VoteFault::signer));
        certificate = certificate.or(collected.certificate);
    }
    let bytes = certificate.expect("a quorum").encode();
    println!("forged: {forged:?}; certificate of {} bytes", bytes.len());

    // 5. The recipient: decoding checks form and quorum, `verify` checks the signatures.
    let received = Certificate::<MinSig>::decode(&bytes, &committee)?.verify(&committee)?;
    println!("signed by {:?}", received.signers().iter().collect::<Vec<_>>());
    Ok(())
}

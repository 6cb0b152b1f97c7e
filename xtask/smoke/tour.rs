//! The five steps with the crate.

use std::sync::Arc;

use quorate::bls::MinSig;
use quorate::certificate::{Certificate, Kind, Suspects, Vote, VoteCollector, VoteFault};
use quorate::committee::{ChainId, Committee};
use quorate::scheme::{Scheme, UnverifiedKey};
use quorate::wire::{Decode, Encode};

type Key = UnverifiedKey<MinSig>;

fn main() -> quorate::Result<()> {
    // 1. Keys. Each member proves possession of its key.
    let secrets = (0..4).map(|_| MinSig::generate(&mut getrandom::SysRng)).collect::<Result<Vec<_>, _>>()?;
    let submitted: Vec<Vec<u8>> = secrets.iter().map(|secret| Key::prove(secret).encode()).collect();

    // 2. A committee.
    let new_committee = || {
        let members = submitted.iter().map(|bytes| Ok((Key::decode(bytes, &())?.verify()?, 1)));
        Committee::new(ChainId::from_name("smoke"), 1, members.collect::<quorate::Result<_>>()?).map(Arc::new)
    };
    let committee = new_committee()?;

    // 3. Votes, one of them forged: it carries another member's signature.
    let statement = committee.statement(Kind::new(1), 7, [42; 32]);
    let sign = |secret| Vote::sign_unguarded(secret, &committee, statement);
    let mut votes = secrets.iter().map(sign).collect::<quorate::Result<Vec<_>>>()?;
    votes[1] = Vote::new(statement, 1, votes[2].signature().clone());
    let mut collector = VoteCollector::new(committee.clone(), Kind::new(1), 7);
    let (mut suspects, mut certificate, mut blamed) = (Suspects::new(), None, Vec::new());
    for vote in &votes {
        let collected = collector.add(vote.clone(), &mut suspects);
        blamed.extend(collected.faults.iter().map(VoteFault::signer));
        certificate = certificate.or(collected.certificate);
    }
    assert_eq!(blamed, [1]);

    // 4. The certificate of the other three.
    let bytes = certificate.expect("three of four are a quorum").encode();

    // 5. The receiver decodes and verifies the certificate from its bytes alone.
    let theirs = new_committee()?;
    let verified = Certificate::<MinSig>::decode(&bytes, &theirs)?.verify(&theirs)?;
    assert_eq!(verified.committee(), committee.id());
    assert_eq!(verified.signers().iter().collect::<Vec<_>>(), [0, 2, 3]);

    // An error has a code and names the culprit.
    let error = votes[1].check(&theirs).expect_err("a forged vote does not verify");
    assert_eq!((error.code(), error.culprits()), ("BAD_SIGNATURE", &[1][..]));
    println!("tour of the crate: {} bytes", bytes.len());
    Ok(())
}

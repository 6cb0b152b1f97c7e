//! Collectors with valid, forged, repeated, contradicting and misplaced votes in any order.
//!
//! An input is a scheme, a batch threshold, and then two bytes per vote: the defect, and the member and choice. Properties:
//!
//! - a certificate is valid, is returned once, and all its signers signed its statement;
//! - once members that signed only one choice have the weight of a quorum, there is a certificate;
//! - no member is blamed for a valid vote, or for an equivocation that did not happen.

use std::collections::BTreeSet;

use quorate::certificate::{
    Certificate, Collected, Kind, Suspects, TimeoutCertificate, TimeoutCollector, TimeoutVote, Vote,
    VoteCollector, VoteFault,
};
use quorate::committee::{Committee, SignerSet, Verified};
use quorate::wire::{Decode, Encode};

use crate::fixture::{CHOICES, Fixed, Fixture, MEMBERS, TIMEOUT, VIEW, VOTE, index};
use crate::scheme::{ForScheme, choose, seeds_of_each};

/// Maximum number of votes of one input: pairings are slow.
const MAX_VOTES: usize = 48;

/// Defect of a vote.
#[derive(Clone, Copy, Debug)]
enum Defect {
    /// None: the vote is valid.
    Deliver,
    /// None, and it was verified before.
    DeliverVerified,
    /// It has the member's signature on another choice.
    OtherChoice,
    /// It has another member's signature on the same choice.
    OtherMember,
    /// Two members' votes have each other's signatures: valid together, invalid alone.
    Swap,
    /// It has another view, kind or epoch, or the index of no member.
    Stray,
}

impl Defect {
    fn from_byte(byte: u8) -> Self {
        match byte % 8 {
            0..=2 => Defect::Deliver,
            3 => Defect::DeliverVerified,
            4 => Defect::OtherChoice,
            5 => Defect::OtherMember,
            6 => Defect::Swap,
            _ => Defect::Stray,
        }
    }
}

/// The expected behaviour of the collector.
#[derive(Default)]
struct Ledger {
    /// Existing signatures by member and choice, which an attacker can use.
    signed: BTreeSet<(usize, usize)>,
    /// Delivered valid votes.
    delivered: BTreeSet<(usize, usize)>,
    /// Members in whose names an invalid vote was delivered.
    slandered: BTreeSet<usize>,
    certified: bool,
}

impl Ledger {
    fn deliver(&mut self, member: usize, choice: usize) {
        self.signed.insert((member, choice));
        self.delivered.insert((member, choice));
    }

    fn forge(&mut self, member: usize, source: (usize, usize)) {
        self.signed.insert(source);
        self.slandered.insert(member);
    }

    /// Members that signed at most one choice.
    fn is_faithful(&self, member: usize) -> bool {
        (0..CHOICES).filter(|choice| self.signed.contains(&(member, *choice))).count() <= 1
    }

    fn check_fault<S: Fixed>(&self, faults: &[VoteFault<S>]) {
        for fault in faults {
            match fault {
                VoteFault::Stray { signer, .. } => {
                    panic_unless(
                        false,
                        "a vote for this collector was called misplaced",
                        usize::from(*signer),
                    );
                }
                VoteFault::BadSignature { signer } => {
                    let member = usize::from(*signer);
                    panic_unless(self.slandered.contains(&member), "blamed for a valid vote", member);
                }
                VoteFault::Equivocation(evidence) => {
                    let member = usize::from(evidence.signer());
                    panic_unless(!self.is_faithful(member), "blamed for a false equivocation", member);
                    let evidence: Verified<_> = (**evidence).clone();
                    let checked = evidence.into_inner().verify(&S::fixture().committee);
                    panic_unless(checked.is_ok(), "invalid evidence", member);
                }
            }
        }
    }

    fn certify(&mut self, signers: &SignerSet, choice: usize) {
        assert!(!self.certified, "a second certificate");
        self.certified = true;
        for member in signers.iter().map(usize::from) {
            panic_unless(self.signed.contains(&(member, choice)), "certified without having signed", member);
        }
    }
}

fn panic_unless(holds: bool, what: &str, member: usize) {
    assert!(holds, "{what}: member {member}");
}

/// Plain votes.
pub(crate) fn votes(bytes: &[u8]) {
    struct Votes;
    impl ForScheme for Votes {
        fn run<S: Fixed>(self, bytes: &[u8]) {
            let fixture = S::fixture();
            let mut suspects = Suspects::new();
            let mut ledger = Ledger::default();
            let Some((threshold, defects)) = bytes.split_first() else { return };
            let mut collector = VoteCollector::new(fixture.committee.clone(), VOTE, VIEW)
                .with_batch_threshold(usize::from(threshold % 9));
            for (defect, member, choice) in defects_in(defects) {
                for (vote, verified) in plain_votes(fixture, defect, member, choice, &mut ledger) {
                    let collected = match verified.then(|| vote.clone().verify(&fixture.committee)) {
                        Some(Ok(vote)) => collector.add_verified(vote, &mut suspects),
                        _ => collector.add(vote, &mut suspects),
                    };
                    after::<S>(collected, &mut ledger);
                }
                for vote in stray_votes(fixture, defect, member, choice) {
                    let collected = collector.add(vote, &mut suspects);
                    assert!(matches!(collected.faults.as_slice(), [VoteFault::Stray { .. }]));
                    assert!(collected.certificate.is_none());
                }
                assert_eq!(collector.is_done(), ledger.certified);
            }
            for choice in 0..CHOICES {
                let faithful =
                    ledger.delivered.iter().filter(|(m, c)| *c == choice && ledger.is_faithful(*m));
                let enough = fixture.weight(faithful.map(|(m, _)| *m)) >= fixture.committee.quorum_weight();
                assert!(ledger.certified || !enough, "no certificate from valid votes of a quorum");
            }
        }
    }
    choose(bytes, Votes);
}

fn after<S: Fixed>(collected: Collected<S>, ledger: &mut Ledger) {
    ledger.check_fault(&collected.faults);
    let Some(certificate) = collected.certificate else { return };
    let fixture = S::fixture();
    let choice = (0..CHOICES).find(|choice| fixture.statement(*choice) == *certificate.statement());
    assert!(choice.is_some(), "a statement without a vote");
    ledger.certify(certificate.signers(), choice.unwrap_or_default());
    let again = Certificate::<S>::decode(&certificate.encode(), &fixture.committee);
    assert_eq!(again.as_ref(), Ok(&*certificate), "the certificate does not survive its encoding");
    assert!(again.is_ok_and(|c| c.verify(&fixture.committee).is_ok()), "an invalid certificate");
}

/// Timeout votes: the choices are values, and all count together.
pub(crate) fn timeouts(bytes: &[u8]) {
    struct Timeouts;
    impl ForScheme for Timeouts {
        fn run<S: Fixed>(self, bytes: &[u8]) {
            let fixture = S::fixture();
            let mut suspects = Suspects::new();
            let mut ledger = Ledger::default();
            let Some((threshold, defects)) = bytes.split_first() else { return };
            let mut collector = TimeoutCollector::new(fixture.committee.clone(), TIMEOUT, VIEW)
                .with_batch_threshold(usize::from(threshold % 9));
            for (defect, member, choice) in defects_in(defects) {
                for vote in timeout_votes(fixture, defect, member, choice, &mut ledger) {
                    let collected = collector.add(vote, &mut suspects);
                    after_timeout::<S>(collected, &mut ledger);
                }
                if threshold & 0x80 != 0 {
                    let (honest, faults) = collector.verify_honest(&mut suspects);
                    ledger.check_fault(&faults);
                    let signers =
                        (0..MEMBERS).filter(|m| (0..CHOICES).any(|c| ledger.signed.contains(&(*m, c))));
                    assert!(!honest || fixture.weight(signers) >= fixture.committee.honest_weight());
                }
                assert_eq!(collector.is_done(), ledger.certified);
            }
            let faithful: BTreeSet<_> =
                ledger.delivered.iter().map(|(m, _)| *m).filter(|m| ledger.is_faithful(*m)).collect();
            let enough = fixture.weight(faithful) >= fixture.committee.quorum_weight();
            assert!(ledger.certified || !enough, "no certificate from valid timeout votes of a quorum");
        }
    }
    choose(bytes, Timeouts);
}

fn after_timeout<S: Fixed>(collected: Collected<S, TimeoutCertificate<S>>, ledger: &mut Ledger) {
    ledger.check_fault(&collected.faults);
    let Some(certificate) = collected.certificate else { return };
    let committee: &Committee<S> = &S::fixture().committee;
    assert!(!ledger.certified, "a second certificate");
    for (value, signers) in certificate.groups() {
        let choice = (0..CHOICES).find(|choice| Fixture::<S>::value(*choice) == *value);
        assert!(choice.is_some(), "a value without a vote");
        ledger.certified = false;
        ledger.certify(signers, choice.unwrap_or_default());
    }
    let again = TimeoutCertificate::<S>::decode(&certificate.encode(), committee);
    assert_eq!(again.as_ref(), Ok(&*certificate), "the certificate does not survive its encoding");
    assert!(again.is_ok_and(|c| c.verify(committee).is_ok()), "an invalid certificate");
}

fn defects_in(bytes: &[u8]) -> impl Iterator<Item = (Defect, usize, usize)> {
    bytes.chunks_exact(2).take(MAX_VOTES).filter_map(|pair| match pair {
        [defect, which] => {
            let which = usize::from(*which);
            Some((Defect::from_byte(*defect), which % MEMBERS, which / MEMBERS % CHOICES))
        }
        _ => None,
    })
}

/// The votes of an action, with whether they were verified before. [`stray_votes`] creates misplaced votes.
fn plain_votes<S: Fixed>(
    fixture: &Fixture<S>,
    defect: Defect,
    member: usize,
    choice: usize,
    ledger: &mut Ledger,
) -> Vec<(Vote<S>, bool)> {
    let mut forged = |member: usize, source: (usize, usize)| {
        let source = (source.0 % MEMBERS, source.1 % CHOICES);
        ledger.forge(member, source);
        let signature = fixture.vote(source.0, source.1).signature().clone();
        (Vote::new(fixture.statement(choice), index(member), signature), false)
    };
    let next = (member + 1) % MEMBERS;
    match defect {
        Defect::OtherChoice => vec![forged(member, (member, choice + 1))],
        Defect::OtherMember => vec![forged(member, (next, choice))],
        Defect::Swap => vec![forged(member, (next, choice)), forged(next, (member, choice))],
        Defect::Stray => vec![],
        Defect::Deliver | Defect::DeliverVerified => {
            ledger.deliver(member, choice);
            vec![(fixture.vote(member, choice), matches!(defect, Defect::DeliverVerified))]
        }
    }
}

fn timeout_votes<S: Fixed>(
    fixture: &Fixture<S>,
    defect: Defect,
    member: usize,
    choice: usize,
    ledger: &mut Ledger,
) -> Vec<TimeoutVote<S>> {
    let epoch = fixture.committee.epoch();
    let mut forged = |member: usize, source: (usize, usize)| {
        let source = (source.0 % MEMBERS, source.1 % CHOICES);
        ledger.forge(member, source);
        let signature = fixture.timeout(source.0, source.1).as_vote().signature().clone();
        TimeoutVote::new(TIMEOUT, epoch, VIEW, Fixture::<S>::value(choice), index(member), signature)
    };
    let next = (member + 1) % MEMBERS;
    match defect {
        Defect::OtherChoice => vec![forged(member, (member, choice + 1))],
        Defect::OtherMember => vec![forged(member, (next, choice))],
        Defect::Swap => vec![forged(member, (next, choice)), forged(next, (member, choice))],
        Defect::Stray => vec![],
        Defect::Deliver | Defect::DeliverVerified => {
            ledger.deliver(member, choice);
            vec![fixture.timeout(member, choice)]
        }
    }
}

fn stray_votes<S: Fixed>(fixture: &Fixture<S>, defect: Defect, member: usize, choice: usize) -> Vec<Vote<S>> {
    if !matches!(defect, Defect::Stray) {
        return Vec::new();
    }
    let vote = fixture.vote(member, choice);
    let mut statement = *vote.statement();
    let mut signer = vote.signer();
    match member % 4 {
        0 => statement.view += 1,
        1 => statement.kind = Kind::new(VOTE.number() + 1),
        2 => statement.epoch += 1,
        _ => signer += MEMBERS as u16,
    }
    vec![Vote::new(statement, signer, vote.signature().clone())]
}

/// Seeds of both targets.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    fn seeds_for() -> Vec<Vec<u8>> {
        let all_votes_with = |defect: u8| (0..21u8).flat_map(|which| [defect, which]).collect::<Vec<u8>>();
        let quorum: Vec<u8> = (0..7u8).flat_map(|member| [0, member]).collect();
        let mut seeds = vec![[&[2], quorum.as_slice()].concat(), [&[8], quorum.as_slice()].concat()];
        for defect in [3, 4, 5, 6, 7] {
            seeds.push([&[2], all_votes_with(defect).as_slice(), quorum.as_slice()].concat());
            seeds.push([&[0x82, defect, 2, defect, 5], quorum.as_slice()].concat());
        }
        seeds
    }
    seeds_of_each([seeds_for; 5])
}

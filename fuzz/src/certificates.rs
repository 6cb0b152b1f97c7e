//! Decoders of statements, votes, certificates, evidence and the guard's records.

use quorate::bls::{Counted, MinPk, MinSig};
use quorate::certificate::{
    Certificate, Conflict, Equivocation, Statement, Suspects, TimeoutCertificate, TimeoutCollector,
    TimeoutVote, UntrustedHeader, Vote, VoteCollector,
};
use quorate::committee::Committee;
use quorate::ed25519::Ed25519;
use quorate::guard::{Guard, GuardRecord};
use quorate::wire::{Encode, Reader, Writer};

use crate::fixture::{Fixed, TIMEOUT, VIEW, VOTE};
use crate::identity;
use crate::scheme::{ForScheme, choose, seeds_of_each};
use crate::seeds::from_vectors;

/// Statements, headers, votes and timeout votes in both forms, and the guard's records.
pub(crate) fn votes(bytes: &[u8]) {
    struct Votes;
    impl ForScheme for Votes {
        fn run<S: Fixed>(self, bytes: &[u8]) {
            let committee = &S::fixture().committee;
            identity::<Statement, ()>(bytes, &());
            identity::<UntrustedHeader, ()>(bytes, &());
            if let Some(vote) = identity::<Vote<S>, ()>(bytes, &()) {
                let header = UntrustedHeader::peek(bytes).map(|header| (header.kind(), header.view()));
                assert_eq!(header, Ok((vote.statement().kind, vote.statement().view)));
                let known = (0..3).any(|choice| vote == S::fixture().vote(vote.signer().into(), choice));
                assert!(known || vote.verify(committee).is_err(), "a forged vote verifies");
            }
            if let Some(vote) = identity::<TimeoutVote<S>, ()>(bytes, &()) {
                let known = (0..3).any(|choice| vote == S::fixture().timeout(vote.signer().into(), choice));
                assert!(known || vote.verify(committee).is_err(), "a forged timeout vote verifies");
            }
            link_identity(bytes, Vote::<S>::decode_link, Vote::encode_link);
            link_identity(bytes, TimeoutVote::<S>::decode_link, TimeoutVote::encode_link);
            guard_records::<S>(bytes);
        }
    }
    choose(bytes, Votes);
}

fn link_identity<T>(
    bytes: &[u8],
    decode: impl Fn(&mut Reader<'_>) -> quorate::Result<T>,
    encode: impl Fn(&T, &mut Writer),
) {
    let mut r = Reader::new(bytes);
    if let Ok(value) = decode(&mut r) {
        let mut w = Writer::new();
        encode(&value, &mut w);
        let read = bytes.len() - r.remaining();
        assert_eq!(Some(w.into_bytes().as_slice()), bytes.get(..read), "decoded, but encodes to other bytes");
    }
}

/// A guard that was restored from records never signs below them.
fn guard_records<S: Fixed>(bytes: &[u8]) {
    let records: Vec<GuardRecord> =
        bytes.chunks(GuardRecord::LEN).filter_map(|chunk| identity::<GuardRecord, ()>(chunk, &())).collect();
    let fixture = S::fixture();
    let Some(secret) =
        fixture.secrets.first().and_then(|s| S::secret_from_bytes(&*S::secret_to_bytes(s)).ok())
    else {
        return;
    };
    if let Ok(mut guard) = Guard::<S>::restore(secret, fixture.committee.chain(), records.iter().copied()) {
        let signed = guard.sign(&fixture.committee, fixture.statement(0));
        let latest = records.iter().filter(|r| r.kind() == VOTE).map(|r| (r.epoch(), r.view())).max();
        assert!(signed.is_err() || latest.is_none_or(|latest| latest <= (fixture.committee.epoch(), VIEW)));
    }
}

/// Seeds of [`votes`].
pub(crate) fn vote_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed>() -> Vec<Vec<u8>> {
        let fixture = S::fixture();
        let mut seeds: Vec<Vec<u8>> =
            from_vectors().iter().filter(|seed| seed.len() <= 300).cloned().collect();
        let mut link = Writer::new();
        fixture.vote(3, 1).encode_link(&mut link);
        let mut timeout_link = Writer::new();
        fixture.timeout(3, 1).encode_link(&mut timeout_link);
        seeds.extend([
            fixture.statement(0).encode(),
            fixture.vote(2, 0).encode(),
            fixture.timeout(5, 2).encode(),
        ]);
        seeds.extend([link.into_bytes(), timeout_link.into_bytes()]);
        seeds.extend(records::<S>());
        seeds
    }
    seeds_of_each([
        seeds_for::<MinSig>,
        seeds_for::<MinPk>,
        seeds_for::<Ed25519>,
        seeds_for::<Counted<MinSig>>,
        seeds_for::<Counted<MinPk>>,
    ])
}

/// Records of the first member's guard: one record, and three in a row.
fn records<S: Fixed>() -> Vec<Vec<u8>> {
    let fixture = S::fixture();
    let Some(secret) =
        fixture.secrets.first().and_then(|s| S::secret_from_bytes(&*S::secret_to_bytes(s)).ok())
    else {
        return Vec::new();
    };
    let mut guard = Guard::<S>::new(secret, fixture.committee.chain());
    let mut all = Writer::new();
    let mut one = Vec::new();
    for view in [1, VIEW, VIEW + 5] {
        if let Ok((_, record)) =
            guard.sign(&fixture.committee, fixture.committee.statement(VOTE, view, [1; 32]))
        {
            record.encode_to(&mut all);
            one = record.encode();
        }
    }
    vec![one, all.into_bytes()]
}

/// Certificates, whole and detached, timeout certificates, and evidence.
pub(crate) fn certificates(bytes: &[u8]) {
    struct Certificates;
    impl ForScheme for Certificates {
        fn run<S: Fixed>(self, bytes: &[u8]) {
            let committee: &Committee<S> = &S::fixture().committee;
            if let Some(certificate) = identity::<Certificate<S>, Committee<S>>(bytes, committee) {
                assert_eq!(certificate.encoded_len(), bytes.len());
                assert!(committee.has_quorum(certificate.signers()), "decoded below the quorum");
                certified::<S>(certificate, committee);
            }
            detached::<S>(bytes, committee);
            if let Some(certificate) = identity::<TimeoutCertificate<S>, Committee<S>>(bytes, committee) {
                assert_eq!(certificate.encoded_len(), bytes.len());
                assert!(committee.has_quorum(&certificate.signers()), "decoded below the quorum");
                assert!(certificate.groups().iter().all(|(value, _)| *value <= certificate.highest_value()));
                let _: Result<_, _> = certificate.verify(committee);
            }
            if let Some(evidence) = identity::<Equivocation<S>, ()>(bytes, &()) {
                let (first, second) = evidence.votes();
                assert!(
                    first.statement().contradicts(second.statement()) && first.signer() == second.signer()
                );
                let _: Result<_, _> = evidence.verify(committee);
            }
            if let Some(evidence) = identity::<Conflict<S>, Committee<S>>(bytes, committee) {
                assert!(committee.weight_of(&evidence.culprits()) >= committee.honest_weight());
                let _: Result<_, _> = evidence.verify(committee);
            }
        }
    }
    choose(bytes, Certificates);
}

/// Checks that single and batch verification agree, and that only signed statements are certified.
fn certified<S: Fixed>(certificate: Certificate<S>, committee: &Committee<S>) {
    let statement = *certificate.statement();
    let batch = Certificate::verify_batch_derived(committee, vec![certificate.clone()]);
    let single = certificate.verify(committee);
    assert_eq!(
        batch.iter().map(Result::is_ok).collect::<Vec<_>>(),
        [single.is_ok()],
        "batch and single disagree"
    );
    let signed = (0..3).any(|choice| S::fixture().statement(choice) == statement);
    assert!(single.is_err() || signed, "an unsigned statement is certified");
}

fn detached<S: Fixed>(bytes: &[u8], committee: &Committee<S>) {
    let mut r = Reader::new(bytes);
    if let Ok(certificate) = Certificate::<S>::decode_detached(&mut r, S::fixture().statement(0), committee) {
        let mut w = Writer::new();
        certificate.encode_detached(&mut w);
        let read = bytes.len() - r.remaining();
        assert_eq!(Some(w.into_bytes().as_slice()), bytes.get(..read), "decoded, but encodes to other bytes");
    }
}

/// Seeds of [`certificates`].
pub(crate) fn certificate_seeds() -> Vec<Vec<u8>> {
    fn seeds_for<S: Fixed>() -> Vec<Vec<u8>> {
        let fixture = S::fixture();
        let mut seeds: Vec<Vec<u8>> = from_vectors().to_vec();
        let a = certificate_of::<S>(&[0, 1, 2, 4, 5, 6], 0);
        let b = certificate_of::<S>(&[0, 2, 4, 5, 6], 1);
        let all = certificate_of::<S>(&[0, 1, 2, 3, 4, 5, 6], 0);
        for certificate in [&a, &b, &all].into_iter().flatten() {
            let mut w = Writer::new();
            certificate.encode_detached(&mut w);
            seeds.extend([certificate.encode(), w.into_bytes()]);
        }
        seeds.extend(a.zip(b).and_then(|(a, b)| Conflict::new(a, b).ok()).map(|conflict| conflict.encode()));
        seeds.extend(Equivocation::new(fixture.vote(1, 0), fixture.vote(1, 2)).ok().map(|e| e.encode()));
        seeds.extend(timeout_certificate_of::<S>(&[0, 2, 4, 5, 6]).map(|certificate| certificate.encode()));
        seeds
    }
    seeds_of_each([
        seeds_for::<MinSig>,
        seeds_for::<MinPk>,
        seeds_for::<Ed25519>,
        seeds_for::<Counted<MinSig>>,
        seeds_for::<Counted<MinPk>>,
    ])
}

fn certificate_of<S: Fixed>(members: &[usize], choice: usize) -> Option<Certificate<S>> {
    let fixture = S::fixture();
    // One vote more than the quorum needs is still one set: verified votes are added last and all at once.
    let mut collector = VoteCollector::new(fixture.committee.clone(), VOTE, VIEW);
    let mut suspects = Suspects::new();
    let certify = |&member: &usize| collector.add(fixture.vote(member, choice), &mut suspects).certificate;
    members.iter().find_map(certify).map(quorate::committee::Verified::into_inner)
}

fn timeout_certificate_of<S: Fixed>(members: &[usize]) -> Option<TimeoutCertificate<S>> {
    let fixture = S::fixture();
    let mut collector = TimeoutCollector::new(fixture.committee.clone(), TIMEOUT, VIEW);
    let mut suspects = Suspects::new();
    let certify = |&member: &usize| collector.add(fixture.timeout(member, member), &mut suspects).certificate;
    members.iter().find_map(certify).map(quorate::committee::Verified::into_inner)
}

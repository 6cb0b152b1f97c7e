//! Threshold signing: messages of links, files of parties, requesters and the dealer, and evidence.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::time::Duration;

use quorate::ed25519::{Ed25519, SecretKey};
use quorate::guard::Guard;
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{Plan, Presignatures, ShareFault, Signature, TrustedDealer};
use quorate::threshold::{Combiner, Instance, Secp256k1, lagrange};
use quorate::wire::{Decode, Encode};
use quorate_threshold_signing::deal::{PublicDeal, context};
use quorate_threshold_signing::dealer::{DealOutput, DealerKeyFile, seal};
use quorate_threshold_signing::group::Group;
use quorate_threshold_signing::keys::{Keys, Role};
use quorate_threshold_signing::protocol::{
    MAX_REPLY, MAX_REQUEST, Refusal, RefusalReason, Reply, Request, RequestKind, read_frame, write_frame,
};
use quorate_threshold_signing::text::check_name;
use quorate_threshold_signing::{der, evidence};
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::runtime::{Builder, Runtime};

use crate::identity;

const PARTIES: u8 = 4;
/// The party whose shares are opened.
const ME: MemberIndex = 1;
/// The party with an invalid share.
const FAULTY: MemberIndex = 3;
const MESSAGE: &[u8] = b"pay 5 to Bob";
const COUNT: u32 = 3;
/// Offset of the last byte of s in an encoded share, which is changed for an invalid share.
const LAST_OF_S: usize = 47 + 31;

/// A group, its dealt files, and its shares and signature of a message.
struct Fixture {
    texts: Vec<String>,
    group: Group,
    dealt: DealOutput,
    /// Files sealed to [`ME`], of this deal and of another.
    contents: [Vec<u8>; 2],
    replies: Vec<Reply>,
    signature: Signature<Secp256k1>,
    /// Against [`FAULTY`], and against an honest party.
    evidence: [ShareFault<Secp256k1>; 2],
}

static FIXTURE: LazyLock<Fixture> = LazyLock::new(Fixture::make);

#[allow(clippy::expect_used, clippy::indexing_slicing, reason = "the fixture is the same on every run")]
impl Fixture {
    fn make() -> Self {
        let keys: Vec<Keys> = (0..=PARTIES).map(keys).collect();
        let sections = keys.iter().zip(0..).map(|(keys, i)| {
            let role = if i < PARTIES { Role::Party { address: "127.0.0.1:1" } } else { Role::Requester };
            keys.section(role).expect("valid keys")
        });
        let text = format!("name = \"fuzz\"\nfaulty = 1\n{}", sections.collect::<String>());
        let group = Group::parse(&text).expect("a group");
        let mut texts: Vec<_> =
            keys.iter().map(|keys| keys.text().expect("valid keys").to_string()).collect();
        texts.extend([text, format!("threshold-signing-dealer 1\nsecret {}\nlast-epoch 7\n", hex(&[9; 32]))]);

        let mut rng = StdRng::seed_from_u64(9);
        let mut deal = || {
            let dealer = TrustedDealer::<Secp256k1>::new(group.committee.id(), group.tolerance, &mut rng);
            let plan = Plan::Unagreed { count: COUNT };
            dealer.expect("a key").deal(1, plan, &mut rng).expect("presignatures")
        };
        let (mut all_presignatures, others) = (deal(), deal());
        let dealt = seal(&group, &all_presignatures, &mut rng).expect("sealed files");
        let content = |all_presignatures: &[Presignatures<_>]| {
            all_presignatures[usize::from(ME)].to_bytes().expect("a file").to_vec()
        };
        let contents = [content(&all_presignatures), content(&others)];

        let tag = dealt.public.tag(0).expect("a tag");
        let signing = dealt.public.signing(0, MESSAGE).expect("a presignature");
        let (mut combiner, mut cache) = (Combiner::new(signing.clone()), lagrange::Cache::default());
        let (mut replies, mut evidence) = (Vec::new(), Vec::new());
        for (presignatures, i) in all_presignatures.iter_mut().zip(0..) {
            let mut guard = Guard::<Ed25519>::new(identity_key(i), group.committee.chain());
            let signed =
                presignatures.take(tag).expect("a presignature").sign(&mut guard, MESSAGE).expect("a share");
            let opening = signed.opener.open().expect("an opening");
            let mut bytes = signed.share.encode();
            if MemberIndex::from(i) == FAULTY {
                bytes[LAST_OF_S] ^= 1;
            }
            let mut share = Decode::decode(&bytes, &()).unwrap_or(signed.share);
            let attestation = Ed25519::sign(&identity_key(i), &share.attested_bytes()).encode();
            share.attest(attestation).expect("a short attestation");
            evidence.push(signing.evidence(&share, Some(&opening)));
            let _ = combiner.add(&mut cache, share.member(), share.clone()).expect("a share");
            replies.extend([Reply::Share(share), Reply::Opening(Box::new(opening))]);
        }
        let signature = *combiner.signature().expect("a signature");
        let evidence = [evidence.swap_remove(usize::from(FAULTY)), evidence.swap_remove(0)];
        Self { texts, group, dealt, contents, replies, signature, evidence }
    }
}

#[allow(clippy::expect_used, reason = "the fixture is the same on every run")]
fn identity_key(i: u8) -> SecretKey {
    Ed25519::secret_from_bytes(&[i + 1; 32]).expect("32 bytes")
}

/// Keys of a party, or, for a number past the parties, of a requester.
#[allow(clippy::expect_used, reason = "the fixture is the same on every run")]
fn keys(i: u8) -> Keys {
    let public = hex(&Ed25519::public_key(&identity_key(i)).encode());
    let sealing = if i < PARTIES { format!("sealing {}\n", hex(&[i + 101; 32])) } else { String::new() };
    let identity = hex(&[i + 1; 32]);
    let text = format!(
        "threshold-signing-keys 1\nname p{i}\nidentity {identity}\n{sealing}identity-public {public}\n"
    );
    Keys::parse(&text).expect("a key file")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Frames, requests, replies, and signatures in OpenSSL's format: each has one encoding and stays below its limit, and no
/// forged signature is valid.
pub(crate) fn wire(bytes: &[u8]) {
    frames(bytes);
    if identity::<Request, ()>(bytes, &()).is_some() {
        assert!(bytes.len() <= MAX_REQUEST, "a request above the size of a frame");
    }
    if identity::<Reply, ()>(bytes, &()).is_some() {
        assert!(bytes.len() <= MAX_REPLY, "a reply above the size of a frame");
    }
    if let Ok(signature) = der::signature(bytes) {
        assert_eq!(signature.to_der(), bytes, "decoded, but encodes to other bytes");
        let public = &FIXTURE.dealt.public;
        let valid = public.tag(0).and_then(|tag| public.key.verify(tag, MESSAGE, &signature)).is_ok();
        assert_eq!(valid, signature == FIXTURE.signature, "a forgery is valid");
    }
}

/// Seeds of [`wire`].
pub(crate) fn wire_seeds() -> Vec<Vec<u8>> {
    let (deal, message) = (FIXTURE.dealt.public.deal.id(), MESSAGE.to_vec());
    let mut seeds: Vec<_> = [
        RequestKind::Status,
        RequestKind::Sign { index: 0, message: message.clone() },
        RequestKind::Open { index: COUNT, message },
    ]
    .map(|kind| Request { deal, kind }.encode())
    .into();
    seeds.extend(FIXTURE.replies.iter().take(2).map(Encode::encode));
    seeds.push(Reply::Status { next: 1, count: COUNT }.encode());
    seeds.push(Reply::Refused(Refusal { reason: RefusalReason::Contradiction, next: 1 }).encode());
    let framed: Vec<u8> = seeds.iter().flat_map(|seed| framed(seed)).collect();
    seeds.extend([framed, framed_length(MAX_REQUEST as u32 + 1), framed_length(0)]);
    seeds.push(FIXTURE.signature.to_der());
    seeds
}

thread_local! {
    #[allow(clippy::expect_used, reason = "without one nothing can be tested")]
    static RUNTIME: Runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
}

/// Checks that reading returns the contents of whole frames, and stops after the last.
fn frames(bytes: &[u8]) {
    let (mut unread, mut again) = (bytes, Vec::new());
    RUNTIME.with(|runtime| {
        runtime.block_on(async {
            while let Ok(Some(frame)) = read_frame(&mut unread, MAX_REQUEST, Duration::MAX).await {
                assert!(frame.len() <= MAX_REQUEST);
                assert!(write_frame(&mut again, &frame).await.is_ok());
            }
        });
    });
    let rest = bytes.strip_prefix(again.as_slice());
    assert!(rest.is_some(), "frames encode to other bytes");
    let next = rest.and_then(|rest| rest.split_first_chunk());
    if let Some((length, body)) = next {
        let length = u32::from_le_bytes(*length) as usize;
        assert!(length > MAX_REQUEST || length > body.len(), "a whole frame was not read");
    }
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&framed_length(body.len() as u32)[..], body].concat()
}

fn framed_length(length: u32) -> Vec<u8> {
    length.to_le_bytes().to_vec()
}

/// Deals, sealed shares and evidence: decoded values encode to the same bytes, a party accepts only its own part of its
/// deal, and no honest party can be accused.
pub(crate) fn files(bytes: &[u8]) {
    let public = &FIXTURE.dealt.public;
    if let Some(other) = identity::<PublicDeal, ()>(bytes, &()) {
        assert!(other.tag(other.count()).is_err() && other.signing(other.count(), MESSAGE).is_err());
        let _: Result<_, _> = other.signing(0, MESSAGE);
        assert!(
            other.require(&FIXTURE.group).is_err() || other.key.committee() == FIXTURE.group.committee.id()
        );
    }
    let key = keys(ME as u8);
    let Ok(key) = key.sealing() else { return };
    let sealed = FIXTURE.dealt.sealed.get(usize::from(ME)).is_some_and(|sealed| sealed == bytes);
    assert_eq!(public.open(key, ME, bytes).is_ok(), sealed, "a forged sealed file opens");
    if Presignatures::<Secp256k1>::from_bytes(bytes).is_ok() {
        // Any holder of the public key can seal a file: the contents decide.
        let sealed = key.public().seal(&context(&public.deal, ME), bytes, &mut StdRng::seed_from_u64(1));
        if let Ok(shares) = sealed.and_then(|sealed| public.open(key, ME, &sealed)) {
            assert_eq!((shares.member(), PublicDeal::from_shares(&shares).as_ref()), (ME, Ok(public)));
        } else {
            assert!(
                FIXTURE.contents.first().is_none_or(|content| content != bytes),
                "the party's own shares are refused"
            );
        }
    }
    if let Ok(fault) = evidence::decode(bytes) {
        assert_eq!(fault.encode(), bytes, "decoded, but encodes to other bytes");
        if let Ok(culprit) = evidence::check(&FIXTURE.group, public, &fault) {
            assert_eq!(culprit, FAULTY, "an honest party is blamed");
        }
    }
}

/// Seeds of [`files`].
pub(crate) fn files_seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![FIXTURE.dealt.public.encode()];
    seeds.extend(FIXTURE.dealt.sealed.iter().skip(ME.into()).take(2).cloned());
    seeds.extend(FIXTURE.contents.iter().cloned());
    seeds.extend(FIXTURE.evidence.iter().map(Encode::encode));
    seeds
}

/// Group files and key files: parsed files are written as they were read, and a group matches its numbers.
pub(crate) fn text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(group) = Group::parse(text) {
        let parties = group.parties.len();
        assert_eq!((parties, parties), (group.tolerance.parties().into(), group.committee.len().into()));
        assert_eq!(group.requesters.len(), group.requester_keys.as_ref().map_or(0, |keys| keys.len().into()));
        let names = |names: Vec<&String>| {
            assert!(names.iter().all(|name| check_name(name).is_ok()));
            names.len() == names.iter().collect::<BTreeSet<_>>().len()
        };
        assert!(names(group.parties.iter().map(|party| &party.name).collect()), "two parties with one name");
        assert!(names(group.requesters.iter().collect()), "two requesters with one name");
    }
    if let Ok(keys) = Keys::parse(text) {
        assert!(
            keys.text().is_ok_and(|again| is_same(text, &again)),
            "written keys differ from the parsed ones"
        );
    }
    if let Ok(file) = DealerKeyFile::parse(text) {
        assert!(is_same(text, &file.text()), "the written dealer's key differs from the parsed one");
    }
}

/// Compares texts without comments and without the case of hexadecimal digits.
fn is_same(one: &str, other: &str) -> bool {
    let is_hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = |text: &str| -> Vec<String> {
        let counts = |line: &&str| !line.is_empty() && !line.starts_with('#');
        let word = |word: &str| if is_hex(word) { word.to_ascii_lowercase() } else { word.to_owned() };
        text.lines()
            .filter(counts)
            .flat_map(|line| line.split(' ').map(word).chain([String::new()]))
            .collect()
    };
    words(one) == words(other)
}

/// Seeds of [`text`].
pub(crate) fn text_seeds() -> Vec<Vec<u8>> {
    FIXTURE.texts.iter().map(|text| text.clone().into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_accepted() {
        let wire = wire_seeds();
        assert_eq!(wire.iter().filter(|seed| Request::decode(seed, &()).is_ok()).count(), 3);
        assert_eq!(wire.iter().filter(|seed| Reply::decode(seed, &()).is_ok()).count(), 4);
        assert_eq!(wire.iter().filter(|seed| der::signature(seed).is_ok()).count(), 1);
        let [faulty, honest] = &FIXTURE.evidence;
        assert_eq!(evidence::check(&FIXTURE.group, &FIXTURE.dealt.public, faulty), Ok(FAULTY));
        assert!(evidence::check(&FIXTURE.group, &FIXTURE.dealt.public, honest).is_err());
        let texts = text_seeds();
        let count = |reads: fn(&str) -> bool| {
            texts.iter().filter(|text| reads(std::str::from_utf8(text).unwrap())).count()
        };
        assert_eq!(count(|text| Keys::parse(text).is_ok()), usize::from(PARTIES) + 1);
        assert_eq!(
            (count(|text| Group::parse(text).is_ok()), count(|text| DealerKeyFile::parse(text).is_ok())),
            (1, 1)
        );
    }
}

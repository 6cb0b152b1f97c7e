//! Inputs for all contenders: certificates of a hundred members, a sync committee's aggregate, and DSig signatures. They
//! are the same in every run, so the keys are not secret.

use std::sync::Arc;

use quorate::Result;
use quorate::bls::{self, MinPk, MinSig};
use quorate::certificate::Certificate;
use quorate::committee::{ChainId, Committee, Repeats, SignerSet};
use quorate::dsig::{Signer, SignerConfig, WotsBlake3};
use quorate::ed25519::{Ed25519, PublicKey};
use quorate::machine::Time;
use quorate::scheme::{Scheme, VerifiedKey};
use quorate::wire::{Encode, Reader, Writer};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Map, Value, json};

use crate::members::Members;

/// Number of members of the committee whose certificates are verified.
pub(super) const MEMBERS: usize = 100;
/// Members of a sync committee.
pub(super) const SYNC_MEMBERS: usize = 512;
/// One member in this number did not sign: eleven of 512, about the share on Ethereum's main net.
const ABSENT_EVERY: usize = 47;
/// The root that the sync committee signs.
const MESSAGE: [u8; 32] = [7; 32];

/// All inputs, for contenders in this process.
pub(super) struct World {
    pub(super) min_sig: Quorum<MinSig>,
    pub(super) min_pk: Quorum<MinPk>,
    pub(super) ed25519: Quorum<Ed25519>,
    small: Quorum<Ed25519>,
    pub(super) sync: Sync,
    pub(super) dsig: Signed,
}

impl World {
    pub(super) fn new() -> Result<Self> {
        Ok(Self {
            min_sig: Quorum::new(MEMBERS)?,
            min_pk: Quorum::new(MEMBERS)?,
            ed25519: Quorum::new(MEMBERS)?,
            small: Quorum::new(4)?,
            sync: Sync::new()?,
            dsig: Signed::new()?,
        })
    }

    /// All inputs as JSON, for contenders in other languages.
    pub(super) fn to_json(&self) -> Result<Value> {
        let certificates: Map<String, Value> = [
            ("min-sig".to_owned(), self.min_sig.to_json()?),
            ("min-pk".to_owned(), self.min_pk.to_json()?),
            ("ed25519".to_owned(), self.ed25519.to_json()?),
            ("small".to_owned(), self.small.to_json()?),
        ]
        .into_iter()
        .collect();
        Ok(json!({ "certificates": certificates, "sync": self.sync.to_json(), "dsig": self.dsig.to_json() }))
    }
}

/// A committee and a certificate of exactly a quorum.
pub(super) struct Quorum<S: Scheme> {
    pub(super) committee: Arc<Committee<S>>,
    pub(super) certificate: Certificate<S>,
    /// A forgery: the same statement and signers with the proof of another statement.
    pub(super) forged: Vec<u8>,
}

impl<S: Scheme> Quorum<S> {
    fn new(members: usize) -> Result<Self> {
        let members = Members::<S>::equal(members)?;
        let certificate = members.certificate(members.quorum(), 0)?;
        let mut other = Writer::new();
        members.certificate(members.quorum(), 1)?.encode_detached(&mut other);
        let statement = *certificate.statement();
        let detached = other.into_bytes();
        let forged =
            Certificate::decode_detached(&mut Reader::new(&detached), statement, &members.committee)?
                .encode();
        Ok(Self { committee: members.committee, certificate, forged })
    }

    fn to_json(&self) -> Result<Value> {
        let keys: Vec<String> = self.committee.keys().iter().map(|key| hex(&key.encode())).collect();
        Ok(json!({
            "keys": keys,
            "certificate": hex(&self.certificate.encode()),
            "forged": hex(&self.forged),
        }))
    }
}

/// A sync committee of Ethereum: 512 keys, nearly all of which signed one root.
pub(super) struct Sync {
    secrets: Vec<<MinPk as Scheme>::SecretKey>,
    pub(super) encoded_keys: Vec<Vec<u8>>,
    pub(super) committee: Committee<MinPk>,
    /// Keys of the signers.
    pub(super) signed: Vec<VerifiedKey<MinPk>>,
    pub(super) signers: SignerSet,
    pub(super) signature: <MinPk as Scheme>::Signature,
    /// Their signature on another message.
    pub(super) forged: <MinPk as Scheme>::Signature,
}

impl Sync {
    fn new() -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(512);
        let secrets = (0..SYNC_MEMBERS).map(|_| MinPk::generate(&mut rng)).collect::<Result<Vec<_>>>()?;
        let keys: Vec<_> = secrets.iter().map(VerifiedKey::<MinPk>::from_secret).collect();
        let encoded_keys: Vec<_> = keys.iter().map(|key| key.public().encode()).collect();
        let committee = attested(keys.iter().map(|key| key.public().clone()).collect())?;
        let mut signers = SignerSet::new(committee.len());
        for member in (0..committee.len()).filter(|member| is_present(usize::from(*member))) {
            signers.insert(member);
        }
        let all = |message: &[u8]| {
            let signatures: Vec<_> = present(&secrets).map(|secret| MinPk::sign(secret, message)).collect();
            bls::aggregate::<MinPk>(&signatures)
        };
        let (signature, forged) = (all(&MESSAGE)?, all(b"something else")?);
        let signed = present(&keys).cloned().collect();
        Ok(Self { encoded_keys, committee, signed, signers, signature, forged, secrets })
    }

    pub(super) fn message(&self) -> &'static [u8] {
        &MESSAGE
    }

    fn to_json(&self) -> Value {
        let secrets: Vec<String> =
            self.secrets.iter().map(|secret| hex(MinPk::secret_to_bytes(secret).as_ref())).collect();
        json!({
            "keys": self.encoded_keys.iter().map(|key| hex(key)).collect::<Vec<_>>(),
            "secrets": secrets,
            "signers": self.signers.iter().collect::<Vec<_>>(),
            "message": hex(&MESSAGE),
            "signature": hex(&self.signature.encode()),
            "forged": hex(&self.forged.encode()),
        })
    }
}

/// A batch of one-time keys of the default suite, and their signatures of one message of the paper's length.
pub(super) struct Signed {
    pub(super) signer: PublicKey,
    pub(super) announcement: Vec<u8>,
    pub(super) signatures: Vec<Vec<u8>>,
}

impl Signed {
    /// Time at which the batch was made.
    pub(super) const NOW: Time = Time(1);
    pub(super) const MESSAGE: [u8; 8] = [7; 8];
    /// A message that none of them signed.
    pub(super) const OTHER: [u8; 8] = [8; 8];

    fn new() -> Result<Self> {
        let mut rng = StdRng::seed_from_u64(7);
        let config = SignerConfig { low_water: 1, ..SignerConfig::default() };
        let identity = Ed25519::generate(&mut rng)?;
        let mut signer = Signer::<WotsBlake3>::new(identity, Vec::new(), config, &mut rng)?;
        let made = signer.prepare(&mut rng, Self::NOW)?;
        let announcement = made.map(|made| made.announcement.encode()).unwrap_or_default();
        let sign = |_| Ok(signer.sign(&Self::MESSAGE, &[], Self::NOW)?.encode());
        let signatures = (0..128).map(sign).collect::<Result<_>>()?;
        Ok(Self { signer: signer.public_key().clone(), announcement, signatures })
    }

    fn to_json(&self) -> Value {
        json!({
            "signer": hex(&self.signer.encode()),
            "announcement": hex(&self.announcement),
            "signatures": self.signatures.iter().map(|one| hex(one)).collect::<Vec<_>>(),
            "now": Self::NOW.0,
            "message": hex(&Self::MESSAGE),
            "other": hex(&Self::OTHER),
        })
    }
}

fn present<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().enumerate().filter(|(member, _)| is_present(*member)).map(|(_, one)| one)
}

fn is_present(member: usize) -> bool {
    member % ABSENT_EVERY != 1
}

/// A sync committee of these keys.
pub(super) fn attested(keys: Vec<<MinPk as Scheme>::PublicKey>) -> Result<Committee<MinPk>> {
    let members = keys.into_iter().map(|key| (key, 1)).collect();
    Committee::from_attested(ChainId::from_name("bench"), 1, members, Repeats::Allow)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

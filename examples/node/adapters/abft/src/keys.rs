//! The keys of a chain: what a dealer makes, what the genesis publishes, and what each member keeps.

use std::sync::Arc;

use getrandom::SysRng;
use quorate::bls::MinSig;
use quorate::committee::CommitteeId;
use quorate::ed25519::Ed25519;
use quorate::erasure::{Coding, ErasureSuite, Shape};
use quorate::scheme::Scheme;
use quorate::threshold::bls::{self, GroupKey};
use quorate::threshold::seal::SealingKey;
use quorate::threshold::tdh2::{self, EncryptionKey};
use quorate::threshold::{Agreement, Threshold, Tolerance, coin};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};
use quorate_abft::epoch::Encryption;
use quorate_abft::signatures::{
    Ed25519List, ListKey, ListKeyShare, Presigned, PresignedKeyShare, ThresholdScheme,
};
use quorate_abft::{Secrets, Setup};
use quorate_node::genesis::Genesis;
use quorate_node::protocol::{DealOptions, Dealt};
use quorate_protocol::batch::MAX_BATCH_BYTES;
use zeroize::Zeroizing;

use crate::member::Member;
use crate::presignatures::{self, PresigningKeys};

/// Maximum length of a proposal: that of a batch, and what its encryption adds.
const MAX_PROPOSAL: usize = MAX_BATCH_BYTES + 4 + tdh2::Header::LEN + 4 + tdh2::OVERHEAD;

/// A signature scheme of votes, with the threshold signatures that go with it inside the epochs.
pub trait ChainScheme: Scheme {
    /// The threshold signatures.
    type Threshold: ThresholdScheme<
            GroupKey: Send + Sync,
            KeyShare: Send + Sync,
            Share: Send + Sync,
            Opening: Send + Sync,
            Signature: Send + Sync,
        >;
    /// What the genesis publishes of the threshold keys; encoded.
    type Published;

    /// Deals the threshold keys. All parts are empty if they need no dealer.
    ///
    /// # Errors
    /// [`Error::Rng`]; [`Error::WrongContext`] if the scheme has no presignatures.
    fn deal(committee: CommitteeId, tolerance: Tolerance, presigns: bool) -> Result<Dealt>;

    /// Decodes the public part.
    ///
    /// # Errors
    /// Decoding errors.
    fn read_published(r: &mut Reader<'_>, tolerance: Tolerance) -> Result<Self::Published>;

    /// The keys of presignatures, if the members sign with them.
    fn presigning(_published: &Self::Published) -> Option<&PresigningKeys> {
        None
    }

    /// A member's threshold keys, for agreed and for unagreed statements.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the secrets do not match the public part; decoding errors.
    fn key_shares(
        member: &mut Member<'_>,
        published: &Self::Published,
        secrets: &mut Reader<'_>,
    ) -> Result<[KeyShare<Self>; 2]>;
}

/// A member's threshold key.
pub type KeyShare<S> = <<S as ChainScheme>::Threshold as ThresholdScheme>::KeyShare;

/// The keys of a member.
pub(crate) struct MemberKeys<S: ThresholdScheme> {
    pub(crate) setup: Setup<S>,
    pub(crate) secrets: Secrets<S>,
    pub(crate) encryption: Option<Encryption>,
}

/// The committee for which the keys of a genesis are dealt.
pub(crate) fn dealt_committee(genesis: &Genesis) -> CommitteeId {
    CommitteeId(genesis.undealt().chain_id().0)
}

/// The tolerance of a genesis: f = ⌊(N − 1)/3⌋.
pub(crate) fn tolerance(genesis: &Genesis) -> Result<Tolerance> {
    let too_many = Error::BadCommittee { rule: "at most 1,024 members" };
    let members = u16::try_from(genesis.members.len()).map_err(|_| too_many)?;
    Tolerance::new(members, members.saturating_sub(1) / 3)
}

/// Deals the keys of a genesis. The public part: whether there is encryption u8 ‖ keys of the coin ‖ with encryption, key
/// and verification keys of TDH2 ‖ for BLS, the keys for agreed and for unagreed statements. The secrets of a member: share of
/// the coin 99 ‖ with encryption, share of TDH2 99 ‖ for BLS, both shares with their lengths. With presignatures, their
/// [keys](crate::presignatures) follow.
pub(crate) fn deal<S: ChainScheme>(genesis: &Genesis, options: DealOptions) -> Result<Dealt> {
    let DealOptions { encrypts, presigns } = options;
    let (committee, tolerance) = (dealt_committee(genesis), tolerance(genesis)?);
    let threshold = Threshold::new(tolerance.faulty() + 1, tolerance.parties())?;
    let mut public = Writer::new();
    public.u8(encrypts.into());
    let (keys, coins) = coin::PublicKeys::deal(committee, threshold, &mut SysRng)?;
    keys.encode_to(&mut public);
    let mut shares: Vec<Zeroizing<Vec<u8>>> =
        coins.iter().map(|share| Zeroizing::new(share.to_bytes().to_vec())).collect();
    if encrypts {
        let (keys, decryption) = tdh2::PublicKeys::deal(committee, threshold, &mut SysRng)?;
        EncryptionKey::from_public_keys(&keys).encode_to(&mut public);
        keys.encode_to(&mut public);
        extend(&mut shares, decryption.iter().map(|share| Zeroizing::new(share.to_bytes().to_vec())));
    }
    let threshold = S::deal(committee, tolerance, presigns)?;
    public.raw(&threshold.public);
    extend(&mut shares, threshold.shares.into_iter());
    Ok(Dealt { public: public.into_bytes(), shares, dealer: threshold.dealer })
}

/// Appends to the secrets of each member. The buffers have their final size, so that no copies are left.
pub(crate) fn extend(shares: &mut [Zeroizing<Vec<u8>>], more: impl Iterator<Item = Zeroizing<Vec<u8>>>) {
    for (share, more) in shares.iter_mut().zip(more) {
        let mut whole = Zeroizing::new(Vec::with_capacity(share.len() + more.len()));
        whole.extend_from_slice(share);
        whole.extend_from_slice(&more);
        *share = whole;
    }
}

/// The public part of dealt keys.
pub(crate) struct Published<S: ChainScheme> {
    coin: coin::PublicKeys,
    encryption: Option<(EncryptionKey, tdh2::PublicKeys)>,
    threshold: S::Published,
}

impl<S: ChainScheme> Published<S> {
    /// Decodes the public part and checks that it belongs to the genesis.
    pub(crate) fn decode(dealt: &[u8], genesis: &Genesis) -> Result<Self> {
        let (committee, tolerance) = (dealt_committee(genesis), tolerance(genesis)?);
        let mut r = Reader::new(dealt);
        let encrypts = match r.u8()? {
            0 => false,
            1 => true,
            _ => return Err(Error::Malformed { what: "flag of encryption" }),
        };
        let coin = coin::PublicKeys::decode_from(&mut r, &())?;
        let mut encryption = None;
        if encrypts {
            let key = EncryptionKey::decode_from(&mut r, &())?;
            encryption = Some((key, tdh2::PublicKeys::decode_from(&mut r, &())?));
        }
        let threshold = S::read_published(&mut r, tolerance)?;
        r.finish()?;
        let shared = Threshold::new(tolerance.faulty() + 1, tolerance.parties())?;
        let fits = coin.committee() == committee
            && coin.threshold() == shared
            && encryption.as_ref().is_none_or(|(key, keys)| {
                key.committee() == committee
                    && keys.committee() == committee
                    && keys.threshold() == shared
                    && *key.key() == *keys.key()
            })
            && S::presigning(&threshold).is_none_or(|keys| keys.fits(committee, tolerance));
        if !fits {
            return Err(Error::WrongContext { what: "dealt keys of another genesis" });
        }
        Ok(Self { coin, encryption, threshold })
    }

    /// Returns the keys of presignatures, if the members sign with them.
    pub(crate) fn presigning(&self) -> Option<&PresigningKeys> {
        S::presigning(&self.threshold)
    }

    /// Puts a member's keys together.
    pub(crate) fn member(self, mut member: Member<'_>, shares: &[u8]) -> Result<MemberKeys<S::Threshold>> {
        let mut r = Reader::new(shares);
        let coin_share = coin::KeyShare::from_bytes(r.raw(99)?)?;
        coin_share.check(&self.coin)?;
        let mut encryption = None;
        if let Some((key, public)) = self.encryption {
            let share = tdh2::KeyShare::from_bytes(r.raw(99)?)?;
            share.check(&public)?;
            let (key, public) = (Arc::new(key.precomputed()), Arc::new(public.precomputed()));
            encryption = Some(Encryption { key, public, share: Arc::new(share) });
        }
        let [agreed, unagreed] = S::key_shares(&mut member, &self.threshold, &mut r)?;
        r.finish()?;
        let is_own = coin_share.member() == member.index
            && encryption.as_ref().is_none_or(|encryption| encryption.share.member() == member.index)
            && [&agreed, &unagreed].iter().all(|share| S::Threshold::member(share) == member.index);
        if !is_own {
            return Err(Error::WrongContext { what: "shares of another member" });
        }
        let shape = Shape::for_committee(member.tolerance.parties(), member.tolerance.faulty())?;
        let setup = Setup {
            committee: member.committee,
            tolerance: member.tolerance,
            coding: Coding::new(ErasureSuite::recommended(shape), shape, MAX_PROPOSAL)?,
            agreed: S::Threshold::group_key(&agreed),
            unagreed: S::Threshold::group_key(&unagreed),
            coin: Arc::new(self.coin.precomputed()),
        };
        Ok(MemberKeys { setup, secrets: Secrets { agreed, unagreed, coin: coin_share }, encryption })
    }
}

/// Chains with Ed25519 votes: lists of signatures with the identity keys, which need no dealer.
impl ChainScheme for Ed25519 {
    type Threshold = Ed25519List;
    type Published = ();

    fn deal(_: CommitteeId, _: Tolerance, presigns: bool) -> Result<Dealt> {
        if presigns {
            return Err(Error::WrongContext { what: "scheme: presignatures need scheme = \"bls\"" });
        }
        Ok(Dealt { public: Vec::new(), shares: Vec::new(), dealer: Zeroizing::default() })
    }

    fn read_published(_: &mut Reader<'_>, _: Tolerance) -> Result<()> {
        Ok(())
    }

    fn key_shares(member: &mut Member<'_>, (): &(), _: &mut Reader<'_>) -> Result<[ListKeyShare; 2]> {
        let share = |agreement| {
            let keys = member.identities.to_vec();
            let key = ListKey::new(member.committee, member.tolerance, agreement, keys)?;
            let secret = Ed25519::secret_from_bytes(&*Ed25519::secret_to_bytes(member.identity))?;
            ListKeyShare::new(Arc::new(key), member.index, secret)
        };
        Ok([share(Agreement::Agreed)?, share(Agreement::Unagreed)?])
    }
}

/// The published keys of a chain with BLS votes.
pub struct PublishedBls {
    /// The BLS keys for agreed and for unagreed statements.
    keys: [GroupKey<MinSig>; 2],
    presigning: Option<PresigningKeys>,
}

/// Chains with BLS votes: BLS threshold signatures, and ECDSA with presignatures where the dealer deals them.
impl ChainScheme for MinSig {
    type Threshold = Presigned;
    type Published = PublishedBls;

    fn deal(committee: CommitteeId, tolerance: Tolerance, presigns: bool) -> Result<Dealt> {
        let agreed = bls::deal::<MinSig, _>(committee, tolerance, Agreement::Agreed, &mut SysRng)?;
        let unagreed = bls::deal::<MinSig, _>(committee, tolerance, Agreement::Unagreed, &mut SysRng)?;
        let mut public = Writer::new();
        for shares in [&agreed, &unagreed] {
            shares.iter().take(1).for_each(|share| share.key().encode_to(&mut public));
        }
        let secret = |(agreed, unagreed): (&bls::KeyShare<MinSig>, &bls::KeyShare<MinSig>)| {
            let parts = [agreed.to_bytes(), unagreed.to_bytes()];
            let mut bytes =
                Zeroizing::new(Vec::with_capacity(8 + parts.iter().map(|part| part.len()).sum::<usize>()));
            for part in parts {
                bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
                bytes.extend_from_slice(&part);
            }
            bytes
        };
        let mut shares: Vec<Zeroizing<Vec<u8>>> = agreed.iter().zip(&unagreed).map(secret).collect();
        public.u8(presigns.into());
        let mut dealer = Zeroizing::default();
        if presigns {
            let dealt = presignatures::deal_keys(committee, tolerance)?;
            public.raw(&dealt.public);
            extend(&mut shares, dealt.shares.into_iter());
            dealer = dealt.dealer;
        }
        Ok(Dealt { public: public.into_bytes(), shares, dealer })
    }

    fn read_published(r: &mut Reader<'_>, tolerance: Tolerance) -> Result<PublishedBls> {
        let keys = [GroupKey::decode_from(r, &())?, GroupKey::decode_from(r, &())?];
        let presigning = match r.u8()? {
            0 => None,
            1 => Some(PresigningKeys::read(r, tolerance)?),
            _ => return Err(Error::Malformed { what: "flag of presignatures" }),
        };
        Ok(PublishedBls { keys, presigning })
    }

    fn presigning(published: &PublishedBls) -> Option<&PresigningKeys> {
        published.presigning.as_ref()
    }

    fn key_shares(
        member: &mut Member<'_>,
        published: &PublishedBls,
        secrets: &mut Reader<'_>,
    ) -> Result<[PresignedKeyShare; 2]> {
        let [agreed, unagreed] = &published.keys;
        let mut share = |key: &GroupKey<MinSig>| {
            let share = bls::KeyShare::from_bytes(secrets.bytes("threshold key share", 1 << 20)?)?;
            let fits = share.key().id() == key.id()
                && key.committee() == member.committee
                && key.tolerance() == member.tolerance;
            if fits { Ok(share) } else { Err(Error::WrongContext { what: "dealt keys of another genesis" }) }
        };
        let (agreed, unagreed) = (share(agreed)?, share(unagreed)?);
        let presigner = match &published.presigning {
            None => None,
            Some(keys) => Some(keys.presigner(member, &SealingKey::from_bytes(&secrets.array()?)?)?),
        };
        Ok([PresignedKeyShare::new(agreed, presigner.clone())?, PresignedKeyShare::new(unagreed, presigner)?])
    }
}

#[cfg(test)]
mod tests {
    use quorate_node::genesis::{Hex, Member as GenesisMember, SchemeName};
    use quorate_node::keys::NodeKeys;

    use super::*;

    fn genesis(scheme: SchemeName) -> (Genesis, Vec<NodeKeys>) {
        let keys: Vec<NodeKeys> = (0..4).map(|_| NodeKeys::generate(scheme).unwrap()).collect();
        let member = |(n, keys): (usize, &NodeKeys)| GenesisMember {
            name: format!("node{n}"),
            address: format!("127.0.0.1:{}", 7000 + n),
            weight: 1,
            keys: keys.public().unwrap(),
        };
        let members = keys.iter().enumerate().map(member).collect();
        let genesis = Genesis::new("keys", scheme, members);
        (genesis.with_protocol("abft".parse().unwrap(), None), keys)
    }

    fn dealt_keys_serve_their_members<S: ChainScheme>(scheme: SchemeName, presigns: bool) {
        let (mut genesis, keys) = genesis(scheme);
        let options = DealOptions { encrypts: true, presigns };
        let Dealt { public, shares, dealer } = deal::<S>(&genesis, options).unwrap();
        assert_eq!(dealer.is_empty(), !presigns);
        genesis.dealt = Some(Hex(public.clone()));
        let identities: Vec<_> =
            keys.iter().map(|keys| Ed25519::public_key(&keys.identity().unwrap())).collect();
        let put_together = |index: usize, shares: &[u8]| {
            let identity = keys[index].identity().unwrap();
            let member = Member {
                committee: dealt_committee(&genesis),
                tolerance: tolerance(&genesis).unwrap(),
                identities: &identities,
                index: index as u16,
                identity: &identity,
                chain: genesis.chain_id(),
                presignatures: None,
            };
            Published::<S>::decode(&public, &genesis)?.member(member, shares).map(drop)
        };
        for (index, shares) in shares.iter().enumerate() {
            put_together(index, shares).unwrap();
            let code = |shares: &[u8]| put_together(index, shares).unwrap_err().code();
            assert!(["TRUNCATED", "MALFORMED"].contains(&code(&shares[..shares.len() - 1])));
            assert_eq!(code(&[&shares[..], &[0]].concat()), "MALFORMED");
        }
        assert_eq!(put_together(1, &shares[2]).unwrap_err().code(), "WRONG_CONTEXT");
        // The keys name the chain for which they were dealt.
        let other = Genesis { chain: "other".into(), ..genesis.clone() };
        assert_eq!(Published::<S>::decode(&public, &other).err().map(|e| e.code()), Some("WRONG_CONTEXT"));
        for cut in [0, 1, 40, public.len() - 1] {
            assert!(Published::<S>::decode(&public[..cut], &genesis).is_err());
        }
    }

    #[test]
    fn keys_of_chains_with_bls() {
        dealt_keys_serve_their_members::<MinSig>(SchemeName::Bls, false);
        dealt_keys_serve_their_members::<MinSig>(SchemeName::Bls, true);
    }

    #[test]
    fn keys_of_chains_with_ed25519() {
        dealt_keys_serve_their_members::<Ed25519>(SchemeName::Ed25519, false);
        let options = DealOptions { encrypts: true, presigns: true };
        let refused = deal::<Ed25519>(&genesis(SchemeName::Ed25519).0, options).map(drop);
        assert_eq!(refused.unwrap_err().code(), "WRONG_CONTEXT");
    }
}

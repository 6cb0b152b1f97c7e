use alloc::sync::Arc;
use core::fmt;

use super::key::{GroupKey, Signature};
use super::shares::{Opening, ShareFault, SignatureShare};
use super::tag::Tag;
use crate::any::threshold::cache::{Cache, part};
use crate::any::threshold::group::{each_class, each_group, per_class};
use crate::any::threshold::outcome::Outcome;
use crate::machine::MemberIndex;
use crate::threshold::combiner::{self, Counts};
use crate::threshold::ecdsa::{self, Curve, Deal};
use crate::{Error, Result};

type SigningOf<G, C> = ecdsa::Signing<G, C>;
type CombinerOf<G, C> = combiner::Combiner<ecdsa::Signing<G, C>>;

per_class! {
    /// A message under a tag, see [`ecdsa::Signing`].
    #[derive(Clone)]
    Signing, SigningOf
}

per_class! {
    /// Combines shares to a signature, see [`combiner`].
    Combiner, CombinerOf
}

impl Signing {
    /// Creates an instance without a party's file; parties call
    /// [`Presignatures::signing`](super::Presignatures::signing). `nonce` is what [`nonce`](Signing::nonce) returns
    /// to them; with a wrong one every combination fails.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a nonce of another length, [`Error::WrongContext`] if key, deal and tag do not match.
    pub fn new(key: &GroupKey, deal: Arc<Deal>, nonce: &[u8], tag: Tag, message: &[u8]) -> Result<Self> {
        each_group!(key, GroupKey, G, key => {
            let nonce = <G as Curve>::Nonce::try_from(nonce);
            let nonce = nonce.map_err(|_| Error::Malformed { what: "nonce of a presignature" })?;
            match tag {
                Tag::Agreed(tag) => SigningOf::new(key.clone(), deal, nonce, tag, message).map(Self::from),
                Tag::Unagreed(tag) => SigningOf::new(key.clone(), deal, nonce, tag, message).map(Self::from),
            }
        })
    }

    /// Returns the message.
    pub fn message(&self) -> &[u8] {
        each_class!(self, Signing, signing => signing.message())
    }

    /// Returns the encoded R.
    pub fn nonce(&self) -> &[u8] {
        each_class!(self, Signing, signing => signing.nonce().as_ref())
    }

    /// Returns the tag.
    pub fn tag(&self) -> Tag {
        each_class!(self, Signing, signing => signing.tag().into())
    }
}

impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_class!(self, Signing, signing => signing.fmt(f))
    }
}

impl Combiner {
    /// Creates a combiner without shares.
    pub fn new(signing: Signing) -> Self {
        each_class!(signing, Signing, signing => CombinerOf::new(signing).into())
    }

    /// Adds a share received over a link that authenticates `from`.
    ///
    /// # Errors
    /// As [`combiner::Combiner::add`], and [`Error::WrongContext`] for a share of another group.
    pub fn add(
        &mut self,
        cache: &mut Cache,
        from: MemberIndex,
        share: SignatureShare,
    ) -> Result<Outcome<Signature, ShareFault>> {
        each_class!(self, Combiner, combiner => {
            combiner.add(part(cache), from, share.try_into()?).map(Outcome::from)
        })
    }

    /// Adds the opening of a share, from any source. It is ignored unless it was requested.
    ///
    /// # Errors
    /// As [`combiner::Combiner::open`], and [`Error::WrongContext`] for an opening of another group.
    pub fn open(
        &mut self,
        cache: &mut Cache,
        of: MemberIndex,
        opening: &Opening,
    ) -> Result<Outcome<Signature, ShareFault>> {
        each_class!(self, Combiner, combiner => {
            combiner.open(part(cache), of, opening.try_into()?).map(Outcome::from)
        })
    }

    /// Returns the instance.
    pub fn signing(&self) -> Signing {
        each_class!(self, Combiner, combiner => combiner.instance().clone().into())
    }

    /// Returns the signature, once available.
    pub fn signature(&self) -> Option<Signature> {
        each_class!(self, Combiner, combiner => combiner.signature().copied().map(Signature::from))
    }

    /// Returns the number of operations so far.
    pub fn counts(&self) -> Counts {
        each_class!(self, Combiner, combiner => combiner.counts())
    }
}

impl fmt::Debug for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each_class!(self, Combiner, combiner => combiner.fmt(f))
    }
}

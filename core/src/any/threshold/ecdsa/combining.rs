use alloc::sync::Arc;

use super::key::{GroupKey, Signature};
use super::shares::{Opening, ShareFault, SignatureShare};
use super::tag::Tag;
use crate::any::families::{each, methods, per};
use crate::any::threshold::cache::{Cache, part};
use crate::any::threshold::outcome::Outcome;
use crate::machine::MemberIndex;
use crate::threshold::combiner::{self, Counts};
use crate::threshold::ecdsa::{self, Curve, Deal};
use crate::threshold::{Agreement, Class};
use crate::{Error, Result};

type SigningOf<C, G> = ecdsa::Signing<G, C>;
type CombinerOf<C, G> = combiner::Combiner<ecdsa::Signing<G, C>>;

per! { class:
    /// A message under a tag, see [`ecdsa::Signing`].
    #[derive(Clone)]
    Signing, SigningOf
}

per! { class:
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
        each!(group: key, GroupKey, G, key => {
            let nonce = <G as Curve>::Nonce::try_from(nonce);
            let nonce = nonce.map_err(|_| Error::Malformed { what: "nonce of a presignature" })?;
            match tag {
                Tag::Agreed(tag) => SigningOf::new(key.clone(), deal, nonce, tag, message).map(Self::from),
                Tag::Unagreed(tag) => SigningOf::new(key.clone(), deal, nonce, tag, message).map(Self::from),
            }
        })
    }

    /// Returns the class of the tag.
    pub fn agreement(&self) -> Agreement {
        each!(class: self, Signing, C, _ => C::AGREEMENT)
    }
}

methods! { class: self, Signing, C, signing =>
    /// Returns the message.
    pub fn message(&self) -> &[u8] = signing.message();

    /// Returns the encoded R.
    pub fn nonce(&self) -> &[u8] = signing.nonce().as_ref();

    /// Returns the tag.
    pub fn tag(&self) -> Tag = signing.tag().into();
}

impl Combiner {
    /// Creates a combiner without shares.
    pub fn new(signing: Signing) -> Self {
        each!(class: signing, Signing, C, signing => CombinerOf::new(signing).into())
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
        each!(class: self, Combiner, C, combiner => {
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
        each!(class: self, Combiner, C, combiner => {
            combiner.open(part(cache), of, opening.try_into()?).map(Outcome::from)
        })
    }

    /// Returns the class of the tag.
    pub fn agreement(&self) -> Agreement {
        each!(class: self, Combiner, C, _ => C::AGREEMENT)
    }
}

methods! { class: self, Combiner, C, combiner =>
    /// Returns the instance.
    pub fn signing(&self) -> Signing = combiner.instance().clone().into();

    /// Returns the signature, once available.
    pub fn signature(&self) -> Option<Signature> = combiner.signature().copied().map(Signature::from);

    /// Returns the number of operations so far.
    pub fn counts(&self) -> Counts = combiner.counts();
}

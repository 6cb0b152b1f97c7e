use std::sync::Arc;

use quorate::Result;
use quorate::bls::MinSig;
use quorate::machine::MemberIndex;
use quorate::threshold::combiner::{Counts, Outcome};
use quorate::threshold::ecdsa::{Opening, ShareFault, Signing};
use quorate::threshold::{Agreed, Unagreed, bls};
use quorate::wire::Encode;

use super::group::PresignatureGroup;
use super::presigner::{AnySigning, Presigner};
use super::types::{Presigned, PresignedShare, PresignedSignature};
use crate::signatures::collector::collected;
use crate::signatures::{Collected, ShareCollector, Shares};

/// The shares of one statement, by their kind. The first kind with t right shares yields the signature.
#[derive(Debug)]
pub struct PresignedCollector {
    bls: Shares<bls::Signing<MinSig>>,
    ecdsa: EcdsaShares,
}

/// Shares made with presignatures.
#[derive(Debug)]
enum EcdsaShares {
    /// The statement has no presignature here: they are ignored.
    Ignored,
    Agreed(Shares<Signing<PresignatureGroup, Agreed>>),
    Unagreed(Shares<Signing<PresignatureGroup, Unagreed>>),
}

impl PresignedCollector {
    pub(super) fn new(
        key: &Arc<bls::GroupKey<MinSig>>,
        presigner: Option<&Presigner>,
        statement: &[u8],
    ) -> Self {
        let ecdsa = match presigner.and_then(|presigner| presigner.signing(statement)) {
            None => EcdsaShares::Ignored,
            Some(AnySigning::Agreed(signing)) => EcdsaShares::Agreed(Shares::new(signing)),
            Some(AnySigning::Unagreed(signing)) => EcdsaShares::Unagreed(Shares::new(signing)),
        };
        Self { bls: Shares::new(bls::Signing::new(key.clone(), statement)), ecdsa }
    }

    /// Returns the number of combinations and checks of shares made with presignatures.
    pub fn ecdsa_counts(&self) -> Counts {
        match &self.ecdsa {
            EcdsaShares::Ignored => Counts::default(),
            EcdsaShares::Agreed(shares) => shares.counts(),
            EcdsaShares::Unagreed(shares) => shares.counts(),
        }
    }
}

impl ShareCollector<Presigned> for PresignedCollector {
    fn add(&mut self, from: MemberIndex, share: PresignedShare) -> Result<Collected<Presigned>> {
        match (share, &mut self.ecdsa) {
            (PresignedShare::Bls(share), _) => {
                let outcome = self.bls.add(from, *share)?;
                Ok(collected(outcome, PresignedSignature::Bls, bls::ShareFault::encode))
            }
            (PresignedShare::Ecdsa(_), EcdsaShares::Ignored) => Ok(Collected::default()),
            // Decoding finds wrong shares of agreed statements: no opening is needed.
            (PresignedShare::Ecdsa(share), EcdsaShares::Agreed(shares)) => {
                from_outcome(shares.add(from, *share)?)
            }
            (PresignedShare::Ecdsa(share), EcdsaShares::Unagreed(shares)) => {
                from_outcome(shares.add(from, *share)?)
            }
        }
    }

    fn open(
        &mut self,
        from: MemberIndex,
        opening: &Opening<PresignatureGroup>,
    ) -> Result<Collected<Presigned>> {
        match &mut self.ecdsa {
            EcdsaShares::Unagreed(shares) => from_outcome(shares.open(from, opening)?),
            EcdsaShares::Ignored | EcdsaShares::Agreed(_) => Ok(Collected::default()),
        }
    }
}

fn from_outcome<I>(outcome: Outcome<I>) -> Result<Collected<Presigned>>
where
    I: quorate::threshold::combiner::Instance<
            Signature = quorate::threshold::ecdsa::Signature<PresignatureGroup>,
            Evidence = ShareFault<PresignatureGroup>,
        >,
{
    Ok(collected(outcome, PresignedSignature::Ecdsa, ShareFault::encode))
}

//! The deal of an epoch: a public file, the same for all, and a sealed file for each party.
//!
//! | bytes of the public file | field |
//! |---|---|
//! | 4, 2 | magic `qtsd`, version 1 |
//! | 70 | the group's key |
//! | 62 + 32 n | the deal: epoch, number of presignatures, a root for each party |
//! | 4 + 33 each | the nonces R, with their count |
//!
//! A sealed file contains a party's [`Presignatures`], sealed to its X25519 key with the deal and the party's index
//! as context. A party can open only its own file of this deal.

use std::path::Path;
use std::sync::Arc;

use quorate::machine::MemberIndex;
use quorate::threshold::ecdsa::{Deal, GroupKey, Plan, Presignatures, Signing, Slot, UnagreedTag};
use quorate::threshold::seal::{MAX_CONTENT, OVERHEAD, SealingKey};
use quorate::threshold::{Secp256k1, Unagreed};
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::failure::{Exit, Failure, OrFail};
use crate::files::read;
use crate::group::Group;

const MAGIC: [u8; 4] = *b"qtsd";
const VERSION: u16 = 1;
const NONCE: usize = 33;
/// Maximum size of a public file: 1,024 parties and 2¹⁷ presignatures.
const MAX_PUBLIC: u64 = 256 + 32 * 1_024 + NONCE as u64 * Plan::MAX_COUNT as u64;
/// Prefix of the sealing context.
const CONTEXT: &[u8] = b"quorate threshold-signing shares 1";

/// The public file. It suffices to combine shares, to verify signatures and to verify evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicDeal {
    /// The group's public key.
    pub key: Arc<GroupKey<Secp256k1>>,
    /// Epoch, number of presignatures and the root of each party.
    pub deal: Arc<Deal>,
    nonces: Vec<[u8; NONCE]>,
}

impl PublicDeal {
    /// Extracts the public part of a party's presignatures.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the plan is not [`Plan::Unagreed`].
    pub fn from_shares(shares: &Presignatures<Secp256k1>) -> Result<Self> {
        let (key, deal) = (shares.key().clone(), shares.deal().clone());
        let nonce = |index| shares.nonce(deal.plan().unagreed(deal.epoch(), index)?).copied();
        let nonces = (0..deal.plan().count()).map(nonce).collect::<Result<_>>()?;
        Ok(Self { key, deal, nonces })
    }

    /// Returns the number of presignatures of the epoch.
    pub fn count(&self) -> u32 {
        self.deal.plan().count()
    }

    /// Returns the number of shares that make a signature.
    pub fn needed(&self) -> usize {
        usize::from(self.key.tolerance().threshold::<Unagreed>().needed())
    }

    /// Returns the tag of a presignature.
    ///
    /// # Errors
    /// [`Error::Exhausted`] past the last one.
    pub fn tag(&self, index: u32) -> Result<UnagreedTag> {
        self.deal.plan().unagreed(self.deal.epoch(), index)
    }

    /// Returns the signing instance that combines the shares of a message.
    ///
    /// # Errors
    /// [`Error::Exhausted`] past the last presignature.
    pub fn signing(&self, index: u32, message: &[u8]) -> Result<Signing<Secp256k1, Unagreed>> {
        let tag = self.tag(index)?;
        let nonce = *self.nonces.get(index as usize).ok_or(Error::Exhausted)?;
        Signing::new(self.key.clone(), self.deal.clone(), nonce, tag, message)
    }

    /// Returns the 32-byte digest of a message that a presignature is spent on.
    pub fn digest(&self, index: u32, message: &[u8]) -> [u8; 32] {
        Slot { key: self.key.id(), epoch: self.deal.epoch(), index }.digest(message)
    }

    /// Reads a deal file.
    ///
    /// # Errors
    /// [`Failure::setup`].
    pub fn load(path: &Path) -> Result<Self, Failure> {
        let what = format!("deal file {}", path.display());
        Self::decode(&read(path, MAX_PUBLIC).or_fail(Exit::Setup, &what)?, &()).or_fail(Exit::Setup, what)
    }

    /// Checks that the deal belongs to the group.
    ///
    /// # Errors
    /// [`Failure::setup`].
    pub fn require(&self, group: &Group) -> Result<(), Failure> {
        if self.key.committee() != group.committee.id() || self.key.tolerance() != group.tolerance {
            return Err(Failure::setup(
                "the deal belongs to another group, or the group file was changed after it; use the two files that belong \
                 together",
            ));
        }
        Ok(())
    }

    /// Opens a party's sealed file and checks that it contains this party's part of this deal.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the file belongs to another party or another deal.
    pub fn open(&self, key: &SealingKey, me: MemberIndex, sealed: &[u8]) -> Result<Presignatures<Secp256k1>> {
        let shares = Presignatures::from_bytes(&key.open(&context(&self.deal, me), sealed)?)?;
        // Sealing does not authenticate the sender, so the content is checked.
        if shares.member() != me || Self::from_shares(&shares)? != *self {
            return Err(Error::WrongContext { what: "deal of the sealed shares" });
        }
        Ok(shares)
    }
}

impl Encode for PublicDeal {
    fn encode_to(&self, w: &mut Writer) {
        w.raw(&MAGIC);
        w.u16(VERSION);
        self.key.encode_to(w);
        self.deal.encode_to(w);
        w.count(self.nonces.len());
        self.nonces.iter().for_each(|nonce| w.raw(nonce));
    }
}

impl Decode for PublicDeal {
    fn decode_from(r: &mut Reader<'_>, _: &()) -> Result<Self> {
        if r.array()? != MAGIC || r.u16()? != VERSION {
            return Err(Error::Malformed { what: "magic and version of a deal file" });
        }
        let key = GroupKey::decode_from(r, &())?;
        let deal = Deal::decode_from(r, &())?;
        let parties = usize::from(key.tolerance().parties());
        if deal.key() != key.id() || deal.roots().len() != parties {
            return Err(Error::WrongContext { what: "key of the deal" });
        }
        let Plan::Unagreed { count } = deal.plan() else {
            return Err(Error::WrongContext { what: "plan of the deal" });
        };
        if r.count("nonces of a deal file", Plan::MAX_COUNT as usize)? != count as usize {
            return Err(Error::Malformed { what: "number of nonces of a deal file" });
        }
        let mut nonces = Vec::with_capacity((count as usize).min(r.remaining() / NONCE));
        for _ in 0..count {
            nonces.push(r.array()?);
        }
        Ok(Self { key: Arc::new(key), deal: Arc::new(deal), nonces })
    }
}

/// Returns the sealing context of a party's presignatures: they open for this party in this deal only.
pub fn context(deal: &Deal, member: MemberIndex) -> Vec<u8> {
    [CONTEXT, &deal.id(), &member.to_le_bytes()].concat()
}

/// Reads a party's sealed file.
///
/// # Errors
/// [`Failure::setup`].
pub fn read_sealed(path: &Path) -> Result<Vec<u8>, Failure> {
    read(path, (MAX_CONTENT + OVERHEAD) as u64).or_fail(Exit::Setup, format!("share file {}", path.display()))
}

#[cfg(test)]
mod tests {
    use getrandom::SysRng;
    use quorate::committee::CommitteeId;
    use quorate::threshold::Tolerance;
    use quorate::threshold::ecdsa::TrustedDealer;

    use super::*;

    fn deal_presignatures(plan: Plan) -> Vec<Presignatures<Secp256k1>> {
        let tolerance = Tolerance::new(4, 1).unwrap();
        let dealer = TrustedDealer::<Secp256k1>::new(CommitteeId([3; 32]), tolerance, &mut SysRng).unwrap();
        dealer.deal(1, plan, &mut SysRng).unwrap()
    }

    #[test]
    fn the_public_file_has_one_encoding_of_exact_length() {
        let public = PublicDeal::from_shares(&deal_presignatures(Plan::Unagreed { count: 3 })[0]).unwrap();
        let bytes = public.encode();
        assert_eq!(PublicDeal::decode(&bytes, &()), Ok(public.clone()));
        assert!((bytes.len() as u64) < MAX_PUBLIC);
        for cut in 0..bytes.len() {
            assert!(PublicDeal::decode(&bytes[..cut], &()).is_err(), "{cut}");
        }
        assert!(PublicDeal::decode(&[&bytes[..], &[0]].concat(), &()).is_err());
        // Every change of a byte makes the file invalid or changes the decoded value.
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(PublicDeal::decode(&other, &()).map_or(true, |other| other != public), "{at}");
        }
        assert!(PublicDeal::from_shares(&deal_presignatures(Plan::Agreed { count: 3 })[0]).is_err());
    }

    #[test]
    fn a_party_opens_only_its_own_part_of_this_deal() {
        let (presignatures, others) = (
            deal_presignatures(Plan::Unagreed { count: 2 }),
            deal_presignatures(Plan::Unagreed { count: 2 }),
        );
        let key = SealingKey::generate(&mut SysRng).unwrap();
        let public = PublicDeal::from_shares(&presignatures[0]).unwrap();
        let seal = |deal: &Deal, member, presignatures: &Presignatures<_>| {
            key.public()
                .seal(&context(deal, member), &presignatures.to_bytes().unwrap(), &mut SysRng)
                .unwrap()
        };
        let code = |sealed: &[u8]| public.open(&key, 1, sealed).map(drop).map_err(|e| e.code());
        assert_eq!(code(&seal(&public.deal, 1, &presignatures[1])), Ok(()));
        assert_eq!(code(&seal(&public.deal, 2, &presignatures[2])), Err("WRONG_CONTEXT"), "another's");
        assert_eq!(
            code(&seal(&public.deal, 1, &presignatures[2])),
            Err("WRONG_CONTEXT"),
            "another's, mislabelled"
        );
        assert_eq!(code(&seal(&public.deal, 1, &others[1])), Err("WRONG_CONTEXT"), "another deal");
        assert_eq!(code(b""), Err("MALFORMED"));
    }
}

use crate::scheme::sealed::Sealed;
use crate::threshold::dleq;

/// The purpose of threshold encryption keys, number 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tdh2 {}

impl Sealed for Tdh2 {}

impl dleq::Purpose for Tdh2 {
    const NUMBER: u8 = 1;
    const NAME: &'static str = "tdh2";
}

/// The public keys of a committee for threshold encryption.
pub type PublicKeys = dleq::PublicKeys<Tdh2>;
/// A member's secret key share.
pub type KeyShare = dleq::KeyShare<Tdh2>;
/// A member's share of a decryption.
pub type DecryptionShare = dleq::Share<Tdh2>;
/// A verified share.
pub type VerifiedShare = dleq::VerifiedShare<Tdh2>;
/// A share that failed verification.
pub type ShareFault = dleq::ShareFault<Tdh2>;
/// Evidence that a member made a wrong share.
pub type WrongShare = dleq::WrongShare<Tdh2>;

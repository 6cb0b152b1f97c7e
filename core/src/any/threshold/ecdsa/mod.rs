//! Threshold ECDSA with the group chosen at run time, see [`crate::threshold::ecdsa`]; [`Plan`] and [`Deal`] are the
//! same for all groups.

mod combining;
mod dealer;
mod key;
mod presignatures;
mod shares;
mod tag;

pub use combining::{Combiner, Signing};
pub use dealer::TrustedDealer;
pub use key::{GroupKey, Signature};
pub use presignatures::{Opener, Presignature, Presignatures, Signed};
pub use shares::{Opening, ShareFault, SignatureShare};
pub use tag::Tag;

#[cfg(doc)]
use crate::threshold::ecdsa::{Deal, Plan};

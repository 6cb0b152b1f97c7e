//! ECDSA by many with the group chosen at run time, see [`crate::threshold::ecdsa`]; the [`Plan`] and the [`Deal`] are
//! the same for all groups.

mod combining;
mod dealing;
mod presignatures;
mod shares;

pub use combining::{Combiner, Signing};
pub use dealing::{GroupKey, Signature, TrustedDealer};
pub use presignatures::{Opener, Presignature, Presignatures, Signed, Tag};
pub use shares::{Opening, ShareFault, SignatureShare};

#[cfg(doc)]
use crate::threshold::ecdsa::{Deal, Plan};

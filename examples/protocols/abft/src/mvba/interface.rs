use std::sync::Arc;

use quorate::Error;

use super::message::View;

/// Maximum number of views ahead of a member's own view of which it keeps messages: K of the paper's section II.A.1.
pub const WINDOW: View = 20;

/// The number of this protocol in the names of its coins.
pub const COIN_PROTOCOL: u8 = 2;

/// The external validity of values. All correct members must agree on it; it may depend on the value alone.
pub type Validity = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// Requests to the machine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Proposes a value; the first one counts. A member takes part in the agreement before it proposes.
    Propose(Vec<u8>),
    /// Signs again without presignatures.
    FallBack,
}

/// Results of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// The decision, once. The machine then ignores all input.
    Decided {
        /// The view of the decision.
        view: View,
        /// The value.
        value: Vec<u8>,
    },
    /// The proposed value is too long or not valid.
    Refused(Error),
    /// An internal operation failed, for example because the keys do not fit; the machine cannot go on.
    Broken(Error),
}

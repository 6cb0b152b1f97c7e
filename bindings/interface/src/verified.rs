//! Values whose signatures were verified against a committee.

/// Declares the class of a verified value. The block that calls it imports `CommitteeId`, and its `any` is that of the
/// core.
macro_rules! verified {
    ($verified:ident, $value:ident) => {
        class! {
            /// A value whose signatures were verified. Only verification creates one. It does not say whether the
            /// committee is the current one: compare the committees.
            object struct $verified(pub quorate::committee::Verified<any::$value>):
                Clone, Debug, PartialEq, Eq;
            shown |self, f| write!(f, "Verified{}", self.value());
            /// The verified value.
            getter fn value(&self) -> $value { $value((*self.0).clone()) }
            /// Committee against which it was verified: compare it with the id of the current one. Equal ids mean equal
            /// chain, epoch, suite, keys and weights.
            getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
        }
    };
}

pub(crate) use verified;

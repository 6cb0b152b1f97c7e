//! Results of the measurements of threshold signatures.

/// The paper's N.
pub(super) const PARTIES: u16 = 100;
/// The paper's committee for its Table III.
pub(super) const SMALL: (u16, u16) = (8, 2);

/// Nanoseconds of operations that do not depend on the threshold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Basics {
    /// One `verify_strict` of ed25519-dalek, measured alternately.
    pub(super) ed: f64,
    /// One party's share.
    pub(super) sign: f64,
    /// The same with its own journal record, where there is a journal.
    pub(super) sign_recorded: Option<f64>,
    pub(super) verify: f64,
}

/// Nanoseconds from t valid shares to a verified signature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Combined {
    pub(super) needed: usize,
    pub(super) ed: f64,
    /// With signers whose Lagrange coefficients are not cached.
    pub(super) new_set: f64,
    /// With signers whose coefficients are cached.
    pub(super) known_set: f64,
    /// The verification alone, which is part of it.
    pub(super) verify: f64,
}

/// Costs of one scheme.
#[derive(Clone, Debug, Default)]
pub(super) struct Signatures {
    pub(super) name: &'static str,
    pub(super) basics: Basics,
    /// With the thresholds of the plots.
    pub(super) combined: Vec<Combined>,
    /// In the committee of [`SMALL`]: for agreed messages and for unagreed ones.
    pub(super) small: [Combined; 2],
}

impl Signatures {
    /// The costs of combining with this threshold.
    pub(super) fn with(&self, needed: usize) -> Combined {
        self.combined.iter().find(|combined| combined.needed == needed).copied().unwrap_or_default()
    }
}

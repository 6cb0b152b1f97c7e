use std::sync::Arc;

use quorate::Error;
use quorate::machine::{Machine, MemberIndex, Step};
use quorate::threshold::Combiner;
use quorate::threshold::combiner::Instance;
use quorate::threshold::lagrange::Cache;

use super::ThresholdScheme;
use crate::violation::Violation;

/// The scalar field of a scheme.
type ScalarOf<S> = <<S as ThresholdScheme>::Signing as Instance>::Scalar;

/// Collects the shares of one statement, optimistically (the paper's section II.A.2): shares are verified only if
/// their combination fails, and then each wrong one becomes a fault of its sender.
///
/// Memory: one share for each member.
pub(crate) struct Collector<S: ThresholdScheme> {
    what: &'static str,
    combiner: Combiner<S::Signing>,
    cache: Cache<ScalarOf<S>>,
}

impl<S: ThresholdScheme> Collector<S> {
    /// Creates a collector; `what` names the operation in faults.
    pub(crate) fn new(what: &'static str, key: &Arc<S::GroupKey>, statement: &[u8]) -> Self {
        Self { what, combiner: Combiner::new(S::signing(key, statement)), cache: Cache::default() }
    }

    /// Adds a share that a link delivered from `from`. Returns the signature when this share completes it.
    pub(crate) fn add<M: Machine<Fault = Violation>>(
        &mut self,
        from: MemberIndex,
        share: S::Share,
        step: &mut Step<M>,
    ) -> Option<S::Signature> {
        let had = self.combiner.signature().is_some();
        match self.combiner.add(&mut self.cache, from, share) {
            Ok(outcome) => {
                for fault in outcome.faults {
                    let evidence = S::encode_evidence(&fault.evidence);
                    step.fault(fault.culprit, Violation::WrongShare { what: self.what, evidence });
                }
                outcome.signature.filter(|_| !had)
            }
            // A repeated message is not a violation: links may deliver twice.
            Err(Error::DuplicateSigner { .. } | Error::BadShare { .. }) => None,
            Err(error) => {
                step.fault(from, Violation::Invalid { what: self.what, error });
                None
            }
        }
    }
}

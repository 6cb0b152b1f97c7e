//! Cost of certificates by size of the committee, in both schemes.

use quorate::bls::MinSig;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme;
use quorate::wire::Encode;
use quorate::{Error, Result};
use serde_json::{Value, json};

use crate::certificates::SingleEd;
use crate::members::{Members, collect};
use crate::row::figure;
use crate::sampling::{Case, SamplePlan, medians};

const SIZES: &[usize] = &[4, 10, 20, 40, 100, 200, 400, 1000];

/// One scheme at one size, signed by a quorum.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) scheme: &'static str,
    pub(crate) members: usize,
    /// Votes from links to a certificate, in microseconds.
    pub(crate) collect: f64,
    /// Verification of the certificate, in microseconds.
    pub(crate) verify: f64,
    /// The same in `ed`.
    pub(crate) collect_ed: f64,
    pub(crate) verify_ed: f64,
    pub(crate) bytes: usize,
}

impl Point {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "scheme": self.scheme, "members": self.members, "collect_us": self.collect, "verify_us": self.verify,
            "collect_ed": self.collect_ed, "verify_ed": self.verify_ed, "bytes": self.bytes,
        })
    }
}

/// Measures both schemes at all sizes.
pub(crate) fn measure(quick: bool) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for &n in SIZES {
        points.push(point::<MinSig>(n, SamplePlan::new(quick))?);
        points.push(point::<Ed25519>(n, SamplePlan::new(quick))?);
    }
    Ok(points)
}

fn point<S: Scheme>(n: usize, care: SamplePlan) -> Result<Point> {
    let members = Members::<S>::equal(n)?;
    let votes = members.link_votes(members.quorum())?;
    let certificate = collect(&members.committee, &votes)?
        .certificate
        .ok_or(Error::BadSignature { signers: Vec::new() })?
        .into_inner();
    let single = SingleEd::new();
    let mut cases = [
        Case::new(|| single.verify()),
        Case::new(|| collect(&members.committee, &votes)),
        Case::new(|| certificate.check(&members.committee)),
    ];
    let [ed, collect, verify] = medians(&mut cases, care).try_into().unwrap_or([f64::NAN; 3]);
    Ok(Point {
        scheme: S::NAME,
        members: n,
        collect: collect / 1000.0,
        verify: verify / 1000.0,
        collect_ed: collect / ed,
        verify_ed: verify / ed,
        bytes: certificate.encode().len(),
    })
}

/// The points as a table for a terminal.
pub(crate) fn table(points: &[Point]) -> String {
    let mut text = format!(
        "\n{:<12} {:>8} {:>16} {:>16} {:>12}\n",
        "scheme", "members", "collect (ed)", "verify (ed)", "bytes"
    );
    for p in points {
        text.push_str(&format!(
            "{:<12} {:>8} {:>16} {:>16} {:>12}\n",
            p.scheme,
            p.members,
            figure(p.collect_ed),
            figure(p.verify_ed),
            p.bytes
        ));
    }
    text
}

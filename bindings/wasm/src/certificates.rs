//! Certificates.

use quorate::any;
use quorate::committee::Verified;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::committee::Committee;
use crate::glue::{JsResult, OrThrow};
use crate::signers::SignerSet;
use crate::statement::Statement;

#[wasm_bindgen]
pub struct Certificate(pub(crate) any::Certificate);

#[wasm_bindgen]
impl Certificate {
    pub fn decode(bytes: &[u8], committee: &Committee) -> JsResult<Self> {
        any::Certificate::decode(bytes, &committee.0).or_throw().map(Self)
    }

    pub fn decode_detached(bytes: &[u8], statement: &Statement, committee: &Committee) -> JsResult<Self> {
        any::Certificate::decode_detached(bytes, statement.0, &committee.0).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn encode_detached(&self) -> Vec<u8> {
        self.0.encode_detached()
    }

    pub fn encoded_length(&self) -> u32 {
        self.0.encoded_len() as u32
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }

    pub fn statement(&self) -> Statement {
        Statement(*self.0.statement())
    }

    pub fn signers(&self) -> SignerSet {
        SignerSet(self.0.signers().clone())
    }

    pub fn proof(&self) -> Vec<u8> {
        self.0.proof()
    }

    pub fn verify(&self, committee: &Committee) -> JsResult<VerifiedCertificate> {
        self.0.clone().verify(&committee.0).or_throw().map(VerifiedCertificate)
    }
}

#[wasm_bindgen]
pub struct VerifiedCertificate(pub(crate) Verified<any::Certificate>);

#[wasm_bindgen]
impl VerifiedCertificate {
    pub fn value(&self) -> Certificate {
        Certificate((*self.0).clone())
    }

    pub fn committee(&self) -> Vec<u8> {
        self.0.committee().0.to_vec()
    }
}

#[cfg(feature = "full")]
pub use full::{Certificates, Verdict};

#[cfg(feature = "full")]
mod full {
    use quorate::any;
    use quorate::committee::Verified;
    use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

    use super::{Certificate, VerifiedCertificate};
    use crate::committee::Committee;
    use crate::glue;

    /// Certificates that are verified together.
    #[wasm_bindgen]
    #[derive(Default)]
    pub struct Certificates(Vec<any::Certificate>);

    #[wasm_bindgen]
    impl Certificates {
        pub fn empty() -> Self {
            Self::default()
        }

        pub fn add(&mut self, certificate: &Certificate) {
            self.0.push(certificate.0.clone());
        }

        pub fn verify(self, committee: &Committee) -> Vec<Verdict> {
            verdicts(any::Certificate::verify_batch(&committee.0, self.0, &mut getrandom::SysRng))
        }

        pub fn verify_derived(self, committee: &Committee) -> Vec<Verdict> {
            verdicts(any::Certificate::verify_batch_derived(&committee.0, self.0))
        }
    }

    /// Result of verifying one of several certificates.
    #[wasm_bindgen]
    pub struct Verdict(quorate::Result<Verified<any::Certificate>>);

    #[wasm_bindgen]
    impl Verdict {
        pub fn error(&self) -> Option<JsValue> {
            self.0.as_ref().err().map(glue::error)
        }

        pub fn certificate(self) -> Option<VerifiedCertificate> {
            self.0.ok().map(VerifiedCertificate)
        }
    }

    fn verdicts(results: Vec<quorate::Result<Verified<any::Certificate>>>) -> Vec<Verdict> {
        results.into_iter().map(Verdict).collect()
    }
}

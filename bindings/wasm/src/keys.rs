//! Keys and signatures.

use quorate::any;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::glue::{JsResult, OrThrow, suite};

#[wasm_bindgen]
pub struct PublicKey(pub(crate) any::PublicKey);

#[wasm_bindgen]
impl PublicKey {
    pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
        any::PublicKey::decode(suite(name)?, bytes).or_throw().map(Self)
    }

    pub fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    pub fn suite(&self) -> String {
        self.0.suite().to_string()
    }
}

#[cfg(feature = "full")]
pub use full::{SecretKey, Signature, UnverifiedKey, VerifiedKey};

#[cfg(feature = "full")]
mod full {
    use quorate::any;
    use wasm_bindgen::prelude::wasm_bindgen;
    use zeroize::Zeroizing;

    use super::PublicKey;
    use crate::glue::{JsResult, OrThrow, Uint8Array, byte_array, suite};

    #[wasm_bindgen]
    impl PublicKey {
        pub fn verify(&self, message: &[u8], signature: &Signature) -> JsResult<()> {
            self.0.verify(message, &signature.0).or_throw()
        }

        pub fn verify_possession(&self, possession: &Signature) -> JsResult<()> {
            self.0.verify_possession(&possession.0).or_throw()
        }
    }

    #[wasm_bindgen]
    pub struct SecretKey(pub(crate) any::SecretKey);

    #[wasm_bindgen]
    impl SecretKey {
        pub fn generate(name: &str) -> JsResult<Self> {
            any::SecretKey::generate(suite(name)?, &mut getrandom::SysRng).or_throw().map(Self)
        }

        /// Owned, because a value borrowed from JavaScript is a copy in this memory that is never wiped.
        pub fn from_bytes(name: &str, bytes: Vec<u8>) -> JsResult<Self> {
            let bytes = Zeroizing::new(bytes);
            any::SecretKey::from_bytes(suite(name)?, &bytes).or_throw().map(Self)
        }

        pub fn to_bytes(&self) -> Uint8Array {
            byte_array(&*self.0.to_bytes())
        }

        pub fn suite(&self) -> String {
            self.0.suite().to_string()
        }

        pub fn public_key(&self) -> PublicKey {
            PublicKey(self.0.public_key())
        }

        pub fn sign(&self, message: &[u8]) -> Signature {
            Signature(self.0.sign(message))
        }

        pub fn prove_possession(&self) -> Signature {
            Signature(self.0.prove_possession())
        }
    }

    #[wasm_bindgen]
    pub struct Signature(pub(crate) any::Signature);

    #[wasm_bindgen]
    impl Signature {
        pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
            any::Signature::decode(suite(name)?, bytes).or_throw().map(Self)
        }

        pub fn encode(&self) -> Vec<u8> {
            self.0.encode()
        }

        pub fn decode_link(name: &str, bytes: &[u8]) -> JsResult<Self> {
            any::Signature::decode_link(suite(name)?, bytes).or_throw().map(Self)
        }

        pub fn encode_link(&self) -> Vec<u8> {
            self.0.encode_link()
        }

        pub fn suite(&self) -> String {
            self.0.suite().to_string()
        }
    }

    #[wasm_bindgen]
    pub struct UnverifiedKey(pub(crate) any::UnverifiedKey);

    #[wasm_bindgen]
    impl UnverifiedKey {
        pub fn new(public: &PublicKey, possession: &Signature) -> JsResult<Self> {
            any::UnverifiedKey::new(public.0.clone(), possession.0.clone()).or_throw().map(Self)
        }

        pub fn prove(secret: &SecretKey) -> Self {
            Self(any::UnverifiedKey::prove(&secret.0))
        }

        pub fn decode(name: &str, bytes: &[u8]) -> JsResult<Self> {
            any::UnverifiedKey::decode(suite(name)?, bytes).or_throw().map(Self)
        }

        pub fn encode(&self) -> Vec<u8> {
            self.0.encode()
        }

        pub fn suite(&self) -> String {
            self.0.suite().to_string()
        }

        pub fn public(&self) -> PublicKey {
            PublicKey(self.0.public())
        }

        pub fn possession(&self) -> Signature {
            Signature(self.0.possession())
        }

        pub fn verify(&self) -> JsResult<VerifiedKey> {
            self.0.verify().or_throw().map(VerifiedKey)
        }
    }

    #[wasm_bindgen]
    pub struct VerifiedKey(pub(crate) any::VerifiedKey);

    #[wasm_bindgen]
    impl VerifiedKey {
        pub fn from_secret(secret: &SecretKey) -> Self {
            Self(any::VerifiedKey::from_secret(&secret.0))
        }

        pub fn suite(&self) -> String {
            self.0.suite().to_string()
        }

        pub fn public(&self) -> PublicKey {
            PublicKey(self.0.public())
        }
    }
}

//! Common parts of threshold encryption and the coin: keys, shares with proofs, faults.

/// The five objects of a purpose, and the records of results.
macro_rules! purpose {
    (
        $purpose:ident, $instance:ident;
        $keys:ident, $key_share:ident, $share:ident, $verified:ident, $wrong:ident, $fault:ident, $checked:ident,
        $dealt:ident, $make:ident, $call:ident
    ) => {
        #[derive(uniffi::Record)]
        struct $dealt {
            keys: Arc<$keys>,
            shares: Vec<Arc<$key_share>>,
        }

        #[derive(uniffi::Enum)]
        enum $fault {
            Proven { member: u16, evidence: Arc<$wrong> },
            Forged { member: u16, share: Arc<$share> },
        }

        impl From<dleq::ShareFault<$purpose>> for $fault {
            fn from(fault: dleq::ShareFault<$purpose>) -> Self {
                let member = fault.member();
                match fault {
                    dleq::ShareFault::Proven(evidence) => {
                        $fault::Proven { member, evidence: Arc::new($wrong(*evidence)) }
                    }
                    dleq::ShareFault::Forged { share } => {
                        $fault::Forged { member, share: Arc::new($share(*share)) }
                    }
                }
            }
        }

        #[derive(uniffi::Record)]
        struct $checked {
            verified: Vec<Arc<$verified>>,
            faults: Vec<$fault>,
        }

        #[derive(uniffi::Object)]
        struct $keys(Arc<dleq::PublicKeys<$purpose>>);

        #[uniffi::export]
        fn $make(committee: Vec<u8>, threshold: Threshold) -> Result<$dealt> {
            let (committee, threshold) = (committee_id(&committee)?, threshold.try_into()?);
            let (keys, shares) = dleq::PublicKeys::deal(committee, threshold, &mut SysRng)?;
            let shares = shares.into_iter().map(|share| Arc::new($key_share(share))).collect();
            Ok($dealt { keys: Arc::new($keys(keys.into())), shares })
        }

        #[uniffi::export]
        impl $keys {
            #[uniffi::constructor]
            fn decode(bytes: Vec<u8>) -> Result<Self> {
                Ok(Self(Arc::new(dleq::PublicKeys::decode(&bytes, &())?)))
            }

            fn encode(&self) -> Vec<u8> {
                self.0.encode()
            }

            fn precomputed(&self) -> Result<Arc<$keys>> {
                let keys = dleq::PublicKeys::decode(&self.0.encode(), &())?;
                Ok(Arc::new(Self(Arc::new(keys.precomputed()))))
            }

            fn committee(&self) -> Vec<u8> {
                self.0.committee().0.to_vec()
            }

            fn threshold(&self) -> Threshold {
                self.0.threshold().into()
            }

            fn key(&self) -> Vec<u8> {
                self.0.key().as_bytes().to_vec()
            }

            fn verification_key(&self, member: u16) -> Option<Vec<u8>> {
                self.0.verification_key(member).map(|key| key.as_bytes().to_vec())
            }

            fn verify_share(&self, instance: &$instance, share: &$share) -> Result<Arc<$verified>> {
                Ok(Arc::new($verified(self.0.verify_share(instance.0.instance(), &share.0)?)))
            }

            fn verify_shares(&self, instance: &$instance, shares: Vec<Arc<$share>>) -> Result<$checked> {
                let shares: Vec<_> = shares.iter().map(|share| share.0).collect();
                let checked = self.0.verify_shares(instance.0.instance(), &shares)?;
                Ok($checked {
                    verified: checked.verified.into_iter().map(|share| Arc::new($verified(share))).collect(),
                    faults: checked.faults.into_iter().map($fault::from).collect(),
                })
            }
        }

        #[derive(uniffi::Object)]
        struct $key_share(dleq::KeyShare<$purpose>);

        #[uniffi::export]
        impl $key_share {
            #[uniffi::constructor]
            fn from_bytes(bytes: &[u8]) -> Result<Self> {
                Ok(Self(dleq::KeyShare::from_bytes(bytes)?))
            }

            fn to_bytes(&self) -> Arc<Secret> {
                Secret::new(self.0.to_bytes().as_slice())
            }

            fn check(&self, keys: &$keys) -> Result<()> {
                Ok(self.0.check(&keys.0)?)
            }

            fn member(&self) -> u16 {
                self.0.member()
            }

            fn committee(&self) -> Vec<u8> {
                self.0.committee().0.to_vec()
            }

            fn verification_key(&self) -> Vec<u8> {
                self.0.verification_key().as_bytes().to_vec()
            }

            fn share(&self, instance: &$instance) -> Result<Arc<$share>> {
                Ok(Arc::new($share(self.0.$call(&instance.0, &mut SysRng)?)))
            }
        }

        #[derive(uniffi::Object)]
        struct $share(dleq::Share<$purpose>);

        #[uniffi::export]
        impl $share {
            #[uniffi::constructor]
            fn decode(bytes: Vec<u8>) -> Result<Self> {
                Ok(Self(dleq::Share::decode(&bytes, &())?))
            }

            fn encode(&self) -> Vec<u8> {
                self.0.encode()
            }

            fn member(&self) -> u16 {
                self.0.member()
            }
        }

        #[derive(uniffi::Object)]
        struct $verified(dleq::VerifiedShare<$purpose>);

        #[uniffi::export]
        impl $verified {
            fn member(&self) -> u16 {
                self.0.member()
            }
        }

        #[derive(uniffi::Object)]
        struct $wrong(dleq::WrongShare<$purpose>);

        #[uniffi::export]
        impl $wrong {
            #[uniffi::constructor]
            fn decode(bytes: Vec<u8>) -> Result<Self> {
                Ok(Self(dleq::WrongShare::decode(&bytes, &())?))
            }

            fn encode(&self) -> Vec<u8> {
                self.0.encode()
            }

            fn verify(&self, keys: &$keys) -> Result<u16> {
                Ok(self.0.verify(&keys.0)?)
            }
        }
    };
}

pub(super) use purpose;

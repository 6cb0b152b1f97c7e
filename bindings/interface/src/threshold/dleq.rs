//! The common classes of threshold encryption and the coin: keys, shares with proofs, and faults.

/// Declares the classes of a purpose, with the types of its instances and shares. The module that calls it imports the
/// purpose from the core, and gives the instance's class a method `instance` of its core type.
macro_rules! purpose {
    ($purpose:ident, $instance:ident, $share:ident) => {
        use crate::threshold::Threshold;

        class! {
            /// The public keys of a dealt key, checked to lie on one polynomial.
            object struct PublicKeys(std::sync::Arc<dleq::PublicKeys<$purpose>>): Clone, Debug;
            shown |self, f| {
                let (threshold, purpose) = (self.0.threshold(), <$purpose as dleq::Purpose>::NAME);
                let key = hex::encode(self.key());
                write!(f, "PublicKeys({purpose}, {} of {}, {key})", threshold.needed(), threshold.parties())
            };
            /// Deals a new key whose threshold is one more than the maximum number of faulty members. **The process
            /// that runs this knows the key**: run it once, offline, and give each member only its own share. Cost: a
            /// multiplication per member.
            /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
            slow fn deal(committee: &CommitteeId, threshold: &Threshold) -> Result<Dealt> {
                let (keys, shares) =
                    dleq::PublicKeys::deal(committee.0, threshold.0, &mut getrandom::SysRng)?;
                Ok(Dealt { keys: Self(keys.into()), shares: shares.into_iter().map(KeyShare).collect() })
            }
            /// Decodes keys and verifies that they lie on one polynomial. Cost: a sum of n + 1 products.
            /// [`Error::BadCommittee`](quorate::Error) for keys that do not lie on one polynomial.
            /// [`Error::WrongContext`](quorate::Error) for keys of another purpose.
            /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of keys.
            /// [`Error::NonCanonical`](quorate::Error) for an element or a number in another form than the canonical
            /// one.
            /// [`Error::Infinity`](quorate::Error) for the neutral element.
            fn decode(bytes: &[u8]) -> Result<Self> { Ok(Self(dleq::PublicKeys::decode(bytes, &())?.into())) }
            /// Returns the canonical encoding.
            fn encode(&self) -> Vec<u8> { self.0.encode() }
            /// Returns the same keys with a table for each member, which makes verifying between n/8 and 46 shares at
            /// once somewhat cheaper. Memory: 10 kB for each member. Cost: as [`PublicKeys::decode`], plus a quarter of
            /// a multiplication per member.
            fn precomputed(&self) -> Result<Self> {
                // The core makes tables only for keys that are not shared.
                let keys = dleq::PublicKeys::decode(&self.0.encode(), &())?;
                Ok(Self(keys.precomputed().into()))
            }
            /// Committee for which they were dealt.
            getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
            /// Number of shares needed, and number of parties.
            getter fn threshold(&self) -> Threshold { Threshold(self.0.threshold()) }
            /// The public key: 32 bytes.
            getter fn key(&self) -> [u8; 32] { *self.0.key().as_bytes() }
            /// Returns the member's verification key of 32 bytes; nothing if there is no such member.
            quick fn verification_key(&self, member: u16) -> Option<[u8; 32]> {
                self.0.verification_key(member).map(|key| *key.as_bytes())
            }
            /// Verifies one share. Cost: 1.5 multiplications.
            /// [`Error::BadShare`](quorate::Error) if the share is wrong.
            /// [`Error::UnknownSigner`](quorate::Error) if the keys have no such member.
            /// [`Error::WrongContext`](quorate::Error) if the instance belongs to other keys.
            fn verify_share(&self, instance: &$instance, share: &$share) -> Result<VerifiedShare> {
                self.0.verify_share(instance.0.instance(), &share.0).map(VerifiedShare)
            }
            /// Verifies several shares together and identifies every wrong one; these raise no error but are listed in
            /// the faults. Cost: 0.6 multiplications per share.
            /// [`Error::UnknownSigner`](quorate::Error) if the keys have no such member.
            /// [`Error::WrongContext`](quorate::Error) if the instance belongs to other keys.
            slow fn verify_shares(&self, instance: &$instance, shares: &[&$share]) -> Result<Checked> {
                let shares: Vec<_> = shares.iter().map(|share| *share.0).collect();
                let checked = self.0.verify_shares(instance.0.instance(), &shares)?;
                let verified = checked.verified.into_iter().map(VerifiedShare).collect();
                Ok(Checked { verified, faults: faults(checked.faults) })
            }
        }

        impl PartialEq for PublicKeys {
            fn eq(&self, other: &Self) -> bool {
                self.0.encode() == other.0.encode()
            }
        }

        /// A dealer's output: the public keys, and a share for each member.
        pub struct Dealt {
            /// The public keys.
            pub keys: PublicKeys,
            /// The members' secret shares, in order. Give each member only its own, and close these.
            pub shares: Vec<KeyShare>,
        }

        class! {
            /// A member's share of the secret key. It cannot be printed, compared or copied, and is wiped when it is
            /// closed. Other copies are not wiped: the bytes that it was created from, and the result of
            /// [`KeyShare::to_bytes`].
            object secret struct KeyShare(dleq::KeyShare<$purpose>): Debug;
            shown |self, f| {
                let purpose = <$purpose as dleq::Purpose>::NAME;
                write!(f, "KeyShare({purpose}, member {} of {})", self.member(), self.committee())
            };
            const LEN: u32 = 99 == dleq::KeyShare::<$purpose>::LEN,
                "Length of the result of [`KeyShare::to_bytes`] in bytes.";
            /// Decodes the result of [`KeyShare::to_bytes`]; call [`KeyShare::check`] next. The caller keeps `bytes`,
            /// and overwrites them with zeros where the language allows it.
            /// [`Error::WrongContext`](quorate::Error) for a share of another purpose.
            /// [`Error::Infinity`](quorate::Error) for a secret of zero.
            /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a share.
            /// [`Error::NonCanonical`](quorate::Error) for an element or a number in another form than the canonical
            /// one.
            fn from_bytes(bytes: &[u8]) -> Result<Self> { dleq::KeyShare::from_bytes(bytes).map(Self) }
            /// Returns the 99 bytes, for a key file. They are as secret as a signing key.
            quick fn to_bytes(&self) -> SecretBytes { SecretBytes::new(self.0.to_bytes().to_vec()) }
            /// Verifies that the dealer gave this member the secret of its verification key. Call it once: with a wrong
            /// secret the member makes wrong shares and is blamed for them.
            /// [`Error::BadShare`](quorate::Error) if the secret is another one.
            /// [`Error::WrongContext`](quorate::Error) for keys other than these.
            /// [`Error::UnknownSigner`](quorate::Error) if the keys have no such member.
            quick fn check(&self, keys: &PublicKeys) -> Result<()> { self.0.check(&keys.0) }
            /// Member that holds the share.
            getter fn member(&self) -> u16 { self.0.member() }
            /// Committee for which it was dealt.
            getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
            /// Its public verification key: 32 bytes.
            getter fn verification_key(&self) -> [u8; 32] { *self.0.verification_key().as_bytes() }
        }

        class! {
            /// A member's share with its proof, as received. A decoded share is not verified yet.
            object struct $share(Box<dleq::Share<$purpose>>): Clone, Debug, PartialEq, Eq;
            shown |self, f| {
                let (name, bytes) = (stringify!($share), hex::encode(self.encode()));
                write!(f, "{name}(member {}, {bytes})", self.member())
            };
            const LEN: u32 = 130 == dleq::Share::<$purpose>::LEN, "Length of a share in bytes.";
            /// Decodes the 130 bytes.
            /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a share.
            /// [`Error::NonCanonical`](quorate::Error) for an element or a number in another form than the canonical
            /// one.
            /// [`Error::Infinity`](quorate::Error) for the neutral element.
            fn decode(bytes: &[u8]) -> Result<Self> { Ok(Self(dleq::Share::decode(bytes, &())?.into())) }
            /// Returns the 130 bytes.
            quick fn encode(&self) -> Vec<u8> { self.0.encode() }
            /// Member that the share names. Unproven until the share is verified.
            getter fn member(&self) -> u16 { self.0.member() }
        }

        class! {
            /// A share that was verified for one instance. Only verification creates one, and only verified shares can
            /// be combined.
            #[cfg_attr(binding, instead = "send the share and verify it there")]
            object struct VerifiedShare(dleq::VerifiedShare<$purpose>): Clone, Debug, PartialEq, Eq;
            shown |self, f| {
                write!(f, "VerifiedShare({}, member {})", <$purpose as dleq::Purpose>::NAME, self.member())
            };
            /// Member that made the share.
            getter fn member(&self) -> u16 { self.0.member() }
        }

        class! {
            /// Evidence that a member made a wrong share, for every holder of the public keys: 194 bytes.
            object struct WrongShare(Box<dleq::WrongShare<$purpose>>): Clone, Debug, PartialEq, Eq;
            shown |self, f| {
                write!(f, "WrongShare({}, {})", <$purpose as dleq::Purpose>::NAME, hex::encode(self.encode()))
            };
            /// Decodes evidence without verification.
            /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of evidence.
            /// [`Error::NonCanonical`](quorate::Error) for an element or a number in another form than the canonical
            /// one.
            /// [`Error::Infinity`](quorate::Error) for the neutral element.
            fn decode(bytes: &[u8]) -> Result<Self> { Ok(Self(dleq::WrongShare::decode(bytes, &())?.into())) }
            /// Returns the canonical encoding.
            quick fn encode(&self) -> Vec<u8> { self.0.encode() }
            /// Verifies the evidence with the keys alone and returns the culprit.
            /// [`Error::NotEvidence`](quorate::Error) if the share is right, or not the member's own.
            /// [`Error::UnknownSigner`](quorate::Error) if the keys have no such member.
            fn verify(&self, keys: &PublicKeys) -> Result<u16> { self.0.verify(&keys.0) }
        }

        /// A share that did not verify.
        pub enum ShareFault {
            /// The member made a wrong share itself.
            Proven {
                /// The member at fault.
                member: u16,
                /// Evidence that every holder of the public keys can verify.
                evidence: WrongShare,
            },
            /// The share carries a member's index, but nothing in it proves that the member made it. It is evidence only
            /// together with the signature or the authenticated link that delivered it.
            Forged {
                /// Member that the share names.
                member: u16,
                /// The share as received.
                share: $share,
            },
        }

        /// Result of checking several shares.
        pub struct Checked {
            /// Valid shares, in input order.
            pub verified: Vec<VerifiedShare>,
            /// Faults of the remaining shares, in input order.
            pub faults: Vec<ShareFault>,
        }

        fn faults(faults: Vec<dleq::ShareFault<$purpose>>) -> Vec<ShareFault> {
            let fault = |fault: dleq::ShareFault<$purpose>| {
                let member = fault.member();
                match fault {
                    dleq::ShareFault::Proven(evidence) => {
                        ShareFault::Proven { member, evidence: WrongShare(evidence) }
                    }
                    dleq::ShareFault::Forged { share } => ShareFault::Forged { member, share: $share(share) },
                }
            };
            faults.into_iter().map(fault).collect()
        }
    };
}

pub(super) use purpose;

use std::sync::Arc;

use quorate::committee::{ChainId, Committee};
use quorate::ed25519::Ed25519;
use quorate::scheme::{Scheme, UnverifiedKey, VerifiedKey};
use quorate::wire::Decode;

use super::check::wrong;
use super::file::Genesis;
use super::hexadecimal::Hex;
use super::member::PublicKeys;
use super::names::SchemeName;
use crate::Result;

/// Committees of an epoch: the same members, in the same order, with the same weights.
#[derive(Clone, Debug)]
pub struct Committees<S: Scheme> {
    /// The chain.
    pub chain: ChainId,
    /// Committee of voting keys.
    pub voters: Arc<Committee<S>>,
    /// Committee of identity keys.
    pub identities: Arc<Committee<Ed25519>>,
}

impl Genesis {
    /// The committees, after verification of every key and proof of possession. Cost: two signature verifications per member.
    ///
    /// # Errors
    /// [`NodeError::Genesis`](crate::NodeError::Genesis), which names the member whose key is malformed, unproven or related to another member's.
    pub fn committees<S: Scheme>(&self) -> Result<Committees<S>> {
        if SchemeName::for_scheme::<S>() != Some(self.scheme) {
            return Err(wrong(format!("scheme: expected {}, got {}", self.scheme, S::NAME)));
        }
        let chain = self.chain_id();
        let identities = self.committee(chain, "identity", |k| (&k.identity_key, &k.identity_possession))?;
        let voters = self.committee(chain, "voting", |k| (&k.voting_key, &k.voting_possession))?;
        Ok(Committees { chain, voters: Arc::new(voters), identities: Arc::new(identities) })
    }

    fn committee<S: Scheme>(
        &self,
        chain: ChainId,
        kind: &str,
        pick: impl Fn(&PublicKeys) -> (&Hex, &Hex),
    ) -> Result<Committee<S>> {
        let mut members = Vec::with_capacity(self.members.len());
        for (i, member) in self.members.iter().enumerate() {
            let (key, possession) = pick(&member.keys);
            let key = verified_key::<S>(key, possession)
                .map_err(|(field, e)| wrong(format!("member {i} ({}): {kind}_{field}: {e}", member.name)))?;
            members.push((key, member.weight));
        }
        let name = |i: u32| self.members.get(i as usize).map_or("?", |m| m.name.as_str());
        Committee::new(chain, self.epoch, members).map_err(|e| match e {
            quorate::Error::RelatedKeys { first, second } => wrong(format!(
                "members {first} ({}) and {second} ({}) have equal or negated {kind} keys; each member needs its own key",
                name(first),
                name(second)
            )),
            other => wrong(format!("{kind} keys: {other}")),
        })
    }
}

fn verified_key<S: Scheme>(
    key: &Hex,
    possession: &Hex,
) -> Result<VerifiedKey<S>, (&'static str, quorate::Error)> {
    let key = S::PublicKey::decode(&key.0, &()).map_err(|e| ("key", e))?;
    let possession = S::Signature::decode(&possession.0, &()).map_err(|e| ("possession", e))?;
    UnverifiedKey::new(key, possession).verify().map_err(|e| ("possession", e))
}

#[cfg(test)]
mod tests {
    use quorate::bls::MinSig;
    use quorate::wire::Encode;

    use super::super::file::tests::sample;
    use super::super::member::Member;
    use super::*;

    fn problem<S: Scheme>(genesis: &Genesis) -> String {
        let error = genesis.committees::<S>().unwrap_err();
        assert_eq!(error.code(), "GENESIS");
        error.to_string()
    }

    #[test]
    fn committees_have_the_members_in_order() {
        let genesis = sample(SchemeName::Bls);
        let committees = genesis.committees::<MinSig>().unwrap();
        assert_eq!((committees.voters.len(), committees.identities.len()), (4, 4));
        for (i, member) in (0u16..).zip(&genesis.members) {
            assert_eq!(committees.voters.weight(i), Some(member.weight));
            assert_eq!(committees.identities.key(i).unwrap().encode(), member.keys.identity_key.0);
        }
        assert_eq!(committees.voters.chain(), genesis.chain_id());
        assert!(problem::<Ed25519>(&genesis).contains("scheme: expected bls"));
    }

    #[test]
    fn a_bad_key_names_its_member() {
        for scheme in [SchemeName::Bls, SchemeName::Ed25519] {
            let good = sample(scheme);
            let problem = |change: fn(&mut Vec<Member>)| {
                let mut genesis = good.clone();
                change(&mut genesis.members);
                match scheme {
                    SchemeName::Bls => problem::<MinSig>(&genesis),
                    SchemeName::Ed25519 => problem::<Ed25519>(&genesis),
                }
            };
            let unproven = problem(|m| m[2].keys.voting_possession = m[1].keys.voting_possession.clone());
            assert!(unproven.contains("member 2 (node2): voting_possession"), "{unproven}");
            let stolen = problem(|m| m[1].keys.identity_key = m[2].keys.identity_key.clone());
            assert!(stolen.contains("member 1 (node1): identity_possession"), "{stolen}");
            let short = problem(|m| m[3].keys.voting_key.0.truncate(31));
            assert!(short.contains("member 3 (node3): voting_key"), "{short}");
            let twice = problem(|m| {
                m[3].keys.voting_key = m[0].keys.voting_key.clone();
                m[3].keys.voting_possession = m[0].keys.voting_possession.clone();
            });
            assert!(
                twice.contains("members 0 (node0) and 3 (node3) have equal or negated voting keys"),
                "{twice}"
            );
        }
    }

    #[test]
    fn a_negated_key_is_refused_even_when_proven() {
        // The owner of a secret s also knows −s, so it can prove possession of both keys.
        let mut genesis = sample(SchemeName::Bls);
        let mut secret = [0u8; 32];
        secret[31] = 7;
        let order = hex::decode("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001").unwrap();
        let mut negated: [u8; 32] = order.try_into().unwrap();
        negated[28..].copy_from_slice(&(1u32.wrapping_sub(7)).to_be_bytes());
        let mut borrow = 28;
        while negated[borrow - 1] == 0 {
            negated[borrow - 1] = 0xff;
            borrow -= 1;
        }
        negated[borrow - 1] -= 1;
        for (i, bytes) in [(1, secret), (2, negated)] {
            let key = UnverifiedKey::<MinSig>::prove(&MinSig::secret_from_bytes(&bytes).unwrap());
            genesis.members[i].keys.voting_key = Hex(key.public().encode());
            genesis.members[i].keys.voting_possession = Hex(key.possession().encode());
        }
        let problem = problem::<MinSig>(&genesis);
        assert!(problem.contains("members 1 (node1) and 2 (node2)"), "{problem}");
    }
}

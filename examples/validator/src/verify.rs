//! Verifies validators' proofs against the genesis and the epochs proved from it. A proof that does not verify is an
//! [`Exit::BadProof`]: the validator that sent it is faulty, and the client may ask another one.

use quorate::wire::Decode;
use quorate_node::handle::Digest;
use quorate_node::proof::{StateProof, TransactionProof};
use quorate_node::protocol::{Protocol, ProtocolVisitor};

use crate::chain::Chain;
use crate::exit::{Exit, Failure, OrFail};
use crate::protocols::with_protocol;
use crate::responses::{Answer, Transaction};

const INVALID_PROOF: &str = "the proof does not verify; the validator is faulty, ask another one";

/// A transaction whose inclusion is proved.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Proven {
    pub transaction: Vec<u8>,
    pub height: u64,
}

/// Verifies that the chain contains the transaction `id`. Only the proof in the answer is used.
pub(crate) fn transaction(chain: &Chain, id: Digest, answer: &Transaction) -> Result<Proven, Failure> {
    let proof = unhex(&answer.proof)?;
    let check = CheckTransaction { chain, id, proof: &proof };
    with_protocol(&chain.genesis, check).or_fail(Exit::Setup, "cannot use the genesis file")?
}

/// Verifies the ledger's value under `key`, and returns it with the height after which it holds.
pub(crate) fn answer(chain: &Chain, key: &[u8], answer: &Answer) -> Result<(Option<Vec<u8>>, u64), Failure> {
    let unproved = || {
        let text = "the validator has no proof yet, because no committed block contains this state root; try again in a \
                    moment, or use --unverified to skip the proof";
        Failure::new(Exit::NotFound, text)
    };
    let proof = unhex(answer.proof.as_deref().ok_or_else(unproved)?)?;
    let check = CheckAnswer { chain, key, proof: &proof };
    with_protocol(&chain.genesis, check).or_fail(Exit::Setup, "cannot use the genesis file")?
}

/// Decodes hexadecimal from a validator.
pub(crate) fn unhex(text: &str) -> Result<Vec<u8>, Failure> {
    hex::decode(text).or_fail(Exit::BadProof, "the validator's answer is not hexadecimal")
}

struct CheckTransaction<'a> {
    chain: &'a Chain,
    id: Digest,
    proof: &'a [u8],
}

impl ProtocolVisitor for CheckTransaction<'_> {
    type Output = Result<Proven, Failure>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let context = self.chain.context::<P>()?;
        let proof =
            TransactionProof::<P>::decode(self.proof, &context).or_fail(Exit::BadProof, INVALID_PROOF)?;
        let proven = proof.verify(&context).or_fail(Exit::BadProof, INVALID_PROOF)?;
        if proven.id != self.id {
            return Err(Failure::new(
                Exit::BadProof,
                "the validator's proof is for another transaction than the requested one",
            ));
        }
        Ok(Proven { transaction: proof.transaction, height: proven.height })
    }
}

struct CheckAnswer<'a> {
    chain: &'a Chain,
    key: &'a [u8],
    proof: &'a [u8],
}

impl ProtocolVisitor for CheckAnswer<'_> {
    type Output = Result<(Option<Vec<u8>>, u64), Failure>;

    fn visit<P: Protocol>(self) -> Self::Output {
        let context = self.chain.context::<P>()?;
        let proof = StateProof::<P>::decode(self.proof, &context).or_fail(Exit::BadProof, INVALID_PROOF)?;
        let (height, value) = proof.verify(&context, self.key).or_fail(Exit::BadProof, INVALID_PROOF)?;
        Ok((value.map(<[u8]>::to_vec), height))
    }
}

//! Every domain string, in one place. Each is used for exactly one purpose: as the context of a BLAKE3 key
//! derivation (then it names a hash) or as the prefix of signed bytes (then it names a statement). No string is
//! a prefix of another, so that no two purposes can ever produce the same input.

/// Prefix of the bytes of a signed statement.
pub const VOTE: &str = "quorate-v1-vote";
/// Identity of a statement.
pub const STATEMENT: &str = "quorate-v1-statement-id";
/// Identity of a committee.
pub const COMMITTEE: &str = "quorate-v1-committee";
/// A chain identifier made from a name.
pub const CHAIN_NAME: &str = "quorate-v1-chain-name";
/// Prefix of the bytes of an Ed25519 possession proof.
pub const POSSESSION_ED25519: &str = "quorate-v1-possession-ed25519";
/// Coefficients of a batch verification without a random number generator.
pub const BATCH_COEFFICIENTS: &str = "quorate-v1-batch-coefficients";
/// Identity of a guard's record: the key and the chain it belongs to.
pub const GUARD: &str = "quorate-v1-guard";
/// Identity of a Jolteon block.
pub const JOLTEON_BLOCK: &str = "quorate-v1-jolteon-block";
/// Stands for a Jolteon chain's block 0.
pub const JOLTEON_GENESIS: &str = "quorate-v1-jolteon-genesis";
/// Identity of a Gosig block.
pub const GOSIG_BLOCK: &str = "quorate-v1-gosig-block";
/// Stands for a Gosig chain's block 0.
pub const GOSIG_GENESIS: &str = "quorate-v1-gosig-genesis";
/// What Gosig's votes are about: a block and its height.
pub const GOSIG_VOTE: &str = "quorate-v1-gosig-vote";
/// What a Gosig proposer signs of its proposal.
pub const GOSIG_PROPOSAL: &str = "quorate-v1-gosig-proposal";
/// What a Gosig proposer signs of a segment of a body.
pub const GOSIG_SEGMENT: &str = "quorate-v1-gosig-segment";
/// Identity of a Gosig payload: count, bytes and root.
pub const GOSIG_PAYLOAD: &str = "quorate-v1-gosig-payload";
/// A transaction's short identifier in one Gosig block.
pub const GOSIG_SHORT: &str = "quorate-v1-gosig-short";
/// What members sign who allow a change of the members of a Gosig chain.
pub const GOSIG_MEMBERSHIP: &str = "quorate-v1-gosig-membership";
/// How a transaction begins that changes the members of a Gosig chain.
pub const GOSIG_EPOCH: &str = "quorate-v1-gosig-epoch";
/// Whom a member of a Gosig chain tells what.
pub const GOSIG_DRAW: &str = "quorate-v1-gosig-draw";
/// A leaf of a batch's Merkle tree; also the identity of a transaction.
pub const BATCH_LEAF: &str = "quorate-v1-transaction";
/// An inner node of a batch's Merkle tree.
pub const BATCH_NODE: &str = "quorate-v1-batch-node";
/// Identity of a batch: its author, its count and the root of its tree.
pub const BATCH: &str = "quorate-v1-batch-id";
/// Identity of a node's genesis, which is its chain identifier.
pub const GENESIS: &str = "quorate-v1-genesis";
/// A leaf of the ledger's state tree.
pub const LEDGER_LEAF: &str = "quorate-v1-ledger-leaf";
/// An inner node of the ledger's state tree.
pub const LEDGER_NODE: &str = "quorate-v1-ledger-node";
/// The ledger's state root.
pub const LEDGER_ROOT: &str = "quorate-v1-ledger-root";
/// Where a key lives in the ledger's state tree.
pub const LEDGER_KEY: &str = "quorate-v1-ledger-key";
/// The hash of a ledger value.
pub const LEDGER_VALUE: &str = "quorate-v1-ledger-value";
/// The running hash of the payloads that a ledger has recorded.
pub const LEDGER_PAYLOADS: &str = "quorate-v1-ledger-payloads";
/// The running hash over the application's state roots: what blocks agree on.
pub const EXECUTED: &str = "quorate-v1-executed";
/// The checksum of a frame in a store's segment file.
pub const STORE_FRAME: &str = "quorate-v1-store-frame";
/// Expands a batch seed into the secrets of one DSig key.
pub const DSIG_SECRETS: &str = "quorate-v1-dsig-secrets";
/// Mixes a DSig process seed with the fresh entropy of a batch.
pub const DSIG_SEED: &str = "quorate-v1-dsig-seed";
/// One step of a DSig chain in the BLAKE3 suites.
pub const DSIG_CHAIN: &str = "quorate-v1-dsig-chain";
/// A node of a DSig HORS forest in the BLAKE3 suites.
pub const DSIG_FOREST: &str = "quorate-v1-dsig-forest";
/// A node above the public values of a DSig key in the BLAKE3 suites.
pub const DSIG_KEY: &str = "quorate-v1-dsig-key";
/// A merklified HORS key of DSig: its salt, and the root above its trees.
pub const DSIG_ROOTS: &str = "quorate-v1-dsig-roots";
/// A node above the leaves of a DSig batch's tree.
pub const DSIG_NODE: &str = "quorate-v1-dsig-node";
/// The digest that a DSig one-time key signs.
pub const DSIG_MESSAGE: &str = "quorate-v1-dsig-message";
/// Prefix of the bytes of a signed DSig batch root.
pub const DSIG_BATCH: &str = "quorate-v1-dsig-batch";
/// Prefix of the bytes of a member's word in a consistent broadcast.
pub const BROADCAST_VOUCH: &str = "quorate-v1-broadcast-vouch";
/// The hash of a message that is broadcast.
pub const BROADCAST_MESSAGE: &str = "quorate-v1-broadcast-message";
/// Identity of a broadcasting group: its members, how they sign, and what they agree on.
pub const BROADCAST_GROUP: &str = "quorate-v1-broadcast-group";
/// Prefix of the bytes of a command that a client of the audited Redis signs.
pub const AUDITED_REDIS_COMMAND: &str = "quorate-v1-audited-redis-command";
/// Prefix of the bytes by which a client of the audited Redis shows who it is.
pub const AUDITED_REDIS_HELLO: &str = "quorate-v1-audited-redis-hello";
/// The running hash over the log of the audited Redis.
pub const AUDITED_REDIS_LOG: &str = "quorate-v1-audited-redis-log";
/// Ḡ of TDH2: a second generator whose logarithm nobody knows.
pub const TDH2_GENERATOR: &str = "quorate-v1-tdh2-generator";
/// Hides the key that a TDH2 ciphertext wraps.
pub const TDH2_PAD: &str = "quorate-v1-tdh2-pad";
/// From the wrapped key, the key of a TDH2 payload's cipher and the commitment to both.
pub const TDH2_WRAPPED: &str = "quorate-v1-tdh2-wrapped";
/// The hash of a TDH2 payload in its label.
pub const TDH2_PAYLOAD: &str = "quorate-v1-tdh2-payload";
/// The challenge of a TDH2 ciphertext's own proof.
pub const TDH2_VALIDITY: &str = "quorate-v1-tdh2-validity";
/// Identity of a TDH2 ciphertext: the context of its shares' proofs.
pub const TDH2_CIPHERTEXT: &str = "quorate-v1-tdh2-ciphertext";
/// A coin's element, from its name.
pub const COIN_BASE: &str = "quorate-v1-coin-base";
/// Identity of a coin: the context of its shares' proofs.
pub const COIN_ID: &str = "quorate-v1-coin-id";
/// A coin's value.
pub const COIN_VALUE: &str = "quorate-v1-coin-value";
/// The challenge of a share's proof that two logarithms are equal.
pub const DLEQ_CHALLENGE: &str = "quorate-v1-dleq-challenge";
/// The secret number of such a proof.
pub const DLEQ_NONCE: &str = "quorate-v1-dleq-nonce";
/// The random point at which dealt verification keys are checked to lie on one polynomial.
pub const DLEQ_KEYS: &str = "quorate-v1-dleq-keys";
/// Identity of a threshold key: its group, its committee, how many are faulty, and the key.
pub const THRESHOLD_KEY: &str = "quorate-v1-threshold-key";
/// Identity of the presignatures that were dealt for one epoch.
pub const THRESHOLD_DEAL: &str = "quorate-v1-threshold-deal";
/// What one presignature signs: the key, the epoch, the index, the message.
pub const THRESHOLD_SIGNING: &str = "quorate-v1-threshold-signing";
/// Prefix of the bytes by which a party stands for its share.
pub const THRESHOLD_SHARE: &str = "quorate-v1-threshold-share";
/// A leaf of a party's tree of openings.
pub const THRESHOLD_OPENING: &str = "quorate-v1-threshold-opening";
/// An inner node of a party's tree of openings.
pub const THRESHOLD_NODE: &str = "quorate-v1-threshold-node";
/// The scalar r of a nonce, over ristretto255.
pub const ECDSA_NONCE: &str = "quorate-v1-ecdsa-nonce";
/// The scalar h of a message, over ristretto255.
pub const ECDSA_MESSAGE: &str = "quorate-v1-ecdsa-message";
/// The coin that a unique BLS signature is.
pub const BLS_BEACON: &str = "quorate-v1-bls-beacon";
/// The key of a sealed file.
pub const SEALED_FILE: &str = "quorate-v1-sealed-file";
/// A shard: a leaf of the tree over an erasure-coded message.
pub const ERASURE_SHARD: &str = "quorate-v1-erasure-shard";
/// An inner node of the tree over an erasure-coded message.
pub const ERASURE_NODE: &str = "quorate-v1-erasure-node";
/// Identity of an erasure-coded message: code, shape, length and root.
pub const ERASURE_ID: &str = "quorate-v1-erasure-id";
/// The checksum of a file of tuned parameters of erasure codes.
pub const ERASURE_TABLE: &str = "quorate-v1-erasure-table";
/// Prefix of the bytes that a member signs to draw in a lottery.
pub const SORTITION_TICKET: &str = "quorate-v1-sortition-ticket";
/// What a ticket is worth, from the signature that it is.
pub const SORTITION_SCORE: &str = "quorate-v1-sortition-score";
/// Prefix of the bytes that a member signs to bring about the next seed.
pub const SORTITION_PROOF: &str = "quorate-v1-sortition-proof";
/// A seed, from the signature on the one before.
pub const SORTITION_SEED: &str = "quorate-v1-sortition-seed";
/// A chain's first seed.
pub const SORTITION_GENESIS: &str = "quorate-v1-sortition-genesis";
/// The hash of a message for the scheme that is worth nothing.
pub const TOY_MESSAGE: &str = "quorate-v1-toy-message";

/// All of the above.
pub const ALL: &[&str] = &[
    VOTE,
    STATEMENT,
    COMMITTEE,
    CHAIN_NAME,
    POSSESSION_ED25519,
    BATCH_COEFFICIENTS,
    GUARD,
    JOLTEON_BLOCK,
    JOLTEON_GENESIS,
    GOSIG_BLOCK,
    GOSIG_GENESIS,
    GOSIG_VOTE,
    GOSIG_PROPOSAL,
    GOSIG_SEGMENT,
    GOSIG_PAYLOAD,
    GOSIG_SHORT,
    GOSIG_MEMBERSHIP,
    GOSIG_EPOCH,
    GOSIG_DRAW,
    BATCH_LEAF,
    BATCH_NODE,
    BATCH,
    GENESIS,
    LEDGER_LEAF,
    LEDGER_NODE,
    LEDGER_ROOT,
    LEDGER_KEY,
    LEDGER_VALUE,
    LEDGER_PAYLOADS,
    EXECUTED,
    STORE_FRAME,
    DSIG_SECRETS,
    DSIG_SEED,
    DSIG_CHAIN,
    DSIG_FOREST,
    DSIG_KEY,
    DSIG_ROOTS,
    DSIG_NODE,
    DSIG_MESSAGE,
    DSIG_BATCH,
    BROADCAST_VOUCH,
    BROADCAST_MESSAGE,
    BROADCAST_GROUP,
    AUDITED_REDIS_COMMAND,
    AUDITED_REDIS_HELLO,
    AUDITED_REDIS_LOG,
    TDH2_GENERATOR,
    TDH2_PAD,
    TDH2_WRAPPED,
    TDH2_PAYLOAD,
    TDH2_VALIDITY,
    TDH2_CIPHERTEXT,
    COIN_BASE,
    COIN_ID,
    COIN_VALUE,
    DLEQ_CHALLENGE,
    DLEQ_NONCE,
    DLEQ_KEYS,
    THRESHOLD_KEY,
    THRESHOLD_DEAL,
    THRESHOLD_SIGNING,
    THRESHOLD_SHARE,
    THRESHOLD_OPENING,
    THRESHOLD_NODE,
    ECDSA_NONCE,
    ECDSA_MESSAGE,
    BLS_BEACON,
    SEALED_FILE,
    ERASURE_SHARD,
    ERASURE_NODE,
    ERASURE_ID,
    ERASURE_TABLE,
    SORTITION_TICKET,
    SORTITION_SCORE,
    SORTITION_PROOF,
    SORTITION_SEED,
    SORTITION_GENESIS,
    TOY_MESSAGE,
];

/// BLAKE3 in key-derivation mode under one of the strings above, or under one of your own that no other protocol
/// uses. Never under a string that came from outside.
pub fn hasher(domain: &str) -> blake3::Hasher {
    blake3::Hasher::new_derive_key(domain)
}

/// The 32-byte hash of `bytes` under a domain string. Cost: ⌈len/64⌉ + 1 compressions.
pub fn hash(domain: &str, bytes: &[u8]) -> [u8; 32] {
    *hasher(domain).update(bytes).finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn no_domain_string_is_a_prefix_of_another() {
        for (i, a) in ALL.iter().enumerate() {
            assert!(a.starts_with("quorate-v1-"), "{a}");
            for (j, b) in ALL.iter().enumerate() {
                assert!(i == j || !b.starts_with(a), "{a} is a prefix of {b}");
            }
        }
    }
}

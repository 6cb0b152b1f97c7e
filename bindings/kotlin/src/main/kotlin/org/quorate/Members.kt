@file:JvmName("Members")

package org.quorate

import java.math.BigInteger

/** A prospective member of a committee: a key whose owner proved possession of the secret, and its weight. */
public typealias Member = Pair<VerifiedKey, BigInteger>

/** A prospective member of a committee, and its weight. In Java: `Members.of(…)`. */
@JvmName("of")
public fun Member(key: VerifiedKey, weight: Long): Member = Member(key, BigInteger.valueOf(weight))

/** A member whose proof of possession was verified elsewhere, as a chain does when a validator registers. */
public typealias AttestedMember = Pair<PublicKey, BigInteger>

/** A member whose proof of possession was verified elsewhere, and its weight. In Java: `Members.of(…)`. */
@JvmName("of")
public fun AttestedMember(key: PublicKey, weight: Long): AttestedMember = AttestedMember(key, BigInteger.valueOf(weight))

/** The claim that members signed a message of another chain, with their proof: see [Committee.verifyRawBatch]. */
public typealias RawClaim = Triple<ByteArray, SignerSet, ByteArray>

package org.quorate

import org.quorate.internal.merkleLeaf
import org.quorate.internal.merkleLeaves
import org.quorate.internal.merklePath
import org.quorate.internal.merkleRoot
import org.quorate.internal.merkleVerify
import org.quorate.internal.pathDecode

/**
 * A kind of Merkle tree over BLAKE3: the domains of its leaves and of its nodes, two different strings that are used
 * for nothing else. The root does not fix the number of leaves: whoever signs a root signs the count with it.
 */
public data class Merkle(public val leafDomain: String, public val nodeDomain: String) {
    init {
        leafDomain.text("leafDomain")
        nodeDomain.text("nodeDomain")
    }

    /** The leaf of one item. */
    public fun leaf(item: ByteArray): ByteArray = translated { merkleLeaf(leafDomain, nodeDomain, item) }

    /** The leaves of many items. */
    public fun leaves(items: List<ByteArray>): List<ByteArray> =
        translated { merkleLeaves(leafDomain, nodeDomain, items) }

    /** The root over leaves. */
    public fun root(leaves: List<ByteArray>): ByteArray = translated { merkleRoot(leafDomain, nodeDomain, leaves) }

    /** The path of the leaf at [index]. */
    public fun path(leaves: List<ByteArray>, index: Int): Path =
        Path.decode(translated { merklePath(leafDomain, nodeDomain, leaves, index.natural("index")) })

    /**
     * Checks that [leaf] is where the path says in the tree under [root]; throws [QuorateException.WrongContext] if
     * not. Compare [Path.count] with the count that was signed.
     */
    public fun verify(root: ByteArray, leaf: ByteArray, path: Path): Unit =
        translated { merkleVerify(leafDomain, nodeDomain, root, leaf, path.raw) }

    /** The way from one leaf to the root. */
    public class Path private constructor(@get:JvmSynthetic internal val raw: ByteArray) {
        private val fields = translated { pathDecode(raw) }

        /** The leaf's place. */
        public val index: Long get() = fields.index.toLong()

        /** How many leaves the tree has, as far as this path knows. */
        public val count: Long get() = fields.count.toLong()

        /** The siblings on the way, bottom first. */
        public val siblings: List<ByteArray> get() = fields.siblings.map { it.clone() }

        /** The one encoding. */
        public fun encode(): ByteArray = raw.clone()

        override fun equals(other: Any?): Boolean = other is Path && raw.contentEquals(other.raw)

        override fun hashCode(): Int = raw.contentHashCode()

        override fun toString(): String = "Path(leaf $index of $count)"

        public companion object {
            /** Reads a path. */
            @JvmStatic
            public fun decode(bytes: ByteArray): Path = Path(bytes.clone())
        }
    }
}

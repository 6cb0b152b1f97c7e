/** quorate for Kotlin and Java. The code that uniffi generates, and what holds its objects, is not exported. */
module org.quorate {
    requires transitive kotlin.stdlib;
    requires kotlinx.coroutines.core;
    requires com.sun.jna;

    exports org.quorate;
    exports org.quorate.erasure;
    exports org.quorate.faults;
    exports org.quorate.gossip;
    exports org.quorate.sortition;
    exports org.quorate.threshold;
    exports org.quorate.threshold.bls;
    exports org.quorate.threshold.coin;
    exports org.quorate.threshold.ecdsa;
    exports org.quorate.threshold.seal;
    exports org.quorate.threshold.tdh2;

    // JNA reads the structures that cross to the native library.
    opens org.quorate.internal to com.sun.jna;
}

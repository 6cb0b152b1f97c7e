package org.quorate

import java.util.HexFormat

internal fun String.unhex(): ByteArray = HexFormat.of().parseHex(this)

internal fun ByteArray.asHex(): String = HexFormat.of().formatHex(this)

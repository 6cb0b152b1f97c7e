//! Writes the glue of the blocks that `quorate-interface` declares.

fn main() -> Result<(), String> {
    quorate_generator::write("#[cfg(feature = \"full\")]\n", quorate_generator::wasm::emit)
}

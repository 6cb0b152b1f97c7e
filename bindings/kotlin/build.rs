//! Writes the glue of the blocks that `quorate-interface` declares.

fn main() -> Result<(), String> {
    quorate_generator::macos::set_install_name();
    quorate_generator::write("", quorate_generator::kotlin_glue::emit)
}

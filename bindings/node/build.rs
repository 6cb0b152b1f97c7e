//! Writes the glue of the blocks that `quorate-interface` declares, and sets the linker for an addon: Node provides its
//! symbols when the addon is loaded.

fn main() -> Result<(), String> {
    napi_build::setup();
    quorate_generator::macos::set_install_name();
    quorate_generator::write("", quorate_generator::node::emit)
}

//! Linker settings for an addon: Node provides its symbols when the addon is loaded.

fn main() {
    napi_build::setup();
}

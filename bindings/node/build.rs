//! Linker settings for an addon: Node's symbols are there when it is loaded.

fn main() {
    napi_build::setup();
}

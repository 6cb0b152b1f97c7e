//! Writes the glue of the blocks that `quorate-interface` declares, and sets the linker for an addon: Node provides its
//! symbols when the addon is loaded.

use std::env;

fn main() -> Result<(), String> {
    // On Windows the feature `dyn-symbols` of napi looks the symbols up in the process; the setup for GNU's linker there
    // would demand a `libnode.dll`, which Node does not ship.
    if !env::var("TARGET").is_ok_and(|target| target.ends_with("windows-gnu")) {
        napi_build::setup();
    }
    quorate_generator::write("", quorate_generator::node::emit)
}

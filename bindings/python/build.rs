//! Writes what follows from `quorate-interface`, the declaration of the blocks: the glue, and Python's modules with their
//! stubs, which maturin adds to the wheel with the module of the exceptions.

use std::env;

use quorate_generator::{blocks, errors, macos, python, python_module, write_files};

fn main() -> Result<(), String> {
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        // The interpreter has Python's functions. maturin gives the linker the same words, but cargo alone does not.
        for word in ["-undefined", "dynamic_lookup"] {
            println!("cargo::rustc-cdylib-link-arg={word}");
        }
    }
    macos::set_install_name();
    let blocks = blocks()?;
    write_files(python::files(&blocks))?;
    write_files(python_module::files(&blocks))?;
    errors::write("errors.py", errors::python::emit)
}

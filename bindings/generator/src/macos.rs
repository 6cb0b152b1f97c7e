//! What the build scripts of native libraries tell the linker for macOS.

use std::env;

/// Sets the install name of the library, which linkers write into it. Their default is its path on the machine that built it.
pub fn set_install_name() {
    if let Some(name) = install_name(
        env::var("CARGO_CFG_TARGET_OS").ok().as_deref(),
        &env::var("CARGO_PKG_NAME").unwrap_or_default(),
    ) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,{name}");
    }
}

/// The install name of the library of a package; `None` on other systems.
fn install_name(system: Option<&str>, package: &str) -> Option<String> {
    (system == Some("macos")).then(|| format!("@rpath/lib{}.dylib", package.replace('-', "_")))
}

#[cfg(test)]
mod tests {
    use super::install_name;

    #[test]
    fn an_install_name_has_no_folder_of_the_building_machine() {
        let name = install_name(Some("macos"), "quorate-kotlin");
        assert_eq!(name.as_deref(), Some("@rpath/libquorate_kotlin.dylib"));
        assert_eq!(install_name(Some("linux"), "quorate-kotlin"), None);
    }
}

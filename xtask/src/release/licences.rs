//! The licences of all code in a release, with their texts: most require that copies contain them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::dependencies::{Crate, Id};
use crate::process::Outcome;
use crate::workspace;

/// Starts of the names of files with licences and notices, in upper case.
const NAMES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// What zig links into libraries: its own runtime, and the startup code of C libraries; the files are in its folder.
const RUNTIMES: &[(&str, &str)] = &[
    ("zig's runtime", "LICENSE"),
    ("startup code of mingw-w64, for Windows", "lib/libc/mingw/COPYING"),
    ("startup code of musl", "lib/libc/musl/COPYRIGHT"),
];
/// The standard library, which is in each library and module.
const STANDARD_LIBRARY: &str =
    "Rust's standard library, Apache-2.0 OR MIT, the Rust Project Developers (https://thanks.rust-lang.org)";

/// Names and texts of what is in libraries beside crates. `zig` is the folder of zig.
pub(super) fn beside_crates(zig: &Path) -> Outcome<Vec<(String, String)>> {
    let standard = (STANDARD_LIBRARY.to_owned(), apache()?);
    let runtimes = RUNTIMES.iter().map(|(name, file)| Ok(((*name).to_owned(), read(&zig.join(file))?)));
    [Ok(standard)].into_iter().chain(runtimes).collect()
}

/// The text of the file with all licences: those of crates, and others with their names.
pub(super) fn text(crates: &BTreeMap<Id, Crate>, others: &[(String, String)]) -> Outcome<String> {
    let apache = apache()?;
    // Each text once, with the crates that have it.
    let mut texts = BTreeMap::<String, Vec<String>>::new();
    let mut list = String::new();
    for ((name, version), found) in crates {
        let title = format!("{name} {version}");
        // Writing into a String cannot fail.
        let _ = writeln!(list, "{title}: {}", found.licence);
        // Our own texts are in the package.
        if found.checksum.is_none() {
            continue;
        }
        let mut own = in_folder(&found.folder)?;
        if own.is_empty() && found.licence.contains("Apache-2.0") {
            own.push(apache.clone());
        }
        if own.is_empty() && found.licence.contains("MIT") {
            own.push(mit(name, found));
        }
        if own.is_empty() && found.licence == "MPL-2.0" {
            own.push(mozilla(found)?);
        }
        if own.is_empty() {
            return Err(format!("{title}: it has the licence {} and no text of it", found.licence));
        }
        own.into_iter().for_each(|text| texts.entry(text).or_default().push(title.clone()));
    }
    let mut all = format!("This software contains the following code.\n\n{list}");
    for (name, text) in others {
        let _ = writeln!(all, "{name}");
        texts.entry(text.clone()).or_default().push(name.clone());
    }
    for (text, titles) in texts {
        let _ = write!(all, "\n{}\n{}\n\n{text}\n", "=".repeat(80), titles.join(", "));
    }
    Ok(all)
}

fn apache() -> Outcome<String> {
    read(&workspace::root().join("LICENSE-APACHE"))
}

/// The MIT licence of a crate that has no text of it.
fn mit(name: &str, found: &Crate) -> String {
    let place = found.repository.as_deref().unwrap_or("its registry");
    format!("MIT License\n\nCopyright (c) the authors of {name}, {place}\n\n{}", MIT.trim())
}

/// The notice of the Mozilla Public License, which names where the source is, for a crate that has no text of it.
fn mozilla(found: &Crate) -> Outcome<String> {
    let place =
        found.repository.as_deref().ok_or("a crate under MPL-2.0 does not state where its source is")?;
    Ok(format!(
        "This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0.\n\
         The licence is at https://mozilla.org/MPL/2.0/, the unmodified source at {place}."
    ))
}

/// The text after the copyright, which is the same for all.
const MIT: &str = "
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
";

/// The texts in a crate's folder.
fn in_folder(folder: &Path) -> Outcome<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_licence(path)).collect();
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
    path.is_file() && NAMES.iter().any(|start| name.starts_with(start))
}

/// A text without the differences of line ends and spaces at them.
fn read(file: &Path) -> Outcome<String> {
    let text = fs::read(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let lines =
        String::from_utf8_lossy(&text).lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    Ok(lines.join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::generated;

    #[test]
    fn a_crate_without_text_is_refused_unless_we_have_it() {
        let folder = workspace::target("xtask/unit/licences");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let crates = |licence: &str| {
            let found = Crate {
                licence: licence.to_owned(),
                folder: folder.clone(),
                checksum: Some("00".to_owned()),
                ..Crate::default()
            };
            BTreeMap::from([(("one".to_owned(), "1.0.0".to_owned()), found)])
        };
        let zig = workspace::target("xtask/unit/licences-zig");
        for (name, file) in RUNTIMES {
            generated::put(&zig.join(file), &format!("The text of {name}.\n")).unwrap();
        }
        let text = |licence: &str| text(&crates(licence), &beside_crates(&zig).unwrap());
        text("ISC").unwrap_err();
        assert!(text("MIT").unwrap().contains("the authors of one, its registry"));
        assert!(text("MIT OR Apache-2.0").unwrap().contains(&format!("one 1.0.0, {STANDARD_LIBRARY}")));
        text("MPL-2.0").unwrap_err();
        fs::write(folder.join("License.md"), "permission is granted \r\n").unwrap();
        let all = text("MIT").unwrap();
        assert!(all.ends_with("one 1.0.0\n\npermission is granted\n"), "{all}");
        assert!(all.contains("\nstartup code of musl\n\nThe text of startup code of musl.\n"), "{all}");
    }
}

//! Names in the case of each language.

/// `leaf_domain` as `leafDomain`.
pub(crate) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + &capitalised(word))
}

/// `leaf_domain` as `leafDomain`, and `shard_len` as `shardLength`, as JavaScript calls its own lengths; but a committee has
/// a size, as its sets have.
pub(crate) fn javascript(name: &str) -> String {
    match name.strip_suffix("_len") {
        Some("committee") => "committeeSize".to_owned(),
        Some(start) => camel(&format!("{start}_length")),
        None => camel(name),
    }
}

/// `leaf_domain` as `LeafDomain`.
#[must_use]
pub fn pascal(name: &str) -> String {
    capitalised(&camel(name))
}

/// `VoteCollector` as `vote_collector`.
#[must_use]
pub fn snake(name: &str) -> String {
    let mut all = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !all.is_empty() {
            all.push('_');
        }
        all.extend(letter.to_lowercase());
    }
    all
}

/// The name of a function outside its class: `merkle_verify`.
pub(crate) fn free_function(class: &str, function: &str) -> String {
    format!("{}_{function}", snake(class))
}

/// The name of a parameter in Python, where `bytes` is the name of a type.
pub(crate) fn python_parameter(name: &str) -> &str {
    if name == "bytes" { "data" } else { name }
}

/// Traits of the bindings' glue, with the method that generated code calls.
const TRAITS: [(&str, &str); 2] = [("Throw", "throw"), ("OrThrow", "or_throw")];

/// Imports those names of a Rust module that the code mentions.
pub(crate) fn import(module: &str, names: &[&str], code: &str) -> String {
    let words: Vec<&str> = code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let called = |name| TRAITS.iter().any(|(one, method)| *one == name && words.contains(method));
    let used: Vec<&str> =
        names.iter().copied().filter(|name| words.contains(name) || called(*name)).collect();
    match used.as_slice() {
        [] => String::new(),
        [one] => format!("use {module}::{one};\n"),
        several => format!("use {module}::{{{}}};\n", several.join(", ")),
    }
}

/// Imports the module of a block as `interface`, unless its functions take only classes of other blocks.
pub(crate) fn import_interface(path: &str, code: &str) -> String {
    let import = || format!("use quorate_interface::{path} as interface;\n");
    code.contains("interface::").then(import).unwrap_or_default()
}

/// Imports those names of a TypeScript module that the code mentions outside its comments.
pub(crate) fn import_typescript(module: &str, names: &[&str], code: &str) -> String {
    let is_code = |line: &&str| !["*", "/**"].iter().any(|mark| line.trim_start().starts_with(mark));
    let lines = code.lines().filter(is_code);
    let words: Vec<&str> =
        lines.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric())).collect();
    let used: Vec<&str> = names.iter().copied().filter(|name| words.contains(name)).collect();
    if used.is_empty() {
        String::new()
    } else {
        format!("import {{ {} }} from '{module}';\n", used.join(", "))
    }
}

/// A function of `item` that returns the value of an expression: by its name, if it only calls one.
pub(crate) fn closure(expression: &str) -> String {
    let called = expression.strip_suffix("(item)");
    let is_name = |name: &&str| name.chars().all(|letter| letter.is_alphanumeric() || "_:".contains(letter));
    match called.filter(is_name) {
        Some(name) => name.to_owned(),
        None if expression == "item.into()" => "Into::into".to_owned(),
        None => format!("|item| {expression}"),
    }
}

/// The texts with commas between them.
pub(crate) fn commas<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    joined(texts, ", ")
}

/// The texts with another one between them.
pub(crate) fn joined<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, between: &str) -> String {
    let mut texts = texts.into_iter();
    let first = texts.next().map(|text| text.as_ref().to_owned()).unwrap_or_default();
    texts.fold(first, |all, text| all + between + text.as_ref())
}

/// The values of a tuple, in the syntax of Rust and Python.
pub(crate) fn tuple<T: AsRef<str>>(values: impl IntoIterator<Item = T>) -> String {
    format!("({})", commas(values))
}

/// The lines of code with `by` more spaces before each.
pub(crate) fn indented(text: &str, by: usize) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{:by$}{line}\n", "") };
    text.lines().map(line).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_the_case_of_each_language() {
        assert_eq!(
            (camel("leaf_domain").as_str(), pascal("leaf_domain").as_str()),
            ("leafDomain", "LeafDomain")
        );
        assert_eq!(
            (javascript("shard_len"), javascript("lender")),
            ("shardLength".to_owned(), "lender".to_owned())
        );
        assert_eq!(free_function("VoteCollector", "add_all"), "vote_collector_add_all");
    }

    #[test]
    fn a_function_that_only_calls_another_is_that_one() {
        assert_eq!(closure("External::new(item)"), "External::new");
        assert_eq!(closure("Some(Row(item))"), "|item| Some(Row(item))");
    }

    #[test]
    fn names_in_comments_are_not_imported() {
        let code =
            "/** One. */\n  /**\n   * open two\n   */\n  three() { return wrap(Three, native.three()); }";
        let import = import_typescript("./handle.js", &["One", "open", "wrap"], code);
        assert_eq!(import, "import { wrap } from './handle.js';\n");
    }

    #[test]
    fn only_names_that_the_code_mentions_are_imported() {
        let code = "fn text() -> Bytes { bytes(3).throw() }";
        assert_eq!(import("glue", &["Bytes", "bytes", "byte"], code), "use glue::{Bytes, bytes};\n");
        assert_eq!(import("glue", &["byte", "Throw"], code), "use glue::Throw;\n");
        assert_eq!(import("glue", &["OrThrow"], code), "");
    }
}

//! The declarations of a binding, from the files that editors read: names of types, each with its members.

use std::collections::{BTreeMap, BTreeSet};

/// Types with their members; functions and constants of the package are members of the empty name.
pub(crate) type Declared = BTreeMap<String, BTreeSet<String>>;

/// Reads TypeScript, as source or declarations: `export class X {`, `export interface X {`, `export namespace x {` (with
/// classes in it), functions, constants, and the kinds of a union `export type X =`.
pub(crate) fn typescript(text: &str) -> Declared {
    let mut declared = Declared::new();
    // The open blocks with their indentation.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut union = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['*', '/'])) {
        let kind = line.trim().strip_prefix("readonly kind: '").and_then(|rest| rest.strip_suffix("';"));
        if let Some(kind) = kind {
            declared.entry(union.clone()).or_default().insert(kind.to_owned());
        }
        let indent = line.len() - line.trim_start().len();
        let mut words = Words::new(line);
        if line.trim().is_empty() {
            continue;
        }
        while open.last().is_some_and(|(at, _)| indent <= *at) {
            open.pop();
        }
        // A parameter on a line of its own, or a body.
        if open.last().is_some_and(|(at, _)| indent > at + 2) {
            continue;
        }
        words.skip(&[
            "export",
            "declare",
            "default",
            "abstract",
            "static",
            "readonly",
            "private",
            "protected",
        ]);
        let kind = words.peek();
        match kind.as_str() {
            "class" | "interface" | "namespace" => {
                words.next();
                let name = words.next();
                let whole = open.last().filter(|(_, block)| is_namespace(block));
                declared
                    .entry(whole.map_or(String::new(), |(_, space)| space.clone()))
                    .or_default()
                    .insert(name.clone());
                declared.entry(name.clone()).or_default();
                open.push((indent, name));
            }
            "function" | "const" | "let" | "type" => {
                words.next();
                let name = words.next();
                if kind == "type" {
                    union.clone_from(&name);
                }
                let inside = open.last().map_or(String::new(), |(_, block)| block.clone());
                declared.entry(inside).or_default().insert(name.clone());
                if kind == "const" && line.trim_end().ends_with('{') {
                    open.push((indent, name));
                }
            }
            "get" | "set" if !line.trim_start().starts_with("get(") => {
                words.next();
                member(&mut declared, &open, indent, words.next());
            }
            _ => member(&mut declared, &open, indent, words.next()),
        }
    }
    declared
}

/// Reads a `.pyi` or `.py`: classes by indentation, `def`, and annotated or assigned names.
pub(crate) fn python(text: &str) -> Declared {
    let mut declared = Declared::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if line.trim().is_empty() || line.trim_start().starts_with(['#', '@', ')', '"']) {
            continue;
        }
        while open.last().is_some_and(|(at, _)| indent <= *at) {
            open.pop();
        }
        let mut words = Words::new(line);
        words.skip(&["async"]);
        let kind = words.peek();
        match kind.as_str() {
            "class" => {
                words.next();
                let name = words.next();
                declared.entry(String::new()).or_default().insert(name.clone());
                declared.entry(name.clone()).or_default();
                open.push((indent, name));
            }
            "def" => {
                words.next();
                member(&mut declared, &open, indent, words.next());
            }
            "" => {}
            _ => {
                // `self.name: T = …` declares an attribute of the class.
                let line = line.trim_start();
                let line = line.strip_prefix("self.").unwrap_or(line);
                let name = Words::new(line).next();
                let rest = line.get(name.len()..).unwrap_or_default().trim_start();
                if rest.starts_with([':', '=']) {
                    member(&mut declared, &open, indent, name);
                }
            }
        }
    }
    declared
}

/// Reads Kotlin: classes, interfaces and objects by their braces, `fun`, `val`, `var`, and the entries of enums.
pub(crate) fn kotlin(text: &str) -> Declared {
    const MODIFIERS: &[&str] = &[
        "public",
        "override",
        "suspend",
        "const",
        "open",
        "abstract",
        "sealed",
        "data",
        "value",
        "enum",
        "companion",
        "operator",
        "infix",
        "inline",
        "final",
        "lateinit",
        "annotation",
        "inner",
    ];
    let mut declared = Declared::new();
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        if line.trim().is_empty() || line.trim_start().starts_with(['*', '/', '@', ')']) {
            continue;
        }
        while open.last().is_some_and(|(at, _)| indent <= *at) {
            open.pop();
        }
        let mut words = Words::new(line);
        words.skip(MODIFIERS);
        let kind = words.peek();
        match kind.as_str() {
            "private" | "internal" | "import" | "package" | "return" => {}
            "class" | "interface" => {
                words.next();
                let name = words.next();
                declared.entry(String::new()).or_default().insert(name.clone());
                declared.entry(name.clone()).or_default();
                fields(&mut declared, line, &name);
                open.push((indent, name));
            }
            "object" => {
                words.next();
                let name = words.next();
                // Declarations of a companion object belong to the class.
                let name =
                    if name.is_empty() { open.last().map_or(name, |(_, class)| class.clone()) } else { name };
                declared.entry(String::new()).or_default().insert(name.clone());
                declared.entry(name.clone()).or_default();
                open.push((indent, name));
            }
            "fun" | "val" | "var" => {
                words.next();
                member(&mut declared, &open, indent, words.next());
            }
            _ => member(&mut declared, &open, indent, words.next()),
        }
    }
    declared
}

/// `class X(val a: A, …)`: the properties that a header of one line declares.
fn fields(declared: &mut Declared, line: &str, class: &str) {
    for (at, _) in line.match_indices("val ") {
        let name: String = line.get(at + 4..).unwrap_or_default().chars().take_while(|c| word(*c)).collect();
        declared.entry(class.to_owned()).or_default().insert(name);
    }
}

fn member(declared: &mut Declared, open: &[(usize, String)], indent: usize, name: String) {
    let place = match open.last() {
        Some((_, block)) => block.clone(),
        None if indent == 0 => String::new(),
        None => return,
    };
    if !name.is_empty() {
        declared.entry(place).or_default().insert(name);
    }
}

fn is_namespace(block: &str) -> bool {
    block.starts_with(char::is_lowercase)
}

fn word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of a line, in order. `[Symbol.iterator]` is one word.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn new(line: &'a str) -> Self {
        Self(line.trim_start())
    }

    fn peek(&self) -> String {
        if self.0.starts_with('[') {
            return self.0.split_inclusive(']').next().unwrap_or_default().to_owned();
        }
        self.0.chars().take_while(|c| word(*c)).collect()
    }

    fn next(&mut self) -> String {
        let next = self.peek();
        self.0 = self.0.get(next.len()..).unwrap_or_default().trim_start();
        next
    }

    fn skip(&mut self, modifiers: &[&str]) {
        while modifiers.contains(&self.peek().as_str()) {
            // `private constructor(val x)` is a member, `readonly: T` a property of that name.
            let word = self.peek();
            if self.0.get(word.len()..).is_some_and(|rest| rest.starts_with(['(', ':', '?'])) {
                return;
            }
            self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(declared: &Declared, block: &str, names: &[&str]) {
        for name in names {
            assert!(
                declared.get(block).is_some_and(|members| members.contains(*name)),
                "{block}.{name}: {declared:?}"
            );
        }
    }

    #[test]
    fn typescript_is_read() {
        let declared = typescript(
            "export const VERSION: string;\nexport class Vote {\n  #private;\n  /** Not a member. */\n  constructor(a: A);\n  \
             static decode(\n    suite: Suite,\n  ): Vote;\n  readonly signer: number;\n  [Symbol.iterator](): I;\n}\n\
             export type Fault =\n  | {\n      readonly kind: 'bad-signature';\n    };\n\
             export namespace wire {\n  class Reader {\n    u8(): number;\n  }\n  function hash(): void;\n}\n",
        );
        has(&declared, "", &["VERSION", "Vote", "wire"]);
        has(&declared, "Vote", &["constructor", "decode", "signer", "[Symbol.iterator]"]);
        has(&declared, "Fault", &["bad-signature"]);
        has(&declared, "wire", &["Reader", "hash"]);
        has(&declared, "Reader", &["u8"]);
        assert!(!declared["Vote"].contains("suite") || declared["Vote"].len() == 5, "a parameter at worst");
    }

    #[test]
    fn python_is_read() {
        let declared = python(
            "VERSION: str\nclass Vote:\n    def __new__(cls) -> Vote: ...\n    @property\n    def signer(self) -> int: ...\n\
             class Kind(Enum):\n    ONE = 1\n    def __init__(self) -> None:\n        self.two: int = 2\ndef hash(domain: str) -> bytes: ...\n",
        );
        has(&declared, "", &["VERSION", "Vote", "Kind", "hash"]);
        has(&declared, "Vote", &["__new__", "signer"]);
        has(&declared, "Kind", &["ONE", "two"]);
    }

    #[test]
    fn kotlin_is_read() {
        let declared = kotlin(
            "const val VERSION = 1\npublic class Vote internal constructor(val raw: Raw) : Closeable {\n    val signer: Int\n\
             \x20   suspend fun awaitVerify() = 1\n    private fun hidden() = 1\n    companion object {\n        fun decode() = 1\n    }\n}\nobject Bls {\n    fun aggregate() = 1\n}\n",
        );
        has(&declared, "", &["VERSION", "Vote", "Bls"]);
        has(&declared, "Vote", &["signer", "awaitVerify", "decode", "raw"]);
        has(&declared, "Bls", &["aggregate"]);
        assert!(!declared["Vote"].contains("hidden"));
    }
}

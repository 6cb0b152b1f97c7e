//! A block's interface as data, without anything of a language.

/// A module of the interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its name, in snake case.
    pub name: String,
    /// Its description.
    pub docs: Docs,
    /// Its classes, in the order of their declaration.
    pub classes: Vec<Class>,
}

/// A structure with its functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its name, unique in the interface.
    pub name: String,
    /// Its description.
    pub docs: Docs,
    /// Its representation in a language whose native objects must be closed.
    pub kind: Kind,
    /// True if two objects can be compared.
    pub equality: bool,
    /// The class in which Kotlin nests it.
    pub within: Option<String>,
    /// Its functions, in the order of their declaration.
    pub functions: Vec<Function>,
}

/// How an object exists where native memory is not collected with the object, as on the JVM. All other languages hold a
/// native object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As the arguments of its constructor.
    Value,
    /// As its canonical encoding.
    Encoded,
}

/// A function of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, in snake case.
    pub name: String,
    /// Its description.
    pub docs: Docs,
    /// How it is called.
    pub role: Role,
    /// Its parameters, without the object.
    pub parameters: Vec<Parameter>,
    /// Its result; `None` for nothing.
    pub result: Option<Type>,
    /// True if it can fail with an error of the core.
    pub fallible: bool,
    /// True if it takes less than a microsecond.
    pub quick: bool,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// As the constructor of its class.
    Constructor,
    /// On the class.
    Static,
    /// On an object.
    Method,
    /// As a property of an object.
    Getter,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, in snake case.
    pub name: String,
    /// Its type.
    pub kind: Type,
}

/// A type that crosses the boundary between languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Text: `String`.
    Text,
    /// Bytes: `&[u8]` as a parameter, `Vec<u8>`, `[u8; N]` or `Hash` as a result.
    Bytes,
    /// An unsigned integer of a format: `u8`.
    U8,
    /// An unsigned integer of a format: `u32`.
    U32,
    /// An unsigned integer of a format: `u64`.
    U64,
    /// A position or a count in memory: `usize`.
    Size,
    /// A list of byte strings: `&[&[u8]]` as a parameter, a `Vec` of any bytes as a result.
    BytesList,
    /// A signature scheme: `Suite`.
    Suite,
    /// An object of a class of the interface: `&Class` as a parameter, the class itself or `Self` as a result.
    Class(String),
}

/// A description in Markdown, with links of rustdoc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs {
    /// The text before the section about errors.
    pub text: String,
    /// The errors: the name of a variant of the core's `Error`, and when it occurs.
    pub errors: Vec<(String, String)>,
}

impl Class {
    /// The constructor, if it has one.
    #[must_use]
    pub fn constructor(&self) -> Option<&Function> {
        self.functions.iter().find(|function| function.role == Role::Constructor)
    }

    /// The properties, which `encoded` classes read once.
    pub fn getters(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.role == Role::Getter)
    }
}

impl Block {
    /// True if a function takes or returns a signature scheme.
    #[must_use]
    pub fn has_suites(&self) -> bool {
        let functions = self.classes.iter().flat_map(|class| &class.functions);
        let mut kinds = functions.flat_map(|function| {
            function.result.iter().chain(function.parameters.iter().map(|parameter| &parameter.kind))
        });
        kinds.any(|kind| *kind == Type::Suite)
    }

    /// The class of this name.
    #[must_use]
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.name == name)
    }
}

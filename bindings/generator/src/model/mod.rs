//! A block's interface as data that no language determines.

mod functions;
mod types;

use crate::names::commas;

pub use functions::{Answer, Choice, Cost, Function, Parameter, Role};
pub use types::{Docs, Type};

/// A module of the interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its name, in snake case, unique in the interface: `threshold_tdh2`.
    pub name: String,
    /// Its path in `quorate-interface`: `threshold::tdh2`.
    pub path: String,
    /// The module from which users import its names; without one, they are the package's own.
    pub module: Option<String>,
    /// Its description.
    pub docs: Docs,
    /// Its constants.
    pub constants: Vec<Constant>,
    /// Its classes, in the order of their declaration; one of them has the functions outside classes.
    pub classes: Vec<Class>,
    /// The names that it imports from other blocks: the path of the block, and the name of the class.
    pub imports: Vec<(String, String)>,
    /// The classes of other blocks that it mentions.
    pub imported: Vec<Class>,
    /// The classes that imported plain data contains, beside those.
    pub reachable: Vec<Class>,
    /// True if the module that only verifies certificates does not have it.
    pub full: bool,
    /// True if WebAssembly does not have it.
    pub native: bool,
}

/// Where a class is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Home {
    /// The name of its block.
    pub block: String,
    /// The path of its block in `quorate-interface`.
    pub path: String,
    /// The module from which users import it; without one, they import it from the package itself.
    pub module: Option<String>,
}

/// An integer with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name, in capitals.
    pub name: String,
    /// Its description.
    pub docs: Docs,
    /// Its value.
    pub value: u128,
    /// The class in which Kotlin nests it.
    pub within: Option<String>,
}

/// A structure with its functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Its name, unique in the module from which users import it.
    pub name: String,
    /// Its name in native code, unique in the interface.
    pub native: String,
    /// Its description.
    pub docs: Docs,
    /// Where it is declared.
    pub home: Home,
    /// Its representation in a language whose native objects must be closed.
    pub kind: Kind,
    /// True for an object that holds a secret: its text does not show it, and all languages can close it.
    pub secret: bool,
    /// True if its text is its encoding in hexadecimal digits: JSON has the text, and Python's representation adds the
    /// name of the class.
    pub hex: bool,
    /// True for a `value` in place of which JavaScript has plain objects: their fields are the constructor's parameters.
    pub plain: bool,
    /// The variants of an enumeration; for plain data, one with the name of the class.
    pub variants: Vec<Variant>,
    /// What objects can be compared by.
    pub traits: Traits,
    /// The class in which Kotlin nests it.
    pub within: Option<String>,
    /// The advice in place of pickling an object, unless it is the usual one.
    pub instead: Option<String>,
    /// Its constants.
    pub constants: Vec<Constant>,
    /// Its functions, in the order of their declaration.
    pub functions: Vec<Function>,
    /// The function that returns about how many bytes an object holds.
    pub size: Option<String>,
    /// The function that returns true once the secret of an object is used up, after which it counts as closed.
    pub spent: Option<String>,
    /// True for an object whose functions change it, and hold its lock only for moments.
    pub stateful: bool,
    /// The function that takes the answer of a hook before slow work is queued.
    pub early: Option<String>,
    /// True for a set of members: `size`, `contains` and `members` are what the language calls them in its own sets.
    pub set: bool,
    /// True if a function takes objects of this class: another object's function may then hold the lock of this one.
    pub shared: bool,
    /// True if a function takes the object of this class itself, which is closed afterwards.
    pub taken: bool,
    /// True if the module that only verifies certificates does not have it.
    pub full: bool,
    /// Set if a function of any block takes several objects of it, or one or none.
    pub listed: Option<Listed>,
}

/// Where lists of a class are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listed {
    /// In the whole package.
    Full,
    /// Also in the module that only verifies certificates.
    Always,
}

/// How an object exists where native memory is not collected with the object, as on the JVM. All other languages hold a
/// native object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// As the arguments of its constructor.
    Value,
    /// As its canonical encoding.
    Encoded,
    /// As its properties.
    Record,
    /// As a native object, which is closed.
    Object,
    /// Plain data, which only results contain: a structure of public fields, in every language.
    Data,
    /// Plain data of one of several forms, which only results contain: an enumeration whose variants have fields.
    Union,
    /// One of several names: an enumeration without fields, which crosses as the text of its name.
    Names,
    /// No objects: its functions belong to the module itself, and Kotlin, which has none, gives them this name.
    #[default]
    Module,
}

/// A variant of an enumeration, or plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name, in Pascal case.
    pub name: String,
    /// The text of a name, and the kind of a form of plain data: its name in snake case, or another text.
    pub text: String,
    /// Its description.
    pub docs: Docs,
    /// Its fields.
    pub fields: Vec<Field>,
}

impl Variant {
    /// Its fields in braces, each as it is written; nothing without fields.
    pub(crate) fn braces(&self, written: impl Fn(&Field) -> String) -> String {
        let braces = || format!(" {{ {} }}", commas(self.fields.iter().map(written)));
        if self.fields.is_empty() { String::new() } else { braces() }
    }

    /// The names of its fields, as a pattern of Rust.
    pub(crate) fn pattern(&self) -> String {
        self.braces(|field| field.name.clone())
    }
}

/// A field of plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, in snake case.
    pub name: String,
    /// Its description.
    pub docs: Docs,
    /// Its type.
    pub kind: Type,
}

/// What objects of a class can be compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// True if two objects can be compared.
    pub equality: bool,
    /// True if they are ordered.
    pub order: bool,
    /// True if they have a hash.
    pub hash: bool,
}

impl Class {
    /// The constructor, if it has one.
    pub(crate) fn constructor(&self) -> Option<&Function> {
        self.functions.iter().find(|function| function.role == Role::Constructor)
    }

    /// The type of a hook: the parameter with which it is called, and its result.
    pub(crate) fn hook_type(&self, name: &str) -> Option<(Option<&Parameter>, &Type)> {
        let mut answers = self.functions.iter().flat_map(Function::answers);
        let (answer, _, asked) = answers.find(|(_, hook, _)| *hook == name)?;
        Some((asked, answer.kind.inner().unwrap_or(&answer.kind)))
    }

    /// True if users can set a function.
    pub(crate) fn has_hook(&self) -> bool {
        self.functions.iter().any(|function| function.hook)
    }

    /// The parameters of the constructor; none without one.
    pub(crate) fn made_of(&self) -> &[Parameter] {
        self.constructor().map_or(&[], |constructor| constructor.parameters.as_slice())
    }

    /// The function that is called by this one's name where the type of the first argument selects it.
    pub(crate) fn overload_of(&self, function: &Function) -> Option<&Function> {
        self.functions.iter().find(|other| other.overload.as_ref() == Some(&function.name))
    }

    /// The path of an item that the glue of a block adds to a class: that of another block is in the module of its name.
    pub(crate) fn glue(&self, block: &Block, item: &str) -> String {
        if self.home.block == block.name {
            item.to_owned()
        } else {
            format!("crate::{}::{item}", self.home.block)
        }
    }

    /// The path of the Rust type, in code that imports the module of its block as `interface`.
    pub(crate) fn rust(&self, block: &Block) -> String {
        if self.home.block == block.name {
            format!("interface::{}", self.name)
        } else {
            format!("quorate_interface::{}::{}", self.home.path, self.name)
        }
    }

    /// The path before the name of a function that has no receiver.
    pub(crate) fn scope(&self) -> String {
        if self.kind == Kind::Module {
            "interface::".to_owned()
        } else {
            format!("interface::{}::", self.name)
        }
    }

    /// The function whose bytes are the text of a class, in hexadecimal digits.
    pub(crate) fn hex_source(&self) -> Option<&Function> {
        let source = self.function("encode").or_else(|| self.function("bytes"));
        source.filter(|_| self.hex)
    }

    /// The functions of which two equal objects have the same results, where these are few: the encoding, and what else
    /// reading it needs.
    pub(crate) fn equal_by(&self) -> Option<Vec<&Function>> {
        let (read, written) = self.own_encoding()?;
        let others = read.parameters.iter().filter(|one| one.kind != Type::Bytes);
        others.map(|one| self.function(&one.name)).chain([Some(written)]).collect()
    }

    /// The fields of plain data.
    pub(crate) fn fields(&self) -> &[Field] {
        self.variants.first().filter(|_| self.kind == Kind::Data).map_or(&[], |one| one.fields.as_slice())
    }

    /// The properties.
    pub(crate) fn getters(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.role == Role::Getter)
    }

    /// The function of this name.
    pub(crate) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The functions that read and return the encoding, if the first needs nothing else: `decode` and `encode`, or
    /// `from_bytes` and `bytes` of a class that is nothing but bytes.
    pub(crate) fn plain_encoding(&self) -> Option<(&Function, &Function)> {
        let pairs = [("decode", "encode"), ("from_bytes", "bytes")].into_iter();
        let mut found = pairs.filter_map(|(read, written)| self.function(read).zip(self.function(written)));
        found.find(|(read, _)| read.parameters.len() == 1)
    }

    /// The functions that read and return the encoding, if all else that the first needs is a property of the object, as
    /// the suite is.
    pub(crate) fn own_encoding(&self) -> Option<(&Function, &Function)> {
        let is_known =
            |one: &Parameter| one.kind == Type::Bytes || self.getters().any(|getter| getter.name == one.name);
        let encoding = self.function("decode").zip(self.function("encode"));
        let found = encoding
            .filter(|(read, written)| read.parameters.iter().all(is_known) && written.parameters.is_empty());
        found.or_else(|| self.plain_encoding())
    }

    /// True if reading its encoding needs nothing else.
    pub(crate) fn is_plain_encoding(&self) -> bool {
        self.plain_encoding().is_some()
    }
}

impl Block {
    /// True if a function takes or returns this type.
    pub(crate) fn mentions(&self, kind: &Type) -> bool {
        self.functions().flat_map(|(_, function)| function.types()).any(|one| one.mentions(kind))
    }

    /// The names of the classes in the fields of plain data.
    pub(crate) fn contained(class: &Class) -> Vec<&str> {
        let fields = class.variants.iter().flat_map(|variant| &variant.fields);
        let kinds = fields.map(|field| field.kind.inner().unwrap_or(&field.kind));
        kinds
            .filter_map(|kind| match kind {
                Type::Class(name) => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The classes of which a function takes several objects, or one or none.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (&Class, Listed)> {
        self.functions().flat_map(move |(class, function)| {
            let is_full = self.full || class.full || function.full;
            let listed = if is_full { Listed::Full } else { Listed::Always };
            let items = function.parameters.iter().filter_map(|one| one.kind.inner());
            items.flat_map(Type::parts).filter_map(move |part| match part {
                Type::Class(name) => self.class(name).map(|class| (class, listed)),
                _ => None,
            })
        })
    }

    /// Its classes and those of other blocks.
    pub(crate) fn all_classes_mut(&mut self) -> impl Iterator<Item = &mut Class> {
        self.classes.iter_mut().chain(&mut self.imported).chain(&mut self.reachable)
    }

    /// The block in the module that only verifies certificates, if it is there.
    pub(crate) fn verification(&self) -> Option<Self> {
        let part = |class: &Class| Class {
            functions: class.functions.iter().filter(|function| !function.full).cloned().collect(),
            ..class.clone()
        };
        let parts = |classes: &[Class]| classes.iter().filter(|class| !class.full).map(part).collect();
        let (classes, imported) = (parts(&self.classes), parts(&self.imported));
        let reachable = parts(&self.reachable);
        (!self.full).then(|| Self { classes, imported, reachable, ..self.clone() })
    }

    /// The class of this name, of this block or imported.
    pub(crate) fn class(&self, name: &str) -> Option<&Class> {
        let all = self.classes.iter().chain(&self.imported).chain(&self.reachable);
        all.into_iter().find(|class| class.name == name)
    }

    /// The class of an object; names cross as text.
    pub(crate) fn object_class(&self, kind: &Type) -> Option<&Class> {
        match kind {
            Type::Class(name) => self.class(name).filter(|class| class.kind != Kind::Names),
            _ => None,
        }
    }

    /// The function that finds the value of a name.
    pub(crate) fn name_parser(&self, kind: &Type) -> Option<String> {
        let Type::Class(name) = kind else { return None };
        let class = self.class(name).filter(|class| class.kind == Kind::Names)?;
        Some(format!("{}::from_name", class.rust(self)))
    }

    /// The path of the Rust type of the class of this name.
    pub(crate) fn rust(&self, name: &str) -> String {
        self.class(name).map_or_else(|| name.to_owned(), |class| class.rust(self))
    }

    /// The functions of its classes, each with its class.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&Class, &Function)> {
        self.classes.iter().flat_map(|class| class.functions.iter().map(move |one| (class, one)))
    }

    /// The kind of the class of this name.
    pub(crate) fn kind(&self, name: &str) -> Option<Kind> {
        self.class(name).map(|class| class.kind)
    }

    /// The name in native code of the class of this name.
    pub(crate) fn native(&self, name: &str) -> String {
        self.class(name).map_or_else(|| name.to_owned(), |class| class.native.clone())
    }
}

//! A block's interface as data that no language determines.

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// How long it takes.
    pub cost: Cost,
    /// True for a property that is computed.
    pub computed: bool,
    /// For a constructor that JavaScript calls with one object, whose fields are the parameters.
    pub fields: bool,
    /// True if it sets a function of the user's.
    pub hook: bool,
    /// The function whose name it takes where an argument's type can select the function.
    pub overload: Option<String>,
    /// True if the module that only verifies certificates does not have it.
    pub full: bool,
}

/// How long a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Less than a microsecond.
    Quick,
    /// Longer.
    Usual,
    /// So long that it also has an asynchronous form.
    Slow,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// With the name of its class, as the constructor.
    Constructor,
    /// On the class.
    Static,
    /// On the class, to create a variant.
    Variant,
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
    /// The maximum number of items of a list, of which one more is read.
    pub limit: Option<u64>,
    /// For a list of objects that the user selects with a predicate.
    pub choice: Option<Choice>,
    /// True for an object passed by value: the function takes its secret, and it is closed afterwards, in any case.
    pub owned: bool,
    /// True for bytes of a secret, of which Kotlin leaves no copy in native memory.
    pub secret: bool,
    /// True for an option: Python passes it by its name, and JavaScript as a field of a last argument, `options`.
    pub option: bool,
    /// True for an option that Python also accepts by its position.
    pub positional: bool,
    /// The number that is used if the user passes none: of microseconds for a duration.
    pub default: Option<u64>,
    /// Set if the user does not pass it: it is the result of a function that the user has set.
    pub answer: Option<Answer>,
}

/// The result of a hook, which is called before the function that takes it, and without any lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The function that sets the hook.
    pub hook: String,
    /// The parameter with which the hook is called.
    pub of: Option<String>,
}

/// A selection by the user's predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The method that returns the candidates: its parameters are parameters of the same names.
    pub among: String,
    /// The property that is the default predicate.
    pub default: String,
}

/// A type that crosses the boundary between languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Text: `String`.
    Text,
    /// Bytes: `&[u8]`, or as a result `Vec<u8>`, `[u8; N]` or `Hash`.
    Bytes,
    /// Bytes of a secret, in results: `SecretBytes`. Those who hold them wipe them where the language allows it.
    SecretBytes,
    /// `bool`.
    Bool,
    /// An unsigned integer of a format: `u8`.
    U8,
    /// An unsigned integer of a format: `u16`.
    U16,
    /// An unsigned integer of a format: `u32`.
    U32,
    /// An unsigned integer of a format: `u64`.
    U64,
    /// An unsigned integer of a format: `u128`.
    U128,
    /// A position or a count in memory: `usize`.
    Size,
    /// A length of bytes in memory: `Length`.
    Length,
    /// A length of bytes that need not be in memory: `AnyLength`.
    AnyLength,
    /// An integer from 1 to 65,535: `NonZeroU16`, in parameters. Zero is out of range, as larger numbers are.
    NonZeroU16,
    /// A span of time: `Duration`. JavaScript has a number of microseconds.
    Duration,
    /// A signature scheme: `Suite` of the core.
    Suite,
    /// An object of a class of the block, or of one that it imports: `&Class` as a parameter, the class itself or `Self`
    /// as a result.
    Class(String),
    /// An object of the core whose class each binding writes by hand: one of [`BOUND`], with the types of
    /// `quorate::any` or of the core. A parameter can be `&mut`.
    Bound(String),
    /// An error as a value: `Error`, in results.
    Failure,
    /// A function of the user's that verifies a member's attestation of some bytes: `Attested<'_>`, in parameters.
    Attested,
    /// Several: a slice as a parameter, a `Vec` as a result; of bytes, integers, objects, tuples or verdicts. An optional
    /// parameter can be several lists of `u16`, and a result a list of errors or none.
    List(Box<Type>),
    /// An item of a list in parameters: a tuple of two or three values. A parameter itself can be a pair of bytes.
    Tuple(Vec<Type>),
    /// An item of a list in results: `Result`, the value or an error.
    Verdict(Box<Type>),
    /// One or none: `Option`.
    Optional(Box<Type>),
}

/// The classes that each binding writes by hand.
pub const BOUND: &[&str] = &[
    "ChainId",
    "Committee",
    "CommitteeId",
    "Guard",
    "GuardRecord",
    "PublicKey",
    "SecretKey",
    "Signature",
    "SignerSet",
    "Statement",
    "VerifiedCertificate",
    "VerifiedVote",
];

/// A description in Markdown, with links of rustdoc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docs {
    /// The text before the section about errors.
    pub text: String,
    /// The errors: the name of a variant of the core's `Error`, and when it occurs.
    pub errors: Vec<(String, String)>,
}

impl Type {
    /// The type of a list's items or of an optional value.
    #[must_use]
    pub fn inner(&self) -> Option<&Self> {
        match self {
            Type::List(inner) | Type::Optional(inner) => Some(inner),
            _ => None,
        }
    }

    /// The type within all lists and options.
    #[must_use]
    pub fn innermost(&self) -> &Self {
        self.inner().map_or(self, Self::innermost)
    }

    /// The parts of a tuple, or the type itself.
    #[must_use]
    pub fn parts(&self) -> &[Self] {
        match self {
            Type::Tuple(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// True if it is or contains this type.
    #[must_use]
    pub fn mentions(&self, other: &Self) -> bool {
        let within = match self {
            Type::List(inner) | Type::Optional(inner) | Type::Verdict(inner) => inner.mentions(other),
            Type::Tuple(parts) => parts.iter().any(|part| part.mentions(other)),
            _ => false,
        };
        within || self == other
    }

    /// True for a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Type::List(_))
    }

    /// The width of an integer in Rust.
    #[must_use]
    pub fn integer(&self) -> Option<&'static str> {
        match self {
            Type::U8 => Some("u8"),
            Type::U16 | Type::NonZeroU16 => Some("u16"),
            Type::U32 => Some("u32"),
            Type::U64 | Type::Size | Type::Length | Type::AnyLength => Some("u64"),
            Type::U128 => Some("u128"),
            _ => None,
        }
    }
}

impl Parameter {
    /// A parameter without attributes.
    #[must_use]
    pub fn new(name: &str, kind: Type) -> Self {
        let name = name.to_owned();
        Self {
            name,
            kind,
            limit: None,
            choice: None,
            owned: false,
            option: false,
            positional: false,
            default: None,
            secret: false,
            answer: None,
        }
    }
}

impl Function {
    /// True if it is called on an object.
    #[must_use]
    pub fn has_receiver(&self) -> bool {
        matches!(self.role, Role::Method | Role::Getter)
    }

    /// True for a constant variant.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.role == Role::Variant && self.parameters.is_empty()
    }

    /// True if it takes less than a microsecond.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.cost == Cost::Quick
    }

    /// True if it has an asynchronous form.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.cost == Cost::Slow
    }

    /// The parameters that cross to a native object, in the order in which JavaScript passes them: a secret whose owner
    /// changes comes last, when all others have been checked. A function of the user's does not cross.
    pub fn crossing(&self) -> impl Iterator<Item = &Parameter> {
        let (taken, others): (Vec<&Parameter>, Vec<&Parameter>) =
            self.parameters.iter().filter(|one| one.kind != Type::Attested).partition(|one| one.owned);
        others.into_iter().chain(taken)
    }

    /// The parameters that the user passes.
    pub fn passed(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|one| one.answer.is_none())
    }

    /// The parameters that are the results of hooks, each with its hook and the parameter with which that is called.
    pub fn answers(&self) -> impl Iterator<Item = (&Parameter, &str, Option<&Parameter>)> {
        self.parameters.iter().filter_map(|one| {
            let Answer { hook, of } = one.answer.as_ref()?;
            let asked = of.as_ref().and_then(|of| self.parameters.iter().find(|other| other.name == *of));
            Some((one, hook.as_str(), asked))
        })
    }

    /// True if it calls a function of the user's.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.kind == Type::Attested)
    }

    /// The types of its parameters and its result.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.result.iter().chain(self.parameters.iter().map(|parameter| &parameter.kind))
    }
}

impl Class {
    /// The constructor, if it has one.
    #[must_use]
    pub fn constructor(&self) -> Option<&Function> {
        self.functions.iter().find(|function| function.role == Role::Constructor)
    }

    /// The type of a hook: the parameter with which it is called, and its result.
    #[must_use]
    pub fn hook_type(&self, name: &str) -> Option<(Option<&Parameter>, &Type)> {
        let mut answers = self.functions.iter().flat_map(Function::answers);
        let (answer, _, asked) = answers.find(|(_, hook, _)| *hook == name)?;
        Some((asked, answer.kind.inner().unwrap_or(&answer.kind)))
    }

    /// True if users can set a function.
    #[must_use]
    pub fn has_hook(&self) -> bool {
        self.functions.iter().any(|function| function.hook)
    }

    /// The path of the Rust type, in code that imports the module of its block as `interface`.
    #[must_use]
    pub fn rust(&self, block: &Block) -> String {
        if self.home.block == block.name {
            format!("interface::{}", self.name)
        } else {
            format!("quorate_interface::{}::{}", self.home.path, self.name)
        }
    }

    /// The path before the name of a function that has no receiver.
    #[must_use]
    pub fn scope(&self) -> String {
        if self.kind == Kind::Module {
            "interface::".to_owned()
        } else {
            format!("interface::{}::", self.name)
        }
    }

    /// The function whose bytes are the text of a class, in hexadecimal digits.
    #[must_use]
    pub fn hex_source(&self) -> Option<&Function> {
        let source = self.function("encode").or_else(|| self.function("bytes"));
        source.filter(|_| self.hex)
    }

    /// The functions of which two equal objects have the same results, where these are few: the encoding, and what else
    /// reading it needs.
    #[must_use]
    pub fn equal_by(&self) -> Option<Vec<&Function>> {
        let (read, written) = self.own_encoding()?;
        let others = read.parameters.iter().filter(|one| one.kind != Type::Bytes);
        others.map(|one| self.function(&one.name)).chain([Some(written)]).collect()
    }

    /// The fields of plain data.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        self.variants.first().filter(|_| self.kind == Kind::Data).map_or(&[], |one| one.fields.as_slice())
    }

    /// The properties.
    pub fn getters(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.role == Role::Getter)
    }

    /// The function of this name.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// The functions that read and return the encoding, if the first needs nothing else: `decode` and `encode`, or
    /// `from_bytes` and `bytes` of a class that is nothing but bytes.
    #[must_use]
    pub fn plain_encoding(&self) -> Option<(&Function, &Function)> {
        let pairs = [("decode", "encode"), ("from_bytes", "bytes")].into_iter();
        let mut found = pairs.filter_map(|(read, written)| self.function(read).zip(self.function(written)));
        found.find(|(read, _)| read.parameters.len() == 1)
    }

    /// The functions that read and return the encoding, if all else that the first needs is a property of the object, as
    /// the suite is.
    #[must_use]
    pub fn own_encoding(&self) -> Option<(&Function, &Function)> {
        let is_known =
            |one: &Parameter| one.kind == Type::Bytes || self.getters().any(|getter| getter.name == one.name);
        let encoding = self.function("decode").zip(self.function("encode"));
        let found = encoding
            .filter(|(read, written)| read.parameters.iter().all(is_known) && written.parameters.is_empty());
        found.or_else(|| self.plain_encoding())
    }

    /// True if reading its encoding needs nothing else.
    #[must_use]
    pub fn is_plain_encoding(&self) -> bool {
        self.plain_encoding().is_some()
    }
}

impl Block {
    /// True if a function takes or returns this type.
    #[must_use]
    pub fn mentions(&self, kind: &Type) -> bool {
        let functions = self.classes.iter().flat_map(|class| &class.functions);
        functions.flat_map(Function::types).any(|one| one.mentions(kind))
    }

    /// The names of the classes in the fields of plain data.
    #[must_use]
    pub fn contained(class: &Class) -> Vec<&str> {
        let fields = class.variants.iter().flat_map(|variant| &variant.fields);
        let kinds = fields.map(|field| field.kind.inner().unwrap_or(&field.kind));
        kinds
            .filter_map(|kind| match kind {
                Type::Class(name) => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// True if a function or a field has objects of this class by the core's type.
    #[must_use]
    pub fn mentions_bound(&self, name: &str) -> bool {
        let bound = Type::Bound(name.to_owned());
        let variants = self.classes.iter().flat_map(|class| &class.variants);
        let mut fields = variants.flat_map(|variant| &variant.fields);
        self.mentions(&bound) || fields.any(|field| field.kind.mentions(&bound))
    }

    /// The classes of which a function takes several objects, or one or none.
    pub fn listed(&self) -> impl Iterator<Item = (&Class, Listed)> {
        let functions =
            self.classes.iter().flat_map(|class| class.functions.iter().map(move |one| (class, one)));
        functions.flat_map(move |(class, function)| {
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
    pub fn all_classes_mut(&mut self) -> impl Iterator<Item = &mut Class> {
        self.classes.iter_mut().chain(&mut self.imported).chain(&mut self.reachable)
    }

    /// The block in the module that only verifies certificates, if it is there.
    #[must_use]
    pub fn verification(&self) -> Option<Self> {
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
    #[must_use]
    pub fn class(&self, name: &str) -> Option<&Class> {
        let all = self.classes.iter().chain(&self.imported).chain(&self.reachable);
        all.into_iter().find(|class| class.name == name)
    }

    /// The kind of the class of this name.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.class(name).map(|class| class.kind)
    }

    /// The name in native code of the class of this name.
    #[must_use]
    pub fn native(&self, name: &str) -> String {
        self.class(name).map_or_else(|| name.to_owned(), |class| class.native.clone())
    }
}

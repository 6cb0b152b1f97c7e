//! The types of expressions, and what the interface declares.

use std::collections::HashMap;

use syn::{FnArg, GenericArgument, Pat, PathArguments, ReturnType};

use super::language::{Language, Outcome};
use super::source::Operation;
use crate::kotlin::package;
use crate::model::{Block, Class, Constant, Function, Kind, Type};

/// An expression and its type.
pub(super) type Code<'a> = (String, Ty<'a>);

/// The type of an expression, as far as a language needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty<'a> {
    Unit,
    /// An input, a part of one, or an output.
    Json,
    Bool,
    Text,
    Bytes,
    /// An integer, with the name of its type in the interface.
    Int(&'static str),
    /// A signature scheme.
    Suite,
    /// An error as a value.
    Failure,
    Class(&'a Class),
    List(Box<Ty<'a>>),
    Optional(Box<Ty<'a>>),
    /// A value or an error.
    Verdict(Box<Ty<'a>>),
    /// Several values, `None`, or what no statement uses.
    Other,
}

impl<'a> Ty<'a> {
    pub(super) fn list(item: Self) -> Self {
        Ty::List(Box::new(item))
    }

    /// The type of a list's items, or of an optional value or a verdict.
    pub(super) fn inner(&self) -> Self {
        match self {
            Ty::List(inner) | Ty::Optional(inner) | Ty::Verdict(inner) => (**inner).clone(),
            _ => Ty::Other,
        }
    }

    /// True for an integer that is a decimal text in JSON, and for several.
    pub(super) fn is_wide(&self) -> bool {
        match self {
            Ty::List(inner) | Ty::Optional(inner) => inner.is_wide(),
            Ty::Int(name) => matches!(*name, "u64" | "u128"),
            _ => false,
        }
    }
}

/// The names of integers: Kotlin has the type of the second column for them.
pub(super) const INTEGERS: [(&str, &str); 7] = [
    ("u8", "Int"),
    ("u16", "Int"),
    ("u32", "Long"),
    ("u64", "ULong"),
    ("u128", "BigInteger"),
    ("usize", "Int"),
    ("length", "Long"),
];

/// The name of an integer's type.
pub(super) fn integer(name: &str) -> Option<&'static str> {
    INTEGERS.iter().map(|(integer, _)| *integer).find(|integer| *integer == name)
}

/// What a function can mention.
pub(super) struct World<'a> {
    pub(super) blocks: &'a [Block],
    pub(super) language: Language,
    /// The results of the functions, by their names with those of their modules.
    pub(super) functions: HashMap<&'a str, Ty<'a>>,
}

impl<'a> World<'a> {
    pub(super) fn new(blocks: &'a [Block], language: Language, operations: &'a [Operation]) -> Outcome<Self> {
        let mut world = Self { blocks, language, functions: HashMap::new() };
        for one in operations {
            let result = match &one.function.sig.output {
                ReturnType::Default => Ty::Unit,
                ReturnType::Type(_, kind) => world.written(kind)?,
            };
            if world.functions.insert(&one.name, result).is_some() {
                return Err(format!("there are two functions {}", one.name));
            }
        }
        Ok(world)
    }

    /// The names and types of a function's parameters.
    pub(super) fn parameters(&self, operation: &Operation) -> Outcome<Vec<(String, Ty<'a>)>> {
        let inputs = operation.function.sig.inputs.iter();
        let parameter = |input: &FnArg| match input {
            FnArg::Typed(one) => match &*one.pat {
                Pat::Ident(name) => Ok((name.ident.to_string(), self.written(&one.ty)?)),
                _ => Err("a parameter has no name".to_owned()),
            },
            FnArg::Receiver(_) => Err("there are no methods".to_owned()),
        };
        inputs.map(parameter).collect()
    }

    /// A type that a function names.
    fn written(&self, kind: &syn::Type) -> Outcome<Ty<'a>> {
        let syn::Type::Path(path) = kind else { return Err("a type is not a name".to_owned()) };
        let names: Vec<String> = path.path.segments.iter().map(|one| one.ident.to_string()).collect();
        let arguments = path.path.segments.last().map(|last| &last.arguments);
        let inner = match arguments {
            Some(PathArguments::AngleBracketed(list)) => match list.args.first() {
                Some(GenericArgument::Type(inner)) => Some(Box::new(self.written(inner)?)),
                _ => None,
            },
            _ => None,
        };
        let (last, path) = names.split_last().ok_or("a type without a name")?;
        Ok(match (last.as_str(), inner) {
            ("Vec", Some(inner)) => Ty::List(inner),
            ("Option", Some(inner)) => Ty::Optional(inner),
            ("Json", _) => Ty::Json,
            ("Bytes", _) => Ty::Bytes,
            ("String", _) => Ty::Text,
            ("bool", _) => Ty::Bool,
            ("Suite", _) if path.is_empty() => Ty::Suite,
            (name, _) => match integer(name) {
                Some(integer) => Ty::Int(integer),
                None => Ty::Class(self.class(path, name)?),
            },
        })
    }

    /// The class of this name: of the block whose path ends so, or the only one, or the one outside modules.
    pub(super) fn class(&self, path: &[String], name: &str) -> Outcome<&'a Class> {
        let path = path.join("::");
        let is_there = |block: &&Block| {
            path.is_empty() || block.path == path || block.path.ends_with(&format!("::{path}"))
        };
        let named = |block: &'a Block| block.classes.iter().filter(|class| class.name == name);
        let mut found: Vec<&Class> = self.blocks.iter().filter(is_there).flat_map(named).collect();
        if found.len() > 1 {
            found.retain(|class| class.home.module.is_none());
        }
        match found.as_slice() {
            [one] => Ok(one),
            _ => Err(format!("{path}::{name} is not one class of the interface")),
        }
    }

    /// The constant of the block whose path ends so.
    pub(super) fn constant(&self, path: &[String], name: &str) -> Option<(&'a Block, &'a Constant)> {
        let path = path.join("::");
        let is_there = |block: &&Block| block.path == path || block.path.ends_with(&format!("::{path}"));
        let blocks = self.blocks.iter().filter(is_there);
        blocks.filter_map(|block| Some((block, block.constants.iter().find(|one| one.name == name)?))).next()
    }

    /// The functions outside classes of the block whose path ends so.
    pub(super) fn module(&self, path: &[String], name: &str) -> Option<(&'a Class, &'a Function)> {
        let path = path.join("::");
        // A short path is that of a block outside others, if there is one.
        let exact = self.blocks.iter().find(|block| block.path == path);
        let nested = || self.blocks.iter().find(|block| block.path.ends_with(&format!("::{path}")));
        let block = exact.or_else(nested)?;
        let modules = block.classes.iter().filter(|class| class.kind == Kind::Module);
        modules.filter_map(|class| Some((class, class.function(name)?))).next()
    }

    /// A type of the interface, in a class.
    pub(super) fn declared(&self, class: &Class, kind: &Type) -> Outcome<Ty<'a>> {
        Ok(match kind {
            Type::Text => Ty::Text,
            Type::Bytes | Type::SecretBytes => Ty::Bytes,
            Type::Bool => Ty::Bool,
            Type::U8 => Ty::Int("u8"),
            Type::U16 | Type::NonZeroU16 => Ty::Int("u16"),
            Type::U32 => Ty::Int("u32"),
            Type::U64 => Ty::Int("u64"),
            Type::U128 => Ty::Int("u128"),
            Type::Size | Type::Length => Ty::Int("usize"),
            Type::AnyLength => Ty::Int("length"),
            Type::Suite => Ty::Suite,
            Type::Failure => Ty::Failure,
            Type::Class(name) => {
                let block = self.blocks.iter().find(|block| block.name == class.home.block);
                let home = block.and_then(|block| block.class(name)).map(|class| class.home.path.clone());
                let path = home.unwrap_or_default();
                Ty::Class(self.class(&path.split("::").map(str::to_owned).collect::<Vec<_>>(), name)?)
            }
            Type::List(inner) => Ty::list(self.declared(class, inner)?),
            Type::Optional(inner) => Ty::Optional(Box::new(self.declared(class, inner)?)),
            Type::Verdict(inner) => Ty::Verdict(Box::new(self.declared(class, inner)?)),
            Type::Tuple(_) | Type::Duration | Type::Attested => Ty::Other,
        })
    }

    /// A class in the code of the language, with its module.
    pub(super) fn class_name(&self, class: &Class) -> String {
        let module = class.home.module.as_deref().map(|module| module.replace('/', ".") + ".");
        let module = module.unwrap_or_default();
        match self.language {
            Language::Python => format!("quorate.{module}{}", class.name),
            Language::JavaScript => format!("q.{module}{}", class.name),
            Language::Kotlin => {
                let within = class.within.as_ref().map(|outer| format!("{outer}.")).unwrap_or_default();
                let block = self.blocks.iter().find(|block| block.name == class.home.block);
                format!("{}.{within}{}", block.map(package).unwrap_or_default(), class.name)
            }
        }
    }

    /// A type in Kotlin, which writes those of parameters and results.
    pub(super) fn kotlin(&self, kind: &Ty<'_>) -> String {
        match kind {
            Ty::Unit | Ty::Other | Ty::Verdict(_) => "Unit".to_owned(),
            Ty::Json => "JsonElement".to_owned(),
            Ty::Bool => "Boolean".to_owned(),
            Ty::Text => "String".to_owned(),
            Ty::Bytes => "ByteArray".to_owned(),
            Ty::Int(name) => {
                let known = INTEGERS.iter().find(|(integer, _)| integer == name);
                known.map_or("Unit", |(_, kotlin)| kotlin).to_owned()
            }
            Ty::Suite => "Suite".to_owned(),
            Ty::Failure => "QuorateException".to_owned(),
            Ty::Class(class) => self.class_name(class),
            Ty::List(inner) => format!("List<{}>", self.kotlin(inner)),
            Ty::Optional(inner) => format!("{}?", self.kotlin(inner)),
        }
    }
}

//! Functions and their parameters.

use super::types::{Docs, Type};

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
    /// True for a time that is the current one if the user passes none.
    pub now: bool,
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

impl Parameter {
    /// A parameter without attributes.
    pub(crate) fn new(name: &str, kind: Type) -> Self {
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
            now: false,
            secret: false,
            answer: None,
        }
    }

    /// True if the user need not pass it.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self.kind, Type::Optional(_)) || self.choice.is_some()
    }

    /// For a tuple or a list of tuples, the names in native code of each part, with its type.
    pub(crate) fn columns(&self) -> Vec<(String, &Type)> {
        let tuple = if let Type::List(item) = &self.kind { item } else { &self.kind };
        let Type::Tuple(parts) = tuple else { return Vec::new() };
        parts.iter().enumerate().map(|(at, part)| (format!("{}_{at}", self.name), part)).collect()
    }
}

impl Function {
    /// True if it is called on an object.
    pub(crate) fn has_receiver(&self) -> bool {
        matches!(self.role, Role::Method | Role::Getter)
    }

    /// True for a constant variant.
    pub(crate) fn is_constant(&self) -> bool {
        self.role == Role::Variant && self.parameters.is_empty()
    }

    /// True if it takes less than a microsecond.
    pub(crate) fn is_quick(&self) -> bool {
        self.cost == Cost::Quick
    }

    /// True if it has an asynchronous form.
    pub(crate) fn is_slow(&self) -> bool {
        self.cost == Cost::Slow
    }

    /// The parameters that cross to a native object, in the order in which JavaScript passes them: a secret whose owner
    /// changes comes last, when all others have been checked. A function of the user's does not cross.
    pub(crate) fn crossing(&self) -> impl Iterator<Item = &Parameter> {
        let (taken, others): (Vec<&Parameter>, Vec<&Parameter>) =
            self.parameters.iter().filter(|one| one.kind != Type::Attested).partition(|one| one.owned);
        others.into_iter().chain(taken)
    }

    /// The parameters that the user passes.
    pub(crate) fn passed(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|one| one.answer.is_none())
    }

    /// The parameters that are the results of hooks, each with its hook and the parameter with which that is called.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&Parameter, &str, Option<&Parameter>)> {
        self.parameters.iter().filter_map(|one| {
            let Answer { hook, of } = one.answer.as_ref()?;
            let asked = of.as_ref().and_then(|of| self.parameters.iter().find(|other| other.name == *of));
            Some((one, hook.as_str(), asked))
        })
    }

    /// True if bytes are in its result, which need the memory of the language.
    pub(crate) fn makes_bytes(&self) -> bool {
        let has = |bytes: &Type| self.result.as_ref().is_some_and(|result| result.mentions(bytes));
        has(&Type::Bytes) || has(&Type::SecretBytes)
    }

    /// The position of the first parameter that Python passes by its name.
    pub(crate) fn first_named(&self) -> Option<usize> {
        self.passed().position(|one| one.option && !one.positional)
    }

    /// True if it calls a function of the user's.
    pub(crate) fn asks(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.kind == Type::Attested)
    }

    /// The types of its parameters and its result.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        self.result.iter().chain(self.parameters.iter().map(|parameter| &parameter.kind))
    }
}

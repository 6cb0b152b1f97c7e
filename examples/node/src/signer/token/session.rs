use std::path::Path;

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error as ModuleError, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::slot::{Slot, TokenInfo};

use super::error::{TokenError, describe};
use super::key::TokenKey;
use super::pin::Pin;

/// Names of the curve Ed25519 in `CKA_EC_PARAMS`, DER-encoded: the name of PKCS#11 3.0, and the object identifier of RFC 8410.
/// A token knows one of them or both.
const ED25519_PARAMETERS: [&[u8]; 2] = [b"\x13\x0cedwards25519", b"\x06\x03\x2b\x65\x70"];

/// A token that is present.
pub struct Token {
    context: Pkcs11,
    slot: Slot,
    label: String,
}

/// A session with a token whose user is logged in. The login ends when it is dropped.
pub struct TokenSession {
    token: Token,
    session: Session,
}

impl Token {
    /// Loads a module, and finds the token with this label.
    ///
    /// # Errors
    /// [`TokenError::Module`]; [`TokenError::NotFound`] if no token or several have the label; [`TokenError::Failed`].
    pub fn find(module: &Path, label: &str) -> Result<Self, TokenError> {
        let unusable =
            |error: ModuleError| TokenError::Module { path: module.to_owned(), problem: describe(&error) };
        // A module that loads may fail for a while, for example until the network of its token is up.
        let failed = |operation, error: ModuleError| match error {
            ModuleError::Pkcs11(..) => {
                TokenError::Failed { token: label.to_owned(), operation, reason: describe(&error) }
            }
            error => unusable(error),
        };
        let context = Pkcs11::new(module).map_err(unusable)?;
        match context.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
            // Another object of this process uses the module too.
            Ok(()) | Err(ModuleError::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
            Err(error) => return Err(failed("starting the module", error)),
        }
        // Never unloaded: a module's threads would go on in memory that is gone.
        std::mem::forget(context.clone());
        let slots = context.get_slots_with_token().map_err(|error| failed("listing the tokens", error))?;
        // A slot without information has a token that is being removed, or none that is initialized.
        let present: Vec<(Slot, String)> = slots
            .into_iter()
            .filter_map(|slot| Some((slot, context.get_token_info(slot).ok()?)))
            .filter(|(_, info)| info.token_initialized())
            .map(|(slot, info)| (slot, info.label().to_owned()))
            .collect();
        let named: Vec<Slot> =
            present.iter().filter(|(_, found)| found == label).map(|(slot, _)| *slot).collect();
        match named.as_slice() {
            [slot] => Ok(Self { context, slot: *slot, label: label.to_owned() }),
            [] => {
                let labels: Vec<&str> = present.iter().map(|(_, label)| label.as_str()).collect();
                let problem = format!(
                    "no token has this label; present: {}; connect it, or correct the label",
                    if labels.is_empty() { "none".to_owned() } else { labels.join(", ") }
                );
                Err(TokenError::NotFound { token: label.to_owned(), problem })
            }
            many => {
                let problem = format!("{} tokens have this label; remove the others", many.len());
                Err(TokenError::NotFound { token: label.to_owned(), problem })
            }
        }
    }

    /// Logs the token's user in. A wrong PIN is tried once: tokens lock themselves after a few.
    ///
    /// # Errors
    /// [`TokenError::Pin`] if the token does not accept the PIN, and before it is tried if it permits only one more wrong one;
    /// [`TokenError::Failed`] if the token is gone.
    pub fn log_in(self, pin: &Pin) -> Result<TokenSession, TokenError> {
        let refused = |problem: String| TokenError::Pin { token: self.label.clone(), problem };
        let info = self.info()?;
        if info.user_pin_locked() {
            return Err(refused(LOCKED.to_owned()));
        }
        if info.user_pin_final_try() {
            return Err(refused(
                "it was wrong before, and one try is left, which is not taken; log in once with the vendor's tool and the right PIN, \
                 which permits all tries again"
                    .to_owned(),
            ));
        }
        let session =
            self.context.open_ro_session(self.slot).map_err(|e| self.failed("opening a session", &e))?;
        match session.login(UserType::User, Some(pin.as_auth_pin())) {
            Ok(()) | Err(ModuleError::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => {}
            Err(ModuleError::Pkcs11(RvError::PinLocked, _)) => return Err(refused(LOCKED.to_owned())),
            Err(ModuleError::Pkcs11(
                RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange,
                _,
            )) => {
                return Err(refused(self.info().map_or_else(|_| WRONG.to_owned(), |info| wrong_pin(&info))));
            }
            Err(ModuleError::Pkcs11(RvError::UserPinNotInitialized | RvError::PinExpired, _)) => {
                return Err(refused("set a PIN of the user with the vendor's tool".to_owned()));
            }
            Err(
                error @ ModuleError::Pkcs11(
                    RvError::DeviceRemoved
                    | RvError::TokenNotPresent
                    | RvError::SessionClosed
                    | RvError::SessionHandleInvalid,
                    _,
                ),
            ) => return Err(self.failed("logging in", &error)),
            // Some modules name no reason for a wrong PIN, and a further start would try it again.
            Err(error) => {
                return Err(refused(format!(
                    "the token did not accept it: {}; correct it, or log in once with the vendor's tool",
                    describe(&error)
                )));
            }
        }
        Ok(TokenSession { token: self, session })
    }

    fn info(&self) -> Result<TokenInfo, TokenError> {
        self.context.get_token_info(self.slot).map_err(|error| self.failed("reading its state", &error))
    }

    fn failed(&self, operation: &'static str, error: &ModuleError) -> TokenError {
        TokenError::Failed { token: self.label.clone(), operation, reason: describe(error) }
    }
}

const LOCKED: &str =
    "the token has locked it; unlock it with the vendor's tool and the PIN of the security officer";
const WRONG: &str = "it is wrong, and was tried once; a token locks itself after a few, and does not tell how many tries \
                     are left. Correct it before the next start";

/// Describes a wrong PIN by the flags of the token, which has no counter to read.
fn wrong_pin(info: &TokenInfo) -> String {
    if info.user_pin_locked() {
        format!("it is wrong, and {LOCKED}")
    } else if info.user_pin_final_try() {
        "it is wrong; one try is left before the token locks itself. Correct it before the next start"
            .to_owned()
    } else {
        WRONG.to_owned()
    }
}

impl TokenSession {
    /// Makes an Ed25519 key in the token, which signs, is sensitive and cannot be extracted.
    ///
    /// # Errors
    /// [`TokenError::Key`] if a key has this label, or if the token cannot make such a key; [`TokenError::Failed`].
    pub fn generate_key(&self, label: &str) -> Result<(), TokenError> {
        for class in [ObjectClass::PRIVATE_KEY, ObjectClass::PUBLIC_KEY] {
            if !self.find(class, label)?.is_empty() {
                let problem = "a key has this label; choose another label, or use that key".to_owned();
                return Err(self.key_error(label, problem));
            }
        }
        // The login holds for all sessions of the process.
        let session = self.token.context.open_rw_session(self.token.slot);
        let session = session.map_err(|error| self.failed("opening a session that writes", &error))?;
        let names = || [Attribute::Label(label.into()), Attribute::Id(label.into()), Attribute::Token(true)];
        let private = [
            &names()[..],
            &[
                Attribute::Private(true),
                Attribute::Sensitive(true),
                Attribute::Extractable(false),
                Attribute::Sign(true),
            ],
        ]
        .concat();
        let mut refusals = Vec::new();
        for parameters in ED25519_PARAMETERS {
            let public =
                [&names()[..], &[Attribute::Verify(true), Attribute::EcParams(parameters.to_vec())]].concat();
            match session.generate_key_pair(&Mechanism::EccEdwardsKeyPairGen, &public, &private) {
                Ok(_) => return Ok(()),
                Err(error) => refusals.push(describe(&error)),
            }
        }
        let problem = format!(
            "the token makes no Ed25519 key: {}; use one that does, or make the key with the vendor's tool",
            refusals.join(", then ")
        );
        Err(self.key_error(label, problem))
    }

    /// Finds the Ed25519 key with this label, and lets it sign a proof of possession, which shows that it can sign and belongs
    /// to its public key.
    ///
    /// # Errors
    /// [`TokenError::Key`] if there is no such key, if there are several or it is of another type, and if its public key is
    /// not in the token; [`TokenError::Failed`].
    pub fn key(self, label: &str) -> Result<TokenKey, TokenError> {
        let private = match self.find(ObjectClass::PRIVATE_KEY, label)?.as_slice() {
            [private] => *private,
            [] => return Err(self.key_error(label, self.no_key()?)),
            many => {
                let problem = format!("{} private keys have this label; rename the others", many.len());
                return Err(self.key_error(label, problem));
            }
        };
        self.require_usable(private, label)?;
        let point = self.public_point(private, label)?;
        TokenKey::new(self.session, private, &point, self.token.label, label)
    }

    /// Checks type and use of a private key.
    fn require_usable(&self, private: ObjectHandle, label: &str) -> Result<(), TokenError> {
        use cryptoki::object::KeyType;

        let wanted = [AttributeType::KeyType, AttributeType::AlwaysAuthenticate];
        for attribute in self.attributes(private, &wanted)? {
            let problem = match attribute {
                Attribute::KeyType(KeyType::EC_EDWARDS) => continue,
                Attribute::KeyType(other) => {
                    format!("expected a key of Ed25519 (CKK_EC_EDWARDS), found {other}; name another key")
                }
                Attribute::AlwaysAuthenticate(true) => {
                    "it demands the PIN for each signature; use a key without CKA_ALWAYS_AUTHENTICATE"
                        .to_owned()
                }
                _ => continue,
            };
            return Err(self.key_error(label, problem));
        }
        Ok(())
    }

    /// Returns `CKA_EC_POINT` of the public key that has the label, and the identifier if both keys have one.
    fn public_point(&self, private: ObjectHandle, label: &str) -> Result<Vec<u8>, TokenError> {
        let id_of = |object| -> Result<Option<Vec<u8>>, TokenError> {
            let found = self.attributes(object, &[AttributeType::Id])?;
            Ok(found.into_iter().find_map(|attribute| match attribute {
                Attribute::Id(id) if !id.is_empty() => Some(id),
                _ => None,
            }))
        };
        let wanted = id_of(private)?;
        let mut points = Vec::new();
        for public in self.find(ObjectClass::PUBLIC_KEY, label)? {
            let id = id_of(public)?;
            if wanted.is_some() && id.is_some() && wanted != id {
                continue;
            }
            let found = self.attributes(public, &[AttributeType::EcPoint])?;
            points.extend(found.into_iter().filter_map(|attribute| match attribute {
                Attribute::EcPoint(point) => Some(point),
                _ => None,
            }));
        }
        match (points.pop(), points.is_empty()) {
            (Some(point), true) => Ok(point),
            (None, _) => {
                let problem = "the token has no public key with this label; write it into the token beside the private key";
                Err(self.key_error(label, problem.to_owned()))
            }
            (Some(_), false) => {
                let problem = "several public keys have this label; rename the others";
                Err(self.key_error(label, problem.to_owned()))
            }
        }
    }

    /// Describes that a key is missing, with the labels of those that are there.
    fn no_key(&self) -> Result<String, TokenError> {
        let all = self.session.find_objects(&[Attribute::Class(ObjectClass::PRIVATE_KEY)]);
        let mut labels = Vec::new();
        for key in all.map_err(|error| self.failed("searching for keys", &error))? {
            for attribute in self.attributes(key, &[AttributeType::Label])? {
                if let Attribute::Label(label) = attribute {
                    labels.push(String::from_utf8_lossy(&label).into_owned());
                }
            }
        }
        let labels = if labels.is_empty() { "none".to_owned() } else { labels.join(", ") };
        Ok(format!("no private key has this label; the token has: {labels}; correct the label"))
    }

    fn find(&self, class: ObjectClass, label: &str) -> Result<Vec<ObjectHandle>, TokenError> {
        let found = self.session.find_objects(&[Attribute::Class(class), Attribute::Label(label.into())]);
        found.map_err(|error| self.failed("searching for the key", &error))
    }

    fn attributes(
        &self,
        object: ObjectHandle,
        types: &[AttributeType],
    ) -> Result<Vec<Attribute>, TokenError> {
        self.session
            .get_attributes(object, types)
            .map_err(|error| self.failed("reading a key's attributes", &error))
    }

    fn key_error(&self, key: &str, problem: String) -> TokenError {
        TokenError::Key { token: self.token.label.clone(), key: key.to_owned(), problem }
    }

    fn failed(&self, operation: &'static str, error: &ModuleError) -> TokenError {
        self.token.failed(operation, error)
    }
}

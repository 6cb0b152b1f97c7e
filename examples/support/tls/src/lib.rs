//! TLS 1.3 with raw public keys (RFC 7250) instead of certificates: the Ed25519 identity key identifies each end.
#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use quorate::committee::Committee;
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{AlwaysResolvesClientRawPublicKeys, ResolvesClientCert};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::AlwaysResolvesServerRawPublicKeys;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::sign::{CertifiedKey, Signer, SigningKey};
use rustls::{
    CertificateError, CipherSuite, ClientConfig, DigitallySignedStruct, DistinguishedName, Error,
    ServerConfig, SignatureAlgorithm, SignatureScheme, version,
};

/// Bytes before an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410).
const SPKI_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// TLS 1.3 with raw public keys, for both ends of a connection. The dialer knows the expected key; the acceptor knows all
/// keys that may connect.
pub struct Tls {
    provider: Arc<CryptoProvider>,
    protocol: &'static [u8],
    key: Arc<CertifiedKey>,
    server: Arc<ServerConfig>,
    members: Arc<HashMap<[u8; 44], MemberIndex>>,
}

impl Tls {
    /// Creates the configuration of an end with the key `identity` that accepts the keys of `identities`. `protocol` is
    /// the ALPN name (RFC 7301), which prevents confusion with other protocols over TLS.
    ///
    /// # Errors
    /// If rustls refuses the configuration.
    pub fn new(
        identity: ed25519::SecretKey,
        identities: &Committee<Ed25519>,
        protocol: &'static [u8],
    ) -> Result<Self, Error> {
        Self::accepting(identity, (0..).zip(identities.keys()), protocol)
    }

    /// The same for any keys with their indices.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn accepting<'a>(
        identity: ed25519::SecretKey,
        keys: impl IntoIterator<Item = (MemberIndex, &'a ed25519::PublicKey)>,
        protocol: &'static [u8],
    ) -> Result<Self, Error> {
        let provider = Arc::new(provider());
        let spki = spki(&Ed25519::public_key(&identity));
        let signer = Arc::new(Identity { secret: Arc::new(identity) });
        let key = Arc::new(CertifiedKey::new(vec![CertificateDer::from(spki)], signer));
        let members: HashMap<_, _> = keys.into_iter().map(|(i, key)| (encode_spki(key), i)).collect();
        let members = Arc::new(members);
        let algorithms = provider.signature_verification_algorithms;
        let verifier = Arc::new(Verifier { expected: Expected::Members(members.clone()), algorithms });
        let mut config = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&version::TLS13])?
            .with_client_cert_verifier(verifier)
            .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(key.clone())));
        config.alpn_protocols = vec![protocol.to_vec()];
        // No resumption: links are long-lived, and each one must prove the identity again.
        config.send_tls13_tickets = 0;
        Ok(Self { provider, protocol, key, server: Arc::new(config), members })
    }

    /// Configuration of an end that accepts connections of members.
    pub fn server_config(&self) -> Arc<ServerConfig> {
        self.server.clone()
    }

    /// The same for tokio.
    #[cfg(feature = "tokio")]
    pub fn acceptor(&self) -> tokio_rustls::TlsAcceptor {
        self.server_config().into()
    }

    /// The member whose key the peer proved.
    pub fn member(&self, certificates: Option<&[CertificateDer<'_>]>) -> Option<MemberIndex> {
        self.members.get(certificates?.first()?.as_ref()).copied()
    }

    /// Connector of tokio that accepts only the peer with this key.
    ///
    /// # Errors
    /// If rustls refuses the configuration.
    #[cfg(feature = "tokio")]
    pub fn connector(&self, key: &ed25519::PublicKey) -> Result<tokio_rustls::TlsConnector, Error> {
        self.client_config(key).map(Into::into)
    }

    /// Configuration of an end that connects only to the peer with this key.
    ///
    /// # Errors
    /// If rustls refuses the configuration.
    pub fn client_config(&self, key: &ed25519::PublicKey) -> Result<Arc<ClientConfig>, Error> {
        let own = Arc::new(AlwaysResolvesClientRawPublicKeys::new(self.key.clone()));
        client_config(&self.provider, key, own, self.protocol)
    }
}

/// Configuration of an end without a key that connects only to the peer with this key. The peer proves its key, then refuses
/// the connection.
///
/// # Errors
/// If rustls refuses the configuration.
pub fn anonymous_client_config(
    key: &ed25519::PublicKey,
    protocol: &'static [u8],
) -> Result<Arc<ClientConfig>, Error> {
    client_config(&Arc::new(provider()), key, Arc::new(NoKey), protocol)
}

fn client_config(
    provider: &Arc<CryptoProvider>,
    key: &ed25519::PublicKey,
    own: Arc<dyn ResolvesClientCert>,
    protocol: &'static [u8],
) -> Result<Arc<ClientConfig>, Error> {
    let algorithms = provider.signature_verification_algorithms;
    let verifier = Arc::new(Verifier { expected: Expected::One(encode_spki(key)), algorithms });
    let mut config = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_client_cert_resolver(own);
    config.alpn_protocols = vec![protocol.to_vec()];
    config.enable_sni = false;
    config.resumption = rustls::client::Resumption::disabled();
    Ok(Arc::new(config))
}

/// A server name, which rustls requires. The key alone identifies the peer.
///
/// # Errors
/// None.
pub fn server_name() -> Result<ServerName<'static>, Error> {
    ServerName::try_from("quorate").map_err(|_| Error::General("server name".into()))
}

/// Prefers AES-128, the fastest cipher on server processors of the last decade.
fn provider() -> CryptoProvider {
    let mut provider = rustls::crypto::ring::default_provider();
    provider.cipher_suites.sort_by_key(|s| s.suite() != CipherSuite::TLS13_AES_128_GCM_SHA256);
    provider
}

fn spki(key: &ed25519::PublicKey) -> Vec<u8> {
    encode_spki(key).to_vec()
}

fn encode_spki(key: &ed25519::PublicKey) -> [u8; 44] {
    let mut spki = [0; 44];
    let (prefix, rest) = spki.split_at_mut(SPKI_PREFIX.len());
    prefix.copy_from_slice(&SPKI_PREFIX);
    rest.copy_from_slice(key.as_bytes());
    spki
}

/// Keys that the peer may prove.
#[derive(Debug)]
enum Expected {
    /// For the dialer: one key.
    One([u8; 44]),
    /// For the acceptor: the members' keys, including this node's own, which exposes a second process with this key.
    Members(Arc<HashMap<[u8; 44], MemberIndex>>),
}

/// Verifies that the peer sent exactly one expected key and signed the handshake with it.
#[derive(Debug)]
struct Verifier {
    expected: Expected,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Verifier {
    fn key(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
    ) -> Result<(), Error> {
        let is_expected = match &self.expected {
            Expected::One(spki) => end_entity.as_ref() == spki,
            Expected::Members(members) => members.contains_key(end_entity.as_ref()),
        };
        if is_expected && intermediates.is_empty() {
            return Ok(());
        }
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    }
}

/// Methods that rustls requires of the verifiers of both sides: the raw Ed25519 key signs the handshake, in TLS 1.3.
macro_rules! raw_key_signature_methods {
    () => {
        /// Not reached: both ends refuse TLS 1.2 before the handshake is signed.
        fn verify_tls12_signature(
            &self,
            _: &[u8],
            _: &CertificateDer<'_>,
            _: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            Err(Error::General("TLS 1.2 is not supported; use TLS 1.3".into()))
        }

        fn verify_tls13_signature(
            &self,
            message: &[u8],
            cert: &CertificateDer<'_>,
            dss: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            let spki = SubjectPublicKeyInfoDer::from(cert.as_ref());
            verify_tls13_signature_with_raw_key(message, &spki, dss, &self.algorithms)
        }

        fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
            vec![SignatureScheme::ED25519]
        }

        fn requires_raw_public_keys(&self) -> bool {
            true
        }
    };
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.key(end_entity, intermediates).map(|()| ServerCertVerified::assertion())
    }

    raw_key_signature_methods!();
}

impl ClientCertVerifier for Verifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.key(end_entity, intermediates).map(|()| ClientCertVerified::assertion())
    }

    raw_key_signature_methods!();
}

/// An end that understands raw public keys and has none.
#[derive(Debug)]
struct NoKey;

impl ResolvesClientCert for NoKey {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        None
    }

    fn only_raw_public_keys(&self) -> bool {
        true
    }

    fn has_certs(&self) -> bool {
        true
    }
}

/// Signs handshakes with the identity key, without a copy of the secret that is not zeroized.
struct Identity {
    secret: Arc<ed25519::SecretKey>,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity")
    }
}

impl SigningKey for Identity {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let offered = offered.contains(&SignatureScheme::ED25519);
        offered.then(|| Box::new(Identity { secret: self.secret.clone() }) as Box<dyn Signer>)
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(SubjectPublicKeyInfoDer::from(spki(&Ed25519::public_key(&self.secret))))
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::ED25519
    }
}

impl Signer for Identity {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(Ed25519::sign(&self.secret, message).to_bytes().to_vec())
    }

    fn scheme(&self) -> SignatureScheme {
        SignatureScheme::ED25519
    }
}

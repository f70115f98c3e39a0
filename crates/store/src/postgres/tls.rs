//! TLS to the PostgreSQL server: the trusted certificates.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::error::{Error, Result};

/// Trusts the certificates in a file, or else the well-known authorities.
pub(super) fn client(roots: Option<&Path>) -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Internal(error.to_string()))?;
    let roots = match roots {
        Some(file) => from_file(file)
            .map_err(|reason| Error::Unavailable(format!("certificates of {}: {reason}", file.display())))?,
        None => RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() },
    };
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn from_file(file: &Path) -> std::result::Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| error.to_string())? {
        let certificate = certificate.map_err(|error| error.to_string())?;
        store.add(certificate).map_err(|error| error.to_string())?;
    }
    if store.is_empty() { Err("the file contains none".to_owned()) } else { Ok(store) }
}

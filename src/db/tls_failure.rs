//! Why there is no TLS with a server, in one sentence with a remedy. Trying
//! again mends none of it.

use rustls::CertificateError as Fault;
use rustls::client::VerifierBuilderError;
use sqlx::Error;

use super::connect_failure::Place;
use super::session::{Class, DbError};

/// How a family of URLs says it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    pub off: &'static str,
    pub unverified: &'static str,
    pub any_name: &'static str,
    pub authority: &'static str,
}

pub(crate) const POSTGRES: Words = Words {
    off: "sslmode=disable",
    unverified: "sslmode=require",
    any_name: "sslmode=verify-ca",
    authority: "sslrootcert=FILE",
};

pub(crate) const MYSQL: Words = Words {
    off: "ssl-mode=DISABLED",
    unverified: "ssl-mode=REQUIRED",
    any_name: "ssl-mode=VERIFY_CA",
    authority: "ssl-ca=FILE",
};

/// `None` when the error has nothing to do with TLS.
pub(crate) fn explained(error: &Error, place: &Place<'_>) -> Option<DbError> {
    let server = &place.server;
    let Words {
        off, unverified, ..
    } = place.words;
    let message = match error {
        Error::Tls(cause) if cause.is::<VerifierBuilderError>() => of_fault(
            // This host has no authorities of its own either.
            &Fault::UnknownIssuer,
            place,
        ),
        Error::Tls(cause) => match cause.downcast_ref::<rustls::Error>() {
            Some(cause) => of_rustls(cause, place),
            // sqlx has no type for it.
            None if cause.to_string().contains("does not support TLS") => format!(
                "the server at {server} offers no TLS: switch it on there, or connect with {off} in the URL"
            ),
            None => format!(
                "no TLS with the server at {server}: {cause}; check the certificates that the URL names"
            ),
        },
        Error::Io(cause) => {
            let cause = cause.get_ref()?.downcast_ref::<rustls::Error>()?;
            of_rustls(cause, place)
        }
        Error::Configuration(cause) if cause.to_string().contains("key") => format!(
            "the client's certificate cannot be used: {cause}; name both it and its key in PEM form, or connect with {unverified} in the URL"
        ),
        _ => return None,
    };
    Some(DbError::new(Class::Other, "tls", message))
}

fn of_rustls(error: &rustls::Error, place: &Place<'_>) -> String {
    match error {
        rustls::Error::InvalidCertificate(fault) => of_fault(fault, place),
        _ => format!(
            "no TLS with the server at {}: {error}; check its protocol versions and certificates",
            place.server
        ),
    }
}

fn of_fault(fault: &Fault, place: &Place<'_>) -> String {
    let server = &place.server;
    let Words {
        unverified,
        any_name,
        authority,
        ..
    } = place.words;
    let certificate = format!("the certificate of the server at {server}");
    let unseen = format!("connect with {unverified} in the URL, which does not look at it");
    match fault {
        Fault::Expired | Fault::ExpiredContext { .. } => {
            format!("{certificate} has expired: renew it, or {unseen}")
        }
        Fault::NotValidYet | Fault::NotValidYetContext { .. } => {
            format!("{certificate} is not valid yet: compare the clocks of both hosts, or {unseen}")
        }
        Fault::UnknownIssuer => format!(
            "{certificate} is signed by an authority that is not known here: name the authority's certificate with {authority} in the URL, or {unseen}"
        ),
        Fault::NotValidForName | Fault::NotValidForNameContext { .. } => format!(
            "{certificate} is not for this host name{}: connect by a name that it has, or with {any_name} in the URL, which looks at its authority only",
            names(fault)
        ),
        _ => format!("{certificate} is not accepted ({fault}): make it anew, or {unseen}"),
    }
}

fn names(fault: &Fault) -> String {
    match fault {
        Fault::NotValidForNameContext { presented, .. } if !presented.is_empty() => {
            // `DnsName("db.example")`, as rustls prints it for itself.
            let bare = |name: &String| name.split('"').nth(1).unwrap_or(name).to_owned();
            let names: Vec<String> = presented.iter().map(bare).collect();
            format!(" but for {}", names.join(", "))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: &Error, words: Words) -> Option<String> {
        let place = Place {
            product: "PostgreSQL",
            server: "db7:5433".to_owned(),
            user: "u",
            database: "d",
            words,
        };
        explained(error, &place).map(|error| error.message)
    }

    fn over_io(fault: Fault) -> Error {
        let error = rustls::Error::InvalidCertificate(fault);
        Error::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, error))
    }

    #[test]
    fn each_fault_has_its_remedy_in_the_words_of_the_url() {
        assert_eq!(
            said(&over_io(Fault::Expired), POSTGRES).unwrap(),
            "the certificate of the server at db7:5433 has expired: renew it, or connect with \
             sslmode=require in the URL, which does not look at it"
        );
        let unknown = said(&over_io(Fault::UnknownIssuer), MYSQL).unwrap();
        assert!(unknown.contains("with ssl-ca=FILE"), "{unknown}");
        assert!(unknown.contains("ssl-mode=REQUIRED"), "{unknown}");
        let name = said(&over_io(Fault::NotValidForName), MYSQL).unwrap();
        assert!(name.contains("ssl-mode=VERIFY_CA"), "{name}");
        let none = Error::Tls("server does not support TLS".into());
        let none = said(&none, POSTGRES).unwrap();
        assert!(none.contains("offers no TLS"), "{none}");
        assert!(none.contains("sslmode=disable"), "{none}");
    }

    #[test]
    fn other_errors_are_left_alone() {
        let io = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        assert_eq!(said(&Error::Io(io), MYSQL), None);
        assert_eq!(said(&Error::Protocol("x".into()), MYSQL), None);
    }
}

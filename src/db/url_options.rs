//! The options in a server's URL, looked at before any connection: sqlx passes
//! over those that it does not know, and a mistyped `ssl-mode` would be a
//! session without the TLS that was asked for.

use std::fs::File;

use super::session::{Class, DbError, Target};

pub(crate) const POSTGRES: [&str; 19] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
    "options[..]",
    "statement-cache-capacity",
];

pub(crate) const MYSQL: [&str; 14] = [
    "ssl-mode",
    "sslmode",
    "ssl-ca",
    "sslca",
    "ssl-cert",
    "sslcert",
    "ssl-key",
    "sslkey",
    "charset",
    "collation",
    "socket",
    "timezone",
    "time-zone",
    "statement-cache-capacity",
];

/// Their values are files, or what would stand in them.
const FILES: [&str; 8] = [
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
];

/// # Errors
/// For an option that is not among `known`, and a file that cannot be read.
pub(crate) fn check(target: &Target, known: &[&str]) -> Result<(), DbError> {
    let Ok(url) = url::Url::parse(target.url()) else {
        // The driver will say so.
        return Ok(());
    };
    for (key, value) in url.query_pairs() {
        let plain = if key.starts_with("options[") {
            "options[..]"
        } else {
            &*key
        };
        if !known.contains(&plain) {
            return Err(wrong(format!(
                "the option `{key}` in the target's URL is not known; use {}",
                known.join(", ")
            )));
        }
        if FILES.contains(&&*key)
            && !value.trim_start().starts_with("-----BEGIN")
            && let Err(error) = File::open(&*value)
        {
            return Err(wrong(format!(
                "the file {value}, which is {key} in the target's URL, cannot be read: {error}"
            )));
        }
    }
    Ok(())
}

fn wrong(message: String) -> DbError {
    DbError::new(Class::Other, "url", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(url: &str, known: &[&str]) -> Option<String> {
        let target = Target::parse(url).unwrap();
        check(&target, known).err().map(|error| error.message)
    }

    #[test]
    fn what_would_be_passed_over_is_refused() {
        let url = "mysql://u:s3cret@h/d?ssl_mode=REQUIRED";
        let error = said(url, &MYSQL).unwrap();
        assert!(error.contains("`ssl_mode`"), "{error}");
        assert!(error.contains("use ssl-mode"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
        let url = "postgres://h/d?options[work_mem]=1MB&sslmode=require&password=s3cret";
        assert_eq!(said(url, &POSTGRES), None);
    }

    #[test]
    fn files_must_be_there() {
        let error = said("postgres://h/d?sslrootcert=/no/such.pem", &POSTGRES).unwrap();
        assert!(error.contains("/no/such.pem"), "{error}");
        assert!(error.contains("sslrootcert"), "{error}");
        let inline = "postgres://h/d?sslcert=-----BEGIN%20CERTIFICATE-----";
        assert_eq!(said(inline, &POSTGRES), None);
    }
}

//! The script of a null target: what its URL says that statements do, and when.

use std::time::Duration;

use crate::units;

use super::failure::postgres_class;
use super::session::{Class, DbError, Target};

/// `null:?delay=1ms&commit=5ms&long=100:2s&fail=40P01:7&stall=3s:1s&rows=10`
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Script {
    pub delay: Duration,
    pub commit: Duration,
    /// Every n-th statement takes this long instead.
    pub long: Option<(u64, Duration)>,
    /// Every n-th statement fails with this code.
    pub fail: Option<(u64, String)>,
    pub stall: Option<Stall>,
    pub rows: u64,
}

/// A time since opening in which nothing returns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stall {
    pub from: Duration,
    pub until: Duration,
}

impl Default for Script {
    fn default() -> Script {
        Script {
            delay: Duration::ZERO,
            commit: Duration::ZERO,
            long: None,
            fail: None,
            stall: None,
            rows: 1,
        }
    }
}

impl Script {
    pub fn parse(target: &Target) -> Result<Script, DbError> {
        let url = url::Url::parse(target.url())
            .map_err(|_| DbError::new(Class::Other, "url", "the null target is no URL"))?;
        let mut script = Script::default();
        for (key, value) in url.query_pairs() {
            script
                .set(&key, &value)
                .map_err(|cause| wrong(&key, &value, &cause))?;
        }
        Ok(script)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "delay" => self.delay = duration(value)?,
            "commit" => self.commit = duration(value)?,
            "long" => {
                let (every, delay) = pair(value, "N:D")?;
                self.long = Some((count(every)?, duration(delay)?));
            }
            "fail" => {
                let (code, every) = pair(value, "CODE:N")?;
                self.fail = Some((count(every)?, code.to_owned()));
            }
            "stall" => {
                let (at, length) = pair(value, "AT:FOR")?;
                let from = duration(at)?;
                let until = from + duration(length)?;
                self.stall = Some(Stall { from, until });
            }
            "rows" => self.rows = units::parse_count(value).map_err(|error| error.to_string())?,
            _ => return Err("known are delay, commit, long, fail, stall and rows".to_owned()),
        }
        Ok(())
    }

    /// What the `number`-th statement of a session takes, counted from 1.
    pub fn takes(&self, number: u64) -> Duration {
        match self.long {
            Some((every, delay)) if number.is_multiple_of(every) => delay,
            _ => self.delay,
        }
    }

    /// Whether every statement and commit returns at once and well.
    pub fn is_at_once(&self) -> bool {
        let rows = self.rows;
        *self
            == Script {
                rows,
                ..Script::default()
            }
    }

    /// How the `number`-th statement of a session fails, counted from 1.
    pub fn failure(&self, number: u64) -> Option<DbError> {
        let (every, code) = self.fail.as_ref()?;
        number.is_multiple_of(*every).then(|| {
            DbError::new(
                postgres_class(code),
                code,
                "the null target was told to fail",
            )
        })
    }
}

impl Stall {
    /// How long something takes that starts at `now` and would take `delay`.
    pub fn lengthen(self, now: Duration, delay: Duration) -> Duration {
        let due = now + delay;
        if due >= self.from && due < self.until {
            self.until.saturating_sub(now)
        } else {
            delay
        }
    }
}

fn wrong(key: &str, value: &str, cause: &str) -> DbError {
    DbError::new(
        Class::Other,
        "url",
        format!("the null target's `{key}={value}` is not understood: {cause}"),
    )
}

fn pair<'a>(value: &'a str, form: &str) -> Result<(&'a str, &'a str), String> {
    value
        .split_once(':')
        .filter(|(left, right)| !left.is_empty() && !right.is_empty())
        .ok_or_else(|| format!("write {form}"))
}

fn duration(text: &str) -> Result<Duration, String> {
    units::parse_duration(text).map_err(|error| error.to_string())
}

fn count(text: &str) -> Result<u64, String> {
    match units::parse_count(text) {
        Ok(0) => Err("every 0th is none; write 1 or more".to_owned()),
        other => other.map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Script, DbError> {
        Script::parse(&Target::parse(text).unwrap())
    }

    #[test]
    fn a_script_is_read_whole() {
        let script =
            parse("null:?delay=1ms&commit=5ms&long=100:2s&fail=40P01:7&stall=3s:1s&rows=10");
        assert_eq!(
            script.unwrap(),
            Script {
                delay: Duration::from_millis(1),
                commit: Duration::from_millis(5),
                long: Some((100, Duration::from_secs(2))),
                fail: Some((7, "40P01".to_owned())),
                stall: Some(Stall {
                    from: Duration::from_secs(3),
                    until: Duration::from_secs(4),
                }),
                rows: 10,
            }
        );
        assert_eq!(parse("null:").unwrap(), Script::default());
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (text, key) in [
            ("null:?dealy=1ms", "dealy=1ms"),
            ("null:?delay=fast", "delay=fast"),
            ("null:?long=2s", "long=2s"),
            ("null:?fail=40P01:0", "fail=40P01:0"),
            ("null:?rows=-1", "rows=-1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(key), "{error}");
            assert_eq!(error.class, Class::Other);
        }
    }

    #[test]
    fn a_stall_holds_what_is_due_in_it() {
        let ms = Duration::from_millis;
        let stall = Stall {
            from: ms(100),
            until: ms(150),
        };
        assert_eq!(stall.lengthen(ms(90), ms(5)), ms(5));
        assert_eq!(stall.lengthen(ms(95), ms(5)), ms(55));
        assert_eq!(stall.lengthen(ms(120), ms(1)), ms(30));
        assert_eq!(stall.lengthen(ms(140), ms(20)), ms(20));
        assert_eq!(stall.lengthen(ms(150), ms(0)), ms(0));
    }
}

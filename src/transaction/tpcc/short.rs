//! A text of at most N bytes that lives on the stack, so that a transaction
//! allocates nothing for what it hands from one statement to the next.

use std::fmt;

#[derive(Clone, Copy, Debug)]
pub struct Short<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Short<N> {
    pub fn new() -> Short<N> {
        Short {
            bytes: [0; N],
            len: 0,
        }
    }

    pub fn as_str(&self) -> &str {
        // Only whole texts were put in.
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Write for Short<N> {
    /// An error when there is no room for all of `text`.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let room = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn what_has_no_room_is_refused_whole() {
        let mut text = Short::<5>::new();
        write!(text, "{}", 123).unwrap();
        assert!(text.write_str("456").is_err());
        text.write_str("é").unwrap();
        assert_eq!(text.as_str(), "123é");
    }
}

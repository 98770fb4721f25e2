use std::io::{ErrorKind, Write};

/// No record is longer: names are escaped, and each letter of a hostile one takes seven.
const MOST: usize = 16 << 10;

/// A pipe that is written to and never waited for.
#[derive(Debug)]
pub(crate) struct Outlet<Pipe> {
    pipe: Pipe,
    /// What the pipe had no room for of the latest record: more than `PIPE_BUF` is taken in
    /// part, and a part must not stand beside another record.
    rest: Vec<u8>,
    /// Records that were left out since [`Outlet::take_lost`] was last asked.
    lost: u64,
}

impl<Pipe: Write> Outlet<Pipe> {
    pub(crate) const fn of(pipe: Pipe) -> Self {
        Self {
            pipe,
            rest: Vec::new(),
            lost: 0,
        }
    }

    /// Writes a record with its newline, whole or not at all. `false` when nobody reads.
    pub(crate) fn tell(&mut self, record: &str) -> bool {
        if !self.write_rest() {
            return false;
        }
        if !self.rest.is_empty() || record.len() > MOST {
            self.lost = self.lost.saturating_add(1);
            return true;
        }
        match self.pipe.write(record.as_bytes()) {
            Ok(length) => {
                let rest = record.as_bytes().get(length..).unwrap_or_default();
                self.rest.extend_from_slice(rest);
            }
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return false,
            Err(_) => self.lost = self.lost.saturating_add(1),
        }
        true
    }

    /// Goes on with a record that the pipe has taken in part. `false` when nobody reads.
    pub(crate) fn write_rest(&mut self) -> bool {
        if self.rest.is_empty() {
            return true;
        }
        match self.pipe.write(&self.rest) {
            Ok(length) => drop(self.rest.drain(..length.min(self.rest.len()))),
            Err(error) => return error.kind() != ErrorKind::BrokenPipe,
        }
        true
    }

    /// How many records were left out, once there is room again.
    pub(crate) fn take_lost(&mut self) -> u64 {
        if self.rest.is_empty() {
            core::mem::take(&mut self.lost)
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::VecDeque;
    use std::io::{Error, Result};

    use super::*;

    /// Takes as many bytes at once as the next of these says.
    struct Part(VecDeque<usize>, Vec<u8>);

    impl Write for Part {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            match self.0.pop_front() {
                Some(0) => Err(Error::from(ErrorKind::WouldBlock)),
                most => {
                    let length = most.unwrap_or(usize::MAX).min(bytes.len());
                    self.1.extend_from_slice(&bytes[..length]);
                    Ok(length)
                }
            }
        }
        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    /// Acceptance row 283.
    #[test]
    fn a_long_record_is_told_whole_and_never_beside_a_part_of_another() {
        let long = "x".repeat(9000) + "\n";
        let mut outlet = Outlet::of(Part([5000, 1000, 0].into(), Vec::new()));
        assert!(outlet.tell(&long));
        for _ in 0..2 {
            assert!(outlet.tell("between\n"));
            assert_eq!(outlet.take_lost(), 0, "there is no room yet");
        }
        assert!(outlet.tell("after\n"));
        assert_eq!(outlet.take_lost(), 2);
        assert!(outlet.tell(&("y".repeat(MOST) + "\n")));
        assert_eq!(outlet.take_lost(), 1);
        let told = String::from_utf8(outlet.pipe.1).unwrap();
        assert_eq!(told, long + "after\n");
    }
}

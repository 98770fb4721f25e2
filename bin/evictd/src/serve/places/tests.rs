use core::cell::{Cell, RefCell};

use super::*;

#[test]
fn an_address_that_is_taken_is_tried_until_it_is_free_and_told_once() {
    let (pauses, told) = (RefCell::new(Vec::new()), Cell::new(0));
    let taken = || match pauses.borrow().len() {
        0..12 => Err(io::Error::from(ErrorKind::AddrInUse)),
        tries => Ok(tries),
    };
    let pause = |length| pauses.borrow_mut().push(length);
    let listened = when_free(&taken, &pause, &|_| told.set(told.get() + 1));
    assert_eq!((listened.unwrap(), told.get()), (12, 1));
    let pauses = pauses.into_inner();
    assert!(pauses.is_sorted(), "{pauses:?}");
    assert_eq!(pauses.first(), Some(&FIRST_PAUSE));
    assert_eq!(pauses.last(), Some(&LONGEST_PAUSE));
    let refused = || Err::<(), _>(io::Error::from(ErrorKind::PermissionDenied));
    assert!(when_free(&refused, &|_| panic!("waits"), &|_| ()).is_err());
}

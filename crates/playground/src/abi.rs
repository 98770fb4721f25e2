//! What the page calls. It asks for room, writes its question there, and calls a function,
//! which leaves its answer: JSON, with `error` where something is wrong. Both lie in buffers
//! of this module, so that nothing here reads through a pointer.
#![expect(
    unsafe_code,
    reason = "no_mangle, by which a function has a name in the module"
)]

use core::cell::RefCell;

use serde_json::{Value, json};

use crate::{MAX_BYTES, Recording, decide, features, simulate};

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
}

#[derive(Default)]
struct Desk {
    question: Vec<u8>,
    answer: Vec<u8>,
    recording: Option<Recording>,
}

impl Desk {
    fn answer(&mut self, answer: Result<Value, String>) {
        let value = answer.unwrap_or_else(|error| json!({ "error": error }));
        self.question = Vec::new();
        self.answer = value.to_string().into_bytes();
    }
}

/// Room for a question of so many bytes; null where that is too much.
#[unsafe(no_mangle)]
extern "C" fn room(bytes: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        if bytes > MAX_BYTES {
            return core::ptr::null_mut();
        }
        desk.question = vec![0; bytes];
        desk.question.as_mut_ptr()
    })
}

/// Where the last answer lies.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.as_ptr())
}

/// How long it is.
#[unsafe(no_mangle)]
extern "C" fn answer_bytes() -> usize {
    DESK.with_borrow(|desk| desk.answer.len())
}

/// Takes the question for a recording, and keeps it where it is one.
#[unsafe(no_mangle)]
extern "C" fn load() {
    DESK.with_borrow_mut(|desk| {
        let answer = Recording::read(&desk.question).map(|recording| {
            let about = recording.about();
            desk.recording = Some(recording);
            about
        });
        desk.answer(answer);
    });
}

/// What the flags of the question decide on the recording.
#[unsafe(no_mangle)]
extern "C" fn replay() {
    DESK.with_borrow_mut(|desk| {
        let answer = match &desk.recording {
            Some(recording) => decide(recording, &desk.question),
            None => Err("there is no recording yet".to_owned()),
        };
        desk.answer(answer);
    });
}

/// What a made-up machine may have.
#[unsafe(no_mangle)]
extern "C" fn switches() {
    DESK.with_borrow_mut(|desk| desk.answer(Ok(features())));
}

/// Runs the made-up machine of the question.
#[unsafe(no_mangle)]
extern "C" fn run() {
    DESK.with_borrow_mut(|desk| {
        let answer = simulate(&desk.question);
        desk.answer(answer);
    });
}

use evictd_node::Mono;

use super::Bell;
use crate::{Token, Wake, Watch};

#[test]
fn it_rings_until_it_is_silenced() {
    let bell = Bell::new().unwrap();
    let mut watch = Watch::new(&[]).unwrap();
    watch.add(&bell, Token(7)).unwrap();
    let mut heard = || watch.wait(Mono::ZERO, Some(Mono::ZERO)).unwrap().to_vec();
    assert_eq!(heard(), [Wake::Deadline]);
    let copy = bell.clone();
    std::thread::spawn(move || (0..3).for_each(|_| copy.ring()))
        .join()
        .unwrap();
    assert_eq!(heard(), [Wake::Ready(Token(7))]);
    assert_eq!(heard(), [Wake::Ready(Token(7))], "it rings on");
    bell.silence();
    assert_eq!(heard(), [Wake::Deadline]);
}

use rustix::process::getpriority_process;

use super::lower_priority;

#[test]
fn only_the_helper_steps_back() {
    let before = getpriority_process(None).unwrap();
    let theirs = std::thread::spawn(|| {
        lower_priority();
        getpriority_process(None).unwrap()
    });
    assert_eq!(theirs.join().unwrap(), 19);
    assert_eq!(getpriority_process(None).unwrap(), before);
}

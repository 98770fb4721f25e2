use super::*;

/// A reader that takes so many bytes and then no more.
struct Reader {
    read: Vec<u8>,
    room: usize,
}

impl Reader {
    fn with_room(room: usize) -> Self {
        let read = Vec::new();
        Self { read, room }
    }

    fn write(&mut self, piece: &[u8]) -> usize {
        assert!(piece.len() <= PIECE, "a pipe would wait");
        let length = piece.len().min(self.room);
        self.read.extend_from_slice(&piece[..length]);
        self.room -= length;
        length
    }

    fn text(&self) -> String {
        String::from_utf8(self.read.clone()).unwrap()
    }
}

fn line(number: usize) -> String {
    format!("{number:>99}\n")
}

#[test]
fn lines_that_fit_are_never_kept() {
    let (mut held, mut reader) = (Held::new(Format::Text), Reader::with_room(usize::MAX));
    for number in 0..3 {
        held.take(line(number).as_bytes(), &mut |piece| reader.write(piece));
        assert_eq!(held.text.capacity(), 0);
    }
    let long = "x".repeat(3 * PIECE) + "\n";
    held.take(long.as_bytes(), &mut |piece| reader.write(piece));
    assert_eq!(reader.text(), line(0) + &line(1) + &line(2) + &long);
}

#[test]
fn kept_lines_come_in_order_however_the_reader_takes_them() {
    for step in [1, 7, 99, 100, 101, 5000] {
        let (mut held, mut reader) = (Held::new(Format::Text), Reader::with_room(150));
        for number in 0..9 {
            held.take(line(number).as_bytes(), &mut |piece| reader.write(piece));
        }
        while !held.is_empty() {
            reader.room += step;
            held.flush(&mut |piece| reader.write(piece));
        }
        assert_eq!(
            reader.text(),
            (0..9).map(line).collect::<String>(),
            "{step}"
        );
        assert_eq!(held.text.capacity(), 0);
    }
}

#[test]
fn the_newest_are_lost_and_counted_where_they_would_have_stood() {
    let (mut held, mut reader) = (Held::new(Format::Text), Reader::with_room(0));
    for number in 0..1000 {
        held.take(line(number).as_bytes(), &mut |piece| reader.write(piece));
    }
    assert!(held.text.len() <= MOST);
    reader.room = 200;
    held.take(line(1000).as_bytes(), &mut |piece| reader.write(piece));
    reader.room = usize::MAX;
    held.take(line(1001).as_bytes(), &mut |piece| reader.write(piece));
    let text = reader.text();
    let lines: Vec<&str> = text.lines().collect();
    let number = |line: &str| line.trim().parse::<usize>().ok();
    let told = lines.iter().position(|line| line.contains("lost")).unwrap();
    let lost: usize = lines[told]
        .split(' ')
        .find_map(|word| word.parse().ok())
        .unwrap();
    assert!(
        lines[told].ends_with(" WARN  675 lines were lost: stderr was not read"),
        "{}",
        lines[told]
    );
    // Room for one more came in between, so that is where they are told.
    assert_eq!(
        lines[..told]
            .iter()
            .copied()
            .map(number)
            .collect::<Option<Vec<_>>>(),
        Some((0..told).collect())
    );
    assert_eq!(told + lost, 1000);
    assert_eq!(
        lines[told + 1..]
            .iter()
            .copied()
            .map(number)
            .collect::<Vec<_>>(),
        [Some(1000), Some(1001)]
    );
}

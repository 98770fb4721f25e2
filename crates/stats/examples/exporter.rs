//! A Prometheus exporter of what the node has left, by eviction signal.
//!
//! usage: exporter ADDRESS     such as 127.0.0.1:9101; port 0 takes any
#![forbid(unsafe_code)]

use core::fmt::Write as _;
use core::time::Duration;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use evictd_node::Signal;
use evictd_stats::{Hierarchies, NodeReader, NodeSettings, now};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let address = std::env::args().nth(1).ok_or("usage: exporter ADDRESS")?;
    let proc = Path::new("/proc");
    let settings = NodeSettings::new(proc, Hierarchies::read(proc)?, Path::new("/"));
    let mut reader = NodeReader::open(settings)?;
    let listener = TcpListener::bind(address)?;
    println!("http://{}/metrics", listener.local_addr()?);
    loop {
        let (peer, _) = listener.accept()?;
        // A peer that hangs up costs nobody else.
        if let Err(error) = answer(&peer, &metrics(&mut reader)) {
            eprintln!("{error}");
        }
    }
}

fn metrics(reader: &mut NodeReader) -> String {
    let readings = reader.read(now(), Duration::from_millis(100)).readings();
    let mut text = String::from("# TYPE node_available gauge\n");
    // What could not be measured is left out; it is not 0.
    for (signal, reading) in Signal::ALL.map(|signal| (signal, readings.get(signal))) {
        let (unit, available) = (signal.unit().name(), reading.map(|it| it.available));
        let labels = format!("signal=\"{signal}\",unit=\"{unit}\"");
        // Writing to a text does not fail.
        let _ = available.map(|it| writeln!(text, "node_available{{{labels}}} {it}"));
    }
    text
}

fn answer(mut peer: &TcpStream, body: &str) -> std::io::Result<()> {
    peer.set_read_timeout(Some(Duration::from_secs(2)))?;
    let lines = BufReader::new(peer).lines().map_while(Result::ok).take(100);
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nConnection: close";
    let length = body.len();
    write!(peer, "{head}\r\nContent-Length: {length}\r\n\r\n{body}")
}

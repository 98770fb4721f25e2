use core::time::Duration;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Write, stderr, stdin, stdout};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use evictd_plain::Plain;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Map, Value};

use super::complaints::Complaints;
use super::records::Records;

/// The first argument that makes the daemon's program such a process: its `main` then calls
/// [`run`] with the others.
pub(crate) const ARGUMENT: &str = "event-hook";

/// How long the program may take for one event.
const DEADLINE: Duration = Duration::from_secs(10);
const AGAIN: Duration = Duration::from_millis(10);

/// `event-hook FLAG PROGRAM`: runs it for each record on standard input, one after the other,
/// until that ends, and writes a line to standard output for each.
#[expect(clippy::disallowed_methods, reason = "this process decides nothing")]
#[must_use]
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let [flag, program] = arguments else {
        return ExitCode::from(2);
    };
    // Its own, as that of std has taken more in than it shows.
    let Ok(pipe) = stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let mut records = Records::of(File::from(pipe));
    let mut pids_are_short = false;
    while let Some(line) = records.next(Instant::now()) {
        let Ok(Value::Object(record)) = serde_json::from_str(&line) else {
            continue;
        };
        // A program takes a process id, or several.
        if let Some(short) = tells_of_pids(&record) {
            pids_are_short = short;
        }
        if !pids_are_short
            && let Err(problem) = run_for(program, &line, &record, &mut |now| records.until(now))
        {
            let program = program.display();
            // Where even that cannot be written there is nobody to tell.
            let flag = flag.display();
            let _ = writeln!(stderr(), "evictd: --{flag}={}: {problem}", Plain(program));
        }
        let _ = writeln!(stdout());
    }
    ExitCode::SUCCESS
}

/// By when a program has to have ended, beside its own deadline.
type Until<'a> = &'a mut dyn FnMut(Instant) -> Option<Instant>;

/// Whether process ids are short from this record on; `None` where it tells nothing of them.
fn tells_of_pids(record: &Map<String, Value>) -> Option<bool> {
    let is = |name, text| record.get(name).and_then(Value::as_str) == Some(text);
    (is("event", "condition") && is("condition", "PIDPressure")).then(|| is("status", "True"))
}

/// Runs it with a record on its standard input, and the fields in its environment.
fn run_for(
    program: &OsStr,
    line: &str,
    record: &Map<String, Value>,
    until: Until<'_>,
) -> Result<(), String> {
    let mut child = Command::new(program)
        .envs(record.iter().filter_map(variable))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut pipe) = child.stdin.take() {
        // It need not read, and what one pipe holds is written without waiting.
        let _ = pipe.write_all(line.as_bytes());
    }
    let mut complaints = Complaints::new(child.stderr.take());
    let ended = wait(&mut child, &mut complaints, until);
    complaints.read();
    complaints.tell(program);
    ended
}

/// A field as `EVICTD_MOUNT_POINT=/var`.
fn variable((name, value): (&String, &Value)) -> Option<(String, String)> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    let mut variable = String::from("EVICTD_");
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            variable.push('_');
        }
        variable.push(letter.to_ascii_uppercase());
    }
    Some((variable, text))
}

/// Until it has ended; beyond the deadline all that it started is killed.
#[expect(clippy::disallowed_methods, reason = "this process decides nothing")]
fn wait(child: &mut Child, complaints: &mut Complaints, until: Until<'_>) -> Result<(), String> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        complaints.read();
        let now = Instant::now();
        let is_over = until(now).map_or(deadline, |until| until.min(deadline)) <= now;
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if !is_over => std::thread::sleep(AGAIN),
            Ok(None) => {
                let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                if let Some(group) = group {
                    let _ = kill_process_group(group, Signal::KILL);
                }
                let _ = child.wait();
                let why = if now < deadline {
                    "killed, as evictd has ended".to_owned()
                } else {
                    format!("killed, as it took more than {DEADLINE:?}")
                };
                return Err(why);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> Map<String, Value> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn fields_are_variables() {
        let record =
            record(r#"{"event":"met","mountPoint":"/var","millis":7,"dryRun":true,"list":[1]}"#);
        let variables: Vec<_> = record.iter().filter_map(variable).collect();
        let expected = [
            ("EVICTD_DRY_RUN", "true"),
            ("EVICTD_EVENT", "met"),
            ("EVICTD_MILLIS", "7"),
            ("EVICTD_MOUNT_POINT", "/var"),
        ];
        assert_eq!(
            variables,
            expected.map(|(name, text)| (name.into(), text.into()))
        );
    }

    #[test]
    fn a_condition_tells_whether_process_ids_are_short() {
        let of = |text: &str| tells_of_pids(&record(text));
        let condition = |status| {
            of(&format!(
                r#"{{"event":"condition","condition":"PIDPressure","status":"{status}"}}"#
            ))
        };
        assert_eq!(condition("True"), Some(true));
        assert_eq!(condition("False"), Some(false));
        assert_eq!(
            of(r#"{"event":"condition","condition":"DiskPressure","status":"True"}"#),
            None
        );
        assert_eq!(of(r#"{"event":"met"}"#), None);
    }

    #[test]
    fn the_program_gets_the_record_and_its_failure_is_told() {
        let line = "{\"event\":\"met\",\"signal\":\"pid.available\"}\n";
        let grep = |pattern: &str| {
            let script = format!("grep -q '{pattern}' && [ $EVICTD_SIGNAL = pid.available ]");
            let mut child = Command::new("/bin/sh");
            child
                .args(["-c", &script])
                .envs(record(line).iter().filter_map(variable));
            let mut child = child
                .stdin(Stdio::piped())
                .process_group(0)
                .spawn()
                .unwrap();
            child
                .stdin
                .take()
                .unwrap()
                .write_all(line.as_bytes())
                .unwrap();
            wait(&mut child, &mut Complaints::new(None), &mut |_| None)
        };
        assert_eq!(grep("\"event\":\"met\""), Ok(()));
        assert_eq!(grep("killed"), Err("exit status: 1".into()));
        assert!(
            run_for(OsStr::new("/no/program"), line, &record(line), &mut |_| {
                None
            })
            .is_err()
        );
        // It need not read.
        assert_eq!(
            run_for(OsStr::new("/bin/true"), line, &record(line), &mut |_| None),
            Ok(())
        );
    }
}

/// Who made a log, as far as that decides how it may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// Docker's `json-file`. From Docker 23 on the daemon keeps its position in the file in
    /// memory: a file that became shorter makes `docker logs --tail` spin and `-f` fall
    /// silent (moby#45728).
    Json {
        /// Whether it does; also where that is not known.
        keeps_position: bool,
    },
    /// conmon's, for Podman.
    K8sFile,
    /// That of a runtime that reopens it when it is told to.
    Cri,
}

impl LogKind {
    /// That of `json-file`, by what the engine says of itself: `Docker 20.10.24+dfsg1`.
    #[must_use]
    pub fn json(version: &str) -> Self {
        let number = version.split_once(' ').map_or("", |(_, number)| number);
        let major = number.split('.').next().and_then(|it| it.parse().ok());
        let keeps_position = major.is_none_or(|major: u32| major >= 23);
        Self::Json { keeps_position }
    }
}

/// How those processes that write a log have it open; the last of these that fits one of
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogWriter {
    /// No process is seen that does.
    #[default]
    Nobody,
    /// All of them append: they write at the end, wherever that is.
    Appends,
    /// One at least writes where it was, and would leave a hole before it.
    KeepsPosition,
}

/// How the old part of a log is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Technique {
    /// The file begins later.
    Cut {
        /// Whether nobody writes it meanwhile.
        is_still: bool,
    },
    /// Its size and its end stay, and its beginning becomes a hole.
    Punch,
    /// It is renamed, its runtime begins a new one, and the renamed is cut.
    Rotate,
    /// It cannot be done so that its readers and its writer cope, and why.
    Leave(&'static str),
}

/// How it may be done. `runs` is whether its container does, as the runtime says.
#[must_use]
pub const fn technique(kind: LogKind, runs: bool, writer: LogWriter) -> Technique {
    match (kind, writer) {
        (_, LogWriter::Nobody) if !runs => Technique::Cut { is_still: true },
        (LogKind::Cri, _) if runs => Technique::Rotate,
        (LogKind::Cri, _) => {
            Technique::Leave("its container has ended, and yet it is open for writing")
        }
        (
            LogKind::Json {
                keeps_position: false,
            }
            | LogKind::K8sFile,
            LogWriter::Appends,
        ) => Technique::Cut { is_still: false },
        (LogKind::Json { .. }, _) => Technique::Punch,
        (LogKind::K8sFile, LogWriter::Nobody) => {
            Technique::Leave("no process is seen that writes it")
        }
        (LogKind::K8sFile, LogWriter::KeepsPosition) => {
            Technique::Leave("its writer does not append")
        }
    }
}

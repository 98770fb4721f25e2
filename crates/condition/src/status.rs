use evictd_node::Condition;

/// The status of a node condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The node is under this pressure.
    True,
    /// It is not.
    False,
    /// Nothing has been observed yet.
    #[default]
    Unknown,
}

impl Status {
    /// The Kubernetes name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// A condition as node status publishes it (K: `nodestatus/setters.go`).
///
/// `Time` is whatever clock the caller reports in; wall time for node status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeCondition<Time> {
    /// Which condition.
    pub condition: Condition,
    /// Whether it holds.
    pub status: Status,
    /// The one-word reason, e.g. `KubeletHasInsufficientMemory`; empty while unknown.
    pub reason: &'static str,
    /// The reason in a sentence; empty while unknown.
    pub message: &'static str,
    /// When it was last looked at.
    pub last_heartbeat: Option<Time>,
    /// When its status last changed.
    pub last_transition: Option<Time>,
}

impl<Time: Copy> NodeCondition<Time> {
    /// A condition of which nothing is known yet.
    #[must_use]
    pub const fn unknown(condition: Condition) -> Self {
        Self::with_status(condition, Status::Unknown)
    }

    /// A condition that was in that status before, as found on the node.
    #[must_use]
    pub const fn with_status(condition: Condition, status: Status) -> Self {
        Self {
            condition,
            status,
            reason: "",
            message: "",
            last_heartbeat: None,
            last_transition: None,
        }
    }

    /// Notes whether there is pressure now. Returns the reason of the node event
    /// when the status changed, e.g. `NodeHasDiskPressure`.
    pub fn update(&mut self, now: Time, pressure: bool) -> Option<&'static str> {
        self.last_heartbeat = Some(now);
        let status = if pressure {
            Status::True
        } else {
            Status::False
        };
        if self.status == status {
            return None;
        }
        let event;
        (self.reason, self.message, event) = words(self.condition, pressure);
        self.status = status;
        self.last_transition = Some(now);
        Some(event)
    }
}

/// Reason, message and event.
type Words = (&'static str, &'static str, &'static str);

const fn words(condition: Condition, pressure: bool) -> Words {
    match (condition, pressure) {
        (Condition::MemoryPressure, true) => (
            "KubeletHasInsufficientMemory",
            "kubelet has insufficient memory available",
            "NodeHasInsufficientMemory",
        ),
        (Condition::MemoryPressure, false) => (
            "KubeletHasSufficientMemory",
            "kubelet has sufficient memory available",
            "NodeHasSufficientMemory",
        ),
        (Condition::DiskPressure, true) => (
            "KubeletHasDiskPressure",
            "kubelet has disk pressure",
            "NodeHasDiskPressure",
        ),
        (Condition::DiskPressure, false) => (
            "KubeletHasNoDiskPressure",
            "kubelet has no disk pressure",
            "NodeHasNoDiskPressure",
        ),
        (Condition::PidPressure, true) => (
            "KubeletHasInsufficientPID",
            "kubelet has insufficient PID available",
            "NodeHasInsufficientPID",
        ),
        (Condition::PidPressure, false) => (
            "KubeletHasSufficientPID",
            "kubelet has sufficient PID available",
            "NodeHasSufficientPID",
        ),
    }
}

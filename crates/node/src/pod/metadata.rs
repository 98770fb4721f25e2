use alloc::collections::BTreeMap;
use alloc::string::String;

/// What identifies a pod: the `metadata` of a Kubernetes object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The name within its namespace.
    pub name: String,
    /// The namespace; empty where none is given.
    pub namespace: String,
    /// What tells it from every other pod, ever. Stats are matched by it.
    pub uid: String,
    /// Annotations. Two of them make a pod critical, see
    /// [`Pod::is_static`](crate::pod::Pod::is_static).
    pub annotations: BTreeMap<String, String>,
    /// Labels, by which an operator may protect pods.
    pub labels: BTreeMap<String, String>,
}

mod deletion;
mod found;
mod plan;
mod run;

pub use deletion::{ContainerDeletion, ContainerReason, Removable};
pub use found::{Container, ContainerState, Fate, FoundContainers, OwningPod, Sandbox};
pub use plan::plan_containers;
pub use run::{ContainerPolicy, ContainerRun};

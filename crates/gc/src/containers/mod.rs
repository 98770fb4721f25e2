mod found;
mod plan;

pub use found::{
    Container, ContainerPolicy, ContainerRun, ContainerState, Fate, FoundContainers, OwningPod,
    Sandbox,
};
pub use plan::plan_containers;

//! Pods and their stats as the vectors give them.

//! A blocking client of the Container Runtime Interface.
#![forbid(unsafe_code)]

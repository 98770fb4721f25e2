mod answers;
mod client;
mod http;

mod calls;
mod messages;

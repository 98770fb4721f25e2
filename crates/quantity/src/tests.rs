mod duration;
mod ops;
mod quantity;

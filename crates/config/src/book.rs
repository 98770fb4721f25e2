use core::fmt;
use std::path::PathBuf;

use evictd_quantity::GoDuration;

use crate::values::{self, Parsed};
use crate::{Origin, Setting, Warning};

/// Takes values off their texts and keeps what was settled, and from where.
#[derive(Default)]
pub(crate) struct Book {
    pub(crate) settings: Vec<Setting>,
    pub(crate) warnings: Vec<Warning>,
}

/// What holds without the flag, and why.
pub(crate) type Otherwise<T> = (T, Origin);

impl Book {
    pub(crate) fn note(&mut self, name: &'static str, value: impl fmt::Display, origin: Origin) {
        self.settings.push(Setting {
            name,
            value: value.to_string(),
            origin,
        });
    }

    /// The value of a scalar flag: of the last text given.
    pub(crate) fn take<T: fmt::Display>(
        &mut self,
        flag: &'static str,
        texts: &[String],
        otherwise: Otherwise<T>,
        parse: impl Fn(&str) -> Parsed<T>,
    ) -> Parsed<T> {
        let (value, origin) = match texts.last() {
            Some(text) => (parse(text)?, Origin::Flag(flag)),
            None => otherwise,
        };
        self.note(flag, &value, origin);
        Ok(value)
    }

    pub(crate) fn boolean(
        &mut self,
        flag: &'static str,
        texts: &[String],
        otherwise: Otherwise<bool>,
    ) -> Parsed<bool> {
        self.take(flag, texts, otherwise, |text| {
            values::parse_boolean(flag, text)
        })
    }

    pub(crate) fn integer(
        &mut self,
        flag: &'static str,
        texts: &[String],
        otherwise: Otherwise<i64>,
        (least, most): (i64, i64),
    ) -> Parsed<i64> {
        self.take(flag, texts, otherwise, |text| {
            values::integer(flag, text, least..=most)
        })
    }

    pub(crate) fn duration(
        &mut self,
        flag: &'static str,
        texts: &[String],
        otherwise: GoDuration,
        least: GoDuration,
    ) -> Parsed<GoDuration> {
        self.take(flag, texts, (otherwise, Origin::Default), |text| {
            values::duration(flag, text, least)
        })
    }

    pub(crate) fn word<T: Copy + PartialEq>(
        &mut self,
        flag: &'static str,
        texts: &[String],
        otherwise: Otherwise<T>,
        words: &[(&'static str, T)],
    ) -> Parsed<T> {
        let (value, origin) = match texts.last() {
            Some(text) => (values::word(flag, text, words)?, Origin::Flag(flag)),
            None => otherwise,
        };
        let word = words.iter().find(|(_, of)| *of == value);
        self.note(flag, word.map_or("", |(word, _)| *word), origin);
        Ok(value)
    }

    /// A path; an empty text means none, as for the kubelet's path flags.
    pub(crate) fn path(&mut self, flag: &'static str, texts: &[String]) -> Option<PathBuf> {
        let text = texts.last().filter(|text| !text.is_empty());
        let origin = match texts.last() {
            Some(_) => Origin::Flag(flag),
            None => Origin::Default,
        };
        self.note(flag, text.map_or("", String::as_str), origin);
        text.map(PathBuf::from)
    }

    /// A list, its occurrences joined by commas.
    pub(crate) fn list<T: fmt::Display>(
        &mut self,
        flag: &'static str,
        texts: &[String],
        parse: impl Fn(&'static str, &str) -> Parsed<T>,
    ) -> Parsed<T> {
        let origin = match texts.is_empty() {
            true => Origin::Default,
            false => Origin::Flag(flag),
        };
        let value = parse(flag, &texts.join(","))?;
        self.note(flag, &value, origin);
        Ok(value)
    }
}

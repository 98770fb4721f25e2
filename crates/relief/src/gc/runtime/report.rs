use std::path::PathBuf;

use evictd_engine::Fields;
use evictd_engine::ports::Collected;
use evictd_gc::{Kind, TOO_OLD};
use evictd_node::{Amount, ReliefStep};
use serde::{Serialize, Serializer};

/// What a collection at a runtime did; as JSON, what `evictd gc --json` prints of it.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeCollected {
    /// In the order in which it went.
    pub removed: Vec<Item>,
    /// What stays, and why.
    #[serde(rename = "kept")]
    pub staying: Vec<Item>,
    /// What the disk gave back meanwhile, as it measures itself.
    pub freed_bytes: i64,
    /// What the disk gave back in inodes.
    pub freed_inodes: i64,
    /// What pruned build caches gave back, or could at the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_cache_bytes: Option<u64>,
    /// What the runtime has deleted of what nothing referred to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub garbage_bytes: Option<u64>,
    /// The directory that was measured.
    #[serde(skip)]
    pub measured: Option<PathBuf>,
    /// Why it was not enough.
    #[serde(skip)]
    pub shortfall: Option<String>,
    /// What is odd, and no failure.
    pub notes: Vec<String>,
    /// What could not be removed.
    #[serde(skip)]
    pub errors: Vec<String>,
    /// How many things that were, and calls that failed.
    #[serde(skip)]
    pub(super) failed: usize,
    /// Nothing was removed: it was only said what would be.
    #[serde(skip)]
    pub dry_run: bool,
}

/// Something that was, or would be, removed, or that stays, and why.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// `None` of what stays.
    #[serde(serialize_with = "by_name", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    pub(crate) id: String,
    /// Its name for users.
    pub name: String,
    /// What the runtime says it takes.
    pub listed_bytes: Option<u64>,
    /// Why.
    pub reason: String,
}

fn by_name<S: Serializer>(kind: &Option<Kind>, to: S) -> Result<S::Ok, S::Error> {
    kind.map(Kind::name).serialize(to)
}

impl Item {
    /// Its name, and of a container or volume what it gave back. What an image takes it may share.
    fn with_bytes(&self) -> String {
        match (self.kind, self.listed_bytes) {
            (Some(Kind::Container | Kind::Volume), Some(bytes)) => {
                format!("{}: {}", self.name, Amount::bytes(bytes))
            }
            (Some(Kind::Container), None) => format!("{}: unknown size", self.name),
            _ => self.name.clone(),
        }
    }
}

/// So many errors are told; a runtime may have one for each of thousands of things.
const MOST_ERRORS: usize = 4;

/// So much is told of the names of what was removed.
const MOST_NAMES_BYTES: usize = 4 << 10;

impl RuntimeCollected {
    /// Only the first are told, and how many more there were.
    pub(super) fn add_error(&mut self, error: String) {
        self.failed = self.failed.saturating_add(1);
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(error);
        } else {
            let more = self.failed.saturating_sub(MOST_ERRORS);
            self.errors.truncate(MOST_ERRORS);
            self.errors.push(format!("and {more} more errors"));
        }
    }

    /// In one line, for a log.
    pub(crate) fn summary(&self) -> String {
        let kinds = [Kind::Container, Kind::Sandbox, Kind::Image, Kind::Volume];
        let mut did: Vec<String> = kinds.into_iter().filter_map(|it| self.did(it)).collect();
        if let Some(path) = self.measured.as_ref().filter(|_| !did.is_empty()) {
            let bytes = Amount::bytes(u64::try_from(self.freed_bytes).unwrap_or(0));
            did.push(format!("{bytes} freed on {}", path.display()));
        }
        did.extend(self.pruned());
        did.extend(self.garbage_bytes.map(|bytes| {
            let bytes = Amount::bytes(bytes);
            format!("{bytes} of what nothing refers to deleted")
        }));
        let did = Some(did.join(", ")).filter(|did| !did.is_empty());
        let odd = self.shortfall.iter().chain(&self.errors).chain(&self.notes);
        let parts = did.iter().chain(odd);
        parts.map(String::as_str).collect::<Vec<&str>>().join("; ")
    }

    /// What the engine is told of it.
    pub fn told(&self) -> Collected {
        let count = |kind| self.names(kind).len();
        let names = |kind| Some(joined(&self.names(kind))).filter(|names| !names.is_empty());
        let measured = self.measured.as_ref();
        if let Some(bytes) = self.build_cache_bytes {
            return self.told_of_build_caches(bytes);
        }
        Collected {
            removed: if self.dry_run { 0 } else { self.removed.len() }
                + usize::from(self.garbage_bytes.is_some()),
            text: self.summary(),
            fields: Fields::default()
                .with("dryRun", self.dry_run)
                .with("containers", count(Kind::Container))
                .with("containerNames", names(Kind::Container))
                .with("containerBytes", self.bytes_of_containers())
                .with("sandboxes", count(Kind::Sandbox))
                .with("images", count(Kind::Image))
                .with("imagesTooOld", self.too_old())
                .with("imageNames", names(Kind::Image))
                .with(
                    "volumes",
                    Some(count(Kind::Volume)).filter(|count| *count > 0),
                )
                .with("volumeNames", names(Kind::Volume))
                .with("freedBytes", measured.map(|_| self.freed_bytes))
                .with("measured", measured.map(|path| path.display().to_string()))
                .with("garbageBytes", self.garbage_bytes)
                .with("shortfall", self.shortfall.clone())
                .with("errors", self.failed),
        }
    }

    fn told_of_build_caches(&self, bytes: u64) -> Collected {
        Collected {
            removed: usize::from(!self.dry_run),
            text: self.summary(),
            fields: Fields::default()
                .with("dryRun", self.dry_run)
                .with("rung", ReliefStep::BuildCache.name())
                .with("freedBytes", bytes),
        }
    }

    fn pruned(&self) -> Option<String> {
        let bytes = Amount::bytes(self.build_cache_bytes?);
        Some(if self.dry_run {
            format!("would prune build caches: {bytes} at most")
        } else {
            format!("pruned build caches: {bytes} freed")
        })
    }

    /// How many images were removed for their age.
    fn too_old(&self) -> usize {
        let images = self.of_kind(Kind::Image);
        images.filter(|image| image.reason == TOO_OLD).count()
    }

    /// The names of what was removed of one kind.
    fn names(&self, kind: Kind) -> Vec<&str> {
        self.of_kind(kind).map(|one| one.name.as_str()).collect()
    }

    /// What each of the removed containers gave back, in the order of their names.
    fn bytes_of_containers(&self) -> Option<String> {
        let bytes = self
            .of_kind(Kind::Container)
            .map(|one| match one.listed_bytes {
                Some(bytes) => bytes.to_string(),
                None => "unknown".to_owned(),
            });
        let bytes: Vec<String> = bytes.collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        (!bytes.is_empty()).then(|| joined(&bytes))
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Item> {
        self.removed
            .iter()
            .filter(move |one| one.kind == Some(kind))
    }

    /// `removed 2 images (a, b)`; nothing where none was.
    fn did(&self, kind: Kind) -> Option<String> {
        const FEW: usize = 4;
        let removed: Vec<&Item> = self.of_kind(kind).collect();
        let names: Vec<String> = removed.iter().map(|one| one.with_bytes()).collect();
        let few = names.get(..names.len().min(FEW))?.join(", ");
        let verb = if self.dry_run {
            "would remove"
        } else {
            "removed"
        };
        let (count, name) = (names.len(), kind.name());
        let plural = if count == 1 { "" } else { "s" };
        let more = if count > FEW { ", …" } else { "" };
        (count > 0).then(|| format!("{verb} {count} {name}{plural} ({few}{more})"))
    }
}

/// As many as there is room for in a record; a log or a program keeps no longer one.
fn joined(all: &[&str]) -> String {
    let mut text = String::new();
    for one in all {
        if text.len().saturating_add(one.len()) > MOST_NAMES_BYTES {
            text.push_str(",…");
            break;
        }
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(one);
    }
    text
}

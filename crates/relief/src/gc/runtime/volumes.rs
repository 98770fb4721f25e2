use evictd_containers::ListedVolume;
use evictd_gc::{Kind, may_delete_volume};
use evictd_node::Amount;
use evictd_stats::{read_tree_usage, wall_nanos};

use super::{Item, Run, RuntimeCollector};

impl RuntimeCollector {
    /// Removes volumes that nobody named and no container has, where their operator said so. A
    /// dry run says what that would give back.
    pub(super) fn collect_volumes(&self, run: &mut Run<'_>) {
        if run.is_lost || !(self.removes_volumes || run.collected.dry_run) {
            return;
        }
        let mut volumes = match run.runtime.unused_volumes() {
            Ok(volumes) => volumes,
            Err(error) => return run.fail(&error),
        };
        let now = wall_nanos();
        volumes.retain(|volume| may_delete_volume(volume.is_anonymous, volume.created_nanos, now));
        let mut items = volumes.iter().map(item);
        if self.removes_volumes {
            while let Some(one) = items.next().filter(|_| !run.is_lost) {
                run.remove(one);
            }
        } else if let Some(note) = would_give(&items.collect::<Vec<Item>>()) {
            run.collected.notes.push(note);
        }
    }
}

fn item(volume: &ListedVolume) -> Item {
    Item {
        kind: Some(Kind::Volume),
        id: volume.name.clone(),
        name: volume.name.clone(),
        listed_bytes: Some(read_tree_usage(&volume.path).used_bytes),
        reason: "it has no name, and no container has it".to_owned(),
    }
}

/// What could be had of volumes that stay; `None` where there are none.
fn would_give(staying: &[Item]) -> Option<String> {
    let bytes = staying.iter().filter_map(|one| one.listed_bytes).sum();
    let (count, bytes) = (staying.len(), Amount::bytes(bytes));
    (count > 0).then(|| {
        format!(
            "volumes without a name that no container has hold {bytes}, {count} of them; they \
             stay without --collect-anonymous-volumes"
        )
    })
}

use super::*;

const ID: &str = "624061601fb03980f4bdf7b6114979ee0e182bcc785cd0f5f8a9ab1a869c6f7f";

const HOST: &str = "\
20 1 8:1 / / rw - ext4 /dev/sda1 rw
21 20 0:5 / /proc rw - proc proc rw
";

/// An overlay, mounted there.
fn overlay(minor: u32, mount_point: &str, upper: &str) -> String {
    format!(
        "9{minor} 20 0:{minor} / {mount_point} rw,relatime shared:7 - overlay overlay \
         rw,lowerdir=/l/1:/l/2,upperdir={upper},workdir=/w\n"
    )
}

fn found(host: &str, process: &str, id: &str) -> Option<String> {
    let found = find_layer(host.as_bytes(), process.as_bytes(), id);
    found.map(|path| path.to_str().unwrap().to_owned())
}

/// Where each runtime mounts what a container has for its root.
#[test]
fn each_runtimes_mounts_are_in_the_hosts_table() {
    let process = overlay(50, "/", "/not/read");
    for (name, mount_point, upper) in [
        (
            "containerd",
            "/run/containerd/io.containerd.runtime.v2.task/k8s.io/ID/rootfs",
            "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12/fs",
        ),
        (
            "docker with containerd's image store",
            "/var/lib/docker/rootfs/overlayfs/ID",
            "/var/lib/docker/containerd/daemon/io.containerd.snapshotter.v1.overlayfs/snapshots/9/fs",
        ),
        (
            "docker",
            "/var/lib/docker/overlay2/1a2b/merged",
            "/var/lib/docker/overlay2/1a2b/diff",
        ),
        (
            "podman, cri-o",
            "/var/lib/containers/storage/overlay/9f8e/merged",
            "/var/lib/containers/storage/overlay/9f8e/diff",
        ),
    ] {
        let mount_point = mount_point.replace("ID", ID);
        let others = [
            overlay(49, "/run/other/rootfs", "/other/49"),
            overlay(51, "/run/last/rootfs", "/other/51"),
        ];
        let own = overlay(50, &mount_point, upper);
        let host = [HOST, &others[0], &own, &others[1]].concat();
        assert_eq!(found(&host, &process, ID).as_deref(), Some(upper), "{name}");
        let apart = [HOST, &others[0], &others[1]].concat();
        assert_eq!(found(&apart, &process, ID), None, "{name}: it is not there");
    }
}

/// A user namespace is enough to mount an overlay over `/` with any upper directory.
#[test]
fn what_a_container_says_of_its_mounts_counts_for_nothing() {
    let mount_point = format!("/run/containerd/k8s.io/{ID}/rootfs");
    let by_id = [HOST, &overlay(50, &mount_point, "/s/12/fs")].concat();
    let by_device = [HOST, &overlay(50, "/storage/overlay/x/merged", "/s/12/fs")].concat();
    // As uid 65534 made it with `unshare -Urm` and `mount -t overlay` (6.18).
    let forged = "\
43 42 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=/s/12/fs,workdir=/w
66 43 0:40 / / rw,relatime - overlay o rw,lowerdir=/etc,upperdir=/var/opt,workdir=/tmp/w,redirect_dir=nofollow,uuid=on,userxattr
";
    assert_eq!(found(&by_id, forged, ID).as_deref(), Some("/s/12/fs"));
    assert_eq!(found(&by_device, forged, ID), None);
    // Of its own overlay only the upper directory is another one.
    let renamed = overlay(50, "/", "/var/opt");
    assert_eq!(found(&by_device, &renamed, ID).as_deref(), Some("/s/12/fs"));
    // A directory of another overlay, as a volume may be, and the host's own root.
    let root = overlay(30, "/", "/run/live/upper");
    let bind = overlay(30, "/", "/x").replace(" / / ", " /srv / ");
    for process in [bind, root.clone()] {
        assert_eq!(found(&[HOST, &root].concat(), &process, ID), None);
    }
}

#[test]
fn what_leads_to_no_layer() {
    let host = overlay(50, "/storage/x/merged", "/s/12/fs");
    let process = overlay(50, "/", "/s/12/fs");
    let ext4 = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
    assert!(found(&host, &process, "short").is_some());
    for (name, host, process, id) in [
        ("covered", host.clone(), [&process, ext4].concat(), ID),
        (
            "elsewhere",
            host.clone(),
            process.replace(" / / ", " / /x "),
            ID,
        ),
        ("no table", host.clone(), String::new(), ID),
        ("odd table", host.clone(), "22 1 odd\n".into(), ID),
        ("no host", String::new(), process.clone(), ID),
        (
            "read-only",
            host.replace("upperdir=/s/12/fs,", ""),
            process.clone(),
            ID,
        ),
        (
            "relative",
            host.replace("=/s/12/fs", "=l/FS"),
            process.clone(),
            ID,
        ),
        (
            "escaped",
            host.replace("=/s/12/fs", "=/s\\040/fs"),
            process.clone(),
            ID,
        ),
        (
            "a short id",
            overlay(50, "/run/merged/rootfs", "/s"),
            String::new(),
            "merged",
        ),
        (
            "no id",
            overlay(50, "/run//rootfs", "/s"),
            String::new(),
            "",
        ),
    ] {
        assert_eq!(found(&host, &process, id), None, "{name}");
    }
}

/// A container may have a hundred thousand mounts.
#[test]
fn a_table_of_any_length_is_read() {
    let host = overlay(50, "/storage/x/merged", "/s/12/fs");
    let mut process = overlay(49, "/", "/other");
    for number in 0..20_000 {
        process.push_str(&overlay(60, &format!("/m/{number}"), "/x"));
    }
    process.push_str(&format!("{}\n", "x".repeat(300_000)));
    process.push_str(&overlay(50, "/", "/y"));
    assert_eq!(found(&host, &process, ID).as_deref(), Some("/s/12/fs"));
}

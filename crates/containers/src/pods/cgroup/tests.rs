use super::{find_cgroup, find_cgroups};
use std::path::Path;

const ID: &str = "624061601fb03980f4bdf7b6114979ee0e182bcc785cd0f5f8a9ab1a869c6f7f";

#[test]
fn cgroups_of_containers() {
    for (name, text, found) in [
        (
            "dockerd on v1",
            "9:name=systemd:/docker/ID\n4:cpu,memory:/docker/ID\n0::/x\n",
            "docker/ID",
        ),
        (
            "dockerd on v2",
            "0::/system.slice/docker-ID.scope\n",
            "system.slice/docker-ID.scope",
        ),
        (
            "podman",
            "4:memory:/libpod_parent/libpod-ID\n0::/\n",
            "libpod_parent/libpod-ID",
        ),
        (
            "crun",
            "0::/machine.slice/libpod-ID.scope/container\n",
            "machine.slice/libpod-ID.scope",
        ),
        ("systemd inside", "0::/docker/ID/init.scope\n", "docker/ID"),
        (
            "a pod's",
            "0::/kubepods/besteffort/pod1/ID\n",
            "kubepods/besteffort/pod1/ID",
        ),
        (
            "v1 without memory",
            "4:cpu:/docker/ID\n0::/docker/ID\n",
            "docker/ID",
        ),
        (
            "balena",
            "0::/system.slice/balena-ID.scope\n",
            "system.slice/balena-ID.scope",
        ),
        ("another's", "0::/docker/624061601fb0\n", ""),
        ("the engine's own", "0::/system.slice/podman.service\n", ""),
        (
            "the monitor",
            "0::/machine.slice/libpod-conmon-ID.scope\n",
            "",
        ),
        ("a namespace of our own", "0::/../docker/ID\n", ""),
        ("the root", "4:memory:/\n0::/docker/ID\n", ""),
        ("removed", "0::/docker/ID (deleted)\n", ""),
        ("nothing", "", ""),
        ("no such file", "4:memory\n", ""),
    ] {
        let cgroup = find_cgroup(text.replace("ID", ID).as_bytes(), ID);
        let expected = found.replace("ID", ID);
        let expected = (!expected.is_empty()).then_some(Path::new(&expected));
        assert_eq!(cgroup.as_deref(), expected, "{name}");
    }
    assert_eq!(find_cgroup(b"0::/docker/ab\n", "ab"), None, "a short id");
}

/// Of a container whose first process the runtime does not tell.
#[test]
fn cgroups_are_found_among_those_of_all_processes() {
    let proc = std::env::temp_dir().join(format!("evictd-cgroups-{}", std::process::id()));
    let other = ID.replace("62", "73");
    let cgroups = [
        ("1", "0::/init.scope\n".to_owned()),
        (
            "7",
            format!("0::/user.slice/user-7.slice/docker-{ID}.scope\n"),
        ),
        ("8", format!("0::/docker/{ID}/system.slice/cron.service\n")),
        (
            "9",
            format!("0::/machine.slice/libpod-conmon-{other}.scope\n"),
        ),
        ("self", format!("0::/{other}\n")),
    ];
    for (pid, text) in cgroups {
        std::fs::create_dir_all(proc.join(pid)).unwrap();
        std::fs::write(proc.join(pid).join("cgroup"), text).unwrap();
    }
    std::fs::create_dir_all(proc.join("10")).unwrap();
    let ids = [ID, &*other, "short", ""].map(Into::into);
    let found = find_cgroups(&proc, &ids);
    std::fs::remove_dir_all(&proc).unwrap();
    let docker = Path::new("docker").join(ID);
    assert_eq!(found, [Some(docker.into()), None, None, None]);
    assert_eq!(find_cgroups(&proc, &[ID.into()]), [None]);
}

use super::flag::Takes;

/// The kubelet's flags that evictd has no use for, those of old releases too: an init
/// script may hold any of them. One that needs no value ends in `?`.
const FOREIGN: &str = "add-dir-header? address allow-privileged? allowed-unsafe-sysctls \
    alsologtostderr? anonymous-auth? application-metrics-count-limit \
    authentication-token-webhook? authentication-token-webhook-cache-ttl authorization-mode \
    authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl \
    azure-container-registry-config boot-id-file bootstrap-checkpoint-path bootstrap-kubeconfig \
    cadvisor-port cert-dir cgroup-driver cgroup-root cgroups-per-qos? client-ca-file \
    cloud-config cloud-provider cluster-dns cluster-domain cni-bin-dir cni-cache-dir \
    cni-conf-dir container-hints container-log-max-files container-log-max-size \
    container-runtime containerd containerd-namespace containerized? contention-profiling? \
    cpu-cfs-quota? cpu-cfs-quota-period cpu-manager-policy cpu-manager-policy-options \
    cpu-manager-reconcile-period docker docker-disable-shared-pid? docker-endpoint \
    docker-env-metadata-whitelist docker-exec-handler docker-only? docker-root dynamic-config-dir \
    enable-cadvisor-json-endpoints? enable-controller-attach-detach? enable-custom-metrics? \
    enable-debugging-handlers? enable-load-reader? enable-server? event-burst event-qps \
    event-storage-age-limit event-storage-event-limit exit-on-lock-contention? \
    experimental-allocatable-ignore-eviction? experimental-allowed-unsafe-sysctls \
    experimental-bootstrap-kubeconfig experimental-check-node-capabilities-before-mount? \
    experimental-mounter-path fail-cgroupv1? fail-swap-on? feature-gates file-check-frequency \
    global-housekeeping-interval hairpin-mode healthz-bind-address healthz-port \
    hostname-override http-check-frequency image-credential-provider-bin-dir \
    image-credential-provider-config image-pull-progress-deadline image-service-endpoint \
    iptables-drop-bit iptables-masquerade-bit keep-terminated-pod-volumes? kube-api-burst \
    kube-api-content-type kube-api-qps kube-reserved-cgroup kubeconfig kubelet-cgroups lock-file \
    log-backtrace-at log-cadvisor-usage? log-dir log-file log-file-max-size log-flush-frequency \
    log-json-info-buffer-size log-json-split-stream? log-text-info-buffer-size \
    log-text-split-stream? logtostderr? machine-id-file make-iptables-util-chains? manifest-url \
    manifest-url-header master-service-namespace max-open-files max-pods memory-manager-policy \
    network-plugin network-plugin-dir network-plugin-mtu node-ip node-labels \
    node-status-max-images node-status-report-frequency non-masquerade-cidr one-output? \
    oom-score-adj pod-cidr pod-infra-container-image pod-max-pids pods-per-core port \
    protect-kernel-defaults? provider-id qos-reserved read-only-port register-node? \
    register-schedulable? register-with-taints registry-burst registry-qps reserved-cpus \
    reserved-memory resolv-conf rotate-certificates? rotate-server-certificates? runonce? \
    runtime-cgroups runtime-request-timeout seccomp-default? seccomp-profile-root \
    serialize-image-pulls? skip-headers? skip-log-headers? stderrthreshold \
    storage-driver-buffer-duration storage-driver-db storage-driver-host \
    storage-driver-password storage-driver-secure? storage-driver-table storage-driver-user \
    streaming-connection-idle-timeout sync-frequency system-cgroups system-reserved-cgroup \
    tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file \
    topology-manager-policy topology-manager-policy-options topology-manager-scope \
    update-machine-info-interval vmodule volume-plugin-dir volume-stats-agg-period";

/// The flag of the kubelet with that name, without dashes, where evictd passes it over: its
/// name, and what it takes.
#[must_use]
pub fn foreign_flag(name: &str) -> Option<(&'static str, Takes)> {
    foreign(|flag| flag == name)
}

/// As [`foreign_flag`], by a name in which words are not told apart: `maxPods`.
pub(crate) fn foreign_field(name: &str) -> Option<&'static str> {
    let is_it = |flag: &str| flag.replace('-', "").eq_ignore_ascii_case(name);
    foreign(is_it).map(|(flag, _)| flag)
}

fn foreign(is_it: impl Fn(&str) -> bool) -> Option<(&'static str, Takes)> {
    let flags = FOREIGN.split(' ').map(|flag| match flag.strip_suffix('?') {
        Some(flag) => (flag, Takes::Bool),
        None => (flag, Takes::Value("TEXT")),
    });
    { flags }.find(|(flag, _)| is_it(flag))
}

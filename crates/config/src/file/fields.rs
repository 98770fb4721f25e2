//! The fields of a KubeletConfiguration, of the API group
//! `kubelet.config.k8s.io/v1beta1`.

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A mapping of texts; the flag has this between key and value.
    Pairs(char),
    /// A text; `0s` is as good as none, because the kubelet puts its default there.
    Duration,
    Integer,
    Boolean,
    /// A text; an empty one is as good as none.
    Text,
    /// A list of texts.
    List,
}

/// A field that says what a flag says too.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) flag: &'static str,
    pub(crate) form: Form,
}

const fn field(name: &'static str, flag: &'static str, form: Form) -> Field {
    Field { name, flag, form }
}

/// Every field for which there is a flag.
pub(crate) const FIELDS: [Field; 20] = [
    field("evictionHard", "eviction-hard", Form::Pairs('<')),
    field("evictionSoft", "eviction-soft", Form::Pairs('<')),
    field(
        "evictionSoftGracePeriod",
        "eviction-soft-grace-period",
        Form::Pairs('='),
    ),
    field(
        "evictionMinimumReclaim",
        "eviction-minimum-reclaim",
        Form::Pairs('='),
    ),
    field(
        "mergeDefaultEvictionSettings",
        "merge-default-eviction-settings",
        Form::Boolean,
    ),
    field(
        "evictionMaxPodGracePeriod",
        "eviction-max-pod-grace-period",
        Form::Integer,
    ),
    field(
        "evictionPressureTransitionPeriod",
        "eviction-pressure-transition-period",
        Form::Duration,
    ),
    field(
        "localStorageCapacityIsolation",
        "local-storage-capacity-isolation",
        Form::Boolean,
    ),
    field(
        "nodeStatusUpdateFrequency",
        "node-status-update-frequency",
        Form::Duration,
    ),
    field(
        "kernelMemcgNotification",
        "kernel-memcg-notification",
        Form::Boolean,
    ),
    field("staticPodPath", "pod-manifest-path", Form::Text),
    field("podLogsDir", "pod-logs-dir", Form::Text),
    field("systemReserved", "system-reserved", Form::Pairs('=')),
    field("kubeReserved", "kube-reserved", Form::Pairs('=')),
    field(
        "enforceNodeAllocatable",
        "enforce-node-allocatable",
        Form::List,
    ),
    field(
        "containerRuntimeEndpoint",
        "container-runtime-endpoint",
        Form::Text,
    ),
    field(
        "imageGCHighThresholdPercent",
        "image-gc-high-threshold",
        Form::Integer,
    ),
    field(
        "imageGCLowThresholdPercent",
        "image-gc-low-threshold",
        Form::Integer,
    ),
    field(
        "imageMinimumGCAge",
        "minimum-image-ttl-duration",
        Form::Duration,
    ),
    field("imageMaximumGCAge", "maximum-image-gc-age", Form::Duration),
];

/// Fields that are looked at and have no flag here.
pub(crate) const CHECKED: [&str; 7] = [
    "cgroupsPerQOS",
    "featureGates",
    "kubeReservedCgroup",
    "logging",
    "nodeStatusMaxImages",
    "oomScoreAdj",
    "systemReservedCgroup",
];

/// The fields that evictd has no use for. One text: a list of texts would take
/// twice the room.
const UNUSED: &str = "address allowedUnsafeSysctls authentication authorization cgroupDriver \
    cgroupRoot clusterDNS clusterDomain configMapAndSecretChangeDetectionStrategy \
    containerLogMaxFiles containerLogMaxSize containerLogMaxWorkers \
    containerLogMonitorInterval contentType cpuCFSQuota cpuCFSQuotaPeriod cpuManagerPolicy \
    cpuManagerPolicyOptions cpuManagerReconcilePeriod crashLoopBackOff \
    draManagerReconcilePeriod enableContentionProfiling enableControllerAttachDetach \
    enableDebugFlagsHandler enableDebuggingHandlers enableProfilingHandler enableServer \
    enableSystemLogHandler enableSystemLogQuery eventBurst eventRecordQPS failCgroupV1 \
    failSwapOn fileCheckFrequency hairpinMode healthzBindAddress healthzPort \
    httpCheckFrequency imagePullCredentialsVerificationPolicy imageServiceEndpoint \
    iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS kubeletCgroups \
    makeIPTablesUtilChains maxOpenFiles maxParallelImagePulls maxPods memoryManagerPolicy \
    memoryReservationPolicy memorySwap memoryThrottlingFactor nodeLeaseDurationSeconds \
    nodeStatusReportFrequency podCIDR podPidsLimit podsPerCore port \
    preloadedImagesVerificationAllowlist protectKernelDefaults providerID qosReserved \
    readOnlyPort registerNode registerWithTaints registryBurst registryPullQPS \
    reservedMemory reservedSystemCPUs resolvConf rotateCertificates runOnce \
    runtimeRequestTimeout seccompDefault serializeImagePulls serverTLSBootstrap \
    showHiddenMetricsForVersion shutdownGracePeriod shutdownGracePeriodByPodPriority \
    shutdownGracePeriodCriticalPods singleProcessOOMKill staticPodURL staticPodURLHeader \
    streamingConnectionIdleTimeout syncFrequency systemCgroups tlsCertFile tlsCipherSuites \
    tlsCurvePreferences tlsMinVersion tlsPrivateKeyFile topologyManagerPolicy \
    topologyManagerPolicyOptions topologyManagerScope tracing userNamespaces \
    volumePluginDir volumeStatsAggPeriod";

/// Every name of a field.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let used = FIELDS.iter().map(|field| field.name);
    used.chain(CHECKED).chain(UNUSED.split(' '))
}

/// The field that says what the flag says.
pub(crate) fn field_of(flag: &str) -> Option<&'static str> {
    let found = FIELDS.iter().find(|field| field.flag == flag);
    found.map(|field| field.name)
}

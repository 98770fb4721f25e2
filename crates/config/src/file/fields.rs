//! The fields of a KubeletConfiguration, of the API group
//! `kubelet.config.k8s.io/v1beta1`.

use crate::Flag;

/// Fields that are looked at and have no flag here.
pub(crate) const CHECKED: [&str; 9] = [
    "cgroupsPerQOS",
    "containerLogMaxFiles",
    "featureGates",
    "kubeReservedCgroup",
    "logging",
    "memoryReservationPolicy",
    "nodeStatusMaxImages",
    "oomScoreAdj",
    "systemReservedCgroup",
];

/// The fields that evictd has no use for.
const UNUSED: &str = "address allowedUnsafeSysctls authentication authorization cgroupDriver \
    cgroupRoot clusterDNS clusterDomain configMapAndSecretChangeDetectionStrategy \
    containerLogMaxSize containerLogMaxWorkers \
    containerLogMonitorInterval contentType cpuCFSQuota cpuCFSQuotaPeriod cpuManagerPolicy \
    cpuManagerPolicyOptions cpuManagerReconcilePeriod crashLoopBackOff \
    draManagerReconcilePeriod enableContentionProfiling enableControllerAttachDetach \
    enableDebugFlagsHandler enableDebuggingHandlers enableProfilingHandler enableServer \
    enableSystemLogHandler enableSystemLogQuery eventBurst eventRecordQPS failCgroupV1 \
    failSwapOn fileCheckFrequency hairpinMode healthzBindAddress healthzPort \
    httpCheckFrequency imagePullCredentialsVerificationPolicy imageServiceEndpoint \
    iptablesDropBit iptablesMasqueradeBit kubeAPIBurst kubeAPIQPS kubeletCgroups \
    makeIPTablesUtilChains maxOpenFiles maxParallelImagePulls maxPods memoryManagerPolicy \
    memorySwap memoryThrottlingFactor nodeLeaseDurationSeconds \
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
    let used = Flag::known().filter_map(|flag| Some(flag.field?.0));
    used.chain(CHECKED).chain(UNUSED.split(' '))
}

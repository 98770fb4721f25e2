use super::flag::Takes::{Bool, List, Value};
use super::flag::{Form, flag};
use crate::Flag;

/// Images and containers.
pub(crate) const COLLECTION: [Flag; 9] = [
    flag("container-runtime-endpoint", List("ENDPOINT,..."), ("", "unix:///run/containerd/containerd.sock"))
        .field("containerRuntimeEndpoint", Form::Text)
        .help("The sockets of the container runtimes: containerd, CRI-O, Docker, Podman or \
         balenaEngine. Without it the usual places are looked at; an empty text asks no \
         runtime."),
    flag("compose-projects-are-pods", Bool, ("false", "true"))
        .help("Evict a project of docker compose as a whole: all its containers are one pod. Without \
         it each container is a pod."),
    flag("image-gc-high-threshold", Value("PERCENT"), ("85", "90"))
        .field("imageGCHighThresholdPercent", Form::Integer)
        .help("From how much use of the images' filesystem on, in percent, unused images are \
         deleted. 100 deletes none for its sake."),
    flag("image-gc-low-threshold", Value("PERCENT"), ("80", "70"))
        .field("imageGCLowThresholdPercent", Form::Integer)
        .help("Down to how much use, in percent, images are deleted then, least recently used first. \
         Less than --image-gc-high-threshold."),
    flag("minimum-image-ttl-duration", Value("DURATION"), ("2m0s", "1h"))
        .field("imageMinimumGCAge", Form::Duration)
        .help("How old an image must be to be deleted."),
    flag("maximum-image-gc-age", Value("DURATION"), ("0s", "168h"))
        .field("imageMaximumGCAge", Form::Duration)
        .help("How long an image may lie unused before it is deleted, however much space there is. \
         More than --minimum-image-ttl-duration; 0s is for ever."),
    flag("keep-image", Value("PATTERN"), ("", "docker.io/library/*"))
        .help("Never delete an image with such a name, as docker image ls prints it: * stands for any \
         part, ? for one character. Repeat it for several."),
    flag("collect-dead-containers", Value("WHICH"), ("replaced", "all"))
        .help("Which dead containers may be deleted, with what they wrote. replaced: those that a controller \
         would bring back, as the label io.kubernetes.pod.uid says. all: others too, such as those of \
         docker run."),
    flag("collect-anonymous-volumes", Bool, ("false", "true"))
        .help("Delete volumes without a name that no container has, made a day ago or earlier, where a \
         disk is short: what is left of docker run -v /data and of images with a VOLUME. A volume with \
         a name is never deleted."),
];

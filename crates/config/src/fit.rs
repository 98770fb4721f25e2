//! Defaults that a machine changes: where the kubelet's formula misleads, where memory relief
//! pays, and where the kernel does not count lost time.

use evictd_node::{MemorySource, Signal};
use evictd_threshold::Threshold;

use crate::thresholds::default_hard;
use crate::{Compat, MemoryRelief, Origin, Resolved, Warning};

impl Resolved {
    /// Takes the kernel's estimate of available memory too, where no flag says from what
    /// it is taken: for machines on which the kubelet's formula counts as available what
    /// is not, small ones and those that swap to compressed memory.
    pub fn distrust_kubelets_formula(&mut self) {
        let name = "memory-available-source";
        let mut settings = self.settings.iter_mut();
        let setting = settings.find(|setting| setting.name == name);
        if let Some(setting) = setting
            && (setting.origin, self.compat) == (Origin::Default, Compat::Evictd)
        {
            self.memory.source = MemorySource::Min;
            (setting.value, setting.origin) = ("min".to_owned(), Origin::Derived);
        }
    }

    /// Settles `--memory-relief=auto`: on where all swap is zram. A kubelet relieves
    /// no memory, and without a state directory what is set could outlast evictd.
    pub fn settle_memory_relief(&mut self, swap_is_zram: bool) {
        if self.memory.relief != MemoryRelief::Auto {
            return;
        }
        let pays = swap_is_zram && self.compat == Compat::Evictd && self.paths.state_dir.is_some();
        let (value, text) = if pays {
            (MemoryRelief::On, "on")
        } else {
            (MemoryRelief::Off, "off")
        };
        self.memory.relief = value;
        let mut settings = self.settings.iter_mut();
        if let Some(setting) = settings.find(|setting| setting.name == "memory-relief") {
            (setting.value, setting.origin) = (text.to_owned(), Origin::Derived);
        }
    }

    /// The hard thresholds that hold on this machine where none are given.
    #[must_use]
    pub fn default_hard(&self) -> Vec<(Signal, &'static str)> {
        let mut defaults = default_hard(self.compat);
        defaults
            .retain(|(signal, _)| *signal != Signal::MemoryStall || !self.lost_time_is_left_out);
        defaults
    }

    /// Takes the default threshold of `memory.stall` away, and says so: for machines whose
    /// kernel does not count lost time. By an estimate nobody is evicted who did not ask for it.
    pub fn leave_lost_time_out(&mut self) {
        let is_meant = |threshold: &Threshold, origin: Origin| {
            threshold.signal == Signal::MemoryStall && origin == Origin::Default
        };
        let thresholds = core::mem::take(&mut self.evict.thresholds);
        let origins = core::mem::take(&mut self.threshold_origins);
        let before = thresholds.len();
        (self.evict.thresholds, self.threshold_origins) = thresholds
            .into_iter()
            .zip(origins)
            .filter(|(threshold, origin)| !is_meant(threshold, *origin))
            .unzip();
        if self.evict.thresholds.len() < before {
            self.lost_time_is_left_out = true;
            self.warnings.push(Warning(
                "the default memory.stall>40% is left out: this kernel does not count the time \
                 that is lost waiting for memory (Linux 4.20, psi=1 on its command line)"
                    .to_owned(),
            ));
        }
    }
}

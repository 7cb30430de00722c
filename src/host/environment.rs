//! The machine that a result was measured on: what a reader needs to tell
//! whether two results may be compared.
//!
//! Read once, before a run, from `/proc`, `/sys` and a few system calls. It only
//! reads: it changes nothing, judges nothing, and what cannot be read is `None`,
//! because a missing fact must never cost a run. Devices and what they do during
//! a run are other files' work.

use std::fs;
use std::path::Path;

use serde::Serialize;

/// Facts about this host, as they stand in `environment.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Environment {
    pub host: Option<String>,
    /// The kernel's release, such as `6.1.0-25-amd64`.
    pub kernel: Option<String>,
    /// The machine's instruction set, such as `x86_64`.
    pub architecture: Option<String>,
    /// The distribution's name for itself.
    pub os: Option<String>,
    pub cpu_model: Option<String>,
    /// Logical cores that are online.
    pub cores: Option<usize>,
    /// Logical cores that this process may use.
    pub cores_usable: Option<usize>,
    pub memory_bytes: Option<u64>,
    pub swap_bytes: Option<u64>,
    pub page_bytes: Option<u64>,
    /// What the kernel reads time from. Some sources cost a system call each
    /// time, which every latency then carries.
    pub clock_source: Option<String>,
    /// How the first core's frequency is governed.
    pub cpu_governor: Option<String>,
    /// The transparent huge pages setting: `always`, `madvise` or `never`.
    pub transparent_huge_pages: Option<String>,
    /// Whether the CPU says that a hypervisor is below it. Machines without a
    /// list of flags, such as ARM, do not say.
    pub virtual_machine: Option<bool>,
    /// The version of tiermark.
    pub tiermark: &'static str,
}

impl Environment {
    pub fn read() -> Environment {
        Environment::read_below(Path::new("/"))
    }

    /// Files are read below `root`, so that tests can bring their own.
    fn read_below(root: &Path) -> Environment {
        let text = |path: &str| fs::read_to_string(root.join(path)).ok();
        let line = |path: &str| text(path).as_deref().and_then(filled);

        let uname = rustix::system::uname();
        let cpu_info = text("proc/cpuinfo").unwrap_or_default();
        let memory = text("proc/meminfo").unwrap_or_default();
        Environment {
            host: filled(&uname.nodename().to_string_lossy()),
            kernel: filled(&uname.release().to_string_lossy()),
            architecture: filled(&uname.machine().to_string_lossy()),
            os: text("etc/os-release")
                .or_else(|| text("usr/lib/os-release"))
                .as_deref()
                .and_then(os_name),
            cpu_model: field(&cpu_info, "model name").and_then(filled),
            cores: line("sys/devices/system/cpu/online").and_then(|list| count_cores(&list)),
            cores_usable: usable_cores(),
            memory_bytes: kib_field(&memory, "MemTotal"),
            swap_bytes: kib_field(&memory, "SwapTotal"),
            page_bytes: text("proc/self/smaps").and_then(|maps| kib_field(&maps, "KernelPageSize")),
            clock_source: line("sys/devices/system/clocksource/clocksource0/current_clocksource"),
            cpu_governor: line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            transparent_huge_pages: text("sys/kernel/mm/transparent_hugepage/enabled")
                .as_deref()
                .and_then(chosen),
            virtual_machine: field(&cpu_info, "flags")
                .map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")),
            tiermark: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// The text without white space around it, if any is left.
fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The value of the first line `name : value`.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// A field such as `MemTotal: 16384 kB`, in bytes. The kernel's "kB" is 1024.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let number = field(text, name)?.strip_suffix("kB")?.trim();
    number.parse::<u64>().ok()?.checked_mul(1024)
}

/// `PRETTY_NAME` of an os-release file: `KEY=value` lines with optional quotes.
fn os_name(text: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .and_then(|value| filled(value.trim().trim_matches(['"', '\''])))
}

/// The number of cores in a kernel list such as `0-3,8,10-11`.
fn count_cores(ranges: &str) -> Option<usize> {
    ranges.trim().split(',').try_fold(0_usize, |sum, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// The word in brackets of a setting that lists its choices: `always [never]`.
fn chosen(setting: &str) -> Option<String> {
    let (_, rest) = setting.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    filled(word)
}

fn usable_cores() -> Option<usize> {
    let set = rustix::thread::sched_getaffinity(None).ok()?;
    usize::try_from(set.count()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn facts_are_read_from_the_kernels_files() {
        let root = tempfile::tempdir().unwrap();
        let write = |path, text| write(root.path(), path, text);
        write(
            "etc/os-release",
            "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
        );
        write(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: A CPU: the best\nflags\t\t: fpu hypervisor sse\n\n\
             processor\t: 1\nmodel name\t: Another\nflags\t\t: fpu\n",
        );
        write(
            "proc/meminfo",
            "MemTotal:       24731708 kB\nSwapTotal:             0 kB\n",
        );
        write("proc/self/smaps", "Size: 4 kB\nKernelPageSize:     16 kB\n");
        write("sys/devices/system/cpu/online", "0-3,8,10-11\n");
        write(
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "tsc\n",
        );
        write(
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "performance\n",
        );
        write(
            "sys/kernel/mm/transparent_hugepage/enabled",
            "always [madvise] never\n",
        );

        let read = Environment::read_below(root.path());
        assert_eq!(read.os.unwrap(), "Debian GNU/Linux 12 (bookworm)");
        assert_eq!(read.cpu_model.unwrap(), "A CPU: the best");
        assert_eq!(read.virtual_machine, Some(true));
        assert_eq!(read.memory_bytes, Some(24_731_708 * 1024));
        assert_eq!(read.swap_bytes, Some(0));
        assert_eq!(read.page_bytes, Some(16_384));
        assert_eq!(read.cores, Some(7));
        assert_eq!(read.clock_source.unwrap(), "tsc");
        assert_eq!(read.cpu_governor.unwrap(), "performance");
        assert_eq!(read.transparent_huge_pages.unwrap(), "madvise");
    }

    #[test]
    fn what_cannot_be_read_is_none() {
        let root = tempfile::tempdir().unwrap();
        let read = Environment::read_below(root.path());
        let json = serde_json::to_value(&read).unwrap();
        for name in ["os", "cpu_model", "memory_bytes", "virtual_machine"] {
            assert!(json[name].is_null(), "{name} is {}", json[name]);
        }
        assert_eq!(json["tiermark"], env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn nonsense_is_none() {
        let root = tempfile::tempdir().unwrap();
        let write = |path, text| write(root.path(), path, text);
        write("etc/os-release", "PRETTY_NAME=\"\"\n");
        write(
            "proc/meminfo",
            "MemTotal: 99999999999999999999 kB\nSwapTotal: 5 pages\n",
        );
        write("proc/cpuinfo", "CPU part\t: 0xd0c\n");
        write("sys/devices/system/cpu/online", "3-0\n");
        write("sys/kernel/mm/transparent_hugepage/enabled", "never\n");
        let read = Environment::read_below(root.path());
        assert_eq!(read.os, None);
        assert_eq!(read.memory_bytes, None);
        assert_eq!(read.swap_bytes, None);
        assert_eq!(read.virtual_machine, None);
        assert_eq!(read.cores, None);
        assert_eq!(read.transparent_huge_pages, None);
    }

    #[test]
    fn this_machine_says_the_main_things() {
        let read = Environment::read();
        assert!(read.kernel.is_some());
        assert!(read.memory_bytes.unwrap() > 0);
        assert!(read.page_bytes.unwrap().is_power_of_two());
        assert!(read.cores_usable.unwrap() <= read.cores.unwrap());
    }
}

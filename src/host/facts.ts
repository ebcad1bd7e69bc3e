import { cpus, release, totalmem, version } from 'node:os';
import type { JsonValue } from '../journal/entry.ts';
import { memoryInfo } from '../lib/process/proc.ts';
import { readStorage, type Storage, storageFacts } from './readings/storage.ts';
import { output, outputJson, readChoice, readText } from './tools.ts';

/** Facts by topic: a label, and a text or a number; null where the system does not say. */
type Topic = Readonly<Record<string, JsonValue>>;

/**
 * What a reader must know of the machine, and of the storage that holds `directory`. No host or user names, addresses
 * or serial numbers. Sources: util-linux (`lscpu`, `findmnt`, `lsblk`) in JSON, Node's own report, /proc and /sys.
 */
export async function readHost(directory: string): Promise<{
  /** What decides whether two hosts' figures may be put together. */
  readonly hostClass: Readonly<Record<string, JsonValue>>;
  readonly facts: Readonly<Record<string, Topic>>;
}> {
  const [cpu, storage, virtualisation, thp, limits] = await Promise.all([
    readCpu(),
    readStorage(directory),
    readVirtualization(),
    readChoice('/sys/kernel/mm/transparent_hugepage/enabled'),
    readLimits(),
  ]);
  return {
    hostClass: {
      cpu: cpu.processor.model ?? null,
      cores: cpus().length,
      // The kernel's own share differs by a few pages between boots.
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      kernel: release(),
      fileSystem: storage.fileSystem,
      device: deviceName(storage),
      transparentHugePages: thp ?? null,
      virtualisation,
    },
    facts: {
      processor: { ...cpu.processor, ...(await readCpuPolicy()) },
      mitigations: cpu.mitigations,
      memory: await readMemory(),
      system: { ...(await readSystem()), virtualisation },
      storage: storageFacts(storage),
      limits,
    },
  };
}

interface LscpuField {
  readonly field: string;
  readonly data: string | null;
  readonly children?: readonly LscpuField[];
}

const processorFields: Readonly<Record<string, string>> = {
  'Model name': 'model',
  Architecture: 'architecture',
  'CPU family': 'family',
  Model: 'model number',
  Stepping: 'stepping',
  'CPU(s)': 'logical CPUs',
  'On-line CPU(s) list': 'online',
  'Thread(s) per core': 'threads per core',
  'Core(s) per socket': 'cores per socket',
  'Socket(s)': 'sockets',
  'CPU max MHz': 'maximum MHz',
  'L1d cache': 'L1d cache',
  'L2 cache': 'L2 cache',
  'L3 cache': 'L3 cache',
  'NUMA node(s)': 'NUMA nodes',
};

async function readCpu(): Promise<{ processor: Topic; mitigations: Topic }> {
  const lscpu = await outputJson<{ lscpu: readonly LscpuField[] }>('lscpu', ['--json']);
  const processor: Record<string, JsonValue> = { model: cpus()[0]?.model ?? null, 'logical CPUs': cpus().length };
  const mitigations: Record<string, JsonValue> = {};
  // Newer versions nest the fields by vendor, caches and vulnerabilities.
  const flatten = (field: LscpuField): readonly LscpuField[] => [field, ...(field.children ?? []).flatMap(flatten)];
  for (const { field, data } of (lscpu?.lscpu ?? []).flatMap(flatten)) {
    const name = field.replace(/:$/, '');
    const label = processorFields[name];
    if (label && data) processor[label] = /^\d+$/.test(data) ? Number(data) : data;
    const weakness = name.match(/^(?:Vulnerability )?(.+)$/)?.[1] ?? name;
    if (data && /^(Vulnerable|Mitigation|Unknown)/.test(data)) mitigations[weakness] = data;
  }
  const microcode = (await readText('/proc/cpuinfo'))?.match(/^microcode\s*:\s*(\S+)/m)?.[1];
  return { processor: { ...processor, microcode: microcode ?? null }, mitigations };
}

async function readCpuPolicy(): Promise<Topic> {
  const noTurbo = await readText('/sys/devices/system/cpu/intel_pstate/no_turbo');
  const boost = await readText('/sys/devices/system/cpu/cpufreq/boost');
  const turbo = noTurbo === undefined ? boost : noTurbo === '0' ? '1' : '0';
  return {
    governor: (await readText('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor')) ?? null,
    turbo: turbo === undefined ? null : turbo === '1' ? 'on' : 'off',
    'SMT control': (await readText('/sys/devices/system/cpu/smt/control')) ?? null,
  };
}

async function readMemory(): Promise<Topic> {
  const hugePages = (await readText('/proc/meminfo'))?.match(/^HugePages_Total:\s+(\d+)/m)?.[1];
  const amounts = memoryInfo();
  const number = async (name: string) => {
    const text = await readText(`/proc/sys/vm/${name}`);
    return text === undefined ? null : Number(text);
  };
  return {
    'total, bytes': totalmem(),
    'swap, bytes': amounts.get('SwapTotal') ?? null,
    'huge pages reserved': hugePages === undefined ? null : Number(hugePages),
    'huge page size, bytes': amounts.get('Hugepagesize') ?? null,
    'transparent huge pages': (await readChoice('/sys/kernel/mm/transparent_hugepage/enabled')) ?? null,
    'transparent huge page defragmentation': (await readChoice('/sys/kernel/mm/transparent_hugepage/defrag')) ?? null,
    swappiness: await number('swappiness'),
    'overcommit mode': await number('overcommit_memory'),
    'dirty ratio, %': await number('dirty_ratio'),
    'dirty background ratio, %': await number('dirty_background_ratio'),
  };
}

async function readSystem(): Promise<Topic> {
  const osRelease = await readText('/etc/os-release');
  const distribution = osRelease?.match(/^PRETTY_NAME="?([^"\n]*)"?$/m)?.[1];
  const debian = distribution?.includes('Debian') ? await readText('/etc/debian_version') : undefined;
  return {
    distribution: distribution ? `${distribution}${debian ? ` (${debian})` : ''}` : null,
    kernel: release(),
    'kernel build': version(),
    machine: (await machineName()) ?? null,
    'clock source': (await readText('/sys/devices/system/clocksource/clocksource0/current_clocksource')) ?? null,
    perf_event_paranoid: (await readText('/proc/sys/kernel/perf_event_paranoid')) ?? null,
    'address space randomisation': (await readText('/proc/sys/kernel/randomize_va_space')) ?? null,
    'NUMA balancing': (await readText('/proc/sys/kernel/numa_balancing')) ?? null,
    'control groups': await cgroupVersion(),
    'io_uring disabled': (await readText('/proc/sys/kernel/io_uring_disabled')) ?? null,
    'asynchronous I/O requests, at most': (await readText('/proc/sys/fs/aio-max-nr')) ?? null,
    'C library': header().glibcVersionRuntime ? `glibc ${header().glibcVersionRuntime}` : null,
    'Node.js': process.version,
  };
}

/** Vendor and product, which names the instance type in a cloud. */
async function machineName(): Promise<string | undefined> {
  const parts = await Promise.all(['sys_vendor', 'product_name'].map((name) => readText(`/sys/class/dmi/id/${name}`)));
  return parts.filter(Boolean).join(' ') || undefined;
}

/** "kvm", "kvm, docker", "none"; null where it is unknown. */
async function readVirtualization(): Promise<string | null> {
  // systemd-detect-virt exits with 1 for "none".
  const detect = async (kind: string) => {
    const found = await output('sh', ['-c', `systemd-detect-virt ${kind} || test $? -eq 1`]);
    return found === 'none' ? '' : found;
  };
  const [machine, container] = await Promise.all([detect('--vm'), detect('--container')]);
  if (machine !== undefined) return [machine, container].filter(Boolean).join(', ') || 'none';
  const hypervisor = (await readText('/proc/cpuinfo'))?.match(/^flags.*\bhypervisor\b/m);
  return hypervisor ? 'virtual machine' : null;
}

/** "v1", "v2", or "v1 and v2" where both are mounted. */
export async function cgroupVersion(): Promise<string | null> {
  const types = (await readText('/proc/mounts'))?.match(/^\S+ \S+ cgroup2? /gm)?.map((line) => line.split(' ')[2]);
  if (!types) return null;
  const versions = [types.includes('cgroup') && 'v1', types.includes('cgroup2') && 'v2'].filter(Boolean);
  return versions.join(' and ');
}

interface Report {
  readonly header: { readonly glibcVersionRuntime?: string };
  readonly userLimits: Readonly<Record<string, { readonly soft: number | string; readonly hard: number | string }>>;
}

function report(): Report {
  const settings = process.report as typeof process.report & { excludeNetwork?: boolean };
  settings.excludeNetwork = true;
  return settings.getReport() as unknown as Report;
}

function header(): Report['header'] {
  return report().header;
}

async function readLimits(): Promise<Topic> {
  const limits = report().userLimits;
  const text = (name: string) => {
    const limit = limits[name];
    return limit ? (limit.soft === limit.hard ? limit.soft : `${limit.soft}, at most ${limit.hard}`) : null;
  };
  return {
    'locked memory, bytes': text('max_locked_memory_bytes'),
    'open files': text('open_files'),
    'core file, blocks': text('core_file_size_blocks'),
    processes: text('max_user_processes'),
    root: process.getuid?.() === 0 ? 'yes' : 'no',
  };
}

function deviceName(storage: Storage): string | null {
  const disk = storage.devices.at(-1);
  if (!disk) return null;
  return [disk.model ?? disk.kernelName, disk.transport, disk.rotational ? 'rotational' : null]
    .filter(Boolean)
    .join(' ');
}

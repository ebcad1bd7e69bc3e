import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AppliedControls, applyControls, applyStorage } from '../../src/host/apply.ts';
import { setGovernor } from '../../src/host/controls/governor.ts';
import { programFiles } from '../../src/host/controls/page-cache.ts';
import { setTurbo } from '../../src/host/controls/turbo.ts';
import { openLedger } from '../../src/host/kernel/ledger.ts';
import { readResidency } from '../../src/host/readings/residency.ts';
import { readStorage } from '../../src/host/readings/storage.ts';
import { restoreLeftovers } from '../../src/host/restore.ts';
import type { HostRequest } from '../../src/study/types.ts';

const isRoot = process.getuid?.() === 0;
const megabyte = 2 ** 20;
let root: string;
let place: { dataDirectory: string; cacheDirectory: string };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'benchbook-host-'));
  place = { dataDirectory: join(root, 'data'), cacheDirectory: join(root, 'cache') };
  await mkdir(join(place.dataDirectory, 'test'), { recursive: true });
  await writeFile(join(place.dataDirectory, 'test/t1.ibd'), Buffer.alloc(24 * megabyte, 1));
  await writeFile(join(place.dataDirectory, 'ibdata1'), Buffer.alloc(8 * megabyte, 2));
  await writeFile(join(place.dataDirectory, 'empty'), '');
});

afterEach(() => rm(root, { recursive: true, force: true }));

/** Applies, looks, and reverts whatever happens. */
async function withControls<T>(request: HostRequest, look: (applied: AppliedControls) => Promise<T>): Promise<T> {
  const applied = await applyControls(request, place);
  try {
    return await look(applied);
  } finally {
    expect(await applied.revert()).toEqual(expect.not.arrayContaining([{ code: 'host-not-restored' }]));
    expect(await readdir(join(place.cacheDirectory, 'host-changes')).catch(() => [])).toEqual([]);
  }
}

/** What a shell line prints when it is started as the server would be. */
async function insideOf(applied: AppliedControls, line: string): Promise<string> {
  const argv = [...applied.prefix, 'sh', '-c', line];
  return (await execa(argv[0]!, argv.slice(1))).stdout;
}

describe('page cache', () => {
  test('cold leaves nothing resident, warm everything; each says so', async () => {
    const { fileSystem } = await readStorage(place.dataDirectory);
    if (fileSystem === 'tmpfs' || fileSystem === 'zfs') {
      return withControls({ pageCache: 'cold' }, async ({ refused }) => expect(refused).toHaveLength(1));
    }
    await withControls({ pageCache: 'cold' }, async ({ effective, refused }) => {
      expect(refused).toEqual([]);
      expect(effective).toMatchObject([{ name: 'host.pageCache', requested: 'cold', verdict: 'as requested' }]);
      expect(effective[0]!.effective).toBe('0 bytes of 32 MiB resident');
      expect((await readResidency(place.dataDirectory))!.residentBytes).toBe(0);
    });
    await withControls({ pageCache: 'warm' }, async ({ effective }) => {
      expect(effective[0]!.effective).toBe('32 MiB of 32 MiB resident');
      expect(await readResidency(place.dataDirectory)).toEqual({
        residentBytes: 32 * megabyte,
        sizeBytes: 32 * megabyte,
      });
    });
  });

  test('is refused on tmpfs, where it is the storage', async () => {
    const storage = await applyStorage({ storage: 'tmpfs' }, place.cacheDirectory);
    try {
      await writeFile(join(storage!.directory, 'ibdata1'), Buffer.alloc(megabyte));
      const inMemory = { ...place, dataDirectory: storage!.directory };
      const applied = await applyControls({ pageCache: 'cold' }, inMemory);
      expect(applied.refused).toEqual([
        { key: 'pageCache', sentence: 'host.pageCache cold: on tmpfs the page cache is the storage itself' },
      ]);
      expect(applied.effective[0]).toMatchObject({ effective: null, verdict: 'without effect' });
      await applied.revert();
    } finally {
      await storage!.revert();
    }
    await expect(stat(storage!.directory)).rejects.toThrow('ENOENT');
  });

  test('where all of it had to be dropped, the program and its libraries are read again', async () => {
    const { stdout } = await execa('sh', ['-c', 'ls -d /lib*/*/ld-linux*.so.* /lib*/ld-linux*.so.* | head -n 1']);
    const [plain, byLoader] = [['/bin/ls'], [stdout, '--library-path', '/lib:/usr/lib', '/bin/ls']];
    for (const command of [plain, byLoader]) {
      const files = await programFiles(command);
      expect(files).toContain('/bin/ls');
      expect(files.some((file) => /\/libc\.so/.test(file))).toBe(true);
      for (const file of files) expect((await stat(file)).isFile()).toBe(true);
    }
  });

  test('carries a caution where the server reads past it', async () => {
    const applied = await applyControls({ pageCache: 'cold' }, { ...place, directIo: true });
    expect(applied.cautions.map((caution) => caution.code)).toEqual(['page-cache-and-direct-io']);
    await applied.revert();
  });
});

describe.runIf(isRoot)('as root', () => {
  test('a memory limit holds the server and the page cache that was read inside of it', async () => {
    const group = await withControls({ memoryLimit: '16M', pageCache: 'warm' }, async (applied) => {
      expect(applied.refused).toEqual([]);
      expect(applied.effective[0]).toMatchObject({
        name: 'host.memoryLimit',
        effective: '16 MiB',
        verdict: 'as requested',
      });
      // 32 MiB were read, and no more than the limit can have stayed.
      expect((await readResidency(place.dataDirectory))!.residentBytes).toBeLessThan(16 * megabyte);
      expect(applied.cautions.map((caution) => caution.code)).toContain('page-cache-not-reached');
      const group = /(benchbook-\d+-\d+)/.exec(await insideOf(applied, 'cat /proc/self/cgroup'))?.[1];
      expect(group).toBeDefined();
      const events = await applied.revert();
      expect(events.map((event) => event.code)).toEqual(['memory-limit-reached']);
      return group!;
    });
    const left = await execa('find', ['/sys/fs/cgroup', '-name', group], { reject: false });
    expect(left.stdout).toBe('');
  });

  test('a process beyond the memory limit is killed, and the trial says so', async () => {
    const applied = await applyControls({ memoryLimit: '32M' }, place);
    const argv = [...applied.prefix, process.execPath, '-e', 'Buffer.alloc(2e8, 1)'];
    const done = await execa(argv[0]!, argv.slice(1), { reject: false });
    expect(done.signal).toBe('SIGKILL');
    expect((await applied.revert()).map((event) => event.code)).toContain('oom-kill');
  });

  test('huge pages are there while asked for, and gone afterwards', async () => {
    const count = async () => Number(await readFile('/proc/sys/vm/nr_hugepages', 'utf8'));
    const before = await count();
    await withControls({ hugePages: '6M' }, async ({ effective, refused }) => {
      expect(refused).toEqual([]);
      expect(effective[0]).toMatchObject({ requested: '3 pages of 2 MiB', verdict: 'as requested' });
      expect(await count()).toBeGreaterThanOrEqual(3);
    });
    expect(await count()).toBe(before);
  });

  test('transparent huge pages take the mode and get the old one back', async () => {
    const read = async () => (await readFile('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8')).trim();
    const before = await read();
    const other = before.includes('[never]') ? 'madvise' : 'never';
    await withControls({ transparentHugePages: other }, async () => expect(await read()).toContain(`[${other}]`));
    expect(await read()).toBe(before);
  });

  test('an I/O limit slows direct reads down', async () => {
    await execa('sync', ['-f', place.dataDirectory]);
    await withControls({ ioLimit: { read: '16M' } }, async (applied) => {
      if (applied.refused.length > 0)
        return expect(applied.refused[0]!.sentence).toMatch(/has no disk of its own|no control group/);
      const file = join(place.dataDirectory, 'ibdata1');
      const began = performance.now();
      await insideOf(applied, `dd if=${file} of=/dev/null bs=1M iflag=direct status=none`);
      // 8 MiB at 16 MiB a second; without the limit a few milliseconds.
      expect(performance.now() - began).toBeGreaterThan(300);
    });
  });

  test('an ordinary user is refused what only root may do, and gets the rest', async () => {
    const outfile = join(root, 'apply.mjs');
    const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    await build({
      entryPoints: [fileURLToPath(new URL('../../src/host/apply.ts', import.meta.url))],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', banner: { js: banner }, logLevel: 'error' },
    });
    const script = `
      import { applyControls } from '${outfile}';
      const request = { pageCache: 'cold', memoryLimit: '64M', hugePages: '2M', transparentHugePages: 'always', nice: ${Math.min(19, 3 + Math.max(0, getPriority()))}, cpus: '0', ioLimit: { read: '1M' } };
      const applied = await applyControls(request, ${JSON.stringify(place)});
      const left = await applied.revert();
      console.log(JSON.stringify({ ...applied, left }));`;
    await chmod(root, 0o777);
    await mkdir(place.cacheDirectory);
    await execa('chown', ['-R', '65534', root]);
    const user = ['--reuid', '65534', '--clear-groups', process.execPath, '--input-type=module', '-e', script];
    const done = await execa('setpriv', user, { env: { HOME: root }, cwd: root });
    const { effective, refused, left } = JSON.parse(done.stdout);
    const verdicts = Object.fromEntries(
      effective.map((record: { name: string; verdict: string }) => [record.name, record.verdict]),
    );
    expect(verdicts).toMatchObject({
      'host.memoryLimit': 'without effect',
      'host.hugePages': 'without effect',
      'host.transparentHugePages': expect.stringMatching(/without effect|as requested/),
      'host.ioLimit': 'without effect',
      'host.nice': 'as requested',
      'host.cpus': 'as requested',
      'host.pageCache': expect.stringMatching(/as requested|without effect/),
    });
    const sentence = 'host.memoryLimit 64 MiB: only root may make a group';
    expect(refused).toContainEqual({ key: 'memoryLimit', sentence });
    expect(left).toEqual([]);
  });
});

describe('schedule', () => {
  test('the server runs on the CPUs asked for, with the niceness asked for', async () => {
    await withControls({ cpus: '0', nice: 5 + Math.max(0, getPriority()) }, async (applied) => {
      expect(applied.effective.map((record) => record.verdict)).toEqual(['as requested', 'as requested']);
      expect(await insideOf(applied, 'grep Cpus_allowed_list /proc/$$/status')).toMatch(/:\s*0$/);
      expect(await insideOf(applied, 'nice')).toBe(String(5 + Math.max(0, getPriority())));
    });
  });

  test('the spawned process is the server itself', async () => {
    await withControls({ cpus: '0', nice: 5, memoryLimit: '64M' }, async (applied) => {
      const argv = [...applied.prefix, 'sh', '-c', 'echo $$'];
      const child = execa(argv[0]!, argv.slice(1));
      expect((await child).stdout).toBe(String(child.pid));
    });
  });

  test('a running server is asked itself: what it lacks is a caution', async () => {
    const request: HostRequest = { cpus: '0', nice: 7, ...(isRoot ? { memoryLimit: '64M' } : {}) };
    await withControls(request, async (applied) => {
      const argv = [...applied.prefix, 'sleep', '20'];
      const inside = execa(argv[0]!, argv.slice(1), { reject: false });
      const outside = execa('sleep', ['20'], { reject: false });
      await vi.waitFor(async () => expect(await readFile(`/proc/${inside.pid}/comm`, 'utf8')).toBe('sleep\n'));
      expect(await applied.verify(inside.pid!)).toEqual([]);
      const missing = (await applied.verify(outside.pid!)).map((caution) => caution.about);
      // On a machine with one CPU everything runs on it.
      expect(missing.filter((name) => name !== 'host.cpus')).toEqual([
        ...(isRoot ? ['host.memoryLimit'] : []),
        'host.nice',
      ]);
      if (isRoot) expect(Object.keys(await applied.memoryUse())).toEqual(expect.arrayContaining(['pgfault']));
      inside.kill('SIGKILL');
      outside.kill('SIGKILL');
      await Promise.all([inside, outside]);
    });
  });

  test('CPUs that the machine does not have are refused', async () => {
    await withControls({ cpus: '4000' }, async ({ refused, prefix }) => {
      expect(refused[0]!.sentence).toMatch(/^host\.cpus 4000: not among the CPUs of this machine/);
      expect(prefix).toEqual([]);
    });
  });
});

describe('what can not be had', () => {
  test('more huge pages than memory are refused without touching the memory of others', async () => {
    await withControls({ hugePages: '900T' }, async ({ refused }) => {
      expect(refused[0]!.sentence).toMatch(/^host\.hugePages .*: (only .* of memory are available|this kernel)/);
    });
  });

  test('an amount that is none, and a storage that is not there, are errors of the study', async () => {
    await expect(applyControls({ memoryLimit: 'much' }, place)).rejects.toThrow(
      "'host.memoryLimit' is 'much', which is no amount of memory.",
    );
    await expect(applyStorage({ storage: '/no/such/place' }, place.cacheDirectory)).rejects.toThrow('does not exist');
    await expect(applyStorage({ storage: 'disk2' }, place.cacheDirectory)).rejects.toThrow('no absolute directory');
  });
});

describe('processor frequency, on copies of the kernel files', () => {
  test('every policy gets the governor, and its own back', async () => {
    for (const [policy, governor] of [
      ['policy0', 'powersave'],
      ['policy1', 'schedutil'],
    ] as const) {
      await mkdir(join(root, 'cpufreq', policy), { recursive: true });
      await writeFile(join(root, 'cpufreq', policy, 'scaling_governor'), governor);
      await writeFile(join(root, 'cpufreq', policy, 'scaling_available_governors'), 'performance powersave schedutil');
    }
    const read = (policy: string) => readFile(join(root, 'cpufreq', policy, 'scaling_governor'), 'utf8');
    const ledger = openLedger(place.cacheDirectory);
    const result = await setGovernor('performance', ledger, root);
    expect(result.effective[0]).toMatchObject({ verdict: 'as requested' });
    expect([await read('policy0'), await read('policy1')]).toEqual(['performance', 'performance']);
    await ledger.revert();
    expect([await read('policy0'), await read('policy1')]).toEqual(['powersave', 'schedutil']);
    expect((await setGovernor('fast', ledger, root)).refused).toContain('offers performance, powersave, schedutil');
  });

  test("turbo off is 1 in Intel's file and 0 in the other", async () => {
    await mkdir(join(root, 'cpufreq'));
    await writeFile(join(root, 'cpufreq/boost'), '1\n');
    const ledger = openLedger(place.cacheDirectory);
    expect((await setTurbo(false, ledger, root)).effective[0]).toMatchObject({ effective: 'off' });
    expect(await readFile(join(root, 'cpufreq/boost'), 'utf8')).toBe('0');
    await mkdir(join(root, 'intel_pstate'));
    await writeFile(join(root, 'intel_pstate/no_turbo'), '0\n');
    expect((await setTurbo(false, ledger, root)).effective[0]).toMatchObject({ effective: 'off' });
    expect(await readFile(join(root, 'intel_pstate/no_turbo'), 'utf8')).toBe('1');
    await ledger.revert();
  });
});

describe('after a crash', () => {
  test('a later process takes back what a killed one has changed', async () => {
    const script = join(root, 'crash.mts');
    const apply = fileURLToPath(new URL('../../src/host/apply.ts', import.meta.url));
    await writeFile(
      script,
      `import { applyControls, applyStorage } from ${JSON.stringify(apply)};
       const storage = await applyStorage({ storage: 'tmpfs' }, ${JSON.stringify(place.cacheDirectory)});
       const applied = await applyControls({ memoryLimit: '64M', hugePages: '2M' }, ${JSON.stringify(place)});
       console.log(JSON.stringify({ directory: storage.directory, prefix: applied.prefix }));
       process.kill(process.pid, 'SIGKILL');`,
    );
    const before = await readFile('/proc/sys/vm/nr_hugepages', 'utf8');
    const loader = fileURLToPath(new URL('../../node_modules/tsx/dist/loader.mjs', import.meta.url));
    const done = await execa(process.execPath, ['--import', loader, script], { reject: false });
    expect(done.signal).toBe('SIGKILL');
    const { directory, prefix } = JSON.parse(done.stdout);
    await stat(directory);
    const restored = await restoreLeftovers(place.cacheDirectory);
    await expect(stat(directory)).rejects.toThrow('ENOENT');
    expect(await readFile('/proc/sys/vm/nr_hugepages', 'utf8')).toBe(before);
    const group = prefix.find((word: string) => word.startsWith('/sys/fs/cgroup/'));
    if (isRoot && group) await expect(stat(group)).rejects.toThrow('ENOENT');
    expect(restored.map(({ sentence }) => sentence).join('\n')).toContain('removed.');
    expect(await restoreLeftovers(place.cacheDirectory)).toEqual([]);
  });

  test('what a living process has changed is left alone', async () => {
    const ledger = openLedger(place.cacheDirectory);
    const file = join(root, 'setting');
    await writeFile(file, 'new');
    await ledger.add({ kind: 'write', path: file, value: 'old' });
    expect(await restoreLeftovers(place.cacheDirectory)).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe('new');
    await ledger.revert();
    expect(await readFile(file, 'utf8')).toBe('old');
  });

  test('a change that can not be taken back is named, and tried again later', async () => {
    const ledger = openLedger(place.cacheDirectory);
    const path = join(root, 'missing/setting');
    await ledger.add({ kind: 'write', path, value: 'old' });
    expect(await ledger.revert()).toEqual([expect.stringMatching(/missing\/setting could not be restored: ENOENT/)]);
    await mkdir(join(root, 'missing'));
    expect(await ledger.revert()).toEqual([]);
    expect(await readFile(path, 'utf8')).toBe('old');
  });
});

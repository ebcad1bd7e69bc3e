// How fast the command starts: `--help`, and the quickstart's HTML rendered again, against `node -e 0`, in turn in one run.
// Prints the median of each with its ratio. Run by hand on a quiet machine: npx tsx test/bench/command-start.ts [rounds]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const project = join(import.meta.dirname, '../..');
const rounds = Number(process.argv[2] ?? 11);
const out = mkdtempSync(join(tmpdir(), 'benchbook-start-'));
const launcher = join(project, 'src/cli/benchbook.mjs');
const commands: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  'benchbook --help': [launcher, '--help'],
  'benchbook render': [launcher, 'render', 'output/gallery/quickstart', '--format', 'html', '--out', out],
};
const seconds = Object.fromEntries(Object.keys(commands).map((name) => [name, [] as number[]]));

try {
  // Once unmeasured: the first start compiles, and the files are in the page cache.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) {
      const began = performance.now();
      execFileSync(process.execPath, args, { cwd: project, stdio: 'ignore' });
      if (round > 0) seconds[name]!.push((performance.now() - began) / 1000);
    }
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}

const medianOf = (values: readonly number[]) => [...values].sort((one, other) => one - other)[values.length >> 1]!;
const base = medianOf(seconds['node -e 0']!);
for (const [name, values] of Object.entries(seconds)) {
  const median = medianOf(values);
  console.log(`${name.padEnd(18)} ${median.toFixed(3)} s, ${(median / base).toFixed(1)} × node -e 0`);
}

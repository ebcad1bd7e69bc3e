/**
 * The lines `Name:  123 kB` of `/proc/PID/status`, `/proc/PID/smaps_rollup` or `/proc/meminfo` in bytes, by name. What
 * a kernel does not report is absent, never 0.
 */
export function parseKilobyteLines(text: string): ReadonlyMap<string, number> {
  const entries = [...text.matchAll(/^([\w()]+):\s+(\d+) kB$/gm)].map(
    (match) => [match[1]!, Number(match[2]) * 1024] as const,
  );
  return new Map(entries);
}

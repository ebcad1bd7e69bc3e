import { spawn } from 'node:child_process';

export interface Watchdog {
  /** Ends also what runs in another directory, which it does not remove. */
  also(directory: string): void;
  /** Lets it go without doing anything. */
  dismiss(): void;
}

/**
 * What is left to do when this process is killed with SIGKILL: a shell in a session of its own waits for the end of its input,
 * which is our end, and kills every process that has an option with a path in `directory` (servers, their clients), then
 * removes the directory. It costs nothing at the start of a server, unlike a wrapper around it.
 */
export function watchOver(directory: string): Watchdog {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // By environment, so that the shell's own command line does not match.
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', BENCHBOOK_TRIALS: directory, LC_ALL: 'C' },
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  (child.stdin as unknown as { unref?: () => void }).unref?.();
  return {
    also: (other) => void child.stdin.write(`also ${other}\n`),
    dismiss: () => child.stdin.end('done\n'),
  };
}

const SCRIPT = `
trap '' INT TERM HUP
patterns="=$BENCHBOOK_TRIALS/"
while read -r word directory; do
  [ "$word" = done ] && exit 0
  patterns="$patterns
=$directory/"
done
end_servers() {
  for file in $(printf '%s\\n' "$patterns" | grep -lazF -f - /proc/[0-9]*/cmdline 2>/dev/null); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%/cmdline}" 2>/dev/null
  done
}
end_servers
sleep 0.2
end_servers
rm -rf -- "$BENCHBOOK_TRIALS"
`;

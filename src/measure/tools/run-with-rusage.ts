import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';

export interface RusageRequest {
  readonly argv: readonly string[];
  /** Added to PATH, HOME and the C locale. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly signal: AbortSignal;
}

/** A program that has ended, with what it used. */
export interface EndedProgram {
  /** From before fork to after wait, on the monotonic clock of the small process that owns the program. */
  readonly wallSeconds: number;
  /** Of the program and of all its descendants that were waited for, from `getrusage`; null without perl and python3. */
  readonly userSeconds: number | null;
  readonly systemSeconds: number | null;
  /** Of the largest single process among them. Never below the few MB of the process that started it. */
  readonly peakRssBytes: number | null;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Numbers of the system calls getrusage and clock_gettime, which differ between architectures. */
const CALLS: Readonly<Record<string, readonly [number, number]>> = {
  x64: [98, 228],
  arm64: [165, 113],
  riscv64: [165, 113],
  ppc64: [77, 246],
  s390x: [77, 260],
};

/**
 * Reports to descriptor 3, in one line: nanoseconds, user and system microseconds, peak in kB, wait status; or "exec" and errno.
 * It sleeps before it forks: on a busy machine the scheduler lets a new process and its child wait for 5 to 10 ms, but not a process
 * that has just slept.
 */
const PERL = `
my ($rusage, $clock) = splice @ARGV, 0, 2;
open my $report, '>&=', 3 or exit 126; fcntl $report, 2, 1;
sub now { my $b = "\\0" x 16; syscall($clock, 1, $b); my @t = unpack 'q2', $b; $t[0] * 1e9 + $t[1] }
select undef, undef, undef, 0.02;
my $start = now();
my $pid = fork; exit 126 unless defined $pid;
if (!$pid) { { no warnings; exec { $ARGV[0] } @ARGV } syswrite $report, sprintf "exec %d\\n", $!; exit 127 }
waitpid $pid, 0; my $status = $?; my $end = now();
my $b = "\\0" x 256; syscall($rusage, -1, $b); my @u = unpack 'q5', $b;
syswrite $report, sprintf "%.0f %d %d %d %d\\n", $end - $start, $u[0] * 1e6 + $u[1], $u[2] * 1e6 + $u[3], $u[4], $status;
`;

const PYTHON = `
import os, sys, time, resource
os.set_inheritable(3, False)
time.sleep(0.02)
start = time.monotonic_ns()
try:
    pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
except OSError as error:
    os.write(3, b"exec %d\\n" % error.errno); sys.exit(127)
_, status, u = os.wait4(pid, 0)
end = time.monotonic_ns()
os.write(3, b"%d %d %d %d %d\\n" % (end - start, round(u.ru_utime * 1e6), round(u.ru_stime * 1e6), u.ru_maxrss, status))
`;

/**
 * Runs a program to its end and reads what it used (getrusage). The program has a process group of its own, which is killed when the
 * signal fires. A small process (perl, otherwise python3) starts it: a spawn from a process with a big heap is slow, and the peak of a
 * child counts its parent's pages before exec. Without perl and python3 only the wall time is measured, from this process.
 * @throws BenchbookError('missing') where there is no such program, ('interrupted') where the signal fires.
 */
export async function runWithRusage(request: RusageRequest): Promise<EndedProgram> {
  request.signal.throwIfAborted();
  for (const owner of owners()) {
    const ended = await run([...owner, ...request.argv], request, true);
    if (ended.spawnError === null && ended.report !== '') return programOf(request.argv, ended);
  }
  const ended = await run(request.argv, request, false);
  if (ended.spawnError !== null) throw notStarted(request.argv, ended.spawnError);
  return { ...ended, userSeconds: null, systemSeconds: null, peakRssBytes: null };
}

/** Programs that can start another one and read its usage, best first. */
function owners(): readonly (readonly string[])[] {
  const calls = CALLS[process.arch];
  const perl = calls === undefined ? [] : [['perl', '-e', PERL, String(calls[0]), String(calls[1])]];
  return [...perl, ['python3', '-c', PYTHON]];
}

interface Ended {
  readonly wallSeconds: number;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: string;
  readonly spawnError: Error | null;
}

async function run(argv: readonly string[], request: RusageRequest, reports: boolean): Promise<Ended> {
  const [program = '', ...rest] = argv;
  const start = process.hrtime.bigint();
  const child = spawn(program, rest, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', reports ? 'pipe' : 'ignore'],
    env: {
      PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: process.env.HOME ?? '/',
      LC_ALL: 'C',
      TZ: 'UTC',
      ...request.env,
    },
    ...(request.cwd === undefined ? {} : { cwd: request.cwd }),
  });
  const onAbort = () => killGroup(child);
  request.signal.addEventListener('abort', onAbort, { once: true });
  const texts = [child.stdout, child.stderr, reports ? child.stdio[3] : null].map((stream) =>
    gather(stream as Readable | null),
  );
  child.stdin?.on('error', () => undefined).end(request.input ?? '');
  const ended = await new Promise<Ended>((resolve) => {
    const end = (exitCode: number, spawnError: Error | null) => {
      const wallSeconds = Number(process.hrtime.bigint() - start) / 1e9;
      const [stdout = '', stderr = '', report = ''] = texts.map((text) => text());
      resolve({ wallSeconds, exitCode, stdout, stderr, report, spawnError });
    };
    child.once('error', (error) => end(127, error));
    // Processes that the program left in its group would disturb later measurements and keep its output open.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, signal) => end(code ?? 128 + signalNumber(signal), null));
  });
  request.signal.removeEventListener('abort', onAbort);
  if (request.signal.aborted)
    throw new BenchbookError('interrupted', `Interrupted while ${request.argv[0]} was running.`);
  return ended;
}

function gather(stream: Readable | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream?.on('error', () => undefined);
  return () => Buffer.concat(chunks).toString('utf8');
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}

function programOf(argv: readonly string[], ended: Ended): EndedProgram {
  const failed = /^exec (\d+)$/m.exec(ended.report);
  if (failed !== null) throw notStarted(argv, Number(failed[1]));
  const [nanoseconds, user, system, peak, status] = ended.report.trim().split(' ').map(Number);
  const signal = status! & 127;
  return {
    wallSeconds: nanoseconds! / 1e9,
    userSeconds: user! / 1e6,
    systemSeconds: system! / 1e6,
    peakRssBytes: peak! * 1024,
    exitCode: signal === 0 ? status! >> 8 : 128 + signal,
    stdout: ended.stdout,
    stderr: ended.stderr,
  };
}

function notStarted(argv: readonly string[], why: number | Error): BenchbookError {
  const missing = why === 2 || (why as NodeJS.ErrnoException).code === 'ENOENT';
  if (missing) return new BenchbookError('missing', `The program "${argv[0]}" is not installed.`);
  const reason = typeof why === 'number' ? (why === 13 ? 'permission denied' : `error ${why}`) : sentenceOf(why);
  return new BenchbookError('measure', `The program "${argv[0]}" could not be started: ${reason}.`);
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : (SIGNALS[signal] ?? 0);
}

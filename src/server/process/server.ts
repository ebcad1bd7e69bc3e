import type { Moment } from '../../journal/entry.ts';
import type { CpuTime } from '../../lib/process/proc.ts';
import type { Options, Sql, SqlConnection } from '../../study/types.ts';
import type { Build } from '../build.ts';

/** How a server's process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface StartRequest {
  readonly dataDirectory: string;
  readonly options: Options;
  readonly env?: Readonly<Record<string, string>>;
  /** A storage engine that must be there: its plugin is loaded where it has one. */
  readonly engine?: string;
  /** Put before the command: `taskset -c 0`, a cgroup wrapper. */
  readonly prefix?: readonly string[];
  /** How long it may take to answer the first query. */
  readonly startSeconds: number;
  /** How long it may take to stop, and before a slow stop to purge. */
  readonly stopSeconds?: number | undefined;
  readonly purgeSeconds?: number | undefined;
  /** How long one statement may take; 3600 by default. */
  readonly statementSeconds?: number;
  /** Whether a crash leaves a core file, as far as `allowCores` could allow it; a server that hangs is then ended by SIGABRT. */
  readonly core?: boolean;
  /** Told of the process, whether it gets ready or not. */
  readonly spawned?: (pid: number) => void;
  /** The cache folder, where running servers are written down; the default one where absent. */
  readonly cacheDirectory?: string;
  readonly signal?: AbortSignal;
}

export type StopMode = 'fast' | 'slow' | 'crash';

/** A server that has answered its first query. */
export interface Server {
  readonly build: Build;
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  /** The exact command line. */
  readonly argv: readonly string[];
  /** Seconds from the return of spawn, in the order in which they came: "spawn", "socket", "ready line", "first query", "log". */
  readonly moments: readonly Moment[];
  /** CPU time of the process up to its first answer. */
  readonly cpuAtReady: CpuTime;
  readonly exited: Promise<Exit>;
  logText(): string;
  /** Throws the end of the server where an error says that the connection to it is lost, else the error. */
  readonly explain?: (error: unknown) => Promise<never>;
  /** Statements on a connection that is kept open. */
  readonly sql: Sql;
  /** A further connection. */
  connect(): Promise<SqlConnection>;
  /**
   * Ends it: `fast` as SIGTERM does, `slow` after purge with a full flush, `crash` with SIGKILL. Seconds from the
   * request to the exit. A server that does not follow in time is killed, and that is an error with evidence.
   */
  stop(mode: StopMode): Promise<{ readonly seconds: number }>;
}

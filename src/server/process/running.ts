import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import { BenchbookError } from '../../lib/errors.ts';
import type { CpuTime } from '../../lib/process/proc.ts';
import type { SqlConnection } from '../../study/types.ts';
import type { Build } from '../build.ts';
import { connect, isLost, STATEMENT_SECONDS, sqlOver } from '../connection.ts';
import { describeExit, type Launched } from './launch.ts';
import type { Server, StartRequest, StopMode } from './server.ts';
import { stopServer } from './stop.ts';
import { withLog } from './with-log.ts';

interface Parts {
  readonly build: Build;
  readonly request: StartRequest;
  readonly argv: readonly string[];
  readonly socketPath: string;
  readonly launched: Launched;
  readonly afterExit: Promise<void>;
  readonly cpuAtReady: CpuTime;
  readonly connection: Connection;
}

/** A server that is ready, as measurements see it. */
export function runningServer(parts: Parts): Server {
  const { build, request, argv, socketPath, launched, afterExit, cpuAtReady, connection } = parts;
  const { child, exited, log, moments } = launched;
  const limitSeconds = request.statementSeconds ?? STATEMENT_SECONDS;
  let stopping = false;

  /** Of a lost connection the exit is the cause, and the log tells why; it comes some milliseconds later. */
  const explain = async (error: unknown): Promise<never> => {
    if (!isLost(error) || stopping) throw error;
    // Fixed: the kernel closes the connection when the process ends, and its exit follows. A server that lives on is none that ended.
    const exit = await Promise.race([exited, sleep(3000, null)]);
    if (exit === null) throw error;
    await afterExit;
    const died = new BenchbookError('server', `The server ended while a statement ran (${describeExit(exit)}).`, {
      outcome: 'crashed',
      cause: error,
    });
    throw withLog(died, log.text);
  };
  const adopt = (each: Connection) => {
    each.on('error', () => undefined);
    return sqlOver(each, { limitSeconds, explain });
  };
  return {
    build,
    pid: child.pid!,
    socketPath,
    dataDirectory: request.dataDirectory,
    argv,
    moments,
    cpuAtReady,
    exited,
    logText: () => log.text,
    explain,
    sql: adopt(connection),
    async connect(): Promise<SqlConnection> {
      const another = await connect({ socketPath });
      return { sql: adopt(another), close: () => another.end() };
    },
    async stop(mode: StopMode) {
      stopping = true;
      try {
        return await stopServer(
          { child, connection, exited, family: build.family, socketPath, core: request.core ?? false },
          mode,
          request,
        );
      } catch (error) {
        throw withLog(error, log.text);
      } finally {
        await afterExit;
      }
    },
  };
}

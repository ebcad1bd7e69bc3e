import type { Server } from '../../server/start.ts';
import { isStatusGauge, isWrapped } from './counters.ts';

type Take = (at: number, values: readonly (readonly [string, number])[]) => void;

/** Status counters, asked for over a connection of their own while the server's is busy with the measurement. */
export interface CounterFollower {
  /** Does nothing while the last answer is still awaited. */
  sample(elapsed: () => number, take: Take): void;
  /** Time of this process for sending and reading, estimated by what is done synchronously. */
  workSeconds(): number;
  /** Names that the server has; empty where none were asked for. */
  known(): readonly string[];
  end(): Promise<void>;
}

/** Counters become their growth per second since the last answer; states such as `Threads_running` stay as they are. */
export async function followCounters(names: readonly string[], server: Server): Promise<CounterFollower> {
  if (names.length === 0) {
    return { sample: () => undefined, workSeconds: () => 0, known: () => [], end: async () => undefined };
  }
  const connection = await server.connect();
  const known = (await connection.sql('SHOW GLOBAL STATUS')).map((row) => String(row.Variable_name));
  const found = names.filter((name) => known.some((each) => each.toLowerCase() === name.toLowerCase()));
  const list = found.map((name) => `'${name}'`).join(', ');
  const byLower = new Map(found.map((name) => [name.toLowerCase(), name]));
  let pending: Promise<void> | null = null;
  let work = 0;
  let before: { readonly at: number; readonly values: ReadonlyMap<string, number> } | null = null;
  const ask = async (elapsed: () => number, take: Take) => {
    const rows = await connection.sql(`SHOW GLOBAL STATUS WHERE Variable_name IN (${list})`);
    const at = elapsed();
    const now = rows
      .map((row) => [byLower.get(String(row.Variable_name).toLowerCase())!, Number(row.Value)] as const)
      .filter(([, value]) => !isWrapped(value));
    const last = before;
    const values = now.flatMap(([name, value]) => {
      if (isStatusGauge(name)) return [[name, value] as const];
      const from = last?.values.get(name);
      // A counter that fell was reset, so its growth is unknown.
      const isKnown = last !== null && from !== undefined && value >= from && at > last.at;
      return isKnown ? [[name, (value - from) / (at - last.at)] as const] : [];
    });
    take(at, values);
    before = { at, values: new Map(now) };
    work += elapsed() - at;
  };
  return {
    sample(elapsed, take) {
      if (pending !== null || found.length === 0) return;
      pending = ask(elapsed, take)
        .catch(() => undefined)
        .finally(() => {
          pending = null;
        });
    },
    workSeconds: () => work,
    known: () => known,
    async end() {
      await pending;
      await connection.close().catch(() => undefined);
    },
  };
}

import { PROBES } from '../probes/list.ts';
import { around } from './around.ts';
import type { MeasurementKind } from './define.ts';
import { command } from './programs/command.ts';
import { custom } from './programs/custom.ts';
import { mtr } from './programs/mtr.ts';
import { sysbench } from './programs/sysbench.ts';
import { idle } from './server/idle.ts';
import { memory } from './server/memory.ts';
import { shutdown } from './server/shutdown.ts';
import { startup } from './server/startup.ts';
import { analyze } from './sql/analyze.ts';
import { profile } from './sql/profile.ts';
import { query } from './sql/query.ts';
import { statements } from './sql/statements.ts';

/** Every kind of measurement, in the order of the documentation. A new one is a line here, or in `probes/list.ts`. */
export const MEASUREMENTS = [
  startup,
  shutdown,
  memory,
  idle,
  query,
  analyze,
  profile,
  statements,
  sysbench,
  command,
  mtr,
  custom,
  around,
  ...PROBES,
] as const;

const BY_KIND: ReadonlyMap<string, MeasurementKind> = new Map(
  (MEASUREMENTS as readonly MeasurementKind[]).map((each) => [each.kind, each]),
);

/** The measurement of that name, or undefined. */
export function kindOf(kind: string): MeasurementKind | undefined {
  return BY_KIND.get(kind);
}

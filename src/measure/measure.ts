import { analyze } from './kinds/analyze.ts';
import { command } from './kinds/command.ts';
import { custom } from './kinds/custom.ts';
import { idle } from './kinds/idle.ts';
import { memory } from './kinds/memory.ts';
import { mtr } from './kinds/mtr.ts';
import { profile } from './kinds/profile.ts';
import { query } from './kinds/query.ts';
import { shutdown } from './kinds/shutdown.ts';
import { startup } from './kinds/startup.ts';
import { statements } from './kinds/statements.ts';
import { sysbench } from './kinds/sysbench.ts';
import { around } from './probes/around.ts';
import { innodbMetrics } from './probes/innodb-metrics.ts';
import { innodbStatus } from './probes/innodb-status.ts';
import { perf } from './probes/perf.ts';
import { status } from './probes/status.ts';
import { timeline } from './probes/timeline.ts';

/** How metrics are obtained: plain data, but for the functions of `custom` and `command`. */
export const measure = {
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
  status,
  innodbStatus,
  innodbMetrics,
  timeline,
  perf,
};

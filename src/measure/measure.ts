import { analyze } from './analyze.ts';
import { around } from './around.ts';
import { command } from './command.ts';
import { custom } from './custom.ts';
import { idle } from './idle.ts';
import { innodbMetrics } from './innodb-metrics.ts';
import { innodbStatus } from './innodb-status.ts';
import { memory } from './memory.ts';
import { mtr } from './mtr.ts';
import { perf } from './perf.ts';
import { profile } from './profile.ts';
import { query } from './query.ts';
import { shutdown } from './shutdown.ts';
import { startup } from './startup.ts';
import { statements } from './statements.ts';
import { status } from './status.ts';
import { sysbench } from './sysbench.ts';
import { timeline } from './timeline.ts';

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

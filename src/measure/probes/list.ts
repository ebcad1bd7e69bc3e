import { innodbMetrics } from './innodb-metrics.ts';
import { innodbStatus } from './innodb-status.ts';
import { perf } from './perf.ts';
import { status } from './status.ts';
import { timeline } from './timeline.ts';

/** Measurements that can run beside another one, in the order of the documentation. A new one is a line here. */
export const PROBES = [status, innodbStatus, innodbMetrics, timeline, perf] as const;

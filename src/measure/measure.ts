import { BenchbookError } from '../errors.ts';
import type { CustomServer, Measurement, Metric, MetricValues } from '../study/types.ts';

const TICK_SECONDS = 0.01;

const STARTUP = {
  ready: { unit: 's', better: 'lower', title: 'time to first query', resolution: 0.001 },
  readyLog: { unit: 's', better: 'lower', title: 'time to the ready line', resolution: 0.001 },
  readySocket: { unit: 's', better: 'lower', title: 'time to the socket', resolution: 0.002 },
  cpu: { unit: 's', better: 'lower', title: 'CPU time to first query', resolution: TICK_SECONDS },
  cpuUser: { unit: 's', better: 'lower', title: 'user CPU time to first query', resolution: TICK_SECONDS },
  cpuSystem: { unit: 's', better: 'lower', title: 'system CPU time to first query', resolution: TICK_SECONDS },
} as const satisfies Readonly<Record<string, Metric>>;

const MEMORY = {
  resident: { unit: 'B', better: 'lower', title: 'anonymous memory and huge pages', resolution: 4096 },
  rss: {
    unit: 'B',
    better: 'lower',
    title: 'resident set (RSS)',
    resolution: 4096,
    caution: 'explicit huge pages are not part of it',
  },
  anonymous: { unit: 'B', better: 'lower', title: 'anonymous memory', resolution: 4096 },
  transparentHuge: {
    unit: 'B',
    better: 'neither',
    title: 'anonymous memory in transparent huge pages',
    resolution: 4096,
  },
  huge: { unit: 'B', better: 'neither', title: 'explicit huge pages', resolution: 4096 },
  peak: {
    unit: 'B',
    better: 'lower',
    title: 'peak resident set',
    resolution: 4096,
    caution: 'kept by the kernel in batches of pages',
  },
  swap: { unit: 'B', better: 'lower', title: 'swapped memory', resolution: 4096 },
  pageTables: { unit: 'B', better: 'lower', title: 'page tables', resolution: 4096 },
  vmSize: {
    unit: 'B',
    better: 'neither',
    title: 'virtual size',
    resolution: 4096,
    caution: 'reserved addresses: not comparable where versions reserve differently',
  },
} as const satisfies Readonly<Record<string, Metric>>;

interface CustomRequest<N extends string, P> {
  readonly metrics: Readonly<Record<N, Metric>>;
  readonly params: P;
  readonly run: (server: CustomServer, params: P) => Promise<MetricValues<NoInfer<N>>>;
}

/** How metrics are obtained: plain data, but for `run` of a custom measurement. */
export const measure = {
  /** The start of the trial's server: seconds from the return of spawn, CPU seconds up to the first answer. */
  startup(): Measurement<keyof typeof STARTUP> {
    return { kind: 'startup', params: {}, metrics: STARTUP };
  },
  /** Memory of the server's process after `idleSeconds` without work (1 by default). */
  memory(options: { readonly idleSeconds?: number } = {}): Measurement<keyof typeof MEMORY> {
    const { idleSeconds = 1 } = options;
    if (!(typeof idleSeconds === 'number' && idleSeconds >= 0 && idleSeconds <= 3600)) {
      throw new BenchbookError(
        'study',
        `measure.memory wants idleSeconds between 0 and 3600, not ${String(idleSeconds)}.`,
      );
    }
    return { kind: 'memory', params: { idleSeconds }, metrics: MEMORY };
  },
  /** Your own code on the running server; it declares its metrics and returns a value, or a series, for each. */
  custom<N extends string, P>(request: CustomRequest<N, P>): Measurement<N> {
    if (typeof request?.run !== 'function' || Object.keys(request.metrics ?? {}).length === 0) {
      throw new BenchbookError('study', 'measure.custom wants metrics, params and a function run.');
    }
    return {
      kind: 'custom',
      params: request.params,
      metrics: request.metrics,
      run: request.run as NonNullable<Measurement['run']>,
    };
  },
};

import type { Caution } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Server } from '../../server/start.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import { type ArtefactText, liveServer, type Readings, type TrialContext } from '../context.ts';

type NamesOf<P> = P extends Probe<infer N> ? N : never;

/** A probe at work: `end` is called once, also where the inner measurement failed. */
export interface RunningProbe {
  end(): Promise<Readings>;
}

/** Begins a probe on the running server; what must be undone is undone by `end`. */
export type BeginProbe = (probe: Probe, server: Server, context: TrialContext) => Promise<RunningProbe>;

/**
 * A measurement with probes beside it: counters before and after, a profile or a time line while it runs. Its metrics and
 * the probes' are all addressed by the one name that it has in the study. Probes begin in the order given, and end in the
 * reverse: the last one is nearest to what is measured.
 */
export function around<N extends string, const P extends readonly Probe[]>(
  inner: Measurement<N>,
  probes: P,
): Measurement<N | NamesOf<P[number]>> {
  const given: readonly Probe[] = probes ?? [];
  if (typeof inner?.kind !== 'string') {
    throw new BenchbookError('study', 'measure.around wants a measurement and a list of probes.', {
      hint: "measure.around(measure.query('…'), [measure.status(['Innodb_pages_read'])])",
    });
  }
  if (!Array.isArray(given) || given.length === 0 || given.some((probe) => typeof probe?.probe !== 'string')) {
    throw new BenchbookError('study', 'measure.around wants a list of probes as its second argument.', {
      hint: 'Probes are status, innodbStatus, innodbMetrics, timeline and perf.',
    });
  }
  const metrics: Record<string, Metric> = { ...inner.metrics };
  for (const probe of given) {
    for (const [name, metric] of Object.entries<Metric>(probe.metrics)) {
      if (Object.hasOwn(metrics, name)) {
        throw new BenchbookError('study', `measure.around: two of its parts have a metric "${name}".`, {
          hint: 'Name it in one of them only, or measure twice.',
        });
      }
      metrics[name] = metric;
    }
  }
  const params = {
    inner: { kind: inner.kind, params: inner.params },
    probes: given.map(({ probe, params }) => ({ probe, params })),
  };
  return {
    kind: 'around',
    params,
    metrics: metrics as Readonly<Record<N | NamesOf<P[number]>, Metric>>,
    ...(inner.oncePerTrial === undefined ? {} : { oncePerTrial: inner.oncePerTrial }),
    inner: inner as Measurement,
    probes: given,
  };
}

/** Does the part of a measurement that counts: probes begin just before it and end just after. */
export type Counted = <T>(work: () => Promise<T>) => Promise<T>;

interface Methods {
  readonly measure: (measurement: Measurement, context: TrialContext, counted: Counted) => Promise<Readings>;
  readonly begin: BeginProbe;
}

/** Takes the inner measurement with the probes around the part of it that counts: a load's preparation is not in their deltas. */
export async function measureAround(
  measurement: Measurement,
  context: TrialContext,
  { measure, begin }: Methods,
): Promise<Readings> {
  const probes = measurement.probes!;
  const told: Readings[] = [];
  const counted: Counted = async (work) => {
    const server = await liveServer(context);
    const running: RunningProbe[] = [];
    try {
      for (const probe of probes) running.push(await begin(probe, server, context));
      const done = await work();
      // One by one from the last, so that the first probe sees what the others did to the server.
      while (running.length > 0) told.unshift(await running.pop()!.end());
      return done;
    } finally {
      for (const probe of running.reverse()) await probe.end().catch(() => undefined);
    }
  };
  return merged(await measure(measurement.inner!, context, counted), told, probes);
}

function merged(inner: Readings, told: readonly Readings[], probes: readonly Probe[]): Readings {
  const all = [inner, ...told];
  const details = Object.fromEntries(
    told.flatMap((each, index) => (each.details === undefined ? [] : [[probes[index]!.probe, each.details]])),
  );
  const innerDetails = typeof inner.details === 'object' && !Array.isArray(inner.details) ? inner.details : {};
  return {
    values: Object.assign({}, ...all.map((each) => each.values)),
    missing: Object.assign({}, ...all.map((each) => each.missing)),
    ...(inner.resolution === undefined ? {} : { resolution: inner.resolution }),
    cautions: all.flatMap((each): readonly Caution[] => each.cautions ?? []),
    artefacts: all.flatMap((each): readonly ArtefactText[] => each.artefacts ?? []),
    details: { ...innerDetails, ...details },
    ...(inner.moments === undefined ? {} : { moments: inner.moments }),
  };
}

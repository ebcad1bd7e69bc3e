import type { Caution } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Measurement, Metric, Probe } from '../../study/types.ts';
import { type ArtefactText, liveServer, type Readings, type TrialContext } from '../context.ts';
import { PROBES } from '../probes/list.ts';
import { type Counted, defineMeasurement, type Performing, type RunningProbe } from './define.ts';

type NamesOf<P> = P extends Probe<infer N> ? N : never;

/**
 * A measurement with probes beside it: counters before and after, a profile or a time line while it runs. The study gives it one
 * name, and the metrics of all its parts have that name. Probes begin in the order given and end in the reverse order, so the last
 * one is the nearest to what is measured.
 * @param inner the measurement; its metrics keep their units
 * @param probes at least one of `measure.status`, `innodbStatus`, `innodbMetrics`, `timeline`, `perf`
 * @throws BenchbookError `study` where a part is not a measurement or a probe, or two parts have a metric of the same name
 * @example measure.around(measure.query('SELECT COUNT(*) FROM t'), [measure.status(['Innodb_pages_read'])])
 */
function declare<N extends string, const P extends readonly Probe[]>(
  inner: Measurement<N>,
  probes: P,
): Measurement<N | NamesOf<P[number]>> {
  const given: readonly Probe[] = probes ?? [];
  if (typeof inner?.kind !== 'string') {
    throw new BenchbookError('study', 'measure.around needs a measurement and a list of probes.', {
      hint: "measure.around(measure.query('…'), [measure.status(['Innodb_pages_read'])])",
    });
  }
  if (!Array.isArray(given) || given.length === 0 || given.some((probe) => typeof probe?.probe !== 'string')) {
    throw new BenchbookError('study', 'measure.around needs a list of probes as its second argument.', {
      hint: `Probes are ${new Intl.ListFormat('en-GB').format(PROBES.map(({ kind }) => kind))}.`,
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

/** Takes the inner measurement with the probes around the part of it that counts: a load's preparation is not in their deltas. */
async function run(
  measurement: Measurement,
  context: TrialContext,
  _prepared: unknown,
  { take, begin }: Performing,
): Promise<Readings> {
  const probes = measurement.probes!;
  const readings: Readings[] = [];
  const counted: Counted = async (work) => {
    const server = await liveServer(context);
    const running: RunningProbe[] = [];
    try {
      for (const probe of probes) running.push(await begin(probe, server, context));
      const done = await work();
      // The last probe ends first, so that the first one sees what the others did to the server.
      while (running.length > 0) readings.unshift(await running.pop()!.end());
      return done;
    } finally {
      for (const probe of running.reverse()) await probe.end().catch(() => undefined);
    }
  };
  return merged(await take(measurement.inner!, context, counted), readings, probes);
}

function merged(inner: Readings, ofProbes: readonly Readings[], probes: readonly Probe[]): Readings {
  const all = [inner, ...ofProbes];
  const details = Object.fromEntries(
    ofProbes.flatMap((each, index) => (each.details === undefined ? [] : [[probes[index]!.probe, each.details]])),
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

export const around = defineMeasurement({
  kind: 'around',
  declare,
  metrics: {},
  run,
  docs: {
    forms: ['around(measurement, [probe, …])'],
    how: 'a measurement with probes beside it, from where its counted part begins (not with the tables and warm-up of sysbench); all metrics have one name',
    disturbs: 'as the probes do',
    metrics: [],
  },
});

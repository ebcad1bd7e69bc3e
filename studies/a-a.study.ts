import { defineStudy, measure, servers } from 'benchbook';

export default defineStudy({
  title: 'Does this machine see a difference where there is none?',
  variants: {
    factors: {
      build: { A: servers.installed(), 'A again': servers.installed() },
    },
    baseline: { build: 'A' },
  },
  setup: (v) => ({
    server: v.build,
    options: { innodb_buffer_pool_size: '128M' },
  }),
  measurements: {
    startup: measure.startup(),
    memory: measure.memory(),
  },
  replicates: 20,
  verdict: ({ text, ratio }) => text`The same server, measured under two names, differs from itself by a ratio of
    ${ratio('startup.ready', { build: ['A again', 'A'] }, {})} in start-up time and ${ratio('memory.resident', { build: ['A again', 'A'] }, {})}
    in resident memory. The intervals of these ratios are what this machine can tell: a smaller difference between two builds is noise here.`,
  report: ({ md, text, stat, ratio, figure, table, claim }) => [
    md`
      The same server, with the same options, is measured as if it were two. Whatever differs here is the machine, the order of the
      trials or the method, never the server. A comparison that comes out "better" or "worse" in this study would come out so for any
      two builds: before a difference between versions is believed, this study should have been run on the same machine. Its verdicts
      should be "equivalent", or, where the machine is too noisy to see the threshold, "inconclusive".

      ## Start-up

      Start-up takes ${stat('startup.ready', { build: 'A' })} and, called by its other name, ${stat('startup.ready', { build: 'A again' })}: the
      ratio within blocks is ${ratio('startup.ready', { build: ['A again', 'A'] }, {})}.
    `,
    figure.interval({
      metric: 'startup.ready',
      x: 'build',
      title: 'Time from spawn to the first answered query, twice the same server',
      caption: 'Overlapping intervals are expected here; the ratio within blocks decides.',
    }),
    claim(
      'same-startup',
      'A server starts as fast as itself',
      ratio('startup.ready', { build: ['A again', 'A'] }, {}).equivalentTo(1, 0.02),
      { weight: 'headline' },
    ),
    md`
      ## Memory

      Idle, it holds ${stat('memory.resident', { build: 'A' })} and ${stat('memory.resident', { build: 'A again' })} of resident memory.
    `,
    figure.interval({
      metric: 'memory.resident',
      x: 'build',
      title: text`The ratio of a server's memory to its own is ${ratio('memory.resident', { build: ['A again', 'A'] }, {})}`,
      caption: 'Anonymous memory and huge pages of an idle server, after the first query.',
    }),
    claim(
      'same-memory',
      'A server holds as much memory as itself',
      ratio('memory.resident', { build: ['A again', 'A'] }, {}).equivalentTo(1, 0.02),
      { weight: 'headline' },
    ),
    table({
      metrics: ['startup.ready', 'startup.cpu', 'memory.resident', 'memory.rss'],
      title: 'The same server twice: what differs is noise',
    }),
    md`
      Size: 2 variants in 20 blocks, 40 trials, about a minute.
    `,
  ],
});

/** The study author's API and nothing else: words that declare a study, and the types of what they return. */

export { measure } from './measure/measure.ts';
export { dataset, load } from './server/datasets.ts';
export { servers } from './server/servers.ts';
export { defineStudy } from './study/define.ts';
export { nested, within } from './study/levels.ts';
export type {
  CommandOutput,
  CustomServer,
  Dataset,
  HostRequest,
  LoadStep,
  Measurement,
  Metric,
  MetricValues,
  Probe,
  ServerSource,
  Setup,
} from './study/types.ts';

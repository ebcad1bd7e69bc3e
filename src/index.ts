/** The study author's API and nothing else. */

export { measure } from './measure/measure.ts';
export { dataset, load } from './server/datasets.ts';
export { servers } from './server/servers.ts';
export { defineStudy, nested, within } from './study/define.ts';
export type { CustomServer } from './study/types.ts';

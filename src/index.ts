/** The study author's API and nothing else. */

export { measure } from './measure/measure.ts';
export { servers } from './server/servers.ts';
export { defineStudy, nested, within } from './study/define.ts';

/** The study author's API and nothing else. */
export { defineStudy } from './study/define.ts';
export { measure } from './measure/measure.ts';
export { servers } from './server/servers.ts';

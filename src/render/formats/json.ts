import { defineFormat } from './format.ts';

/** The document itself, as every other format reads it. */
export const json = defineFormat({
  name: 'json',
  isUsual: true,
  kind: 'data',
  files: [{ name: 'report.json' }],
  isDispensable: true,
  options: [],
  write: (job) => job.write('report.json', `${JSON.stringify(job.document)}\n`),
});

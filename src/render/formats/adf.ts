import { defineFormat } from './format.ts';

/** A document of Jira Cloud (Atlassian Document Format). */
export const adf = defineFormat({
  name: 'adf',
  isUsual: false,
  kind: 'report',
  files: [{ name: 'report.adf.json' }],
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { adfReport } = await import('../flow/adf.ts');
    await job.write('report.adf.json', adfReport(job.document));
  },
});

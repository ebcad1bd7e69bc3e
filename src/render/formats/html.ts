import { defineFormat } from './format.ts';

export const html = defineFormat({
  name: 'html',
  isUsual: true,
  kind: 'report',
  files: [{ name: 'report.html', about: 'the report, one file that asks for nothing' }],
  isDispensable: false,
  options: ['static', 'templates'],
  write: async (job) => {
    const { htmlReport } = await import('../page/html.ts');
    const { document, isStatic = false, templates } = job;
    await job.write('report.html', htmlReport(document, await job.figures(), { isStatic, templates }));
  },
});

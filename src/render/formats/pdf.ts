import { defineFormat } from './format.ts';

export const pdf = defineFormat({
  name: 'pdf',
  isUsual: true,
  kind: 'report',
  files: [{ name: 'report.pdf', about: 'the same for printing, with journal, samples and study attached' }],
  isDispensable: false,
  options: ['paper', 'templates'],
  write: async (job) => (await import('../pdf/pdf-file.ts')).writePdf(job),
});

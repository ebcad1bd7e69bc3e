import { defineFormat } from './format.ts';

export const markdown = defineFormat({
  name: 'md',
  isUsual: false,
  kind: 'report',
  files: [{ name: 'report.md' }],
  // GitHub takes 65,536 characters in an issue or a comment.
  limit: { characters: 65_536, place: 'an issue or comment of GitHub' },
  isDispensable: true,
  options: ['frontMatter'],
  write: async (job) => {
    const { markdownReport } = await import('../flow/markdown.ts');
    await job.writePictures();
    await job.write('report.md', markdownReport(job.document, job.frontMatter ?? 'none'));
  },
});

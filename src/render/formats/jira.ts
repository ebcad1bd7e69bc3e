import { defineFormat } from './format.ts';

/** Wiki markup for Jira Data Center. Its default limit of a field is 32,767 characters (`jira.text.field.character.limit`). */
export const jira = defineFormat({
  name: 'jira',
  isUsual: false,
  kind: 'report',
  files: [{ name: 'report.jira.txt' }],
  limit: { characters: 32_767, place: 'a field of Jira' },
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { document } = job;
    const { jiraReport } = await import('../flow/jira.ts');
    const { figuresIn } = await import('../figures/figure-set.ts');
    const { blocksOf } = await import('../prose/blocks.ts');
    await job.writePictures();
    const pictures = figuresIn(blocksOf(document)).map((figure) => `figure-${figure.number}.png`);
    await job.write('report.jira.txt', jiraReport(document, [...pictures, 'report.pdf', 'report.html']));
  },
});

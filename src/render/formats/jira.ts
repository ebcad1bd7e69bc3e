import { defineFormat } from './format.ts';

/** Wiki markup for Jira Data Center, and a document for Jira Cloud. */
export const jira = defineFormat({
  name: 'jira',
  isUsual: false,
  kind: 'report',
  files: [{ name: 'report.jira.txt' }, { name: 'report.adf.json' }],
  isDispensable: true,
  options: [],
  write: async (job) => {
    const { document } = job;
    const { JIRA_LIMIT, jiraReport } = await import('../flow/jira.ts');
    const { adfReport } = await import('../flow/adf.ts');
    const { figuresIn } = await import('../figures/figure-set.ts');
    const { blocksOf } = await import('../prose/blocks.ts');
    await job.writePictures();
    const pictures = figuresIn(blocksOf(document)).map((figure) => `figure-${figure.number}.png`);
    const markup = jiraReport(document, [...pictures, 'report.pdf', 'report.html']);
    const note =
      markup.length <= JIRA_LIMIT
        ? undefined
        : `${markup.length} characters; Jira takes ${JIRA_LIMIT} in one field unless its administrator raised it: cut at a heading, or attach the PDF.`;
    await job.write('report.jira.txt', markup, note);
    await job.write('report.adf.json', adfReport(document));
  },
});

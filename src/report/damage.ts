import type { Document } from './document.ts';

/** The document of a run folder that is not as the run left it: what was found stands first, before any number. */
export function withDamage(document: Document, found: readonly string[]): Document {
  if (found.length === 0) return document;
  const content = `${found.join('; ')}. The numbers below come from what is left. \`benchbook verify\` checks the run again once its files are restored.`;
  return {
    ...document,
    sections: [
      { type: 'callout', kind: 'failure', title: 'This run is damaged', content: [content] },
      ...document.sections,
    ],
  };
}

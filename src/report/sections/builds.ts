import type { JsonValue, ServerEntry } from '../../journal/entry.ts';
import type { Table } from '../document.ts';
import { flatFacts, isRecord } from './facts.ts';
import { foldedBlock } from './long.ts';
import type { Part } from './part.ts';

type Facts = Readonly<Record<string, JsonValue>>;

/** How a build was obtained and what made it; its packages, where it came in packages, as a table. */
export function buildDetails(server: ServerEntry): Part {
  const { packages, ...rest } = (server.obtained ?? {}) as Facts;
  const list = Array.isArray(packages) && packages.every(isRecord) ? (packages as readonly Facts[]) : [];
  const table = list.length === 0 ? null : packagesTable(`packages ${server.buildId}`, list);
  return {
    blocks: [
      foldedBlock(
        {
          id: `build-${server.buildId}`,
          summary: `How ${server.version} was obtained, and its toolchain`,
          blocks: [
            {
              type: 'facts',
              items: [
                ...flatFacts(table ? rest : server.obtained, 'obtained'),
                ...flatFacts(server.toolchain, 'toolchain'),
              ],
            },
            ...(table
              ? [
                  {
                    type: 'table',
                    id: `table-packages-${server.buildId}`,
                    title: ['Packages that it runs from'],
                    table: table.name,
                    notes: [],
                    dense: true,
                  } as const,
                ]
              : []),
          ],
        },
        'the HTML report and the journal',
      ),
    ],
    tables: table ? [table] : [],
  };
}

function packagesTable(name: string, packages: readonly Facts[]): Table {
  const keys = [...new Set(packages.flatMap((each) => Object.keys(each)))];
  return {
    name,
    columns: keys.map((key) => ({ key, title: key, kind: 'code' })),
    rows: packages.map((each) =>
      keys.map((key) => (each[key] === undefined || each[key] === null ? null : String(each[key]))),
    ),
  };
}

import type { Column, Document, Table } from '../../report/document.ts';

/**
 * The description of the files of `data/`: a Frictionless Data Package (https://datapackage.org) with the type, title and unit of each
 * column. A label such as "10.10" is a string there, which a reader that guesses types would make a number.
 */
export function dataPackage(document: Document, files: ReadonlyMap<string, string>): string {
  const resources = Object.values(document.tables).map((table) => ({
    name: files
      .get(table.name)!
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-'),
    path: `${files.get(table.name)!}.csv`,
    title: table.name,
    profile: 'tabular-data-resource',
    format: 'csv',
    mediatype: 'text/csv',
    encoding: 'utf-8',
    dialect: { delimiter: ',', lineTerminator: '\r\n', quoteChar: '"', doubleQuote: true, header: true },
    schema: {
      fields: table.columns.map((column, index) => fieldOf(column, table, index)),
      missingValues: [''],
    },
  }));
  const described = {
    profile: 'tabular-data-package',
    name: document.studyId.toLowerCase().replace(/[^a-z0-9._-]+/g, '-'),
    title: document.title,
    version: document.runId,
    created: document.date,
    resources,
  };
  return `${JSON.stringify(described, null, 1)}\n`;
}

function fieldOf({ key, title, unit }: Column, table: Table, index: number) {
  return { name: key, type: typeOf(table, index), title, ...(unit === undefined ? {} : { unit }) };
}

/** The type of all values of a column; text where they differ, or where there are none. */
function typeOf({ rows }: Table, index: number): 'integer' | 'number' | 'boolean' | 'string' {
  const values = rows.map((row) => row[index]).filter((value) => value !== null && value !== undefined);
  const isEach = (matches: (value: unknown) => boolean) => values.length > 0 && values.every(matches);
  if (isEach(Number.isSafeInteger)) return 'integer';
  if (isEach((value) => typeof value === 'number')) return 'number';
  return isEach((value) => typeof value === 'boolean') ? 'boolean' : 'string';
}

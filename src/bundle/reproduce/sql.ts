import type { ServerFamily } from '../../families/family.ts';
import type { JsonValue } from '../../journal/entry.ts';
import type { RecordedData, TimedStatement } from './recipes.ts';
import { oneLine } from './shell.ts';

/** The server reads its start file line by line, and a statement ends where a line ends in a semicolon. */
export function statement(sql: string): string {
  return `${sql
    .trim()
    .replace(/;+\s*$/, '')
    .replace(/;[ \t]*\n/g, '; /* */\n')};\n`;
}

/** The settings that the run compared, into a file that the script reads. */
export function settingsSql(names: readonly string[], mark: string): string {
  const list = names.map((name) => sqlText(name.replace(/^loose[_-]/, '').replaceAll('-', '_'))).join(', ');
  return `SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM @${mark}-VARIABLES@ WHERE LOWER(VARIABLE_NAME) IN (${list || "''"}) ORDER BY 1 INTO OUTFILE '@${mark}-OUT@/settings.tsv';\n`;
}

/** Statements with their times, taken within the server: first and later executions are lines of their own. */
export function timedSql(statements: readonly TimedStatement[], mark: string): string {
  let number = 0;
  const lines = statements.flatMap(({ measurement, sql, times }) =>
    Array.from({ length: times }, (_, index) => {
      number += 1;
      const file = `@${mark}-OUT@/time-${String(number).padStart(4, '0')}.tsv`;
      return [
        'SET @benchbook_begin = SYSDATE(6);\n',
        statement(sql),
        'SET @benchbook_end = SYSDATE(6);\n',
        `SELECT ${sqlText(measurement)}, ${index + 1}, TIMESTAMPDIFF(MICROSECOND, @benchbook_begin, @benchbook_end) / 1000000 INTO OUTFILE '${file}';\n`,
      ].join('');
    }),
  );
  return lines.join('');
}

/** A data set as statements; programs that make rows, by file name; and what has to be done by hand, in words. */
export interface DataScript {
  readonly sql: string;
  readonly programs: Readonly<Record<string, string>>;
  readonly byHand: readonly string[];
}

/** Fills the data set in the order in which the run did. */
export function dataSql(data: RecordedData, family: ServerFamily, mark: string): DataScript {
  const programs: Record<string, string> = {};
  const byHand: string[] = [];
  if (data.schema === undefined || data.load === undefined || data.database === undefined) {
    return {
      sql: '',
      programs,
      byHand: [`the journal keeps only the hash of data set ${data.name}: see its statements in study.ts`],
    };
  }
  const parts = [
    `CREATE DATABASE IF NOT EXISTS ${sqlName(data.database)};\n`,
    `USE ${sqlName(data.database)};\n`,
    ...data.schema.map(statement),
  ];
  for (const [index, step] of data.load.entries()) {
    switch (step.step) {
      case 'sql':
        parts.push(...(step.statements as readonly string[]).map(statement));
        break;
      case 'server rows':
        parts.push(serverRows(step, family));
        break;
      case 'client rows': {
        const program = `rows-${index + 1}.mjs`;
        programs[program] = rowProgram(step);
        const columns = (step.columns as readonly string[]).map(sqlName).join(', ');
        parts.push(
          `LOAD DATA INFILE '@${mark}-OUT@/${program}.tsv' INTO TABLE ${String(step.table)} CHARACTER SET utf8mb4 (${columns});\n`,
        );
        break;
      }
      case 'script':
        byHand.push(`step ${index + 1} runs the file ${String(step.file)}: append its statements to data.sql`);
        break;
      case 'file':
        byHand.push(`step ${index + 1} loads the file ${String(step.file)}: give its folder as DATA_FILES`);
        parts.push(
          `LOAD DATA INFILE ${sqlText(`@${mark}-FILES@/${String(step.file)}`)} INTO TABLE ${String(step.table)} ${String(step.format)};\n`,
        );
        break;
      default:
        byHand.push(
          `step ${index + 1} runs a program: ${(step.argv as readonly string[] | undefined)?.join(' ') ?? JSON.stringify(step)}`,
        );
    }
  }
  return { sql: parts.join(''), programs, byHand };
}

function serverRows(step: Readonly<Record<string, JsonValue>>, family: ServerFamily): string {
  const columns = step.columns as Readonly<Record<string, string>>;
  const names = Object.keys(columns).map(sqlName).join(', ');
  const values = Object.values(columns).join(', ');
  const count = Number(step.count);
  const statements = family.insertRows({ table: String(step.table), columns: names, values, count });
  return statements.map((statement) => `${statement};\n`).join('');
}

function sqlText(text: string): string {
  return `'${oneLine(text).replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function sqlName(name: string): string {
  return `\`${oneLine(name).replaceAll('`', '``')}\``;
}

/** The study's own function, printing the rows as LOAD DATA reads them. Needs Node.js and no package. */
function rowProgram(step: Readonly<Record<string, JsonValue>>): string {
  return `const row = ${String(step.row)};
const escaped = (value) => value === null ? '\\\\N' : typeof value === 'boolean' ? (value ? '1' : '0')
  : String(value).replace(/[\\\\\\t\\n\\r\\0]/g, (c) => ({ '\\\\': '\\\\\\\\', '\\t': '\\\\t', '\\n': '\\\\n', '\\r': '\\\\r', '\\0': '\\\\0' })[c]);
let lines = '';
for (let n = 0; n < ${Number(step.count)}; n += 1) {
  lines += row(n).map(escaped).join('\\t') + '\\n';
  if (lines.length > 65536 || n === ${Number(step.count) - 1}) { process.stdout.write(lines); lines = ''; }
}
`;
}

import type { CellLabels } from '../../../journal/entry.ts';
import { cellKey } from '../../../lib/cell-key.ts';
import type { Block, Table } from '../../document.ts';
import type { Part } from '../../sections/part.ts';
import { isUnchanged } from '../metrics.ts';
import type { Side, Sides } from '../sides.ts';
import { listed, shortCells } from '../words.ts';

/** Something that differs, with the cells in which it does. */
export interface Found {
  readonly row: readonly [string, string, string];
  readonly at: string[];
}

/** A variable with its values before and after, as they are printed. */
interface VariableFound extends Found {
  readonly isInBoth: boolean;
}

/** Effective variables of the same cell that differ and were not asked for. */
export function variablesPart(
  sides: Sides,
  cells: readonly CellLabels[],
): (Part & { readonly summary: string }) | null {
  const label = shortCells(cells.filter((cell) => !isUnchanged(sides, cell)));
  const found = new Map<string, VariableFound>();
  const changed = cells.filter((cell) => !isUnchanged(sides, cell));
  const compared = (changed.length > 0 ? changed : cells).filter((cell) =>
    [sides.before, sides.after].every((side) => variablesAt(side, cell)),
  );
  for (const cell of compared) {
    const [old, now] = [variablesAt(sides.before, cell)!, variablesAt(sides.after, cell)!];
    for (const name of [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()) {
      const row = [name, old[name] ?? 'not there', now[name] ?? 'not there'] as const;
      if (row[1] === row[2]) continue;
      const known = found.get(JSON.stringify(row)) ?? {
        row,
        at: [],
        isInBoth: old[name] !== undefined && now[name] !== undefined,
      };
      known.at.push(label(cell));
      found.set(JSON.stringify(row), known);
    }
  }
  if (found.size === 0) return null;
  const sorted = [...found.values()].sort((a, b) => weight(a) - weight(b) || (a.row[0] < b.row[0] ? -1 : 1));
  const { blocks, tables } = variableTable(sorted, compared.length);
  const names = new Set([...found.values()].map(({ row }) => row[0])).size;
  const title: Block = { type: 'heading', level: 2, text: 'Effective variables that differ', id: 'variables-compared' };
  return {
    summary: `${names} effective variables, as the servers tell them, differ between before and after${engineText(sorted)}`,
    blocks: [title, ...blocks],
    tables,
  };
}

/** Values that both have come before variables that one side lacks, those of the storage engine before others. */
function weight({ row: [name], isInBoth }: VariableFound): number {
  return (isInBoth ? 0 : 2) + (name.startsWith('innodb_') ? 0 : 1);
}

/** The engine's own settings by name and value: a default that moved with the version is the first thing a reader suspects. */
function engineText(found: readonly VariableFound[]): string {
  const rows = found.filter((each) => weight(each) === 0).map(({ row }) => row);
  const shown = [...new Map(rows.map((row) => [row[0], row])).values()].slice(0, 8);
  if (shown.length === 0) return '';
  return `, among them ${listed(shown.map(([name, old, now]) => `\`${name}\` (${code(old)} → ${code(now)})`))}`;
}

function code(value: string): string {
  return `\`${value.length > 40 ? `${value.slice(0, 39)}…` : value || ' '}\``;
}

function variableTable(found: readonly VariableFound[], cells: number): Part {
  const variables: Table = {
    name: 'variables compared',
    columns: [
      { key: 'variable', title: 'variable', kind: 'code' },
      { key: 'where', title: 'where', kind: 'text' },
      { key: 'before', title: 'before', kind: 'code' },
      { key: 'after', title: 'after', kind: 'code' },
    ],
    rows: found.map(({ row: [name, old, now], at }) => [
      name,
      at.length === cells ? 'wherever something changed' : at.join('; '),
      old,
      now,
    ]),
  };
  return {
    blocks: [
      {
        type: 'table',
        id: 'table-variables',
        title: ['Effective server variables that differ'],
        table: variables.name,
        notes: [],
        dense: true,
      },
    ],
    tables: [variables],
  };
}

/** They stand on a cell's first trial, which may be the excluded first start, and wherever they changed. */
function variablesAt({ data }: Side, cell: CellLabels): Readonly<Record<string, string>> | undefined {
  return data.trials.find((trial) => trial.variables !== undefined && cellKey(trial.cell) === cellKey(cell))?.variables;
}

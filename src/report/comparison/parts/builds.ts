import type { CellLabels, JsonValue, ServerEntry, TrialEntry } from '../../../journal/entry.ts';
import type { Table } from '../../document.ts';
import { flatFacts, isRecord } from '../../sections/facts.ts';
import type { Side, Sides } from '../sides.ts';
import { listed, shortCells } from '../words.ts';

/** A row a build, with where it ran in either run. */
export function buildsTable(sides: Sides, cells: readonly CellLabels[]): Table {
  const label = shortCells(cells);
  const both = [sides.before, sides.after];
  const builds = new Map(both.flatMap(({ data }) => data.servers.map((server) => [server.buildId, server] as const)));
  const where = ({ buildId }: ServerEntry, side: Side) => {
    const trials = side.data.trials.filter((trial) => trial.counted && trial.buildId === buildId);
    return trials.length === 0 ? null : wherever(trials, side, label);
  };
  const compilers = [...builds.values()].some((server) => compiler(server) !== null);
  const column = (key: string, kind: 'text' | 'code') => ({ key, title: key, kind });
  return {
    name: 'builds compared',
    columns: [
      column('version', 'code'),
      column('before', 'text'),
      column('after', 'text'),
      column('from', 'text'),
      ...(compilers ? [column('compiler', 'text')] : []),
      column('source revision', 'code'),
      column('executable (SHA-256)', 'code'),
    ],
    rows: [...builds.values()].map((server) => [
      server.version,
      ...both.map((side) => where(server, side)),
      origin(server),
      ...(compilers ? [compiler(server)] : []),
      server.sourceRevision?.slice(0, 12) ?? 'not known',
      server.executableSha256.slice(0, 12),
    ]),
  };
}

/** "server 10.5" where a build ran at one level of a factor throughout; else its cells. */
function wherever(trials: readonly TrialEntry[], side: Side, label: (cell: CellLabels) => string): string {
  for (const { name, within } of side.draft.factors) {
    const labels = new Set(trials.map(({ cell }) => cell[name]));
    const elsewhere = side.data.trials.some(
      (trial) => trial.counted && !trials.includes(trial) && labels.has(trial.cell[name]),
    );
    if (!within && trials.length > 0 && !elsewhere) return `${name} ${listed([...labels].map(String))}`;
  }
  return [...new Set(trials.map(({ cell }) => label(cell)))].join('; ') || 'no counted trial';
}

/** "debian trixie", "git 0ab03ff2d4fc + fix.patch": what of a build's origin fits a table; the rest stands in the run's own report. */
function origin({ obtained }: ServerEntry): string {
  if (typeof obtained !== 'object' || obtained === null || Array.isArray(obtained))
    return String(obtained ?? 'not known');
  const facts = obtained as Readonly<Record<string, JsonValue>>;
  if (facts.source === 'git') {
    const patches = (Array.isArray(facts.patches) ? facts.patches : []).map((patch) => nameOf(patch as JsonValue));
    return [`git ${String(facts.commit).slice(0, 12)}`, ...patches].join(' + ');
  }
  return Object.entries(facts)
    .filter(([key, value]) => key !== 'packages' && typeof value !== 'object')
    .map(([, value]) => String(value))
    .join(' ');
}

function nameOf(patch: JsonValue): string {
  return typeof patch === 'object' && patch !== null && 'name' in patch ? String(patch.name) : String(patch);
}

function compiler({ toolchain }: ServerEntry): string | null {
  if (!isRecord(toolchain)) return null;
  const known = Object.fromEntries(Object.entries(toolchain).filter(([, value]) => value !== null));
  return flatFacts(known, '').find(({ term }) => /compiler/i.test(term))?.text ?? null;
}

import escapeRegExp from 'escape-string-regexp';
import type { Draft } from '../../draft/types.ts';
import type { Entry, ServerEntry } from '../../journal/entry.ts';
import type { Column, Table } from '../document.ts';
import { apart, buildsByLevel, shortVersion } from '../versions.ts';

/** How levels are shown, by factor and label; only those that are shown under another name than their own. */
export type LevelNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * The levels of the factor that chooses the server, with the version that ran: "10.11" is shown as "10.11.19", "fixed" as
 * "fixed (10.11.18, with fix.patch)". The factor is the one whose level decides the build in every trial; where that may be
 * more than one, or none, levels keep their labels. Where one build served all trials, a factor of several levels chose none, and one
 * of a single level did only if its label is a version and nothing else.
 */
export function levelNames(entries: readonly Entry[], { factors }: Draft): LevelNames {
  const candidates = factors.flatMap(({ name, within }) => {
    if (within) return [];
    const builds = new Map<string, ServerEntry>();
    for (const [label, found] of buildsByLevel(entries, name)) {
      if (found.length > 1) return [];
      builds.set(String(label), found[0]!);
    }
    return builds.size === 0 ? [] : [{ name, builds }];
  });
  const named = candidates.filter(({ builds }) =>
    [...builds].some(([label, build]) => completed(label, build) !== null),
  );
  const isVaried =
    new Set(candidates.flatMap(({ builds }) => [...builds.values()].map((build) => build.buildId))).size > 1;
  const [only, ...others] = isVaried ? (candidates.length === 1 ? candidates : named) : named.filter(isBareVersion);
  if (only === undefined || others.length > 0) return {};
  // Beside another that may choose the build, a factor with two labels for one build hardly does.
  const isOneToOne = new Set([...only.builds.values()].map(({ buildId }) => buildId)).size === only.builds.size;
  if (candidates.length > 1 && !isOneToOne) return {};
  const names = namesOf(only.builds);
  return Object.keys(names).length === 0 ? {} : { [only.name]: names };
}

function isBareVersion({ builds }: { readonly builds: ReadonlyMap<string, ServerEntry> }): boolean {
  const [label, ...others] = builds.keys();
  return label !== undefined && others.length === 0 && /^v?\d+(?:\.\d+)+$/.test(label);
}

/** Names that hold in both of two runs: a level that ran another version there keeps its label. */
export function sharedNames(a: LevelNames, b: LevelNames): LevelNames {
  const shared = Object.entries(a).map(([factor, names]) => {
    const same = Object.entries(names).filter(([label, name]) => b[factor]?.[label] === name);
    return [factor, Object.fromEntries(same)] as const;
  });
  return Object.fromEntries(shared.filter(([, names]) => Object.keys(names).length > 0));
}

/** A table whose readers see the names; its values, and so its data file, keep the labels. */
export function withLevelNames(table: Table, names: LevelNames): Table {
  if (Object.keys(names).length === 0) return table;
  const columns = table.columns.map((column, index): Column => {
    if (column.kind !== 'text') return column;
    const shown = names[column.key] ?? namesInTexts(new Set(table.rows.map((row) => row[index])), names);
    return Object.keys(shown).length === 0 ? column : { ...column, shown };
  });
  return { ...table, columns };
}

/** Cells in words ("server 10.11, pool 1G") and steps between levels ("server: 10.11 / 10.5"), by what stands there. */
function namesInTexts(values: ReadonlySet<unknown>, names: LevelNames): Readonly<Record<string, string>> {
  const named = (factor: string, label: string) => names[factor]?.[label] ?? label;
  const alternatives = Object.entries(names).map(([factor, levels]) => {
    const labels = Object.keys(levels).sort((a, b) => b.length - a.length);
    const any = `(?:${labels.map((label) => escapeRegExp(label)).join('|')})`;
    return {
      factor,
      cell: new RegExp(`(?<=^|, |; )${escapeRegExp(factor)} (${any})(?=$|, |; )`, 'g'),
      step: new RegExp(`(?<=^|× )${escapeRegExp(factor)}: (.+?) / (.+?)(?=$| ×)`, 'g'),
    };
  });
  const shown: Record<string, string> = {};
  for (const value of values) {
    if (typeof value !== 'string') continue;
    let text = value;
    for (const { factor, cell, step } of alternatives) {
      text = text
        .replace(cell, (_, label: string) => `${factor} ${named(factor, label)}`)
        .replace(step, (_, a: string, b: string) => `${factor}: ${named(factor, a)} / ${named(factor, b)}`);
    }
    if (text !== value) shown[value] = text;
  }
  return shown;
}

function namesOf(builds: ReadonlyMap<string, ServerEntry>): Readonly<Record<string, string>> {
  const all = [...new Set(builds.values())];
  const details = new Map(
    [...new Set(all.map(({ version }) => shortVersion(version)))].flatMap((version) => {
      const same = all.filter((build) => shortVersion(build.version) === version);
      return same.length > 1 ? [...apart(same)] : [];
    }),
  );
  const found = [...builds].map(([label, build]) => {
    const detail = details.get(build.buildId);
    const full = completed(label, build);
    const added = [...(full === null ? [shortVersion(build.version)] : []), ...(detail === undefined ? [] : [detail])];
    const long = `${label} (${[shortVersion(build.version), ...(detail === undefined ? [] : [detail])].join(', ')})`;
    return { label, long, short: `${full ?? label}${added.length === 0 ? '' : ` (${added.join(', ')})`}` };
  });
  // Two labels of one build ("10.11" and "10.11.19") must not become one.
  const isTaken = (name: string) => found.filter(({ short }) => short === name).length > 1;
  return Object.fromEntries(
    found
      .map(({ label, long, short }) => [label, isTaken(short) ? long : short] as const)
      .filter(([label, name]) => label !== name),
  );
}

/** The label with the whole version in place of its beginning; null where it names no version of that build. */
function completed(label: string, build: ServerEntry): string | null {
  const version = shortVersion(build.version);
  const said = [...label.matchAll(/(?<![\d.])\d+(?:\.\d+)+(?![\d.]*\d)/g)].map(([text]) => text);
  if (said.includes(version)) return label;
  const start = said.find((text) => version.startsWith(`${text}.`));
  return start === undefined ? null : label.replace(start, () => version);
}

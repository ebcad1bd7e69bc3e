import type { CellLabels, SettingRecord, TrialEntry } from '../../journal/entry.ts';
import { nameOf } from '../cells/absence.ts';
import type { PlacedCaution } from '../results.ts';
import type { CautionInput } from './input.ts';

/** With more differing variables than this, the sentence has their number and the first names. */
const NAMED = 8;

/** Settings: asked for and not had, or different between variants without being asked for. */
export function settingCautions(input: CautionInput): readonly PlacedCaution[] {
  const trials = input.index.trials.filter((trial) => trial.outcome === 'ok');
  return [...notAsRequested(trials), ...differing(trials), ...differingDetails(trials)];
}

function notAsRequested(trials: readonly TrialEntry[]): readonly PlacedCaution[] {
  const found = new Map<string, { setting: SettingRecord; cells: Map<string, CellLabels> }>();
  for (const trial of trials)
    for (const setting of trial.settings ?? []) {
      if (setting.verdict === 'as requested') continue;
      const key = [setting.name, setting.requested, setting.effective, setting.verdict].join('\0');
      const group = found.get(key) ?? { setting, cells: new Map() };
      group.cells.set(nameOf(trial.cell), trial.cell);
      found.set(key, group);
    }
  const allCells = new Set(trials.map((trial) => nameOf(trial.cell))).size;
  return [...found.values()].map(({ setting, cells }) => {
    const everywhere = cells.size === allCells;
    const where = everywhere ? '' : ` (${[...cells.keys()].join('; ')})`;
    const cell = cells.size === 1 && !everywhere ? { cell: [...cells.values()][0]! } : {};
    return { code: 'not-as-requested', sentence: `${settingText(setting)}${where}.`, about: setting.name, ...cell };
  });
}

function settingText({ name, requested, effective, verdict, note }: SettingRecord): string {
  const because = note ? ` (${note.replace(/\.$/, '')})` : '';
  if (name.startsWith('host.')) return hostSettingText(name, requested, effective, because);
  switch (verdict) {
    case 'without effect':
      return `${name}=${requested} was accepted but does nothing in this server${because}`;
    case 'adjusted':
      return `${name} was asked for as ${requested}, and the server has ${effective}${because}`;
    case 'unknown':
      return `${name} is unknown to this server${because}`;
    default:
      return `${name}=${requested} was asked for, and the server doesn't report it${because}`;
  }
}

/** A control of the machine is no option that a server accepts or knows. */
function hostSettingText(name: string, requested: string, effective: string | null, because: string): string {
  const found = effective === null ? 'it was not obtained' : `the machine has ${effective}`;
  return `${name} was asked for as ${requested}, and ${found}${because}`;
}

/**
 * Variables that are constant in every variant but not the same in all, and that no option of the study sets: those between builds are
 * listed apart from those within one build, because a new version may have new defaults.
 */
function differing(trials: readonly TrialEntry[]): readonly PlacedCaution[] {
  const asked = new Set(trials.flatMap((trial) => (trial.settings ?? []).map((setting) => setting.name)));
  const variants = [...variantsOf(trials).values()].map((group) => ({
    build: group[0]!.buildId ?? '',
    cell: group[0]!.cell,
    variables: constantsOf(group),
  }));
  const names = new Set(variants.flatMap((variant) => [...variant.variables.keys()]));
  const betweenBuilds: string[] = [];
  const inOneBuild: string[] = [];
  for (const name of names) {
    if (asked.has(name) || /^version/.test(name)) continue;
    const known = variants.filter((variant) => variant.variables.has(name));
    if (new Set(known.map((variant) => variant.variables.get(name))).size < 2) continue;
    const sameBuild = known.some((a) =>
      known.some((b) => a.build === b.build && a.variables.get(name) !== b.variables.get(name)),
    );
    (sameBuild ? inOneBuild : betweenBuilds).push(name);
  }
  return [
    ...sentence(
      'setting-differs',
      inOneBuild,
      'differ between variants although the study sets none of them: each may share in a difference',
    ),
    ...sentence(
      'defaults-differ',
      betweenBuilds,
      'have other values in the other build (new defaults): they are part of what is compared',
    ),
  ];
}

function sentence(code: string, names: readonly string[], what: string): readonly PlacedCaution[] {
  if (names.length === 0) return [];
  const shown = [...names].sort().slice(0, NAMED).join(', ');
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const text =
    names.length === 1 ? what.replace('differ ', 'differs ').replace('have ', 'has ').replace('values', 'value') : what;
  return [{ code, sentence: `${shown}${more} ${text}.`, about: [...names].sort().join(', ') }];
}

function variantsOf(trials: readonly TrialEntry[]): Map<string, TrialEntry[]> {
  const variants = new Map<string, TrialEntry[]>();
  for (const trial of trials) {
    if (!trial.variables) continue;
    const group = variants.get(trial.variantId);
    if (group) group.push(trial);
    else variants.set(trial.variantId, [trial]);
  }
  return variants;
}

/** Variables with one value in all trials of a variant; what changes from start to start is no setting. */
function constantsOf(trials: readonly TrialEntry[]): Map<string, string> {
  const constants = new Map(Object.entries(trials[0]!.variables!));
  for (const trial of trials)
    for (const [name, value] of constants) if (trial.variables![name] !== value) constants.delete(name);
  return constants;
}

/** A query that took another plan or gave another result was not the same work: `details.<measurement>.plan` and `.result`. */
function differingDetails(trials: readonly TrialEntry[]): readonly PlacedCaution[] {
  const seen = new Map<string, Map<string, CellLabels>>();
  for (const trial of trials) {
    const details = (trial.details ?? {}) as Record<string, unknown>;
    for (const [measurement, detail] of Object.entries(details))
      for (const kind of ['plan', 'result']) {
        const value = (detail as Record<string, { compared?: unknown } | undefined> | null)?.[kind];
        if (value === undefined || value?.compared === false) continue;
        const key = `${kind} ${measurement}`;
        const values = seen.get(key) ?? new Map<string, CellLabels>();
        values.set(JSON.stringify(value), trial.cell);
        seen.set(key, values);
      }
  }
  return [...seen].flatMap(([key, values]) => {
    if (values.size < 2) return [];
    const [kind, measurement] = key.split(' ') as [string, string];
    const text = `${measurement} had ${values.size} different ${kind}s over the run: what is compared is not all the same work.`;
    return [{ code: `${kind}s-differ`, sentence: text, about: measurement }];
  });
}

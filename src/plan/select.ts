import { BenchbookError } from '../lib/errors.ts';
import { unknownName } from '../lib/suggestions.ts';
import type { Profile, Study } from '../study/study.ts';
import type { Cell, Factor, Primitive } from '../study/types.ts';

/** The study's factors with the levels that the profile and `--only factor=level` leave, in declared order. */
export function selectLevels(study: Study, profile: Profile | null, only: readonly string[]): readonly Factor[] {
  const wanted = parseOnly(study, only);
  return study.factors.map((factor) => {
    const inProfile = profile === null ? undefined : ownValue(profile.levels, factor.name);
    const inOnly = wanted.get(factor.name);
    const levels = factor.levels.filter(
      ({ label }) => (inProfile?.includes(label) ?? true) && (inOnly?.includes(label) ?? true),
    );
    if (levels.length === 0) {
      throw new BenchbookError(
        'usage',
        `no level of factor "${factor.name}" is left by the profile and --only together`,
      );
    }
    return { ...factor, levels };
  });
}

/** The levels that `--only` names, each by itself. */
export function levelsNamed(study: Study, only: readonly string[]): readonly { factor: string; level: Primitive }[] {
  return [...parseOnly(study, only)].flatMap(([factor, levels]) => levels.map((level) => ({ factor, level })));
}

/** Levels by factor. Two levels of one factor select both; levels of two factors select their combination. */
function parseOnly(study: Study, only: readonly string[]): ReadonlyMap<string, readonly Primitive[]> {
  const wanted = new Map<string, Primitive[]>();
  for (const text of only) {
    const at = text.indexOf('=');
    if (at < 0) {
      throw new BenchbookError('usage', `--only ${text} is not of the form factor=level`, {
        hint: `for example --only ${exampleOf(study)}`,
      });
    }
    const factor = factorNamed(study, text.slice(0, at));
    const level = text.slice(at + 1);
    const labels = factor.levels.map(({ label }) => label);
    const label = labels.find((each) => String(each) === level);
    if (label === undefined) throw unknownName('level', level, labels.map(String), `factor "${factor.name}"`);
    wanted.set(factor.name, [...(wanted.get(factor.name) ?? []), label]);
  }
  return wanted;
}

function factorNamed(study: Study, name: string): Factor {
  const factor = study.factors.find((each) => each.name === name);
  if (factor !== undefined) return factor;
  const names = study.factors.map((each) => each.name);
  throw unknownName('factor', name, names, `study ${study.id}`);
}

function exampleOf(study: Study): string {
  const factor = study.factors[0];
  return factor === undefined ? 'pool=1G' : `${factor.name}=${String(factor.levels[0]?.label)}`;
}

/** True where the cell uses none but the levels that are left. */
export function isSelected(cell: Cell, factors: readonly Factor[]): boolean {
  return factors.every(
    ({ name, levels }) => cell[name] === undefined || levels.some(({ label }) => label === cell[name]),
  );
}

function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

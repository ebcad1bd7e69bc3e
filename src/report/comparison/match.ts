import type { Draft, DraftFactor } from '../../draft/types.ts';
import type { RerunRecord, RunEntry } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Primitive } from '../../study/types.ts';
import type { Relabelling } from '../relabel.ts';

/** One level before and the one that stands for it after. */
export interface LevelPair {
  readonly factor: string;
  readonly before: Primitive;
  readonly after: Primitive;
  /** Who says so. */
  readonly by: 'name' | 'rerun' | 'map';
  /** How both are shown: the label where it is the same, else "10.5 → 11.8". */
  readonly label: Primitive;
}

export interface Matching {
  readonly pairs: readonly LevelPair[];
  /** Levels without a counterpart. */
  readonly onlyBefore: readonly { readonly factor: string; readonly level: Primitive }[];
  readonly onlyAfter: readonly { readonly factor: string; readonly level: Primitive }[];
  /** Factors that one side alone has: no cell of it has a counterpart. */
  readonly factorsBefore: readonly string[];
  readonly factorsAfter: readonly string[];
  readonly relabelBefore: readonly Relabelling[];
  readonly relabelAfter: readonly Relabelling[];
}

interface Side {
  readonly run: RunEntry;
  readonly draft: Draft;
}

/** A line of the explicit map, as written: `10.5=11.8`, `server.10.5=11.8` or `server.10.5=server.11.8`. */
export type MatchText = string;

/**
 * Which levels stand for each other: those that the explicit map names, the one that a rerun replaced, and equal labels of
 * equal factors. Nothing is guessed: what is left over has no counterpart.
 *
 * @param replacedLabel how the replaced level of a rerun is shown: "10.5 → 11.8.9".
 * @throws BenchbookError `usage` where the map names a level that is not there, or one level twice.
 */
export function matchLevels(
  before: Side,
  after: Side,
  map: readonly MatchText[],
  replacedLabel: string | null,
): Matching {
  const explicit = map.map((text) => parseMatch(text, before.draft, after.draft));
  refuseDoubles(explicit);
  const record = recordOf(before.run, after.run);
  const pairs: LevelPair[] = [];
  const shared = before.draft.factors.filter(({ name }) => factorOf(after.draft, name));
  for (const { name, labels } of shared) {
    const others = factorOf(after.draft, name)!.labels;
    const mapped = explicit.filter(({ factor }) => factor === name);
    pairs.push(...mapped);
    for (const label of labels) {
      if (mapped.some((pair) => pair.before === label || pair.after === label) || !others.includes(label)) continue;
      const replaced = record !== null && record.factor === name && record.level === label;
      pairs.push({
        factor: name,
        before: label,
        after: label,
        by: replaced ? 'rerun' : 'name',
        label: replaced && replacedLabel !== null ? replacedLabel : label,
      });
    }
  }
  return { pairs, ...leftOver(before.draft, after.draft, pairs), ...relabellings(pairs) };
}

/** The record of the rerun that led from the one run to the other; null where there is none. */
export function recordOf(before: RunEntry, after: RunEntry): RerunRecord | null {
  const { rerun } = after;
  return rerun?.of.runId === before.runId && rerun.of.studyId === before.studyId ? rerun : null;
}

function leftOver(before: Draft, after: Draft, pairs: readonly LevelPair[]) {
  const lone = (draft: Draft, other: Draft) =>
    draft.factors.filter(({ name }) => !factorOf(other, name)).map(({ name }) => name);
  const unpaired = (draft: Draft, other: Draft, side: 'before' | 'after') =>
    draft.factors
      .filter(({ name }) => factorOf(other, name))
      .flatMap(({ name, labels }) =>
        labels
          .filter((level) => !pairs.some((pair) => pair.factor === name && pair[side] === level))
          .map((level) => ({ factor: name, level })),
      );
  return {
    onlyBefore: unpaired(before, after, 'before'),
    onlyAfter: unpaired(after, before, 'after'),
    factorsBefore: lone(before, after),
    factorsAfter: lone(after, before),
  };
}

/** Both sides of a pair get one label, so that everything after this is plain work with equal names. */
function relabellings(pairs: readonly LevelPair[]) {
  const of = (side: 'before' | 'after') =>
    pairs
      .filter((pair) => pair.label !== pair[side])
      .map((pair): Relabelling => ({ factor: pair.factor, from: pair[side], to: String(pair.label) }));
  return { relabelBefore: of('before'), relabelAfter: of('after') };
}

/** Labels may hold dots and equal signs: of the places where the text could be cut, the one that both runs know is right. */
function parseMatch(text: string, before: Draft, after: Draft): LevelPair {
  const cuts = [...text].flatMap((char, index) => (char === '=' ? [index] : []));
  if (cuts.length === 0) {
    throw new BenchbookError('usage', `--match ${text} is not of the form BEFORE=AFTER.`, {
      hint: 'for example --match 10.5=11.8',
    });
  }
  const found = cuts.flatMap((cut) => {
    const olds = placesOf(text.slice(0, cut), before);
    const news = placesOf(text.slice(cut + 1), after);
    return olds.flatMap((one) =>
      news
        .filter(({ factor }) => factor === one.factor)
        .map((other): LevelPair => {
          const label = one.level === other.level ? one.level : `${one.level} → ${other.level}`;
          return { factor: one.factor, before: one.level, after: other.level, by: 'map', label };
        }),
    );
  });
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    throw new BenchbookError(
      'usage',
      `--match ${text} could mean levels of ${found.map((each) => each.factor).join(' or ')}.`,
      {
        hint: `name the factor: --match ${found[0]!.factor}.${text}`,
      },
    );
  }
  const cut = cuts[0]!;
  const [left, right] = [text.slice(0, cut), text.slice(cut + 1)];
  const isLeft = placesOf(left, before).length > 0;
  const [missing, side, draft] = isLeft ? ([right, 'after', after] as const) : ([left, 'before', before] as const);
  throw new BenchbookError('usage', `--match ${text}: the run ${side} has no level '${missing}'.`, {
    hint: `it has ${draft.factors.map(({ name, labels }) => `${name}: ${labels.join(', ')}`).join('; ')}`,
  });
}

function placesOf(text: string, draft: Draft): { factor: string; level: Primitive }[] {
  return draft.factors.flatMap(({ name, labels }) =>
    labels
      .filter((label) => text === String(label) || text === `${name}.${label}`)
      .map((level) => ({ factor: name, level })),
  );
}

function refuseDoubles(pairs: readonly LevelPair[]): void {
  for (const side of ['before', 'after'] as const) {
    const seen = new Set<string>();
    for (const pair of pairs) {
      const key = `${pair.factor} ${pair[side]}`;
      if (seen.has(key)) {
        throw new BenchbookError('usage', `--match names the level ${pair[side]} of ${pair.factor} (${side}) twice.`, {
          hint: 'a level stands for one level of the other run',
        });
      }
      seen.add(key);
    }
  }
}

function factorOf(draft: Draft, name: string): DraftFactor | undefined {
  return draft.factors.find((factor) => factor.name === name);
}

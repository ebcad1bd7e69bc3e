import { BenchbookError } from '../../lib/errors.ts';
import type { Cell, Primitive } from '../../study/types.ts';
import { type ReadyVariant, unmeasurable } from './skips.ts';

/** A level that the command line names: nothing is measured where none of its variants can be. */
export interface RequiredLevel {
  readonly factor: string;
  readonly level: Primitive;
  /** As it stands on the command line: `--replace server.10.5=debian:trixie`. */
  readonly asked: string;
}

/** Whether a variant stands at the level. */
export function isAt({ factor, level }: RequiredLevel, cell: Cell): boolean {
  return cell[factor] === level;
}

/**
 * Ends the command where no variant at a level that it names can be measured, for the first reason found.
 *
 * @throws BenchbookError with the code, hint and place of the missing server, else `missing`.
 */
export function refuseMissing({ asked }: RequiredLevel, variants: readonly ReadyVariant[]): void {
  const skips = variants.map(unmeasurable);
  const [skip] = skips;
  if (skip === undefined || skip === null || skips.includes(null)) return;
  const [first] = variants.flatMap(({ result }) => ('error' in result ? [result.error] : []));
  const sentence = (first?.message ?? skip.reason).replace(/\.$/, '');
  throw new BenchbookError(first?.code ?? 'missing', `${asked}: ${sentence}. Nothing was measured.`, {
    hint: first?.hint ?? 'name a server that has what the study asks for',
    ...(first?.place === undefined ? {} : { place: first.place }),
    cause: first,
  });
}

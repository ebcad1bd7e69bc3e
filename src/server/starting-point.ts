import type { JsonValue } from '../journal/entry.ts';
import type { Setup } from '../study/types.ts';
import type { Build, ServerEnvironment } from './build.ts';
import { isExternal } from './build.ts';
import { prepareDataset } from './data/prepare.ts';
import { pristineDirectory } from './data/pristine.ts';

export { contentKey } from './data/content-key.ts';
export { type Copied, copyDataDirectory } from './data/copy.ts';

/** What a trial's data directory is copied from. */
export interface StartingPoint {
  /** Null for an external server, which has none of ours. */
  readonly directory: string | null;
  /** What is in it, where the variant asks for a data set. */
  readonly data: JsonValue;
  /** Trials may run on one copy, one after the other. */
  readonly shared: boolean;
}

/** The directory that every trial of a variant starts from: its data set, or nothing but system tables; made once. */
export async function startingPoint(
  build: Build,
  setup: Pick<Setup, 'options' | 'data' | 'engine'>,
  environment: ServerEnvironment,
): Promise<StartingPoint> {
  const { data, options = {}, engine } = setup;
  if (isExternal(build)) return { directory: null, data: null, shared: false };
  if (data === undefined) {
    return { directory: await pristineDirectory(build, options, environment), data: null, shared: false };
  }
  const prepared = await prepareDataset(build, data, options, environment, engine);
  return { directory: prepared.directory, data: prepared.summary as unknown as JsonValue, shared: data.readOnly };
}

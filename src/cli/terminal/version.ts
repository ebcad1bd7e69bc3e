import { readFileSync } from 'node:fs';
import { packageFile } from '../../lib/package-files.ts';

/** The version of this Benchbook, from its package. */
export const TOOL_VERSION: string = (
  JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }
).version;

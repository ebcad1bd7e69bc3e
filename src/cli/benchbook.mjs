#!/usr/bin/env node
// The command's launcher in a checkout: it compiles the sources where they changed, and runs what is compiled.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFolder, NotInstalled } from './launch/compile.mjs';

// Before the engine is loaded, so that the stack of an error names its sources.
process.setSourceMapsEnabled(true);
const folder = await compiledFolder().catch(refuse);
await import(pathToFileURL(join(folder, 'main.mjs')).href);

function refuse(error) {
  const isMissing = error instanceof NotInstalled;
  const sentence = isMissing
    ? 'its node modules are not installed; run `npm start` or `npm ci` first.'
    : `its sources could not be compiled: ${error.message}`;
  process.stderr.write(`benchbook: ${sentence}\n`);
  process.exit(isMissing ? 4 : 1);
}

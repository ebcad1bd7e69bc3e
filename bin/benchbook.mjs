#!/usr/bin/env node
// The command of an installed package, which ships no sources; in a checkout it hands over to the launcher there.
import { existsSync } from 'node:fs';

const launcher = new URL('../src/cli/benchbook.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
await import(existsSync(launcher) ? launcher.href : new URL('../dist/main.mjs', import.meta.url).href);

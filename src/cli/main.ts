import { EXIT } from './terminal/exit.ts';
import { missingRequirement } from './terminal/requirements.ts';

// The commands are loaded after the check: with too few open files Node.js cannot even load them.
const missing = missingRequirement();
if (missing === null) await import('./terminal/command-line.ts');
else {
  process.stderr.write(`benchbook: ${missing}\n`);
  process.exit(EXIT.missing);
}

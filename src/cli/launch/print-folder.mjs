// Prints the folder with the compiled form of this checkout, compiled first where the sources changed.
import { compiledFolder } from './compile.mjs';

process.stdout.write(await compiledFolder());

// `npm start`: everything on one machine.

import { bootstrap, continueOnNode24, fail } from './bootstrap.mjs';
import { parseFlags, USAGE } from './flags.mjs';

const args = process.argv.slice(2);
try {
  if (parseFlags(args).isHelp) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
} catch (error) {
  fail([error.message]);
}
await bootstrap({ hasStack: true });
continueOnNode24('deploy/local/src/main.ts', args);

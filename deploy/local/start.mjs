// `npm start`: everything on one machine.

import { bootstrap, continueOnNode24, fail } from './bootstrap.mjs';
import { parseFlags, USAGE } from './flags.mjs';

const args = process.argv.slice(2);
let hasKafka = false;
try {
  const flags = parseFlags(args);
  ({ hasKafka } = flags);
  if (flags.isHelp) {
    process.stdout.write(`${USAGE}\n`);
    process.exit(0);
  }
} catch (error) {
  fail([error.message]);
}
await bootstrap({ hasKafka });
continueOnNode24('deploy/local/src/main.ts', args);

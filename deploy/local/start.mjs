// `npm start`: everything on one machine.

import { bootstrap, compileSources, continueOnNode24, fail, START_FLAGS } from './bootstrap.mjs';
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
if (!hasKafka) await compileSources();
continueOnNode24('deploy/local/src/main.ts', args, START_FLAGS);

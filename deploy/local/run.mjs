// `node deploy/local/run.mjs <file.ts> [args]`: runs a TypeScript file on Node 24 and installs what
// it needs first.

import { bootstrap, continueOnNode24, fail } from './bootstrap.mjs';

const [file, ...args] = process.argv.slice(2);
if (file === undefined)
  fail([
    'Name the TypeScript file to run, as in "node deploy/local/run.mjs deploy/local/src/demo/main.ts".',
  ]);
await bootstrap({ hasKafka: false });
continueOnNode24(file, args);

// `npm run properties`: the property tests that need no store, each with a million generated cases, or as many as
// `PROPERTY_RUNS` says; a fresh seed each time, which a failure names. `npm run properties -- packages/events`: only those there.

import { bootstrap } from '../deploy/local/bootstrap.mjs';
import { conclude, jest } from './parts.mjs';

process.env.PROPERTY_RUNS ??= '1000000';
const folders = process.argv.slice(2);
await bootstrap({ hasStack: false });
conclude(
  await jest('unit', [
    '--verbose',
    ...(folders.length > 0 ? folders : ['']).map((folder) => `${folder}.*\\.property\\.test\\.ts$`),
  ]),
);

// `npm run properties`: the property tests that need no store, each with a million generated cases
// (or `PROPERTY_RUNS`), or as many as it tries in `PROPERTY_SECONDS`. Each run has a new seed, which a
// failure prints. `npm run properties -- packages/events` runs only those.

import { bootstrap } from '../deploy/local/bootstrap.mjs';
import { conclude, jest } from './parts.mjs';

process.env.PROPERTY_RUNS ??= '1000000';
/** For properties that await: the limit of a usual test is shorter than a million cases. */
const TEST_TIMEOUT_MS = 24 * 3_600_000;
const folders = process.argv.slice(2);
await bootstrap({ hasKafka: false });
conclude(
  await jest('unit', [
    '--verbose',
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    ...(folders.length > 0 ? folders : ['']).map((folder) => `${folder}.*\\.property\\.test\\.ts$`),
  ]),
);

import { beforeAll, expect, test } from '@jest/globals';
import { rowsOfRun } from '../nightly/rows-of-run.ts';
import { shareTidings } from '../stack/share-tidings.ts';
import { findGenerator } from '@tidings/tools/generators/generators';
import { canRun, runGenerator } from '@tidings/tools/generators/run-generator';

let tidings: Awaited<ReturnType<typeof shareTidings>>;

beforeAll(async () => {
  tidings = await shareTidings('Generators');
}, 300_000);

const PYTHON = 'openapi-python-client';
const TITLE = 'makes a client that compiles, and that calls POST / and POST /push';
const TIMEOUT_MS = 600_000;

async function expectCalls(name: string): Promise<void> {
  const { submitted, pushed, refused } = await runGenerator(findGenerator(name), tidings.local);

  expect(submitted).toMatchObject({ status: 'accepted', accepted: 1, warnings: [] });
  expect(pushed).toMatchObject({
    status: 'queued',
    channel: 'SMS',
    recipients: { requested: 1, unique: 1 },
  });
  expect(refused).toBe('validation_failed');
}

for (const name of rowsOfRun({ always: ['openapi-typescript'], nightly: ['orval', PYTHON] })) {
  // Skipped without Python, which the test counts show. Go runs only in `npm run generators`.
  const whereItRuns = canRun(findGenerator(name)) ? test : test.skip;
  whereItRuns(`${name} ${TITLE}`, () => expectCalls(name), TIMEOUT_MS);
}

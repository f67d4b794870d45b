// `npm run tasks`: starts its own installation, loads users, events and campaigns through the public API, performs
// tasks of a marketer in a browser, and counts their clicks.
// `npm run tasks -- --users 500 --events 5000 --campaigns 20 9 11`: less data, and only tasks whose number is named.

import { join } from 'node:path';
import { createSetupLink, ROOT_DIR, type ApiAccess } from '@tidings/local';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { launchChromium } from '../support/chromium.ts';
import { acceptOneTimeLink, OWNER } from '../support/dashboard-visit.ts';
import { loadData } from './data/load-data.ts';
import { describeResults } from './describe-results.ts';
import { readOptions, USAGE } from './options.ts';
import { hasFailed, runTask, type TaskResult } from './run-task.ts';
import type { Scene } from './task.ts';
import { TASKS } from './tasks/tasks.ts';

const PICTURES_DIR = join(ROOT_DIR, '.tidings', 'tasks');

const options = readOptions(process.argv.slice(2));
if (options === null) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
const { sizes, wanted } = options;
const tasks = TASKS.filter(
  ({ name }) => wanted.length === 0 || wanted.includes(name.split(' ')[0] ?? ''),
);

const note = (text: string): void => void process.stderr.write(`${text}\n`);
const tidings = await startTidings({ name: 'tasks', form: 'one-process' });
const browser = await launchChromium();
try {
  const { local } = tidings;
  const application = { 'X-Application-Id': local.applicationId };
  const asServer: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: { ...application, 'X-API-Key': local.serverKey },
  };
  const asAdmin: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: { ...application, Authorization: `Bearer ${local.adminToken}` },
  };
  const sandbox: ApiAccess = { baseUrl: local.sandboxUrl, headers: {} };
  const signedIn = await acceptOneTimeLink(browser, (await createSetupLink(local)) ?? '', OWNER);
  const data = await loadData({ asServer, asAdmin }, { sizes, note });
  const scene: Scene = { local, data, asServer, asAdmin, sandbox };
  const results: TaskResult[] = [];
  for (const task of tasks) {
    note(task.name);
    results.push(await runTask(task, { browser, signedIn, scene, picturesDir: PICTURES_DIR }));
  }
  process.stdout.write(`${describeResults(results)}\n`);
  if (results.some(hasFailed)) process.exitCode = 1;
} finally {
  await browser.close();
  await tidings.stop();
}

// `npm run bench -- pages`: how soon each page of the dashboard is interactive, with many users, events and campaigns, in
// turn with an installation that has one of each. `--quick`, or `--users 5000 --events 50000`, for less.

import { createSetupLink, type ApiAccess, type LocalFile } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import { readStoreSettings } from '@tidings/tools/bench/installation/store-settings';
import { readOptions } from '@tidings/tools/bench/options';
import { machineFacts } from '@tidings/tools/bench/report/machine';
import { reportParts } from '@tidings/tools/bench/report/report-parts';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { launchChromium } from '../support/chromium.ts';
import { acceptOneTimeLink, OWNER, visitDashboard } from '../support/dashboard-visit.ts';
import { prepareScreens } from '../screens/prepare.ts';
import { listScreens, type ScreenIds } from '../screens/screens.ts';
import { loadData } from '../tasks/data/load-data.ts';
import { measureVisits, type Visited } from './measure-visits.ts';
import { scriptsOfFirstPage, toFigures } from './figures.ts';

const FULL = { users: 50_000, events: 500_000, campaigns: 200, rounds: 5 };
/** Smoke test only; the figures mean nothing. */
const QUICK = { users: 500, events: 5_000, campaigns: 20, rounds: 2 };

/** Names of screens that are the same page as another, or that no one waits for. */
const LEFT_OUT = /-empty$|-none$|unknown|not-found|refused|held|first-steps/;

const options = readOptions(process.argv.slice(2));
if (options === undefined || options.positionals.length > 0) {
  process.stderr.write('npm run bench -- pages [--users 50000] [--events 500000] [--quick]\n');
  process.exit(2);
}
const { isQuick, users, events } = options;
const sizes = {
  ...(isQuick ? QUICK : FULL),
  ...(users !== undefined && { users }),
  ...(events !== undefined && { events }),
};
const note = (text: string): void => void process.stderr.write(`${text}\n`);
const machine = machineFacts();
const browser = await launchChromium();
const full = await startTidings({ name: 'pages', form: 'one-process', isDurable: true });
const few = await startTidings({ name: 'pages-few', form: 'one-process', isDurable: true });
try {
  const ids = await prepareScreens(few.local);
  const manyIds = await prepareMany(full.local);
  await using many = await open(full.local, manyIds);
  await using one = await open(few.local, ids);
  const pages = Object.keys(listScreens(ids)).filter((name) => !LEFT_OUT.test(name));
  const times = await measureVisits([many, one], { pages, rounds: sizes.rounds, note });
  const { users: people, events: had, campaigns } = sizes;
  reportParts({
    name: 'pages',
    machine,
    stores: await readStores(full.local),
    settings: {
      Browser: `Chromium ${browser.version()}, 1,440 × 900, with the scripts in its cache`,
      Rounds: `${sizes.rounds}, in turn`,
      'Load at the end': String(machineFacts().loadAtStart.toFixed(1)),
    },
    isQuick,
    reports: {
      pages: {
        title: `Pages until they are interactive: ${people} users, ${had} events, ${campaigns} campaigns`,
        figures: [...toFigures(times), scriptsOfFirstPage()],
        data: { sizes, times },
      },
    },
  });
} finally {
  await browser.close();
  await Promise.all([full.stop(), few.stop()]);
}

async function open(local: LocalFile, ids: ScreenIds): Promise<Visited> {
  const signedIn = await acceptOneTimeLink(browser, (await createSetupLink(local)) ?? '', OWNER);
  const visit = await visitDashboard(browser, local.dashboardUrl, {
    signedIn,
    viewport: { width: 1_440, height: 900 },
  });
  return { visit, paths: listScreens(ids), [Symbol.asyncDispose]: () => visit.context.close() };
}

/** Everything that a screen shows, and the data; its report and its user are of the data. */
async function prepareMany(local: LocalFile): Promise<ScreenIds> {
  const application = { 'X-Application-Id': local.applicationId };
  const access = (headers: Readonly<Record<string, string>>): ApiAccess => ({
    baseUrl: local.baseUrl,
    headers: { ...application, ...headers },
  });
  const data = await loadData(
    {
      asServer: access({ 'X-API-Key': local.serverKey }),
      asAdmin: access({ Authorization: `Bearer ${local.adminToken}` }),
    },
    { sizes, note },
  );
  const ids = await prepareScreens(local);
  return {
    ...ids,
    campaignId: data.largestCampaignId ?? ids.campaignId,
    customUserId: data.people[0]?.customUserId ?? ids.customUserId,
  };
}

async function readStores({ databaseUrl, kafkaBrokers }: LocalFile) {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'bench' });
  try {
    return await readStoreSettings(db, kafkaBrokers);
  } finally {
    await db.close();
  }
}

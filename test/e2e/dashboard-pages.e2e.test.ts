import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  SIGNED_OUT_SCREENS,
  SCREEN_NAMES,
  listScreens,
  type ScreenIds,
} from '../browser/screens/screens.ts';
import { prepareScreens } from '../browser/screens/prepare.ts';
import { OWNER, signIn, visitDashboard } from '../browser/support/dashboard-visit.ts';
import { developerJourneys } from './dashboard/developer-journeys.ts';
import { inspectScreens } from './dashboard/inspect-screens.ts';
import { LONG_TIMEOUT, startInstallation, type Installation } from './dashboard/installation.ts';
import { marketerJourneys } from './dashboard/marketer-journeys.ts';

type Inspected = ReturnType<typeof inspectScreens>;
let installation: Installation & { readonly shown: ScreenIds };
let inside: Inspected;
let outside: Inspected;

beforeAll(async () => {
  const started = await startInstallation();
  installation = { ...started, shown: await prepareScreens(started.local) };
  const { browser, local, owner, shown } = installation;
  // Beside the walks; the tests of the screens await it.
  inside = inspectScreens(browser, local.dashboardUrl, {
    signedIn: owner,
    screens: listScreens(shown),
  });
  outside = inspectScreens(browser, local.dashboardUrl, {
    signedIn: null,
    screens: SIGNED_OUT_SCREENS,
  });
}, 600_000);
afterAll(async () => {
  await Promise.allSettled([inside, outside]);
  await installation?.stop();
}, 120_000);

describe('the first administrator', () => {
  test('signs in with e-mail address and password, where he wanted to be', async () => {
    const { browser, local } = installation;
    await using visit = await visitDashboard(browser, local.dashboardUrl);
    await visit.open('/users');
    await signIn(visit, OWNER);

    await visit.page.getByRole('heading', { name: 'Users', exact: true }).waitFor(LONG_TIMEOUT);

    expect(visit.faults).toEqual([]);
  }, 60_000);

  test('came by a link that works once', async () => {
    const { browser, local, firstLink } = installation;
    await using visit = await visitDashboard(browser, local.dashboardUrl);
    await visit.page.goto(firstLink);
    await visit.page.getByLabel('E-mail').fill('eve@shop.example');
    await visit.page.getByLabel('Name').fill('Eve');
    await visit.page.getByLabel('Password').fill('a dozen letters of another');
    await visit.page.getByRole('button', { name: 'Go on' }).click();

    await visit.page
      .getByText('This link is not valid any more: ask for a new one.')
      .waitFor(LONG_TIMEOUT);
  }, 60_000);
});

describe('a developer', () => {
  developerJourneys(() => installation);
});

describe('a marketer', () => {
  marketerJourneys(() => installation);
});

test('when the connection is lost the page says so, and catches up', async () => {
  await using visit = await installation.visit();
  await visit.open('/campaigns');
  await visit.page.getByRole('table').waitFor(LONG_TIMEOUT);
  await visit.context.setOffline(true);

  await visit.page.getByText(/^Connection lost since/).waitFor(LONG_TIMEOUT);
  await visit.context.setOffline(false);

  await visit.page
    .getByText(/^Connection lost since/)
    .waitFor({ state: 'detached', ...LONG_TIMEOUT });
}, 90_000);

describe('can be used by everybody, in light and dark, wide and narrow, and breaks no policy', () => {
  test.each(SCREEN_NAMES)(
    '%s',
    async (name) => {
      expect((await inside).get(name)).toEqual([]);
    },
    300_000,
  );

  test.each(Object.keys(SIGNED_OUT_SCREENS))(
    '%s, before the sign-in',
    async (name) => {
      expect((await outside).get(name)).toEqual([]);
    },
    300_000,
  );
});

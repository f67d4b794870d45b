/**
 * @needs curl
 * @slow
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  SIGNED_OUT_SCREENS,
  SCREEN_NAMES,
  listScreens,
  type ScreenIds,
} from '../browser/screens/screens.ts';
import { prepareScreens } from '../browser/screens/prepare.ts';
import { OWNER, signIn, visitDashboard } from '../browser/support/dashboard-visit.ts';
import { apiReferenceTests } from './dashboard/api-reference.ts';
import { developerJourneys } from './dashboard/developer-journeys.ts';
import { funnelJourneys } from './dashboard/funnel-journeys.ts';
import { inspectScreens } from './dashboard/inspect-screens.ts';
import { LONG_TIMEOUT, openInstallation, type Installation } from './dashboard/installation.ts';
import { marketerJourneys } from './dashboard/marketer-journeys.ts';

type Inspected = ReturnType<typeof inspectScreens>;
let installation: Installation & { readonly shown: ScreenIds };
let inside: Inspected;
let signedOut: Inspected;

beforeAll(async () => {
  const started = await openInstallation();
  installation = { ...started, shown: await prepareScreens(started.local) };
  const { browser, local, owner, shown } = installation;
  // Runs in parallel to the journeys; the screen tests await it.
  inside = inspectScreens(browser, local.dashboardUrl, {
    signedIn: owner,
    screens: listScreens(shown),
  });
  signedOut = inspectScreens(browser, local.dashboardUrl, {
    signedIn: null,
    screens: SIGNED_OUT_SCREENS,
  });
}, 600_000);
afterAll(async () => {
  await Promise.allSettled([inside, signedOut]);
  await installation?.close();
}, 120_000);

describe('the first administrator', () => {
  test('signs in with e-mail address and password on the requested page', async () => {
    const { browser, local } = installation;
    await using visit = await visitDashboard(browser, local.dashboardUrl);
    await visit.open('/users');
    await signIn(visit, OWNER);

    await visit.page.getByRole('heading', { name: 'Users', exact: true }).waitFor(LONG_TIMEOUT);

    expect(visit.faults).toEqual([]);
  }, 60_000);

  test('used a setup link that works only once', async () => {
    const { browser, local, firstLink } = installation;
    await using visit = await visitDashboard(browser, local.dashboardUrl);
    await visit.page.goto(firstLink);
    await visit.page.getByLabel('E-mail').fill('eve@shop.example');
    await visit.page.getByLabel('Name').fill('Eve');
    await visit.page.getByLabel('Password').fill('a dozen letters of another');
    await visit.page.getByRole('button', { name: 'Continue' }).click();

    await visit.page
      .getByText('This link is no longer valid. Ask for a new one.')
      .waitFor(LONG_TIMEOUT);
  }, 60_000);
});

describe('the API reference', () => {
  apiReferenceTests(() => installation);
});

describe('a developer', () => {
  developerJourneys(() => installation);
});

describe('a marketer', () => {
  marketerJourneys(() => installation);
  funnelJourneys(() => installation);
});

test('a lost connection is shown, and the page recovers', async () => {
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

describe('screens are accessible in light and dark, wide and narrow, without policy violations', () => {
  test.each(SCREEN_NAMES)(
    '%s',
    async (name) => {
      expect((await inside).get(name)).toEqual([]);
    },
    300_000,
  );

  test.each(Object.keys(SIGNED_OUT_SCREENS))(
    '%s, signed out',
    async (name) => {
      expect((await signedOut).get(name)).toEqual([]);
    },
    300_000,
  );
});

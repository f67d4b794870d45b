import { callApi, createSetupLink, type ApiAccess } from '@tidings/local';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../browser/support/chromium.ts';
import {
  acceptOneTimeLink,
  OWNER,
  visitDashboard,
  type DashboardVisit,
  type SignedIn,
} from '../../browser/support/dashboard-visit.ts';
import { startTidings } from '../../stack/start-tidings.ts';

/** An installation with its owner, a browser, and an application beside the demonstration that walks may change as they like. */
export interface Installation {
  readonly local: Awaited<ReturnType<typeof startTidings>>['local'];
  readonly browser: Browser;
  /** The one-time link that the owner came by. */
  readonly firstLink: string;
  readonly owner: SignedIn;
  readonly walksId: string;
  /** With the administrator token, for the application of the walks. */
  readonly asAdmin: ApiAccess;
  /** A window of the owner; with `inWalks` it shows the application of the walks. */
  visit(): Promise<DashboardVisit>;
  /** The address of a page that shows the application of the walks. */
  inWalks(path: string): string;
  stop(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const tidings = await startTidings({
    name: 'dashboard',
    services: ['gateway', 'users-consumer', 'events-consumer', 'campaigns', 'worker-email'],
  });
  const browser = await launchChromium();
  const { local } = tidings;
  const headers = { Authorization: `Bearer ${local.adminToken}` };
  const { applicationId: walksId } = await callApi<{ readonly applicationId: string }>(
    { baseUrl: local.baseUrl, headers },
    { method: 'POST', path: '/api/v1/applications', body: { name: 'Walks' } },
  );
  const firstLink = (await createSetupLink(local)) ?? '';
  const owner = await acceptOneTimeLink(browser, firstLink, OWNER);
  return {
    local,
    browser,
    firstLink,
    owner,
    walksId,
    asAdmin: { baseUrl: local.baseUrl, headers: { ...headers, 'X-Application-Id': walksId } },
    visit: () => visitDashboard(browser, local.dashboardUrl, { signedIn: owner }),
    inWalks: (path) => `${path}${path.includes('?') ? '&' : '?'}application=${walksId}`,
    async stop() {
      await browser.close();
      await tidings.stop();
    },
  };
}

/** What somebody waits for on a page. */
export const LONG_TIMEOUT = { timeout: 30_000 };

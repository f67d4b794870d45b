import { callApi, createSetupLink, type ApiAccess, type LocalFile } from '@tidings/local';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../browser/support/chromium.ts';
import {
  acceptOneTimeLink,
  OWNER,
  visitDashboard,
  type DashboardVisit,
  type SignedIn,
} from '../../browser/support/dashboard-visit.ts';
import { findSharedTidings } from '../../stack/share-tidings.ts';

/** An installation with an owner and a browser. The journeys change only their own application, not the demonstration. */
export interface Installation {
  readonly local: LocalFile;
  readonly browser: Browser;
  /** The setup link of the owner. */
  readonly firstLink: string;
  readonly owner: SignedIn;
  readonly journeysId: string;
  /** API access with the administrator token, for the journeys' application. */
  readonly asAdmin: ApiAccess;
  /** Opens a browser context of the owner. Use `inJourneys` to show the application of the journeys. */
  visit(): Promise<DashboardVisit>;
  /** The path of a page that shows the journeys' application. */
  inJourneys(path: string): string;
  close(): Promise<void>;
}

export async function openInstallation(): Promise<Installation> {
  // The one file that uses the demonstration application and the setup link.
  const { local } = await findSharedTidings();
  const browser = await launchChromium();
  const headers = { Authorization: `Bearer ${local.adminToken}` };
  const { applicationId: journeysId } = await callApi<{ readonly applicationId: string }>(
    { baseUrl: local.baseUrl, headers },
    { method: 'POST', path: '/api/v1/applications', body: { name: 'Journeys' } },
  );
  const firstLink = (await createSetupLink(local)) ?? '';
  const owner = await acceptOneTimeLink(browser, firstLink, OWNER);
  return {
    local,
    browser,
    firstLink,
    owner,
    journeysId,
    asAdmin: { baseUrl: local.baseUrl, headers: { ...headers, 'X-Application-Id': journeysId } },
    visit: () => visitDashboard(browser, local.dashboardUrl, { signedIn: owner }),
    inJourneys: (path) => `${path}${path.includes('?') ? '&' : '?'}application=${journeysId}`,
    close: () => browser.close(),
  };
}

/** The timeout for page elements. */
export const LONG_TIMEOUT = { timeout: 30_000 };

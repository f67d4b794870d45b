import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
// The type of `window.tidings`.
import type {} from '@tidings/client-api/browser-sdk/tidings.d.ts';
import { eventually } from '@tidings/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
import { APPLICATION_ID } from './support/fake-service.ts';
import { openTwoSites, type TwoSites } from './support/two-sites.ts';

jest.setTimeout(60_000);
let browser: Browser;
let sites: TwoSites;
beforeAll(async () => {
  browser = await launchChromium();
  sites = await openTwoSites();
});
afterAll(async () => {
  await browser?.close();
  await sites?.[Symbol.asyncDispose]();
});
afterEach(() => sites.service.acceptTokens(true));

const LONG_TIMEOUT = { timeoutMs: 10_000 };
const HOUR_MS = 3_600_000;
/** The fake service checks no signature. */
const TOKEN = ['{"alg":"HS256"}', '{"sub":"ada"}', 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');
const STORED = `tidings:${APPLICATION_ID}:identity`;

type Stored = {
  readonly deviceId: string;
  readonly registeredHoursAgo: number;
  readonly more?: object;
};

/** Stores the SDK's data of an earlier visit that identified the visitor an hour ago; once, before the page loads. */
const keepIdentity = (context: BrowserContext, { deviceId, registeredHoursAgo, more }: Stored) =>
  context.addInitScript(
    ({ name, identity, hourMs, hours }) => {
      if (localStorage.getItem(name) !== null) return;
      const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
      const times = {
        registeredAt: Date.now() - hours * hourMs,
        identifiedAt: Date.now() - hourMs,
      };
      localStorage.setItem(
        name,
        JSON.stringify({
          ...identity,
          ...times,
          registered: JSON.stringify({ kind: 'none', timeZone, locale }),
        }),
      );
    },
    {
      name: STORED,
      hourMs: HOUR_MS,
      hours: registeredHoursAgo,
      identity: { deviceId, serviceUserId: crypto.randomUUID(), customUserId: 'ada', ...more },
    },
  );
/** A page that calls identify on each load, before the SDK has loaded. */
const identifyAtLoad = (context: BrowserContext) =>
  context.addInitScript(
    (token) => Object.assign(globalThis, { tidings: { queue: [['identify', [token]]] } }),
    TOKEN,
  );
const storedIn = (page: Page) =>
  page.evaluate(
    (name) => JSON.parse(localStorage.getItem(name) ?? '{}') as { readonly identifiedAt?: number },
    STORED,
  );
const tokenAtService = (deviceId: string) => sites.service.devices.get(deviceId)?.['userToken'];

test('data stored by an older version an hour ago is ignored: the browser registers and identifies immediately', async () => {
  const deviceId = 'device-of-an-older-version';
  const prepare = async (context: BrowserContext) => {
    await keepIdentity(context, { deviceId, registeredHoursAgo: 1 });
    await identifyAtLoad(context);
  };
  const before = sites.service.identifications();
  await using visit = await sites.visit(browser, { prepare });

  await eventually(() => expect(tokenAtService(deviceId)).toBe(TOKEN), LONG_TIMEOUT);
  await eventually(
    async () =>
      expect((await storedIn(visit.page)).identifiedAt).toBeGreaterThan(Date.now() - HOUR_MS / 2),
    LONG_TIMEOUT,
  );
  await visit.page.reload();
  await visit.page.evaluate((token) => window.tidings.identify(token), TOKEN);

  // Identification is remembered for a day.
  expect(sites.service.identifications() - before).toBe(1);
});

test('if registration returns isProved: false, the SDK identifies again with the token of the page', async () => {
  const deviceId = 'device-without-a-proof';
  const prepare = async (context: BrowserContext) => {
    await keepIdentity(context, { deviceId, registeredHoursAgo: 25, more: { version: 2 } });
    await identifyAtLoad(context);
  };

  await using _visit = await sites.visit(browser, { prepare });

  await eventually(() => expect(tokenAtService(deviceId)).toBe(TOKEN), LONG_TIMEOUT);
});

test('a service that accepts no token is called once, regardless of how often the page identifies its user', async () => {
  sites.service.acceptTokens(false);
  const before = sites.service.identifications();
  await using visit = await sites.visit(browser, { prepare: identifyAtLoad });
  // A reload before the response arrives would rightly ask again.
  await eventually(
    async () => expect((await storedIn(visit.page)).identifiedAt).toBeGreaterThan(0),
    LONG_TIMEOUT,
  );

  for (let load = 0; load < 3; load += 1) {
    await visit.page.reload();
    const results = await visit.page.evaluate(
      async (token) => [
        await window.tidings.identify(token),
        await window.tidings.push.unsubscribe(),
        await window.tidings.identify(token),
      ],
      TOKEN,
    );
    expect(results).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  }

  expect(sites.service.identifications() - before).toBe(1);
});

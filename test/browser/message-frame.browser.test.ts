import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from './support/chromium.ts';
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
// A message left unseen by one test would be shown in the next.
afterEach(() => sites.service.clearMessages());

const LONG_TIMEOUT = { timeoutMs: 10_000 };
const findFrame = (page: Page) => page.frameLocator('[data-tidings] iframe');
const findDocument = (page: Page) =>
  page.frames().find((frame) => frame.url().includes('/sdk/v1/frame.html'));
/** Shows a message. `X` in the body is replaced by the URL of the other site. */
async function show(page: Page, body: string): Promise<string> {
  const id = sites.service.queueMessage({ body: body.replaceAll('X', sites.elsewhere) });
  await page
    .locator(`[data-tidings="${id}"] .card:not(.loading)`)
    .waitFor({ timeout: LONG_TIMEOUT.timeoutMs });
  return id;
}

const TEXT = '<text id=there y=30 font-size=30>There</text>';

test.each([
  ['an SVG 1.1 link', `<svg><a xlink:href="X">${TEXT}</a></svg>`],
  ['an SVG 2 link', `<svg><a href="X">${TEXT}</a></svg>`],
  [
    'an SVG link with both attributes',
    `<svg><a href="X" xlink:href="about:blank">${TEXT}</a></svg>`,
  ],
  [
    'an image inside a link',
    '<a href="X"><svg><image id=there href="data:," width=90 height=90 /></svg></a>',
  ],
  ['a MathML link', '<math><mtext id=there href="X">There</mtext></math>'],
])('%s navigates the page, not the frame, and the click is counted', async (_name, body) => {
  await using visit = await sites.visit(browser);
  const id = await show(visit.page, body);

  await findFrame(visit.page).locator('#there').click({ force: true });

  await visit.page.waitForURL(sites.elsewhere, { timeout: LONG_TIMEOUT.timeoutMs });
  expect(visit.framed).toEqual([]);
  await eventually(
    () =>
      expect(new Set(sites.service.reportedEvents(id))).toEqual(new Set(['displayed', 'clicked'])),
    LONG_TIMEOUT,
  );
});

test.each([
  [
    'an animated link',
    `<svg><a><animate attributeName=href to="X" dur=1ms fill=freeze />${TEXT}</a></svg>`,
  ],
  [
    'an animated SVG 1.1 link',
    `<svg><a><animate attributeName=xlink:href values="X" dur=1ms fill=freeze />${TEXT}</a></svg>`,
  ],
  ['a link set by <set>', `<svg><a><set attributeName=href to="X" />${TEXT}</a></svg>`],
  [
    'an animation outside its link',
    `<svg><a id=link>${TEXT}</a><animate href="#link" attributeName=href to="X" dur=1ms fill=freeze /></svg>`,
  ],
  [
    'a copied link',
    '<svg><defs><a id=link href="X"><text y=30 font-size=30>There</text></a></defs><use id=there href="#link" /></svg>',
  ],
])('%s does not navigate', async (_name, body) => {
  await using visit = await sites.visit(browser);
  await show(visit.page, body);
  const inside = findDocument(visit.page);
  await inside?.evaluate(() =>
    addEventListener('click', ({ defaultPrevented }) =>
      Object.assign(globalThis, { isPrevented: defaultPrevented }),
    ),
  );

  await findFrame(visit.page).locator('#there').click({ force: true });

  expect(await inside?.evaluate(() => (globalThis as { isPrevented?: boolean }).isPrevented)).toBe(
    true,
  );
  expect([visit.framed, visit.page.url()]).toEqual([[], sites.url]);
});

test('a document that replaces the message’s document is ignored, and the message closes', async () => {
  await using visit = await sites.visit(browser);
  const id = await show(visit.page, 'Ours');
  await eventually(
    () => expect(sites.service.reportedEvents(id)).toEqual(['displayed']),
    LONG_TIMEOUT,
  );

  await findDocument(visit.page)?.evaluate((url) => location.assign(url), sites.elsewhere);

  await visit.page
    .locator('[data-tidings]')
    .waitFor({ state: 'detached', timeout: LONG_TIMEOUT.timeoutMs });
  expect([visit.framed, visit.page.url()]).toEqual([[sites.elsewhere], sites.url]);
  const next = await show(visit.page, 'The next');
  await eventually(
    () => expect(sites.service.reportedEvents(next)).toEqual(['displayed']),
    LONG_TIMEOUT,
  );
  expect(sites.service.reportedEvents(id)).toEqual(['displayed']);
});

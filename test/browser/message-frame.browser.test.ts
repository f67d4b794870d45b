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
// What the last test left unseen would be shown to the visitor of the next.
afterEach(() => sites.service.withdrawOffers());

const PATIENT = { timeoutMs: 10_000 };
const frameOf = (page: Page) => page.frameLocator('[data-tidings] iframe');
const documentOf = (page: Page) =>
  page.frames().find((frame) => frame.url().includes('/sdk/v1/frame.html'));
/** A body in which X is the other site. */
async function show(page: Page, body: string): Promise<string> {
  const id = sites.service.offer({ body: body.replaceAll('X', sites.elsewhere) });
  await page
    .locator(`[data-tidings="${id}"] .card:not(.loading)`)
    .waitFor({ timeout: PATIENT.timeoutMs });
  return id;
}

const TEXT = '<text id=there y=30 font-size=30>There</text>';

test.each([
  ['a link of SVG 1.1', `<svg><a xlink:href="X">${TEXT}</a></svg>`],
  ['a link of SVG 2', `<svg><a href="X">${TEXT}</a></svg>`],
  [
    'a link of SVG with both addresses',
    `<svg><a href="X" xlink:href="about:blank">${TEXT}</a></svg>`,
  ],
  [
    'a picture in a link',
    '<a href="X"><svg><image id=there href="data:," width=90 height=90 /></svg></a>',
  ],
  ['a link of MathML', '<math><mtext id=there href="X">There</mtext></math>'],
])(
  '%s leads the page where it says, not the frame, and the click is counted',
  async (_name, body) => {
    await using visit = await sites.visit(browser);
    const id = await show(visit.page, body);

    await frameOf(visit.page).locator('#there').click({ force: true });

    await visit.page.waitForURL(sites.elsewhere, { timeout: PATIENT.timeoutMs });
    expect(visit.framed).toEqual([]);
    await eventually(
      () => expect(new Set(sites.service.eventsOf(id))).toEqual(new Set(['displayed', 'clicked'])),
      PATIENT,
    );
  },
);

test.each([
  [
    'an animated link',
    `<svg><a><animate attributeName=href to="X" dur=1ms fill=freeze />${TEXT}</a></svg>`,
  ],
  [
    'an animated link of SVG 1.1',
    `<svg><a><animate attributeName=xlink:href values="X" dur=1ms fill=freeze />${TEXT}</a></svg>`,
  ],
  ['a link that is set later', `<svg><a><set attributeName=href to="X" />${TEXT}</a></svg>`],
  [
    'an animation beside its link',
    `<svg><a id=link>${TEXT}</a><animate href="#link" attributeName=href to="X" dur=1ms fill=freeze /></svg>`,
  ],
  [
    'a copy of a link',
    '<svg><defs><a id=link href="X"><text y=30 font-size=30>There</text></a></defs><use id=there href="#link" /></svg>',
  ],
])('%s leads nowhere', async (_name, body) => {
  await using visit = await sites.visit(browser);
  await show(visit.page, body);
  const inside = documentOf(visit.page);
  await inside?.evaluate(() =>
    addEventListener('click', ({ defaultPrevented }) =>
      Object.assign(globalThis, { isPrevented: defaultPrevented }),
    ),
  );

  await frameOf(visit.page).locator('#there').click({ force: true });

  expect(await inside?.evaluate(() => (globalThis as { isPrevented?: boolean }).isPrevented)).toBe(
    true,
  );
  expect([visit.framed, visit.page.url()]).toEqual([[], sites.url]);
});

test('a document that replaces that of the message is not heard, and the message closes', async () => {
  await using visit = await sites.visit(browser);
  const id = await show(visit.page, 'Ours');
  await eventually(() => expect(sites.service.eventsOf(id)).toEqual(['displayed']), PATIENT);

  await documentOf(visit.page)?.evaluate((url) => location.assign(url), sites.elsewhere);

  await visit.page
    .locator('[data-tidings]')
    .waitFor({ state: 'detached', timeout: PATIENT.timeoutMs });
  expect([visit.framed, visit.page.url()]).toEqual([[sites.elsewhere], sites.url]);
  const next = await show(visit.page, 'The next');
  await eventually(() => expect(sites.service.eventsOf(next)).toEqual(['displayed']), PATIENT);
  expect(sites.service.eventsOf(id)).toEqual(['displayed']);
});

import { expect, test } from '@jest/globals';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const HOUR_MS = 3_600_000;
const overview = LONG_ANSWERS['GET overview'] as { readonly json: object };

/** 24 hours in UTC up to this one, or up to noon. The number of each is its index. */
const answersUpTo = (last: number) => ({
  ...LONG_ANSWERS,
  'GET overview': {
    json: {
      ...overview.json,
      events: {
        timeZone: 'UTC',
        countedFrom: null,
        perHour: Array.from({ length: 24 }, (_, index) => ({
          at: last - (23 - index) * HOUR_MS,
          events: index,
        })),
      },
    },
  },
});
const NOON = Date.parse('2026-06-02T12:00Z');
const open = (
  last: number,
  locale: string,
  { width = 1_440, ...options }: { readonly width?: number; readonly isOwn?: boolean } = {},
) =>
  pages.visit(
    { role: 'owner', answers: answersUpTo(last) },
    { locale, viewport: { width, height: 900 }, ...options },
  );

test('pointer and arrow keys show the numbers of an hour', async () => {
  await using visit = await open(NOON, 'en-GB');
  const { page } = visit;
  await visit.open('/');
  const chart = page.getByRole('slider', { name: 'Events: arrow keys go through the times' });
  const tip = page.locator('.chart-tip');
  await page.locator('.chart canvas').waitFor();
  expect(await tip.count()).toBe(0);

  await chart.focus();
  await page.keyboard.press('ArrowLeft');
  expect(await tip.innerText()).toMatch(/^Tue,? 2 Jun, 12:00 – 13:00\s+Events\s+23$/);
  await page.keyboard.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(
    /^Tue,? 2 Jun, 11:00 – 12:00: Events 22$/,
  );
  await page.keyboard.press('Home');
  expect(await tip.innerText()).toMatch(/13:00 – 14:00\s+Events\s+0$/);
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  expect(await tip.count()).toBe(0);

  await page.locator('.chart .u-over').hover();
  await tip.waitFor();
  await page.getByRole('heading', { name: 'Events' }).hover();
  await tip.waitFor({ state: 'detached' });
});

test('the hour that still runs is said to do so', async () => {
  const now = Date.now();
  await using visit = await open(now - (now % HOUR_MS), 'en-GB');
  const { page } = visit;
  await visit.open('/');
  await page.locator('.chart canvas').waitFor();

  await page.getByRole('slider').focus();
  await page.keyboard.press('End');
  expect(await page.locator('.chart-tip').innerText()).toMatch(/, so far\s+Events\s+23$/);
  await page.keyboard.press('ArrowLeft');
  expect(await page.locator('.chart-tip').innerText()).not.toContain('so far');
});

type Label = { readonly from: number; readonly to: number; readonly width: number };

/** Records what a canvas is written. */
const RECORD_LABELS = `
  window.labels = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    if (this.textAlign === 'center') {
      const at = this.getTransform().transformPoint({ x, y });
      const half = this.measureText(text).width / 2;
      window.labels.push({ from: at.x - half, to: at.x + half, width: this.canvas.width });
    }
    return write.call(this, text, x, y);
  };`;

test.each(
  ['en-US', 'de-DE', 'fa-IR'].flatMap((locale) =>
    [1_440, 1_024, 360].map((width) => [locale, width] as const),
  ),
)('labels of the axis stand apart and inside, in %s at %i px', async (locale, width) => {
  await using visit = await open(NOON, locale, { width, isOwn: true });
  const { page } = visit;
  await page.addInitScript(RECORD_LABELS);
  await visit.open('/');
  await page.locator('.chart canvas').waitFor();

  const labels = await page.evaluate(
    () => (window as unknown as { readonly labels: readonly Label[] }).labels,
  );
  // It may be drawn more than once: the last drawing begins at its leftmost label.
  const first = labels.findLastIndex(
    ({ from }, index) => index === 0 || from < (labels[index - 1]?.from ?? 0),
  );
  const drawn = labels.slice(first);
  expect(drawn.length).toBeGreaterThan(1);
  for (const [index, { from, to, width: canvasWidth }] of drawn.entries()) {
    expect(from).toBeGreaterThan(drawn[index - 1]?.to ?? 0);
    expect(to).toBeLessThanOrEqual(canvasWidth);
  }
});

import { describe, expect, test } from '@jest/globals';
import { buildReport } from '@tidings/api/src/routes/campaigns/report.ts';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { buildCampaign } from './support/campaigns.ts';
import { shownDateTime } from './support/dates.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import type { Answer, Answers } from './support/answer-calls.ts';
import { APPLICATION_ID } from './support/pages.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const campaign = {
  ...buildCampaign({ status: 'scheduled', counts: {} }),
  schedule: {
    sendAt: Date.UTC(2026, 11, 24, 9),
    sendAtLocal: '2026-12-24T09:00',
    localTimePassed: 0,
  },
};
const { campaignId } = campaign;
const answers: Answers = {
  ...LONG_ANSWERS,
  [`GET campaigns/${campaignId}/report`]: { json: buildReport(campaign, []) },
  [`PATCH campaigns/${campaignId}`]: { json: campaign },
};

/** Opens the dialog that changes when a campaign is sent, and collects what the Content-Security-Policy refuses. */
async function openDialog(options: BrowserContextOptions = {}) {
  const visit = await pages.visit(
    { role: 'owner', answers },
    { reducedMotion: 'reduce', ...options },
  );
  const { page } = visit;
  const refused: string[] = [];
  page.on('console', (message) => {
    if (/Content[- ]Security[- ]Policy/i.test(message.text())) refused.push(message.text());
  });
  await visit.open(`/campaigns/${campaignId}`);
  await page.getByRole('button', { name: 'Change time' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change when it is sent' });
  await part(page, 'day').waitFor();
  return Object.assign(visit, { dialog, refused });
}

const part = (page: Page, type: string) =>
  page.getByRole('group', { name: 'Time', exact: true }).locator(`[data-type=${type}]`);
const calendar = (page: Page) => page.getByRole('dialog', { name: 'Calendar Time' });
const focusedDay = (page: Page, day: string) =>
  calendar(page).locator(':focus').getByText(day, { exact: true });

describe('a date with a time', () => {
  test('is typed part by part, and arrows change the part that has the focus', async () => {
    await using visit = await openDialog();
    const { page, dialog } = visit;
    await part(page, 'day').focus();
    await page.keyboard.press('ArrowUp');
    // A part that is full leads to the next one.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('012027');
    await page.keyboard.type('1830');
    expect(await shownDateTime(dialog, 'Time')).toBe('2027-01-25T18:30');

    await dialog.getByRole('button', { name: 'Change time' }).click();
    await dialog.waitFor({ state: 'detached' });

    expect(visit.calls.find(({ name }) => name.startsWith('PATCH'))?.body).toEqual({
      sendAtLocal: '2027-01-25T18:30',
    });
    expect(visit.refused).toEqual([]);
  });

  test('without one of its parts it is no time, and is not sent as the one before', async () => {
    await using visit = await openDialog();
    const { page, dialog } = visit;
    const change = dialog.getByRole('button', { name: 'Change time' });
    await part(page, 'month').press('Backspace');
    await part(page, 'month').press('Backspace');
    expect(await shownDateTime(dialog, 'Time')).toBe('2026----24T09:00');
    expect(await change.isDisabled()).toBe(true);

    await part(page, 'month').pressSequentially('12');

    expect(await shownDateTime(dialog, 'Time')).toBe('2026-12-24T09:00');
    expect(await change.isEnabled()).toBe(true);
  });

  test('a calendar chooses the day by keys, keeps the time and gives the focus back', async () => {
    await using visit = await openDialog();
    const { page, dialog } = visit;
    const open = dialog.getByRole('button', { name: 'Calendar Time' });
    await open.press('Enter');
    await focusedDay(page, '24').waitFor();
    await page.keyboard.press('ArrowDown');
    await focusedDay(page, '31').waitFor();
    expect(await shownDateTime(dialog, 'Time')).toBe('2026-12-24T09:00');
    await page.keyboard.press('Enter');

    await calendar(page).waitFor({ state: 'hidden' });
    expect(await shownDateTime(dialog, 'Time')).toBe('2026-12-31T09:00');
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Calendar');

    await open.press('Enter');
    await focusedDay(page, '31').waitFor();
    await page.keyboard.press('ArrowUp');
    await focusedDay(page, '24').waitFor();
    await page.keyboard.press('Escape');
    await calendar(page).waitFor({ state: 'hidden' });
    expect(await shownDateTime(dialog, 'Time')).toBe('2026-12-31T09:00');
    expect(await dialog.isVisible()).toBe(true);
    expect(visit.refused).toEqual([]);
  });

  test('usual times are one press', async () => {
    await using visit = await openDialog();
    const { page, dialog } = visit;
    await dialog.getByRole('button', { name: 'Tomorrow 9:00' }).click();

    const tomorrow = await page.evaluate<string>(
      `new Date(Date.now() + 86_400_000).toLocaleDateString('en-CA')`,
    );
    expect(await shownDateTime(dialog, 'Time')).toBe(`${tomorrow}T09:00`);
    // An hour from now is none of each recipient.
    expect(await dialog.getByRole('button', { name: 'In an hour' }).count()).toBe(0);
  });

  test('has the order and the clock of the viewer', async () => {
    await using visit = await openDialog({ locale: 'en-US' });

    const shown = await visit.dialog.getByRole('group', { name: 'Time', exact: true }).innerText();
    expect(shown.replaceAll(/[^\w/:,]/g, '')).toBe('12/24/2026,9:00AM');
  });

  test('from right to left its parts keep their order, and arrows follow it', async () => {
    await using visit = await openDialog();
    const { page } = visit;
    await page.evaluate(`document.documentElement.dir = 'rtl'`);
    const [day, month] = [
      await part(page, 'day').boundingBox(),
      await part(page, 'month').boundingBox(),
    ];
    expect(day?.x).toBeLessThan(month?.x ?? 0);
    await part(page, 'day').press('ArrowRight');

    expect(await page.locator(':focus').getAttribute('data-type')).toBe('month');
  });
});

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  test('its parts and its calendar have no accessibility faults, also at 360 px', async () => {
    await using visit = await openDialog({ colorScheme, viewport: { width: 360, height: 740 } });
    const { page, dialog } = visit;
    await part(page, 'day').focus();
    await injectAxe(page);
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Calendar Time' }).click();
    await calendar(page).waitFor();

    expect(await seriousFindings(page)).toEqual([]);
    const box = await calendar(page).boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
  });
});

test('a time of day is typed, and is empty without one of its parts', async () => {
  const saves: unknown[] = [];
  await using visit = await pages.visit({
    role: 'owner',
    answers: {
      ...answers,
      'PATCH applications/*': ({ body }) => {
        saves.push(body);
        return LONG_ANSWERS[`GET applications/${APPLICATION_ID}`] as Answer;
      },
    },
  });
  const { page } = visit;
  await visit.open('/channels/SMS?tab=limits');
  const quiet = (name: 'from' | 'until', type: string) =>
    page
      .getByRole('group', { name: `Quiet hours ${name}`, exact: true })
      .locator(`[data-type=${type}]`);
  const save = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).first().waitFor();
  };
  await quiet('from', 'hour').pressSequentially('22');
  await quiet('from', 'minute').pressSequentially('00');
  await quiet('until', 'hour').pressSequentially('07');
  await save();
  await quiet('until', 'minute').pressSequentially('30');
  await save();

  expect(saves).toMatchObject([
    { settings: { quietHours: { SMS: { from: '22:00', to: '' } } } },
    { settings: { quietHours: { SMS: { from: '22:00', to: '07:30' } } } },
  ]);
});

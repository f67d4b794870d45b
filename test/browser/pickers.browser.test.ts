import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { channels } from './support/composing.ts';
import { LONG_ANSWERS } from './support/long-answers/long-answers.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose, chosen, offered, picker } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const SEGMENT_NAME = 'מבצע סוף השנה';
const answers: Answers = {
  ...LONG_ANSWERS,
  'GET channels': channels('ready'),
  'GET segments': {
    json: {
      items: ['Berlin', SEGMENT_NAME].map((name, index) => ({ slug: `s${index}`, name })),
      nextCursor: null,
    },
  },
  'POST members': {
    status: 400,
    json: {
      type: 'about:blank',
      title: 'Bad request',
      status: 400,
      code: 'validation_failed',
      detail: 'The member is not valid.',
      requestId: '',
      errors: [{ pointer: '/role', code: 'invalid_value', expected: 'a role below yours' }],
    },
  },
};

/** Opens a page, and collects what the Content-Security-Policy refuses on it. */
async function open(path: string, options = {}) {
  const visit = await pages.visit(
    { role: 'owner', answers },
    { reducedMotion: 'reduce', ...options },
  );
  const refused: string[] = [];
  visit.page.on('console', (message) => {
    if (/Content[- ]Security[- ]Policy/i.test(message.text())) refused.push(message.text());
  });
  await visit.open(path);
  return Object.assign(visit, { refused });
}

const list = (page: Page, label: string) => page.getByRole('listbox', { name: label, exact: true });
const focusedOption = (page: Page, label: string) =>
  page.locator('[role=option]:focus').getByText(label, { exact: true });
const focused = (page: Page): Promise<string> => page.locator(':focus').innerText();

test('what is chosen is shown and offered before its list has come, and without it', async () => {
  await using visit = await pages.visit({
    role: 'owner',
    answers: { ...answers, 'GET segments': 'lost' },
  });
  const { page } = visit;
  await visit.open('/compose?segment=loyal');
  await picker(page, 'Segment').waitFor();

  expect(await chosen(page, 'Segment')).toBe('loyal');
  expect(await offered(page, 'Segment')).toEqual(['Choose…', 'loyal']);
});

describe('a picker by keys', () => {
  test('arrows change nothing, Enter chooses, and the focus returns to its button', async () => {
    await using visit = await open('/compose');
    const { page } = visit;
    await picker(page, 'Channel').focus();
    await page.keyboard.press('ArrowDown');
    // It begins at the chosen one.
    await focusedOption(page, 'E-mail').waitFor();
    await page.keyboard.press('ArrowDown');
    await focusedOption(page, 'Webhook').waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await chosen(page, 'Channel')).toBe('E-mail');

    await page.keyboard.press('Enter');

    await list(page, 'Channel').waitFor({ state: 'detached' });
    expect(await chosen(page, 'Channel')).toBe('Webhook');
    expect(await page.locator(':focus').getAttribute('role')).toBe('combobox');
    expect(visit.refused).toEqual([]);
  });

  test('Escape keeps the old one', async () => {
    await using visit = await open('/compose');
    const { page } = visit;
    await picker(page, 'Channel').press('Enter');
    await focusedOption(page, 'E-mail').waitFor();
    await page.keyboard.press('ArrowUp');
    await focusedOption(page, 'App push').waitFor();

    await page.keyboard.press('Escape');

    await list(page, 'Channel').waitFor({ state: 'detached' });
    expect(await chosen(page, 'Channel')).toBe('E-mail');
    expect(await focused(page)).toBe('E-mail');
  });

  test('Tab leaves it for the next field, and it closes', async () => {
    await using visit = await open('/compose');
    const { page } = visit;
    await picker(page, 'Channel').press('Enter');
    await focusedOption(page, 'E-mail').waitFor();

    await page.keyboard.press('Tab');

    await list(page, 'Channel').waitFor({ state: 'detached' });
    expect(await chosen(page, 'Channel')).toBe('E-mail');
    expect(await focused(page)).toBe('Marketing');
  });

  test('letters find an option, on the closed button and in the list', async () => {
    await using visit = await open('/compose');
    const { page } = visit;
    await picker(page, 'Channel').press('w');
    await focusedOption(page, 'Web push').waitFor();
    await page.keyboard.type('on');
    await focusedOption(page, 'On-site').waitFor();
    expect(await chosen(page, 'Channel')).toBe('E-mail');

    await page.keyboard.press('Enter');

    expect(await chosen(page, 'Channel')).toBe('On-site');
  });

  test('with many options what is typed searches, and Enter takes the first that is found', async () => {
    await using visit = await open('/settings');
    const { page } = visit;
    await picker(page, 'Default country').press('g');
    const search = page.getByLabel('Search', { exact: true });
    await search.waitFor();
    expect(await search.inputValue()).toBe('g');
    await page.keyboard.type('reece');
    await page.locator('[role=option][data-focused]').getByText('Greece (GR)').waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Greece (GR)']);

    await page.keyboard.press('Enter');

    await list(page, 'Default country').waitFor({ state: 'detached' });
    expect(await chosen(page, 'Default country')).toBe('Greece (GR)');
    // Enter was of the list: it did not save the form.
    expect(visit.calls.filter(({ name }) => name.startsWith('PATCH'))).toEqual([]);
    expect(visit.refused).toEqual([]);
    // The chosen one stands first.
    expect((await offered(page, 'Default country'))[0]).toBe('Greece (GR)');
  });

  test('a search without a match says so, and Enter does nothing', async () => {
    await using visit = await open('/settings');
    const { page } = visit;
    const before = await chosen(page, 'Default country');
    await picker(page, 'Default country').click();
    await page.getByLabel('Search', { exact: true }).fill('Atlantis');
    await page.getByText('No match').waitFor();

    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');

    await list(page, 'Default country').waitFor({ state: 'detached' });
    expect(await chosen(page, 'Default country')).toBe(before);
    expect(visit.calls.filter(({ name }) => name.startsWith('PATCH'))).toEqual([]);
  });
});

test('a press outside closes it, and a second press on its button too', async () => {
  await using visit = await open('/compose');
  const { page } = visit;
  await picker(page, 'Purpose').click();
  await list(page, 'Purpose').waitFor();
  await picker(page, 'Purpose').click();
  await list(page, 'Purpose').waitFor({ state: 'detached' });
  await picker(page, 'Purpose').click();
  await list(page, 'Purpose').waitFor();

  await page.getByRole('heading', { name: 'Message', exact: true }).click();

  await list(page, 'Purpose').waitFor({ state: 'detached' });
  expect(await chosen(page, 'Purpose')).toBe('Marketing');
});

test('in a dialog it stands above it, and Escape closes the list alone', async () => {
  await using visit = await open('/settings/members');
  const { page } = visit;
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await picker(dialog, 'Role').click();
  await list(page, 'Role').waitFor();
  await page.keyboard.press('Escape');
  await list(page, 'Role').waitFor({ state: 'detached' });

  // A press reaches the option only if nothing is above it.
  await choose(dialog, 'Role', 'Admin');

  expect(await chosen(dialog, 'Role')).toBe('Admin');
});

test('a fault of the service stands at the picker, describes it and gets the focus', async () => {
  await using visit = await open('/settings/members');
  const { page } = visit;
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('ada@shop.example');
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await dialog.locator('[role=combobox][aria-invalid=true]:focus').waitFor();

  const described = await picker(dialog, 'Role').getAttribute('aria-describedby');
  expect(await dialog.locator(`[id="${described}"]`).innerText()).toContain('a role below yours');
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  test.each([
    ['/compose', 'Purpose'],
    ['/settings', 'Default country'],
  ])('an open list of %s has no accessibility faults', async (path, label) => {
    await using visit = await open(path, { colorScheme });
    const { page } = visit;
    await picker(page, label).click();
    await list(page, label).waitFor();
    await page.keyboard.press('ArrowDown');
    await injectAxe(page);

    expect(await seriousFindings(page)).toEqual([]);
  });
});

test('from right to left, and at 360 px, the list stands at its button inside of the window', async () => {
  await using visit = await open('/compose?segment=s1', { viewport: { width: 360, height: 640 } });
  const { page } = visit;
  await page.evaluate(`document.documentElement.dir = 'rtl'`);
  await picker(page, 'Segment').click();
  const open_ = list(page, 'Segment');
  await open_.waitFor();
  const box = await page.locator('.picker:popover-open').boundingBox();
  const button = await picker(page, 'Segment').boundingBox();
  if (box === null || button === null) throw new Error('Nothing is shown.');

  // Their sides, where a line begins.
  expect(Math.abs(box.x + box.width - (button.x + button.width))).toBeLessThan(1);
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y + box.height).toBeLessThanOrEqual(640);
  // A name of a user has its own direction.
  const name = open_.getByRole('option', { name: SEGMENT_NAME }).locator('bdi');
  expect(await name.innerText()).toContain(SEGMENT_NAME);
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

import { expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Rehearsal } from '@tidings/web/src/api/types.ts';
import { ACTIVE, keepsDraft } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { REHEARSAL, REHEARSAL_ANSWERS } from './support/rehearsals.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const SHOWN = `/automations/cart?tab=rehearsal&rehearsal=${REHEARSAL.rehearsalId}`;
const visitAs = async (role: 'marketer' | 'viewer', path: string, answers: Answers = {}) => {
  const visit = await pages.visit({
    role,
    answers: { ...REHEARSAL_ANSWERS, ...keepsDraft(ACTIVE), ...answers },
  });
  await visit.open(path);
  return visit;
};
const read = (changes: Partial<Rehearsal> | (() => Partial<Rehearsal>)): Answers => ({
  [`GET rehearsals/${REHEARSAL.rehearsalId}`]: () => ({
    json: { ...REHEARSAL, ...(typeof changes === 'function' ? changes() : changes) },
  }),
});
const problem = (status: number, code: string, errors: readonly object[] = []) => ({
  status,
  json: { type: 'about:blank', title: 'No', status, code, requestId: 'r', errors },
});

test('a draft is rehearsed, with its progress, and then its numbers at each step', async () => {
  let asked = 0;
  await using visit = await visitAs(
    'marketer',
    '/automations/cart?tab=rehearsal',
    read(() => {
      asked += 1;
      return asked > 2
        ? {}
        : { status: 'running', people: { rehearsed: 300, of: 1_200 }, entered: 200 };
    }),
  );
  const { page, calls } = visit;
  await page.getByRole('button', { name: 'Last 30 days' }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  const bar = page.getByRole('progressbar', { name: 'People rehearsed' });
  await bar.waitFor();
  expect(await bar.getAttribute('aria-valuenow')).toBe('25');
  await page.getByText('300 of 1,200 people').waitFor();
  await expectAccessible(page);

  await page
    .getByRole('status')
    .filter({ hasText: 'The rehearsal is done: 843 would have entered.' })
    .waitFor();
  await page.getByRole('treeitem', { name: /^E-mail: Your cart 698 messages, 53 not/ }).waitFor();
  await page.getByRole('treeitem', { name: 'A · 50 % 270' }).waitFor();
  await page.getByText('The person was still in it, or had entered less than').waitFor();
  await expectAccessible(page);
  const [body] = bodies(calls, 'POST automations/cart/rehearse') as unknown as readonly [
    { readonly from: number },
  ];
  // It ends when the service begins it: what happened a moment before counts.
  expect(Object.keys(body)).toEqual(['from']);
  expect(Math.abs(Date.now() - body.from - 30 * 86_400_000)).toBeLessThan(60_000);
  // The draft was saved first.
  const names = calls.map(({ name }) => name);
  expect(names.indexOf('PUT automations/cart')).toBeGreaterThan(-1);
  expect(names.indexOf('PUT automations/cart')).toBeLessThan(
    names.indexOf('POST automations/cart/rehearse'),
  );
});

test('each step and each person of a rehearsal can be opened, also by keys', async () => {
  await using visit = await visitAs('viewer', SHOWN);
  const { page } = visit;
  expect(await page.getByRole('button', { name: 'Again' }).count()).toBe(0);
  await page.getByRole('treeitem', { name: /^Web push: Still yours/ }).focus();
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary');
  await panel.getByText('71 would not arrive').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Outcome/ }).click();
  await page.getByRole('menuitemradio', { name: 'Not reached' }).click();
  await page.getByRole('row').filter({ hasText: 'ada' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'דנה-לוי', exact: true }).click();
  await panel.getByText('nothing was sent. Not among those whom it is for any more').waitFor();
  await panel.getByText('SMS: Still yours: sent').waitFor();
  // Whom a message would not reach, and why.
  await panel.getByText('Web push: Still yours: would not arrive. No device.').waitFor();
  await page.getByRole('row').filter({ hasText: 'Web push: No device.' }).waitFor();
  await expectAccessible(page);
});

test('what cuts a rehearsal short, and what fails it, is said', async () => {
  await using cut = await visitAs(
    'marketer',
    SHOWN,
    read({ cut: 'events', people: { rehearsed: 1_210, of: 90_000 } }),
  );
  await cut.page.getByText('1,210 of 90,000 people were rehearsed.').waitFor();
  await expectAccessible(cut.page);

  await using failed = await visitAs(
    'marketer',
    SHOWN,
    read({ status: 'failed', error: 'timed_out' }),
  );
  await failed.page.getByText('The database did not answer in time.').waitFor();
  await expectAccessible(failed.page);
  expect(await failed.page.getByRole('tree').count()).toBe(0);

  await using empty = await visitAs(
    'marketer',
    SHOWN,
    read({ entered: 0, people: { rehearsed: 367, of: 367 } }),
  );
  await empty.page.getByText('No one would have entered').waitFor();
  await empty.page.getByText('367 people did what starts it').waitFor();
});

test('why a rehearsal does not begin is said', async () => {
  const refusals = [
    problem(409, 'conflict'),
    problem(400, 'validation_failed', [{ pointer: '/trigger', code: 'invalid_value' }]),
    problem(400, 'validation_failed', [{ pointer: '/exit/0/segment', code: 'invalid_value' }]),
  ];
  await using visit = await visitAs('marketer', '/automations/cart?tab=rehearsal', {
    'POST automations/cart/rehearse': () => refusals.shift() ?? problem(500, 'internal'),
  });
  const { page } = visit;
  const start = page.getByRole('button', { name: 'Rehearse', exact: true });
  await start.click();
  await page.getByText('Another rehearsal of this application is running.').waitFor();
  await start.click();
  await page.getByText('What begins with the API can’t be rehearsed').waitFor();
  await start.click();
  await page.getByText('A segment of profiles alone can’t be rehearsed').waitFor();
  await expectAccessible(page);
});

test('a rehearsal that is not kept any more, or of another draft, says so', async () => {
  await using gone = await visitAs('marketer', SHOWN, {
    [`GET rehearsals/${REHEARSAL.rehearsalId}`]: problem(404, 'not_found'),
  });
  await gone.page.getByText('This rehearsal is not kept any more').waitFor();
  await gone.page.getByRole('button', { name: 'Rehearse', exact: true }).click();
  await eventually(() =>
    expect(bodies(gone.calls, 'POST automations/cart/rehearse')).toHaveLength(1),
  );

  await using old = await visitAs(
    'marketer',
    SHOWN,
    read({ definition: { ...REHEARSAL.definition, entry: { again: 'always' } } }),
  );
  await old.page.getByText('The draft was changed since.').waitFor();
});

test('what was chosen stays while the draft is changed', async () => {
  await using visit = await visitAs('marketer', `${SHOWN}&days=30`);
  const { page } = visit;
  await page.getByRole('link', { name: 'Change who enters' }).click();
  const panel = page.getByRole('complementary');
  await choose(panel, 'Again', 'Again every time');
  await page.getByText(/^Saved/).waitFor();
  await page.getByRole('link', { name: 'Versions' }).click();
  await page.getByRole('link', { name: 'Rehearsal' }).click();
  await page.getByText('The draft was changed since.').waitFor();
  const chosen = page.getByRole('button', { name: 'Last 30 days' });
  expect(await chosen.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('button', { name: 'Again', exact: true }).click();

  await eventually(() => {
    const [body] = bodies(visit.calls, 'POST automations/cart/rehearse') as unknown as readonly {
      readonly from: number;
    }[];
    expect(Math.abs(Date.now() - (body?.from ?? 0) - 30 * 86_400_000)).toBeLessThan(60_000);
  });
});

test.each([
  ['another day', 7 * 86_400_000, 2],
  ['the same minute', 0, 0],
])(
  'both ends of its period have their dates unless the day is one: %s',
  async (_what, ms, dated) => {
    const to = Date.now();
    await using visit = await visitAs('viewer', SHOWN, read({ from: to - ms, to }));
    const sentence = visit.page.getByText(/^What was received from/);
    await sentence.waitFor();
    const texts = await sentence.locator('time').allTextContents();

    expect(texts.slice(0, 2).filter((text) => /\d [A-Z][a-z]{2}/.test(text))).toHaveLength(dated);
  },
);

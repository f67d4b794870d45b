import { expect, test } from '@jest/globals';
import type { User, UserRun } from '@tidings/web/src/api/types.ts';
import { AUTOMATION_ANSWERS, FAILED, list, RUN } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const { trace: _trace, ...run } = RUN;
const RUNS: readonly UserRun[] = [
  { ...run, automation: { slug: 'cart', name: 'Abandoned cart' } },
  {
    ...FAILED,
    customUserId: 'ada',
    runId: '01a1fda0-84a5-72c8-802b-8cdeabd134be',
    status: 'exited',
    error: null,
    endedAt: 1_795_256_400_000,
    automation: { slug: 'welcome', name: 'ברוכים הבאים' },
  },
];
const ADA = {
  customUserId: 'ada',
  serviceUserIds: [],
  registeredAt: 1_795_256_400_000,
  updatedAt: 1_795_256_400_000,
  profile: { firstName: 'Ada', customAttributes: {} },
  reachable: {},
  devices: [],
} as unknown as User;
const visitAda = async (path: string, answers: Answers = {}) => {
  const visit = await pages.visit({
    role: 'viewer',
    answers: {
      ...AUTOMATION_ANSWERS,
      'GET users/ada': { json: ADA },
      'GET users/ada/automation-runs': list(...RUNS),
      ...answers,
    },
  });
  await visit.open(path);
  return visit;
};

test('a person has the automations that they are and were in, each with their way', async () => {
  await using visit = await visitAda('/users/ada');
  const { page } = visit;
  // The place of all automations has a link of this name too.
  const tabs = page.getByRole('navigation', { name: 'User sections' });
  await tabs.getByRole('link', { name: 'Automations' }).click();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await row('ברוכים הבאים').getByText('Left').waitFor();
  await row('Abandoned cart').getByText('In it').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Abandoned cart' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('Wait until clicked, at most 1 day: waits').waitFor();
  await expectAccessible(page);

  const link = panel.getByRole('link', { name: 'Abandoned cart' });
  expect(await link.getAttribute('href')).toBe('/dashboard/automations/cart');
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
});

test('on a phone, the runs of one automation differ by their instant', async () => {
  await using visit = await visitAda('/users/ada?tab=automations');
  const { page } = visit;
  const row = page.getByRole('row').filter({ hasText: 'Abandoned cart' });
  await row.waitFor();
  const onlyVisible = row.locator('time').filter({ visible: true });
  const wide = await onlyVisible.count();
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole('columnheader', { name: 'Entered' }).waitFor({ state: 'detached' });

  expect([wide, await onlyVisible.count()]).toEqual([2, 1]);
  await expectAccessible(page);
});

test('why a person is not in an automation is on their page, and leads to what refused', async () => {
  await using visit = await visitAda('/users/ada?tab=automations');
  const { page } = visit;
  await choose(page, 'Automation', 'Abandoned cart');
  await page.getByText('The event did not have the values that are asked for.').waitFor();
  await expectAccessible(page);
  await page.getByRole('listitem').filter({ hasText: 'Entered' }).getByText('See the way').click();
  await page.getByRole('complementary').getByText('Wait 1 hour: done').waitFor();
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'price is more than 20' }).click();

  await page.getByRole('complementary').getByLabel('Attribute of the event').waitFor();
});

test('of someone who was in none it says so, and what failed can be asked again', async () => {
  let isDown = true;
  await using visit = await visitAda('/users/ada?tab=automations', {
    'GET automations': list(),
    'GET users/ada/automation-runs': () =>
      isDown
        ? {
            status: 500,
            json: {
              type: 'about:blank',
              title: 'No',
              status: 500,
              code: 'internal',
              requestId: 'r',
            },
          }
        : list(),
  });
  const { page } = visit;
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  isDown = false;
  await again.click();
  await page.getByText('Was in no automation yet').waitFor();
  await page.getByText('No automation was activated yet.').waitFor();
});

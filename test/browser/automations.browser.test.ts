import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Automation } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import { ACTIVE, AUTOMATION_ANSWERS, FAILED, keepsDraft, list } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';
import type { WindowOptions } from './support/windows.ts';
import { countPresses } from './tasks/presses.ts';

const pages = usePages();
const visitAs = (role: 'marketer' | 'viewer', answers: Answers = {}, options: WindowOptions = {}) =>
  pages.visit({ role, answers: { ...AUTOMATION_ANSWERS, ...answers } }, options);
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe('the list', () => {
  test('says how many are in each, and finds by name and status', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/automations');
    await row(page, 'Abandoned cart').getByText('23.4 %').waitFor();
    await row(page, 'Abandoned cart').getByText('“cart_filled”, price is more than 20').waitFor();
    await row(page, 'ברוכים הבאים').getByText('Draft').waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Paused 1' }).click();
    await row(page, 'Review after delivery').waitFor();
    await row(page, 'Abandoned cart').waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Name' }).fill('cart');
    await page.getByText('No matching automations').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'Abandoned cart').getByRole('link').click();
    await page.getByRole('heading', { name: 'Abandoned cart' }).waitFor();
  });

  test('pauses one, and takes it back', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page, calls } = visit;
    await visit.open('/automations');
    await row(page, 'Abandoned cart').hover();
    await page.getByRole('button', { name: 'Actions of Abandoned cart' }).click();
    await page.getByRole('menuitem', { name: 'Pause' }).click();
    await page.getByText('Paused. 312 people wait here. They stay.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();

    await eventually(() =>
      expect(bodies(calls, 'POST automations/cart/resume')).toEqual([{ missedSends: 'send' }]),
    );
  });
});

const GOAL = [{ event: 'asdfg', as: 'goal' }];
test('recipes stand in two columns where there is room, also on the first page', async () => {
  await using visit = await visitAs('marketer', { 'GET automations': list() });
  const { page } = visit;
  await page.setViewportSize({ width: 1_440, height: 900 });
  await visit.open('/automations');
  const top = async (name: string): Promise<number | undefined> =>
    (await page.getByRole('button', { name: new RegExp(`^${name}`) }).boundingBox())?.y;
  await page.getByRole('button', { name: /^Welcome series/ }).waitFor();
  expect(await top('Welcome series')).toBe(await top('Abandoned cart'));
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await top('Welcome series')).toBeGreaterThan((await top('Abandoned cart')) ?? 0);
});

test.each([
  [
    'Abandoned cart',
    { starts: 'They fill the cart', goal: 'They order' },
    { trigger: { event: 'qwert' }, exit: GOAL },
  ],
  [
    'Welcome series',
    { goal: 'They order' },
    {
      trigger: { date: { field: 'registeredAt' }, at: '00:00', maxAge: '26h' },
      exit: GOAL,
    },
  ],
  [
    'Win back',
    { starts: 'They order' },
    {
      trigger: { segment: 'win-back-people', when: 'enters' },
      exit: [{ segment: 'win-back-people', when: 'leaves', as: 'goal' }],
    },
  ],
  [
    'Review after delivery',
    { starts: 'The parcel comes', goal: 'They write a review' },
    { trigger: { event: 'qwert' }, exit: GOAL },
  ],
  ['Birthday', {}, { trigger: { date: { field: 'birthday' }, at: '09:00', yearly: true } }],
  [
    'Expiry reminder',
    { date: 'When it ends: an attribute of people', goal: 'They renew' },
    { trigger: { date: { attribute: 'expiresOn' }, offset: '-7d', at: '09:00' }, exit: GOAL },
  ],
] as const)(
  'a marketer makes the first one from the recipe “%s”, and activates it, in eight presses',
  async (name, asked, expected) => {
    const slug = name.toLowerCase().replaceAll(' ', '-');
    const { starts, goal, date }: { starts?: string; goal?: string; date?: string } = asked;
    const draft: Automation = {
      ...ACTIVE,
      slug,
      status: 'draft',
      draftVersion: 1,
      liveVersion: null,
      hasChanges: true,
      live: null,
    };
    await using visit = await visitAs(
      'marketer',
      {
        ...keepsDraft(draft),
        'GET automations': list(),
        'PUT segments/win-back-people': {
          json: { slug: 'win-back-people', name: 'Win back: people', version: 1, warnings: [] },
        },
        [`GET automations/${slug}/report`]: {
          json: { entered: 0, active: 0, goals: 0, nodes: [] },
        },
      },
      { isOwn: true },
    );
    const { page, calls } = visit;
    const presses = await countPresses(page.context());
    await visit.open('/automations');
    await page.getByRole('heading', { name: 'Messages that send themselves' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    const dialog = page.getByRole('dialog', { name });
    if (starts !== undefined) await choose(dialog, starts, 'cart_filled');
    if (date !== undefined) await dialog.getByRole('combobox', { name: date }).fill('expiresOn');
    if (goal !== undefined) await choose(dialog, goal, 'order_paid');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Open the draft' }).click();
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByText('People enter from now on').waitFor();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Active', { exact: true }).waitFor();

    expect(presses.all.length).toBeLessThanOrEqual(8);
    const [created, ...looked] = bodies(calls, `PUT automations/${slug}`);
    expect(created).toMatchObject({ name, ...expected, expectedVersion: 0 });
    // Who has not done it for long is a segment of its own.
    expect(bodies(calls, 'PUT segments/win-back-people')).toEqual(
      name === 'Win back'
        ? [
            {
              name: 'Win back: people',
              condition: {
                all: [{ event: 'qwert' }, { not: { event: 'qwert', within: '30d' } }],
              },
              expectedVersion: 0,
            },
          ]
        : [],
    );
    // What it names may be gone since: the service looks again, at what did not change.
    expect(looked).toEqual([{ ...(created as object), expectedVersion: 2 }]);
    expect(bodies(calls, `POST automations/${slug}/activate`)).toEqual([{}]);
  },
);

describe('who is in it', () => {
  test('is listed, with the way of each', async () => {
    await using visit = await visitAs('marketer', {
      'POST automations/cart/runs/*': { status: 204, json: null },
      [`POST automations/cart/runs/${FAILED.runId}/retry`]: { status: 204, json: null },
    });
    const { page, calls } = visit;
    await visit.open('/automations/cart?tab=people');
    await row(page, 'grace').getByText('The template has no version 3.').waitFor();
    await page.getByRole('button', { name: 'ada', exact: true }).click();
    const panel = page.getByRole('complementary');
    await panel.getByText('Wait until clicked, at most 1 day: waits').waitFor();
    // A wait that is over is one line.
    await panel.getByText('Wait 1 hour: done').waitFor();
    expect(await panel.getByText('Wait 1 hour: waits').count()).toBe(0);
    await expectAccessible(page);
    expect(await panel.getByRole('link', { name: 'What became of it' }).getAttribute('href')).toBe(
      '/dashboard/campaigns/01a1fda0-84a5-72c8-802b-8cdeabd13400?tab=recipients&customUserId=ada',
    );

    await page.getByRole('button', { name: 'grace', exact: true }).click();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('It goes on').waitFor();
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('menuitemradio', { name: 'Failed' }).click();

    await eventually(() =>
      expect(calls.some(({ query }) => query['status'] === 'failed')).toBe(true),
    );
  });

  test('is read again while the page is open', async () => {
    let reads = 0;
    await using visit = await visitAs('marketer', {
      'GET automations/cart/runs': () => {
        reads += 1;
        return list({
          ...FAILED,
          ...(reads > 1 && { status: 'completed', error: null, node: null }),
        });
      },
    });
    const { page } = visit;
    await visit.open('/automations/cart?tab=people');
    await row(page, 'grace').getByText('Failed').waitFor();
    await row(page, 'grace').getByText('Past the end').waitFor();
  });

  test('is explained, down to the part that refused', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/automations/cart?tab=why');
    await page.getByRole('combobox', { name: 'Person' }).fill('ada');
    await page.getByRole('button', { name: 'Look' }).click();
    await page.getByText('The event did not have the values that are asked for.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'price is more than 20' }).click();

    await page.getByRole('complementary').getByLabel('Attribute of the event').waitFor();
  });

  test('is no reason to hide what versions changed', async () => {
    await using visit = await visitAs('marketer');
    const { page } = visit;
    await visit.open('/automations/cart?tab=versions');
    await page.getByText('Wait 2 hours → Wait 1 hour').waitFor();
    await page.getByText('SMS: old').first().waitFor();
    await expectAccessible(page);
  });
});

test('it is resumed without late messages, and stopped with all who are in it', async () => {
  await using visit = await visitAs('marketer', keepsDraft({ ...ACTIVE, status: 'paused' }));
  const { page, calls } = visit;
  await visit.open('/automations/cart');
  await page.getByRole('button', { name: 'Resume…' }).click();
  await page.getByText('312 people wait in it.').waitFor();
  await page.getByLabel('Skip messages over 1 hour late').check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Stop…' }).click();
  await page.getByLabel('They leave now').check();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped', { exact: true }).first().waitFor();

  expect(bodies(calls, 'POST automations/cart/resume')).toEqual([{ missedSends: 'skip' }]);
  expect(bodies(calls, 'POST automations/cart/stop')).toEqual([{ runs: 'end' }]);
});

test('a viewer sees the steps, and changes nothing', async () => {
  await using visit = await visitAs('viewer');
  const { page } = visit;
  await visit.open('/automations/cart?step=mail1');
  await page.getByRole('treeitem', { name: /^E-mail: Your cart/ }).waitFor();

  expect(await page.getByRole('button', { name: /^(Add a step|Pause|Remove)/ }).count()).toBe(0);
  expect(await page.getByLabel('Subject').isDisabled()).toBe(true);
});

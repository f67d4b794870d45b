import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import type { Automation } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import { ACTIVE, AUTOMATION_ANSWERS, FAILED, keepsDraft, list } from './support/automations.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import type { Answers } from './support/pages.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';
import { countPresses } from './tasks/presses.ts';

const pages = usePages();
const visitAs = (role: 'marketer' | 'viewer', answers: Answers = {}) =>
  pages.visit({ role, answers: { ...AUTOMATION_ANSWERS, ...answers } });
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

test.each([
  ['Abandoned cart', 'abandoned-cart', 'They fill the cart', 'They order'],
  ['Welcome series', 'welcome-series', 'They begin', 'They order'],
  ['Win back', 'win-back', 'They order', 'They return'],
  ['Review after delivery', 'review-after-delivery', 'The parcel comes', 'They write a review'],
])(
  'a marketer makes the first one from the recipe “%s”, and activates it, in eight presses',
  async (name, slug, starts, goal) => {
    const draft: Automation = {
      ...ACTIVE,
      slug,
      status: 'draft',
      draftVersion: 1,
      liveVersion: null,
      hasChanges: true,
      live: null,
    };
    await using visit = await visitAs('marketer', {
      ...keepsDraft(draft),
      'GET automations': list(),
      [`GET automations/${slug}/report`]: {
        json: { entered: 0, active: 0, goals: 0, nodes: [] },
      },
    });
    const { page, calls } = visit;
    const presses = await countPresses(page.context());
    await visit.open('/automations');
    await page.getByRole('heading', { name: 'Messages that send themselves' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    const dialog = page.getByRole('dialog', { name });
    await choose(dialog, starts, 'cart_filled');
    await choose(dialog, goal, 'order_paid');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Open the draft' }).click();
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByText('People enter from now on').waitFor();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Active', { exact: true }).waitFor();

    expect(presses.all).toHaveLength(8);
    const [created, ...looked] = bodies(calls, `PUT automations/${slug}`);
    expect(created).toMatchObject({
      name,
      trigger: { event: 'qwert' },
      exit: [{ event: 'asdfg', as: 'goal' }],
      expectedVersion: 0,
    });
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

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { eventually } from '@tidings/testing';
import type { Automation } from '@tidings/web/src/api/types.ts';
import type { Browser, Page } from 'playwright-core';
import { ACTIVE, AUTOMATION_ANSWERS, FAILED, keepsDraft, list } from './support/automations.ts';
import { injectAxe, seriousFindings } from './support/axe.ts';
import { launchChromium } from './support/chromium.ts';
import { openPages, type Answers, type Pages } from './support/pages.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';

jest.setTimeout(60_000);
let browser: Browser;
let pages: Pages;
beforeAll(async () => {
  browser = await launchChromium();
  pages = await openPages();
});
afterAll(async () => {
  await browser?.close();
  await pages?.[Symbol.asyncDispose]();
});

const visitAs = (role: 'marketer' | 'viewer', answers: Answers = {}) =>
  pages.visit(browser, { role, answers: { ...AUTOMATION_ANSWERS, ...answers } });
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** In both themes. */
async function expectAccessible(page: Page): Promise<void> {
  await injectAxe(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await seriousFindings(page)).toEqual([]);
  }
}

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

test('a marketer makes the first one from a recipe, and activates it, in eight presses', async () => {
  const draft: Automation = {
    ...ACTIVE,
    slug: 'abandoned-cart',
    status: 'draft',
    draftVersion: 1,
    liveVersion: null,
    hasChanges: true,
    live: null,
  };
  await using visit = await visitAs('marketer', {
    ...keepsDraft(draft),
    'GET automations': list(),
    'GET automations/abandoned-cart/report': {
      json: { entered: 0, active: 0, goals: 0, nodes: [] },
    },
  });
  const { page, calls } = visit;
  await visit.open('/automations');
  await page.getByRole('heading', { name: 'Messages that send themselves' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^Abandoned cart/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Abandoned cart' });
  await choose(dialog, 'They fill the cart', 'cart_filled');
  await choose(dialog, 'They order', 'order_paid');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Open the draft' }).click();
  await page.getByRole('button', { name: 'Activate…' }).click();
  await page.getByText('People enter from now on').waitFor();
  await page.getByRole('button', { name: 'Activate', exact: true }).click();
  await page.getByText('Active', { exact: true }).waitFor();

  expect(bodies(calls, 'PUT automations/abandoned-cart')).toEqual([
    expect.objectContaining({
      name: 'Abandoned cart',
      trigger: { event: 'qwert' },
      exit: [{ event: 'asdfg', as: 'goal' }],
      expectedVersion: 0,
    }),
  ]);
  expect(bodies(calls, 'POST automations/abandoned-cart/activate')).toEqual([{}]);
});

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

const lastDraft = (visit: { readonly calls: Parameters<typeof bodies>[0] }) =>
  bodies(visit.calls, 'PUT automations/cart').at(-1) as AutomationDefinition | undefined;
const ids = (draft: AutomationDefinition | undefined) => draft?.nodes.map(({ id }) => id);

describe('the editor', () => {
  test('adds, edits, moves, removes and undoes by keyboard alone', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    const focused = () =>
      page.evaluate<string | null>(`document.activeElement.getAttribute('data-key')`);
    await visit.open('/automations/cart');
    await page.getByRole('treeitem', { name: 'Clicked 362' }).waitFor();
    await page.getByRole('treeitem', { name: /^“cart_filled”/ }).focus();
    await expectAccessible(page);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown'])
      await page.keyboard.press(key);
    expect(await focused()).toBe('exit1');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).toBe('until1');

    await page.getByRole('treeitem', { name: /^Wait 1 hour/ }).focus();
    await page.keyboard.press('a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByText('wait2').waitFor();
    await panel.getByLabel('Wait', { exact: true }).fill('5');
    await page.keyboard.press('Escape');
    await eventually(async () => expect(await focused()).toBe('wait2'));
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(() =>
      expect(ids(lastDraft(visit))).toEqual(['wait2', 'wait1', 'mail1', 'until1']),
    );
    expect(await focused()).toBe('wait2');
    await page.keyboard.press('Backspace');
    await eventually(() => expect(ids(lastDraft(visit))).toEqual(['wait1', 'mail1', 'until1']));
    expect(await focused()).toBe('frame');
    await page.keyboard.press('Control+z');

    await eventually(() =>
      expect(lastDraft(visit)?.nodes[0]).toEqual({ id: 'wait2', delay: '5h' }),
    );
    await page.getByText(/^Saved/).waitFor();
  });

  test('changes what starts it, a message, a branch and a question', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart?step=frame');
    const panel = page.getByRole('complementary');
    await choose(panel, 'Again', 'Again every time');
    await panel.getByLabel('Ask something of each person first').uncheck();
    await expectAccessible(page);
    await page.getByText('E-mail: Your cart', { exact: true }).click();
    await panel.getByRole('button', { name: 'From a template' }).click();
    await choose(panel, 'Template', 'Second look');
    await panel.getByRole('button', { name: '+ Another channel' }).click();
    await panel.getByRole('heading', { name: 'Or else by SMS' }).waitFor();
    await page.getByText('Split 50 / 50').click();
    await panel.getByLabel('Share of A').fill('70');
    await page.getByText('Is it so: plan is pro?').click();
    await panel.getByLabel('Value').fill('gold');
    await page.getByText('Wait until clicked, at most 1 day').click();
    await choose(panel, 'Was', 'opened');

    await eventually(() => {
      const draft = lastDraft(visit);
      expect(draft).toMatchObject({ entry: { again: 'always' } });
      expect(draft).not.toHaveProperty('filter');
      expect(draft?.nodes[1]).toMatchObject({
        send: { try: [{ channel: 'EMAIL', template: 'cart-2' }, { channel: 'SMS' }] },
      });
      expect(JSON.stringify(draft?.nodes[2])).toContain('"was":"opened"');
      expect(JSON.stringify(draft?.nodes[2])).toContain('"is":"gold"');
      expect(JSON.stringify(draft?.nodes[2])).toContain('"weight":70');
    });
  });

  test('says at its step what is wrong, leads there, and does not lose it', async () => {
    await using visit = await visitAs('marketer', {
      'PUT automations/cart': {
        status: 400,
        json: {
          type: 'about:blank',
          title: 'Not valid',
          status: 400,
          code: 'validation_failed',
          requestId: 'r',
          errors: [{ pointer: '/nodes/1/waitFor/message/node', code: 'invalid_value' }],
        },
      },
    });
    const { page } = visit;
    await visit.open('/automations/cart?step=mail1');
    await page.getByRole('button', { name: 'Remove step' }).click();
    await page.getByText('Not saved: 1 fault to mend first.').waitFor();
    await page.getByText('To mend', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Choose a message that is sent before.' }).click();
    await page
      .getByRole('complementary')
      .getByRole('combobox', { name: 'Awaited message' })
      .waitFor();
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await page.getByRole('heading', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('heading', { name: 'Abandoned cart' }).waitFor();
  });

  test('does not write over what a colleague made of it', async () => {
    const theirs: Automation = {
      ...ACTIVE,
      draftVersion: 4,
      draft: { ...ACTIVE.draft, nodes: [{ id: 'wait1', delay: '2d' }] },
      updatedBy: 'member:grace@shop.example',
    };
    let hasTheirs = false;
    await using visit = await visitAs('marketer', {
      'GET automations/cart': () => ({ json: hasTheirs ? theirs : ACTIVE }),
      'PUT automations/cart': () => {
        hasTheirs = true;
        const json = {
          type: 'about:blank',
          title: 'No',
          status: 409,
          code: 'conflict',
          requestId: 'r',
        };
        return { status: 409, json };
      },
    });
    const { page, calls } = visit;
    await visit.open('/automations/cart?step=wait1');
    await page.getByLabel('Wait', { exact: true }).fill('5');
    await page.getByText('grace@shop.example changed it meanwhile.').waitFor();
    await page.getByRole('button', { name: 'Continue with theirs' }).click();
    await page.getByRole('treeitem', { name: /^Wait 2 days/ }).waitFor();

    expect(bodies(calls, 'PUT automations/cart')).toEqual([
      expect.objectContaining({ expectedVersion: 3 }),
    ]);
  });

  test('takes JSON, and shows its steps', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart?tab=json');
    const field = page.getByLabel('Definition as JSON');
    await field.fill(JSON.stringify({ ...ACTIVE.draft, nodes: [{ id: 'rest', delay: '9d' }] }));
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Steps' }).click();
    await page.getByRole('treeitem', { name: /^Wait 9 days/ }).waitFor();

    await eventually(() => expect(ids(lastDraft(visit))).toEqual(['rest']));
  });
});

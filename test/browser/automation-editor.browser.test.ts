import { describe, expect, test } from '@jest/globals';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { eventually } from '@tidings/testing';
import type { Automation } from '@tidings/web/src/api/types.ts';
import type { Page } from 'playwright-core';
import { ACTIVE, AUTOMATION_ANSWERS, keepsDraft } from './support/automations.ts';
import { written } from './support/code.ts';
import { expectAccessible } from './support/expect-accessible.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { bodies } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();
const visitAs = (role: 'marketer' | 'viewer', answers: Answers = {}) =>
  pages.visit({ role, answers: { ...AUTOMATION_ANSWERS, ...answers } });
const focused = (page: Page) =>
  page.evaluate<string | null>(`document.activeElement.getAttribute('data-key')`);
const lastDraft = (visit: { readonly calls: Parameters<typeof bodies>[0] }) =>
  bodies(visit.calls, 'PUT automations/cart').at(-1) as AutomationDefinition | undefined;
const ids = (draft: AutomationDefinition | undefined) => draft?.nodes.map(({ id }) => id);

describe('the editor', () => {
  test('adds, edits, moves, removes and undoes by keyboard alone', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart');
    await page.getByRole('treeitem', { name: 'Clicked 362' }).waitFor();
    await page.getByRole('treeitem', { name: /^“cart_filled”/ }).focus();
    await expectAccessible(page);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown'])
      await page.keyboard.press(key);
    expect(await focused(page)).toBe('exit1');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toBe('until1');

    await page.getByRole('treeitem', { name: /^Wait 1 hour/ }).focus();
    await page.keyboard.press('a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary');
    await panel.getByText('wait2').waitFor();
    await panel.getByLabel('Wait', { exact: true }).fill('5');
    await page.keyboard.press('Escape');
    await eventually(async () => expect(await focused(page)).toBe('wait2'));
    await page.keyboard.press('Alt+ArrowUp');
    await eventually(() =>
      expect(ids(lastDraft(visit))).toEqual(['wait2', 'wait1', 'mail1', 'until1']),
    );
    expect(await focused(page)).toBe('wait2');
    await page.keyboard.press('Backspace');
    await eventually(() => expect(ids(lastDraft(visit))).toEqual(['wait1', 'mail1', 'until1']));
    expect(await focused(page)).toBe('frame');
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

  test('sets how fast it sends, and what becomes of people whom a message does not reach', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart?step=frame');
    const panel = page.getByRole('complementary');
    await panel.getByLabel('Send at most a number of messages in a time').check();
    await panel.getByLabel('At most this number of messages').fill('250');
    await panel.getByLabel('In', { exact: true }).fill('5');
    await expectAccessible(page);
    await page.getByText('At most 250 messages in 5 hours').waitFor();
    await page.getByText('E-mail: Your cart', { exact: true }).click();
    await panel.getByLabel('People whom no channel reaches leave').check();
    await panel.getByLabel('Wait here while it is quiet for them').check();
    await expectAccessible(page);
    // What is chosen stays when the message, and how many there are, changes.
    await panel.getByRole('button', { name: '+ Another channel' }).click();
    await panel.getByRole('button', { name: 'Remove SMS' }).click();
    await panel.getByRole('button', { name: 'From a template' }).click();
    await choose(panel, 'Template', 'Second look');

    await eventually(() => {
      const draft = lastDraft(visit);
      expect(draft).toMatchObject({ throttle: { sends: 250, per: '5h' } });
      expect(draft?.nodes[1]).toEqual({
        id: 'mail1',
        send: {
          channel: 'EMAIL',
          template: 'cart-2',
          onUnreachable: 'exit',
          quietHours: 'wait',
        },
      });
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

  test('moves a step by keys through every branch, and says where it is', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart');
    const said = page.getByRole('status').filter({ hasText: /^(Moved|Removed|It can go)/ });
    await page.getByRole('treeitem', { name: /^E-mail: Your cart/ }).focus();
    const press = async (key: string, words: string) => {
      await page.keyboard.press(key);
      await said.filter({ hasText: words }).waitFor();
      expect(await focused(page)).toBe('mail1');
    };
    await press('Alt+ArrowDown', 'Moved: E-mail: Your cart. Clicked: step 1 of 2');
    await press('Alt+ArrowDown', 'Clicked: step 2 of 2');
    await press('Alt+ArrowDown', 'Not within 1 day: step 1 of 2');
    await press('Alt+ArrowDown', 'Yes: step 1 of 2');
    for (const key of ['Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp', 'Alt+ArrowUp'])
      await page.keyboard.press(key);
    await press('Alt+ArrowUp', 'Moved: E-mail: Your cart. step 1 of 3');
    await press('Alt+ArrowUp', 'It can go no further.');

    await eventually(() => expect(ids(lastDraft(visit))).toEqual(['mail1', 'wait1', 'until1']));
    await page.keyboard.press('Delete');
    await said.filter({ hasText: 'Removed: E-mail: Your cart' }).waitFor();
  });

  test('says how late an event may come, and warns of events that anyone can send', async () => {
    const warning = {
      code: 'unproved_trigger',
      pointer: '/trigger/from',
      detail: 'Events of a public key start it for other people too.',
    };
    const answers = keepsDraft(ACTIVE, ({ trigger }) =>
      'event' in trigger && trigger.from === 'anyone' ? [warning] : [],
    );
    await using visit = await visitAs('marketer', answers);
    const { page, calls } = visit;
    await visit.open('/automations/cart?step=frame');
    const panel = page.getByRole('complementary');
    await choose(panel, 'Events that arrive late', 'count for another time');
    await panel.getByLabel('Late by at most').fill('2');
    await panel.getByLabel('Also events that a browser sent without proof').check();
    await panel.getByText('anyone can let another person get these messages').waitFor();
    await page.getByText('Saved. Look at this before you activate it:').waitFor();
    await expectAccessible(page);
    expect(lastDraft(visit)?.trigger).toMatchObject({ maxAge: '2h', from: 'anyone' });
    await choose(panel, 'Events that arrive late', 'always count');
    await eventually(() => expect(lastDraft(visit)?.trigger).toMatchObject({ maxAge: null }));

    await page.getByRole('button', { name: 'Activate…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Events of a public key start the automation').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await panel.getByLabel('Also events that a browser sent without proof').uncheck();
    await page.getByText('Saved. Look at this').waitFor({ state: 'detached' });

    expect(bodies(calls, 'POST automations/cart/activate')).toEqual([]);
  });

  test('looks again for faults before it activates, and leads to them', async () => {
    await using visit = await visitAs('marketer', {
      ...keepsDraft({ ...ACTIVE, hasChanges: true }),
      'PUT automations/cart': {
        status: 400,
        json: {
          type: 'about:blank',
          title: 'Not valid',
          status: 400,
          code: 'validation_failed',
          requestId: 'r',
          errors: [{ pointer: '/nodes/1/send/template', code: 'invalid_value' }],
        },
      },
    });
    const { page } = visit;
    await visit.open('/automations/cart');
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByRole('button', { name: 'Choose a template of this channel.' }).click();
    await page.getByRole('complementary').getByRole('combobox', { name: 'Channel' }).waitFor();

    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('keeps the words of a message through other channels and a template', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart?step=mail1');
    const panel = page.getByRole('complementary');
    const sent = () => (lastDraft(visit)?.nodes[1] as { readonly send?: object } | undefined)?.send;
    await choose(panel, 'Channel', 'SMS');
    expect(await written(panel.getByLabel('Text', { exact: true }))).toBe(
      'Still yours https://shop.test/cart',
    );
    await panel.getByLabel('Text', { exact: true }).fill('Yours');
    await page.getByText('Split 50 / 50').click();
    await page.getByText('SMS: Yours', { exact: true }).click();
    await choose(panel, 'Channel', 'Web push');
    expect(await panel.getByLabel('Title').inputValue()).toBe('Your cart');
    expect(await written(panel.getByLabel('Text', { exact: true }))).toBe('Yours');
    await panel.getByRole('button', { name: 'From a template' }).click();
    await panel.getByRole('button', { name: 'Written here' }).click();
    expect(await written(panel.getByLabel('Text', { exact: true }))).toBe('Yours');
    await choose(panel, 'Channel', 'E-mail');
    expect(await panel.getByLabel('Subject').inputValue()).toBe('Your cart');

    await eventually(() =>
      expect(sent()).toEqual({
        channel: 'EMAIL',
        message: {
          title: 'Your cart',
          body: '<p><a href="https://shop.test/cart">Still yours</a></p>',
        },
      }),
    );
    // Another message of the step has that channel.
    await panel.getByRole('button', { name: '+ Another channel' }).click();
    await panel.getByRole('combobox', { name: 'Channel' }).first().click();
    await page.getByRole('option', { name: 'Web push' }).waitFor();
    expect(await page.getByRole('option', { name: 'SMS' }).count()).toBe(0);
  });

  test('says where a click cannot come, and leads to the message', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page } = visit;
    await visit.open('/automations/cart?step=mail1');
    const panel = page.getByRole('complementary');
    const body = panel.getByLabel('HTML or text');
    await body.fill('<p>Still yours</p><p><a href="{{unsubscribeUrl}}">Stop</a></p>');
    await page.getByText('Split 50 / 50').click();
    await page
      .getByRole('button', {
        name: /^A step waits for a click on this message, and it has no link/,
      })
      .click();
    await expectAccessible(page);
    await body.fill('<p><a href="https://shop.test/">Still yours</a></p>');

    await page.getByText('A step waits for a click').waitFor({ state: 'detached' });
  });

  test('inserts what happened, and who they are, into a message', async () => {
    await using visit = await visitAs('marketer', keepsDraft(ACTIVE));
    const { page, calls } = visit;
    await visit.open('/automations/cart?step=mail1');
    const panel = page.getByRole('complementary');
    const chips = panel.getByRole('group', { name: 'Insert a value of the event' });
    await panel.getByLabel('Subject').focus();
    await page.keyboard.press('End');
    await chips.getByRole('button', { name: 'price 98 %' }).click();
    await panel
      .getByRole('group', { name: 'Insert a value of the run' })
      .getByRole('button', { name: 'Day they entered' })
      .click();
    await panel
      .getByRole('group', { name: 'Insert a value', exact: true })
      .getByRole('button', { name: 'First name' })
      .click();
    await expectAccessible(page);

    await eventually(() => {
      const text = JSON.stringify(lastDraft(visit)?.nodes[1]);
      expect(text).toContain("{{ event.attributes.price | default: '");
      expect(text).toContain("{{ run.enteredAt | date: '%Y-%m-%d' }}");
      expect(text).toContain("{{ user.firstName | default: '");
    });
    expect(
      calls.some(({ name, query }) => name === 'GET suggestions' && query['event'] === 'qwert'),
    ).toBe(true);
  });
});

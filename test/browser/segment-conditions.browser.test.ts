import { expect, test } from '@jest/globals';
import type { Suggestions } from '@tidings/web/src/api/types.ts';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { eventually } from '@tidings/testing';
import { injectAxe, seriousFindings } from './support/axe.ts';
import type { Answers } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import {
  actOn,
  addCondition,
  estimate,
  lastAsked,
  part,
  SEGMENT_ANSWERS,
} from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const visitAsMarketer = (answers: Answers = {}) =>
  pages.visit({ role: 'marketer', answers: { ...SEGMENT_ANSWERS, ...answers } });

test('a sequence says whether people or their events are asked, and how many may still do it', async () => {
  const pointer = (key: string): string => `/condition/all/0/${key}`;
  await using visit = await visitAsMarketer({
    'POST segments/preview': ({ body }) =>
      JSON.stringify(body).includes('neverFollowedBy')
        ? estimate(20_000, false, [{ pointer: pointer('neverFollowedBy'), count: 4_453 }])
        : estimate(28_268, true, [{ pointer: pointer('notFollowedBy'), count: 12 }]),
  });
  const { page, calls } = visit;
  await visit.open('/new-segment');
  await addCondition(page, 'cart_filled');
  const event = part(page, '1');
  await event.getByRole('button', { name: '+ then' }).click();
  await choose(event, 'Next event', 'order_paid');
  await page.getByText('and never “order_paid” within 7 days after any of them').first().waitFor();
  await page.getByText('≈ 4,453 of them may still do “order_paid”: 7 days are not over.').waitFor();

  await choose(event, 'Then', 'each not followed by');
  await event.getByText('people who did it after another one are members too').waitFor();
  await page.getByText('each without “order_paid” within 7 days after it').first().waitFor();
  await page.getByText('12 of them may still do “order_paid”: 7 days are not over.').waitFor();
  expect(lastAsked(calls)).toEqual({
    all: [
      {
        event: 'qwert',
        count: { gte: 1 },
        within: '30d',
        notFollowedBy: { event: 'asdfg', in: '7d' },
      },
    ],
  });
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test('a condition asks about any message, or that of a campaign', async () => {
  await using visit = await visitAsMarketer();
  const { page, calls } = visit;
  await visit.open('/new-segment');
  await part(page, '1').getByLabel('Attribute').fill('loyalty');
  const only = (message: object): Condition =>
    ({ all: [{ attribute: 'loyalty', is: '' }, message] }) as Condition;
  await addCondition(page, 'Message');
  const message = part(page, '2');
  await eventually(() =>
    expect(lastAsked(calls)).toEqual(only({ message: {}, was: 'sent', within: '7d' })),
  );
  await choose(message, 'Channel', 'E-mail');
  await choose(message, 'Purpose', 'Marketing');
  await choose(message, 'Whether', 'did not');
  await page.getByText('any marketing message by E-mail sent in the last 7 days').waitFor();
  await eventually(() =>
    expect(lastAsked(calls)).toEqual(
      only({
        not: { message: { channel: 'EMAIL', purpose: 'marketing' }, was: 'sent', within: '7d' },
      }),
    ),
  );
  await choose(message, 'Whether', 'did');
  await choose(message, 'Purpose', 'any purpose');
  await message.getByLabel('Tag of the campaign').fill('sale');
  await page.getByText('any message tagged “sale” by E-mail sent in the last 7 days').waitFor();
  await eventually(() =>
    expect(lastAsked(calls)).toEqual(
      only({ message: { channel: 'EMAIL', tag: 'sale' }, was: 'sent', within: '7d' }),
    ),
  );
  await message.getByLabel('Tag of the campaign').fill('');
  await choose(message, 'Was', 'open');
  await message.getByLabel('Messages').fill('3');
  await choose(message, 'Time range', 'any time');
  await page.getByText('at least 3 messages by E-mail opened').waitFor();
  await eventually(() =>
    expect(lastAsked(calls)).toEqual(
      only({ message: { channel: 'EMAIL' }, was: 'opened', count: { gte: 3 } }),
    ),
  );

  await choose(message, 'Message', 'of a campaign');
  await page.getByText('Fill in all conditions').waitFor();
  expect(await message.getByLabel('Channel').count()).toBe(0);
  expect(await message.getByLabel('How many').count()).toBe(0);
  const campaignId = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';
  await message.getByLabel('Campaign ID').fill(campaignId);
  await eventually(() =>
    expect(lastAsked(calls)).toEqual(only({ message: { campaignId }, was: 'opened' })),
  );
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

test('names, types and values are suggested, and each condition says how many it has', async () => {
  const values = [
    { value: 'pro', count: 310 },
    { value: 'free', count: 1_220 },
  ];
  const suggestions: Suggestions = {
    asked: 2_000,
    fields: [],
    attributes: [
      { attribute: 'plan', type: 'string', count: 1_530, values },
      { attribute: ['address', 'zip'], type: 'number', count: 500, values: [] },
    ],
  };
  await using visit = await visitAsMarketer({
    'GET suggestions': ({ query }) => ({
      json:
        query['event'] === 'qwert'
          ? {
              ...suggestions,
              attributes: [{ attribute: 'price', type: 'number', count: 9, values: [] }],
            }
          : suggestions,
    }),
    'POST segments/preview': ({ body }) => ({
      json: {
        ...(estimate(5, false) as { json: object }).json,
        parts: Object.keys((body as { condition: { all?: object[] } }).condition.all ?? []).map(
          (at) => ({
            pointer: `/condition/all/${at}`,
            count: 13_120 + Number(at),
          }),
        ),
      },
    }),
  });
  const { page, calls } = visit;
  await visit.open('/new-segment');
  const first = part(page, '1');
  await first.getByLabel('Attribute').fill('pl');
  const shown = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  await eventually(async () =>
    expect(await shown.allInnerTexts()).toEqual(['plan\ntext · 76.5 %']),
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(() =>
    expect(lastAsked(calls)).toEqual({ all: [{ attribute: 'plan', is: 'pro' }] }),
  );
  // The type is known.
  expect(await first.getByLabel('Type').count()).toBe(0);
  await first.getByLabel('Value').click();
  await page.getByRole('option', { name: 'free' }).click();
  await eventually(() =>
    expect(lastAsked(calls)).toEqual({ all: [{ attribute: 'plan', is: 'free' }] }),
  );
  await first.getByText('≈ 13,120').waitFor();

  await page.getByRole('combobox', { name: 'Add a condition' }).fill('FREE');
  await eventually(async () =>
    expect(await shown.allInnerTexts()).toEqual(['plan is free\n79.7 %']),
  );
  await page.keyboard.press('Enter');
  await eventually(() =>
    expect(lastAsked(calls)).toEqual({
      all: [
        { attribute: 'plan', is: 'free' },
        { attribute: 'plan', is: 'free' },
      ],
    }),
  );
  await actOn(page, '2', 'Remove');
  await addCondition(page, 'address › zip');
  await addCondition(page, 'cart_filled');
  const event = part(page, '3');
  await event.getByRole('button', { name: '+ where' }).click();
  await event.getByLabel('Attribute of the event').click();
  await page.getByRole('option', { name: 'price' }).click();
  await eventually(() =>
    expect(lastAsked(calls)).toEqual({
      all: [
        { attribute: 'plan', is: 'free' },
        { attribute: ['address', 'zip'], is: 0 },
        {
          event: 'qwert',
          count: { gte: 1 },
          within: '30d',
          where: [{ attribute: 'price', is: 0 }],
        },
      ],
    }),
  );
  await event.getByText('≈ 13,122').waitFor();
  await actOn(page, '1', 'Duplicate');
  await part(page, '4').waitFor();
  await choose(page, 'Users satisfy', 'none');
  await eventually(() =>
    expect(lastAsked(calls)).toMatchObject({ not: { any: [{}, {}, {}, {}] } }),
  );
  await injectAxe(page);
  expect(await seriousFindings(page)).toEqual([]);
});

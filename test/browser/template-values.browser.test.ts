import { describe, expect, test } from '@jest/globals';
import { written } from './support/code.ts';
import { channels, previewFor } from './support/composing.ts';
import type { Answers, Call } from './support/answer-calls.ts';
import { choose } from './support/pickers.ts';
import { estimate } from './support/segments.ts';
import { usePages } from './support/use-pages.ts';

const pages = usePages();

const list = (...items: readonly unknown[]) => ({ json: { items, nextCursor: null } });
const drawn = (...sample: readonly string[]) => {
  const { json } = estimate(sample.length) as { readonly json: object };
  return { json: { ...json, sample } };
};
const NAMES: Readonly<Record<string, string>> = { ada: 'Ada', bob: 'Bob', eve: 'Eve' };
const rendered = ({ body }: Call) => {
  const { customUserId } = body as { readonly customUserId?: string };
  const message = { title: `Hello ${NAMES[customUserId ?? '']}`, body: '<p>Hello</p>' };
  return { json: { variables: [], warnings: [], variant: null, message } };
};
const ANSWERS: Answers = {
  'GET templates': list(),
  'GET segments': list(),
  'GET definitions': list(),
  'GET channels': channels('ready'),
  'GET suggestions': {
    json: {
      asked: 200,
      fields: [{ field: 'city', type: 'string', count: 180, values: [] }],
      attributes: [
        { attribute: 'plan', type: 'string', count: 100, values: [] },
        { attribute: ['address', 'zip code'], type: 'string', count: 10, values: [] },
        { attribute: 'tags', type: 'array', count: 10, values: [] },
      ],
    },
  },
  'POST templates/preview': rendered,
  'GET users/ada': { json: { customUserId: 'ada', profile: { firstName: 'Ada', lastName: 'L' } } },
  'GET users/bob': { json: { customUserId: 'bob', profile: {} } },
  'GET users/eve': { json: { customUserId: 'eve', profile: {} } },
};
const visit = (answers: Answers = {}) =>
  pages.visit({ role: 'marketer', answers: { ...ANSWERS, ...answers } });

describe('values of users', () => {
  test('are inserted at the cursor of the last field, and what is typed next stands behind', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open('/new-template');
    await page.locator('code-field').waitFor();
    const body = page.getByLabel('HTML or text');
    // Before any field had the focus: the text.
    await page.getByRole('button', { name: 'plan 50 %' }).click();
    await page.keyboard.type(' plan');
    expect(await written(body)).toBe("{{ user.customAttributes.plan | default: '' }} plan");
    const subject = page.getByLabel('Subject');
    await subject.fill('Hello !');
    await subject.press('ArrowLeft');
    await page.getByRole('button', { name: 'First name' }).click();
    await page.keyboard.type(', welcome');
    expect(await subject.inputValue()).toBe("Hello {{ user.firstName | default: '' }}, welcome!");
    await body.press('Control+End');
    await page.getByRole('button', { name: 'address › zip code 5 %' }).click();
    await page.getByRole('button', { name: 'Unsubscribe link' }).click();
    expect(await written(body)).toContain(
      "{{ user.customAttributes.address['zip code'] | default: '' }}{{unsubscribeUrl}}",
    );

    expect(await page.getByRole('button', { name: /^tags/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Registered at' }).count()).toBe(0);
    await page.getByRole('button', { name: /more$/ }).click();
    await page.getByRole('button', { name: 'Registered at' }).waitFor();
  });

  test('personalise a message of one\u2019s own', async () => {
    await using opened = await visit();
    const { page } = opened;
    await opened.open('/compose?to=ada');
    await page.locator('code-field').waitFor();
    await page.getByRole('button', { name: 'Unsubscribe link' }).click();
    expect(await page.getByLabel('Personalise this message').isChecked()).toBe(false);
    await page.getByRole('button', { name: 'City 90 %' }).click();
    await page.keyboard.type('!');

    expect(await page.getByLabel('Personalise this message').isChecked()).toBe(true);
    expect(await written(page.getByLabel('HTML or text'))).toBe(
      "{{unsubscribeUrl}}{{ user.city | default: '' }}!",
    );
  });
});

test('a campaign in another channel has its words as text, and then its HTML again', async () => {
  await using opened = await visit();
  const { page } = opened;
  await opened.open('/compose?to=ada');
  const html = '<p>Your cart</p><p><a href="https://shop.test">Open it</a></p>';
  await page.getByLabel('HTML or text').fill(html);
  await choose(page, 'Channel', 'SMS');
  expect(await written(page.getByLabel('Text', { exact: true }))).toBe(
    'Your cart\nOpen it https://shop.test',
  );
  await choose(page, 'Channel', 'E-mail');

  expect(await written(page.getByLabel('HTML or text'))).toBe(html);
});

test('values of an event are no faults: they have a sample, and a note', async () => {
  const name = 'event.attributes.price';
  const event = { name: 'sample_event', attributes: { price: 'price' } };
  await using opened = await visit({
    'POST templates/preview': ({ body }: Call) => ({
      json: {
        variables: [
          { name, isRequired: true },
          { name: 'event.name', isRequired: true },
        ],
        warnings: [],
        ...('customUserId' in (body as object) && {
          variant: null,
          message: { title: 'Still price', body: '<p>Hello</p>' },
          event,
        }),
      },
    }),
  });
  const { page } = opened;
  await opened.open('/new-template');
  await page.getByLabel('Subject').fill(`Still {{ ${name} }}`);
  await page.getByLabel('HTML or text').fill('Hello');

  await page.getByText('Only an automation can send this template').waitFor();
  expect(await page.getByText('Always has a value').count()).toBe(1);
  expect(await page.getByRole('alert').count()).toBe(0);
  await previewFor(page, 'ada');
  await page.getByText('The event is a sample').waitFor();
});

describe('the person of a preview', () => {
  test('is found by a search, and stepped through at random', async () => {
    const found = { kind: 'user', id: 'ada', title: 'Ada L', detail: 'ada@shop.example' };
    await using opened = await visit({
      'GET search': { json: { items: [found], incomplete: [] } },
      'POST segments/preview': drawn('bob', 'eve'),
    });
    const { page, calls } = opened;
    await opened.open('/new-template');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    await page.getByLabel('Preview for').fill('ada');
    await page.getByRole('option', { name: /^Ada L/ }).click();
    await page.getByText('Hello Ada').waitFor();
    await page.getByText('As Ada L gets it').waitFor();
    await page.getByRole('button', { name: 'Show it as written' }).click();
    await previewFor(page, 'Ada');
    await page.getByText('Hello Ada').waitFor();
    for (const [button, shown] of [
      ['Next person', 'Hello Bob'],
      ['Next person', 'Hello Eve'],
      ['Next person', 'Hello Bob'],
      ['Person before', 'Hello Eve'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByText(shown).waitFor();
    }

    expect(calls.filter(({ name }) => name === 'POST segments/preview')).toMatchObject([
      { body: { condition: { field: 'registeredAt', after: 0 } } },
    ]);
  });

  test('is one of the audience of a campaign', async () => {
    await using opened = await visit({ 'POST segments/preview': drawn('eve') });
    const { page, calls } = opened;
    await opened.open('/compose?segment=loyal');
    await page.getByLabel('HTML or text').fill('<p>Hello</p>');
    await page.getByLabel('Personalise this message').check();
    await page.getByRole('button', { name: 'Next person' }).click();
    await page.getByText('Hello Eve').waitFor();
    await page.getByRole('button', { name: 'Listed people' }).click();
    await page.getByRole('textbox', { name: 'Recipients' }).fill('ada, bob');
    await page.getByRole('button', { name: 'Next person' }).click();
    await page.getByText('Hello Ada').waitFor();
    await page.getByRole('button', { name: 'Next person' }).click();
    await page.getByText('Hello Bob').waitFor();

    expect(calls.filter(({ name }) => name === 'POST segments/preview').at(-1)?.body).toEqual({
      condition: { segment: 'loyal' },
    });
  });
});

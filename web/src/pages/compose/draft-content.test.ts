import { describe, expect, test } from '@jest/globals';
import { parseDraft, type Draft } from './draft.ts';
import { fromContent, listDifferences, toContent } from './draft-content.ts';

const draft = (changes: Partial<Draft>): Draft => ({ ...parseDraft({}), ...changes });
const choice = (slug: string, version = '', share = '50') => ({ slug, version, share });

describe('a form is stored and read back', () => {
  test.each<[string, Partial<Draft>]>([
    ['nothing', {}],
    ['names', { name: 'שבת שלום', tags: ['a, b', 'خوش آمدید'] }],
    ['everyone', { to: 'everyone', exclude: 'new' }],
    ['a list of users', { to: 'users', recipients: 'ada\ngrace' }],
    ['a list of users that is empty yet', { to: 'users' }],
    ['a segment', { to: 'segment', segment: 'loyal', exclude: 'new', recheck: true }],
    ['a segment that is not chosen yet', { to: 'segment' }],
    ['a segment, and a list that does not count', { to: 'segment', recipients: 'ada' }],
    [
      'a condition',
      { to: 'condition', condition: { all: [{ field: 'country', is: 'DE' }] }, exclude: 'new' },
    ],
    [
      'a condition whose number is not filled in',
      { to: 'condition', condition: { attribute: 'visits', gt: Number.NaN } as never },
    ],
    ['a message', { channel: 'SMS', purpose: 'marketing', fields: { body: 'Hi' } }],
    ['a title without a text', { fields: { title: 'Hi', body: '' } }],
    ['a personal message', { personalize: true, fields: { title: 'a', body: '{{ user.city }}' } }],
    [
      'a message of lists and JSON',
      {
        channel: 'APP_PUSH',
        fields: { body: 'x', buttons: 'A | https://x.example', customContent: '{\n  "a": 1\n}' },
      },
    ],
    [
      'JSON that is not complete',
      { channel: 'APP_PUSH', fields: { body: '', customContent: '{"' } },
    ],
    ['a template', { content: 'template', templates: [choice('welcome', '3')] }],
    ['a template that is not chosen yet', { content: 'template', templates: [choice('')] }],
    [
      'templates with shares',
      { content: 'template', templates: [choice('a', '', '70'), choice('', '', '30')] },
    ],
    [
      'a template, and a message that does not count',
      { content: 'template', templates: [choice('a')], fields: { title: 'Hi', body: '' } },
    ],
    ['an instant', { when: 'at', time: '2026-12-24T09:00' }],
    ['a local time', { when: 'local', time: '2026-12-24T09:00' }],
    ['a time that is not chosen yet', { when: 'at', time: '' }],
    ['a local time that is not chosen yet', { when: 'local', time: '' }],
  ])('%s', (_what, changes) => {
    const written = draft(changes);
    const stored = JSON.parse(JSON.stringify(toContent(written))) as ReturnType<typeof toContent>;
    const read = fromContent(stored);

    // An empty text is like none.
    const withBody = 'body' in written.fields && written.fields['body'] === '';
    expect(withBody ? { ...read, fields: { ...read.fields, body: '' } } : read).toEqual(written);
  });
});

describe('what another program has stored', () => {
  test.each<[string, object]>([
    [
      'numbers',
      { name: 5, tags: 5, channel: 5, purpose: 5, recipients: 5, message: 5, template: 5 },
    ],
    ['lists', { name: [], tags: [1, null], segment: [], message: [], split: [1], sendAt: [] }],
    [
      'objects',
      { name: {}, tags: {}, segment: {}, exclude: {}, template: {}, split: {}, sendAt: {} },
    ],
    ['a condition of another kind', { segment: { condition: { no: 'such' } } }],
    ['no condition', { segment: { condition: 'x' } }],
    ['an instant without end', { sendAt: 1e300, personalize: 'yes', recheck: 1 }],
  ])('%s, counts as missing', (_what, content) => {
    expect(fromContent(content as never)).toMatchObject({
      name: '',
      tags: [],
      exclude: '',
      segment: '',
      recipients: '',
    });
  });

  test('a message with lists of another kind is shown as it is', () => {
    const content = {
      channel: 'APP_PUSH',
      message: { body: 5, images: 'x', buttons: [1], url: {} },
    };

    expect(fromContent(content).fields).toEqual({
      body: '5',
      images: '"x"',
      buttons: '[\n  1\n]',
      url: '{}',
    });
  });

  test('what a push has is read: a copy of a campaign', () => {
    const content = {
      name: 'Sent',
      tags: ['a'],
      channel: 'EMAIL',
      purpose: 'marketing',
      message: { title: 'Hi', body: '<p>Hi</p>' },
      recipients: ['ada', 'eve'],
    };

    expect(fromContent(content)).toMatchObject({
      name: 'Sent',
      tags: ['a'],
      purpose: 'marketing',
      fields: { title: 'Hi', body: '<p>Hi</p>' },
      to: 'users',
      recipients: 'ada\neve',
      when: 'now',
    });
  });
});

test('differences are named once, in the words of the page', () => {
  const one = { name: 'A', recipients: ['ada'], message: { title: 'x' }, sendAt: null };
  const other = { segment: 'loyal', message: { title: 'y' }, personalize: true };

  expect(listDifferences(one, other)).toEqual(['name', 'audience', 'message', 'time']);
  expect(listDifferences(one, { ...one, tags: [] })).toEqual([]);
});

test('everyone is read back, with its keys in another order', () => {
  const stored = { channel: 'EMAIL', segment: { condition: { after: 0, field: 'registeredAt' } } };

  expect(fromContent(stored).to).toBe('everyone');
  expect(
    fromContent({ ...stored, segment: { condition: { after: 5, field: 'registeredAt' } } }).to,
  ).toBe('condition');
});

test('two contents whose keys are in another order do not differ', () => {
  const written = { segment: { condition: { attribute: 'plan', is: 'pro' } } };

  expect(
    listDifferences(written, { segment: { condition: { is: 'pro', attribute: 'plan' } } }),
  ).toEqual([]);
  expect(
    listDifferences(written, { segment: { condition: { is: 'free', attribute: 'plan' } } }),
  ).toEqual(['audience']);
});

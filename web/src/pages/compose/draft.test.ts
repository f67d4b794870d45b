import { describe, expect, test } from '@jest/globals';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { PUSH_MESSAGE_FIELDS, type PushMessage } from '@tidings/contracts/push/push';
import { START } from '../../conditions/new-condition.ts';
import { EVERYONE } from '../../conditions/everyone.ts';
import { audienceCondition, readRecipients } from './audience.ts';
import { buildRequest, changeDraft, listMissing, parseDraft, type Draft } from './draft.ts';
import { listMessageFields } from './message-fields.ts';
import { buildMessage, toMessageTexts } from './message-values.ts';

const USERS = {
  name: '',
  tags: [],
  to: 'users',
  segment: '',
  condition: START,
  exclude: '',
  recheck: false,
  when: 'now',
  time: '',
  content: 'message',
  personalize: false,
  templates: [{ slug: '', version: '', share: '50' }],
  winner: null,
} as const;
const draft = (channel: Draft['channel'], fields: Draft['fields']): Draft => ({
  channel,
  ...USERS,
  recipients: 'ada',
  purpose: 'transactional',
  fields,
});

test('recipients are separated by lines or commas; duplicates are removed', () => {
  expect(readRecipients(' ada\ngrace, ada;alan\r\n\n')).toEqual(['ada', 'grace', 'alan']);
});

test.each([
  [
    {},
    { channel: 'EMAIL', ...USERS, to: 'segment', recipients: '', purpose: 'marketing', fields: {} },
  ],
  [
    { segment: 'loyal' },
    {
      channel: 'EMAIL',
      ...USERS,
      to: 'segment',
      segment: 'loyal',
      recipients: '',
      purpose: 'marketing',
      fields: {},
    },
  ],
  [
    { channel: 'SMS', to: 'ada,grace', purpose: 'marketing' },
    { channel: 'SMS', ...USERS, recipients: 'ada\ngrace', purpose: 'marketing', fields: {} },
  ],
  [
    { template: 'welcome@3', channel: 'SMS' },
    {
      channel: 'SMS',
      ...USERS,
      to: 'segment',
      content: 'template',
      templates: [{ slug: 'welcome', version: '3', share: '50' }],
      recipients: '',
      purpose: 'marketing',
      fields: {},
    },
  ],
  [
    { channel: 'FAX', purpose: 'fun', to: 'ada' },
    { channel: 'EMAIL', ...USERS, recipients: 'ada', purpose: 'marketing', fields: {} },
  ],
])('the URL parameters %j fill in a draft', (search, expected) => {
  expect(parseDraft(search)).toEqual(expected);
});

test('a message has the filled-in fields with their types', () => {
  expect(
    buildMessage(
      draft('APP_PUSH', {
        title: 'Hi',
        body: 'There',
        ttl: '60',
        url: ' ',
        customContent: '{"a":1}',
        buttons: 'Read | https://x.example/a|b\n',
        images: 'https://x.example/i.png',
      }),
    ),
  ).toEqual({
    title: 'Hi',
    body: 'There',
    ttl: 60,
    customContent: { a: 1 },
    buttons: [{ label: 'Read', link: 'https://x.example/a|b' }],
    images: [{ url: 'https://x.example/i.png' }],
  });
});

test.each([
  ['{"order":9007199254740993}', { order: 9_007_199_254_740_993n }],
  ['{ order', '{ order'],
  ['5', '5'],
  ['Hello', 'Hello'],
])('the webhook body %s stays text or becomes an object with exact integers', (text, body) => {
  expect(buildMessage(draft('WEB_HOOK', { body: text }))).toEqual({ body });
});

test('invalid numbers and JSON are sent unchanged, so that the service reports them', () => {
  expect(
    buildMessage(draft('APP_PUSH', { body: 'x', ttl: 'soon', customContent: '{' })),
  ).toMatchObject({ ttl: 'soon', customContent: '{' });
});

test('fields of another channel are not sent', () => {
  expect(buildMessage(draft('SMS', { title: 'Hi', body: 'There' }))).toEqual({ body: 'There' });
});

test.each(CHANNELS)('%s offers all fields of the API', (channel) => {
  expect(
    listMessageFields(channel)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...PUSH_MESSAGE_FIELDS[channel]].toSorted());
});

test('the kind of a field follows from its schema', () => {
  const kinds = (channel: Channel) =>
    listMessageFields(channel).map(({ name, kind }) => `${name}: ${kind}`);

  expect(kinds('APP_PUSH')).toEqual([
    'title: line',
    'body: text',
    'url: line',
    'icon: line',
    'images: links',
    'buttons: buttons',
    'ttl: number',
    'customContent: json',
  ]);
  expect(kinds('WEB_HOOK')).toEqual([
    'title: line',
    'body: textOrObject',
    'url: line',
    'method: choice',
    'headers: json',
    'contentType: line',
    'customContent: json',
  ]);
  expect(listMessageFields('IN_APP').find(({ name }) => name === 'alignment')?.choices).toEqual([
    'CENTER',
    'TOP',
    'BOTTOM',
  ]);
});

test('only an audience check sets dryRun', () => {
  expect(buildRequest(draft('SMS', { body: 'x' }), true)).toMatchObject({
    dryRun: true,
    recipients: ['ada'],
  });
  expect(buildRequest(draft('SMS', { body: 'x' }), false)).not.toHaveProperty('dryRun');
});

test('a name and tags are sent if there are any', () => {
  const named = { ...draft('SMS', { body: 'x' }), name: ' Black Friday ', tags: ['sale'] };

  expect(buildRequest(named, false)).toMatchObject({ name: 'Black Friday', tags: ['sale'] });
  expect(buildRequest({ ...named, name: ' ', tags: [] }, false)).not.toHaveProperty('name');
  expect(buildRequest({ ...named, name: ' ', tags: [] }, false)).not.toHaveProperty('tags');
});

test('a draft to a segment sends the segment, not the list', () => {
  const toSegment = { ...draft('SMS', { body: 'x' }), to: 'segment' as const };
  expect(listMissing(toSegment)).toEqual(['a segment']);
  expect(buildRequest({ ...toSegment, segment: 'loyal' }, false)).toEqual({
    segment: 'loyal',
    channel: 'SMS',
    message: { body: 'x' },
    purpose: 'transactional',
  });
  expect(
    buildRequest({ ...toSegment, segment: 'loyal', exclude: 'new', recheck: true }, true),
  ).toMatchObject({ segment: 'loyal', exclude: 'new', recheck: true, dryRun: true });
});

test('a draft may send a template, a version of it, or split its users between several', () => {
  const welcome = { slug: 'welcome', version: '', share: '70' };
  const ofTemplate = { ...draft('SMS', {}), content: 'template' as const };
  expect(listMissing({ ...ofTemplate, templates: [welcome, { ...welcome, slug: '' }] })).toEqual([
    'a template',
  ]);
  const request = buildRequest({ ...ofTemplate, templates: [welcome] }, false);
  expect(request).toMatchObject({ template: 'welcome' });
  expect(request).not.toHaveProperty('message');
  expect(
    buildRequest(
      { ...ofTemplate, templates: [welcome, { slug: 'short', version: '3', share: '30' }] },
      false,
    ),
  ).toMatchObject({
    split: [
      { template: 'welcome', share: 70 },
      { template: 'short@3', share: 30 },
    ],
  });
});

test('a message is personalised if the draft says so', () => {
  const written = draft('SMS', { body: 'Hello {{ user.firstName }}' });
  expect(buildRequest({ ...written, personalize: true }, false)).toMatchObject({
    message: { body: 'Hello {{ user.firstName }}' },
    personalize: true,
  });
  expect(buildRequest(written, false)).not.toHaveProperty('personalize');
});

describe('a stored message is edited as text and read back', () => {
  test.each<[Channel, PushMessage]>([
    ['EMAIL', { title: 'Hi', body: '<p>Hello</p>' }],
    ['EMAIL', { body: 'Dear <b>', format: 'text' }],
    ['SMS', { body: '{{ user.firstName | default: "you" }}' }],
    ['IN_APP', { body: 'x', alignment: 'TOP', duration: 5_000 }],
    ['WEB_HOOK', { body: { order: 9_007_199_254_740_993n }, headers: { a: 'b' }, method: 'PUT' }],
    [
      'APP_PUSH',
      {
        body: 'x',
        images: [{ url: 'https://x.example/{{ user.city | url_encode }}.png' }],
        buttons: [{ link: 'https://x.example', label: '{{ user.firstName | upcase }}' }],
        customContent: { a: [1] },
      },
    ],
    ['APP_PUSH', { body: 'x', buttons: [{ label: 'a | b', link: 'https://x.example' }] }],
    ['WEB_PUSH', { body: 'x', buttons: [{ label: ' a', link: 'x' }], images: [{ url: 'a\nb' }] }],
  ])('%s %j', (channel, message) => {
    expect(buildMessage({ channel, fields: toMessageTexts(channel, message) })).toEqual(message);
  });

  test('buttons as lines, where lines say the same', () => {
    const buttons = [{ label: '{{ user.firstName | upcase }}', link: 'https://x.example' }];
    expect(toMessageTexts('APP_PUSH', { body: 'x', buttons })['buttons']).toBe(
      '{{ user.firstName | upcase }} | https://x.example',
    );
  });
});

test('a draft may be sent at a time of the browser, or of each recipient', () => {
  const later = { ...draft('SMS', { body: 'x' }), when: 'at' as const };
  expect(listMissing(later)).toEqual(['a time']);
  expect(buildRequest({ ...later, time: '2026-12-24T09:00' }, false)).toMatchObject({
    sendAt: new Date(2026, 11, 24, 9).getTime(),
  });
  const local = buildRequest({ ...later, when: 'local', time: '2026-12-24T09:00' }, false);
  expect(local).toMatchObject({ sendAtLocal: '2026-12-24T09:00' });
  expect(local).not.toHaveProperty('sendAt');
});

test('the first value of the user makes a draft personal; later it may be sent as it is written', () => {
  const empty = parseDraft({});
  const written = changeDraft(empty, { fields: { title: 'Hi {{ user.firstName }}' } });
  const literal = changeDraft(written, { personalize: false });

  expect(changeDraft(empty, { fields: { title: 'Hi {{firstName}}' } }).personalize).toBe(false);
  expect(written.personalize).toBe(true);
  expect(literal.personalize).toBe(false);
  expect(changeDraft(literal, { fields: { title: 'Dear {{ user.city }}' } }).personalize).toBe(
    false,
  );
});

test('a draft needs recipients, and the required fields of its channel', () => {
  expect(listMissing(parseDraft({}))).toEqual(['a segment', 'a subject', 'a text']);
  expect(listMissing(draft('EMAIL', { body: 'Hello', title: '  ' }))).toEqual(['a subject']);
  expect(listMissing(draft('SMS', { body: 'Hello' }))).toEqual([]);
});

describe('the audience', () => {
  const bought = { field: 'country', is: 'DE' } as const;
  const own = {
    ...draft('EMAIL', { title: 'Hello', body: 'Hello' }),
    to: 'condition',
    condition: bought,
  } as const;

  test.each([
    [{ to: 'everyone' }, { segment: { condition: EVERYONE } }, EVERYONE],
    [
      { to: 'everyone', exclude: 'staff' },
      { segment: { condition: EVERYONE }, exclude: 'staff' },
      { all: [EVERYONE, { not: { segment: 'staff' } }] },
    ],
    [{ to: 'segment', segment: 'loyal' }, { segment: 'loyal' }, { segment: 'loyal' }],
    [{ to: 'condition', recheck: true }, { segment: { condition: bought }, recheck: true }, bought],
    [{ to: 'users', exclude: 'staff' }, { recipients: ['ada'] }, null],
  ] as const)('%j is sent, and asked about', (changes, sent, asked) => {
    const draftOf = { ...own, ...changes };
    const { recipients, segment, exclude, recheck } = buildRequest(draftOf, false);

    expect({ recipients, segment, exclude, recheck }).toEqual({
      recipients: undefined,
      segment: undefined,
      exclude: undefined,
      recheck: undefined,
      ...sent,
    });
    expect(audienceCondition(draftOf)).toEqual(asked);
  });

  test('is not asked about, and lacks its conditions, until all are filled in', () => {
    const begun = { ...own, condition: START };

    expect(audienceCondition(begun)).toBeNull();
    expect(listMissing(begun)).toEqual(['all of the conditions']);
  });
});

test('a name is sent without the spaces around it, and none if it is blank', () => {
  const named = (name: string) =>
    buildRequest({ ...draft('SMS', { body: 'x' }), name }, false)['name'];

  expect([named(' خبرنامه '), named('  ')]).toEqual(['خبرنامه', undefined]);
});

import { hasUnsubscribeLink, unknownPlaceholders } from '@tidings/mail-body/placeholders';
import { describe, expect, test } from '@jest/globals';
import { listChannelFields, buildSettings, initialValues } from './channels/channel-fields.ts';
import { withUnsubscribeLink } from './compose/unsubscribe-link.ts';
import { countingBefore, toSpanQuery, findSpan } from './events/span.ts';
import { stepsDone } from './start/steps.ts';

describe('channels/channel-fields', () => {
  const EMAIL = listChannelFields({
    fields: {
      host: { schema: { type: 'string' }, label: 'Host' },
      port: { schema: { type: 'integer' }, label: 'Port' },
      security: { schema: { enum: ['none', 'tls'] }, label: 'Encryption' },
      fromAddress: { schema: { type: 'string' }, label: 'Sender' },
      password: { schema: { type: 'string' }, label: 'Password', isSecret: true },
    },
    example: {},
  });
  const kept = {
    host: 'smtp.example.com',
    port: 587,
    security: 'tls',
    fromAddress: 'a@example.com',
    password: '********',
  };

  test('a secret is never shown, and keeps its value unless a new one is typed', () => {
    const values = initialValues(EMAIL, kept);

    expect(values['password']).toBe('');
    expect(buildSettings(EMAIL, values, kept)).toEqual(kept);
    expect(buildSettings(EMAIL, { ...values, password: 'new' }, kept)).toEqual({
      ...kept,
      password: 'new',
    });
  });

  test('an unset secret is not sent', () => {
    expect(buildSettings(EMAIL, initialValues(EMAIL, {}), {})).toEqual({});
  });

  test('numbers are sent as numbers; invalid ones unchanged, so that the service reports them', () => {
    expect(buildSettings(EMAIL, { port: '25' }, {})).toEqual({ port: 25 });
    expect(buildSettings(EMAIL, { port: 'smtp' }, {})).toEqual({ port: 'smtp' });
  });
});

describe('compose/unsubscribe-link', () => {
  test.each([
    ['Hello', 'Hello\n\nUnsubscribe: {{unsubscribeUrl}}\n'],
    ['<p>Hello</p>\n', '<p>Hello</p>\n<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>\n'],
    [
      '<html><body><p>Hello</p></body></html>',
      '<html><body><p>Hello</p><p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>\n</body></html>',
    ],
  ])('%j gets a link whose placeholder the worker replaces', (body, expected) => {
    expect(withUnsubscribeLink({ body })).toBe(expected);
    expect(hasUnsubscribeLink({ body: expected })).toBe(true);
    expect(unknownPlaceholders('EMAIL', { body: expected })).toEqual([]);
  });

  test.each([
    '<!-- <a href="{{unsubscribeUrl}}">Unsubscribe</a> -->',
    '<a data-href="{{unsubscribeUrl}}">Unsubscribe</a>',
    '<link href={{unsubscribeUrl}}>',
  ])('readers do not see %s; a link can be inserted', (link) => {
    const body = `<p>Hello</p>${link}`;

    expect(hasUnsubscribeLink({ body })).toBe(false);
    expect(hasUnsubscribeLink({ body: withUnsubscribeLink({ body }) })).toBe(true);
  });
});

describe('events/span', () => {
  test('a span requests its last hours or days', () => {
    expect(toSpanQuery(findSpan('24h'))).toEqual({ step: 'hour', points: 24 });
    expect(toSpanQuery(findSpan('30d'))).toEqual({ step: 'day', points: 30 });
  });

  test('the default span is one week', () => {
    expect(findSpan('').points).toBe(168);
  });

  test('the counting notice appears for points up to a day after the counted arrival', () => {
    const points = [{ at: 86_400_000 }, { at: 90_000_000 }];

    expect(
      [null, 0, 1, 90_000_000].map((countedFrom) => countingBefore(countedFrom, points)),
    ).toEqual([null, null, 1, 90_000_000]);
  });
});

describe('start/steps', () => {
  const ALL = {
    hasKey: true,
    hasUser: true,
    hasEvent: true,
    hasReadyChannel: true,
    hasCampaign: true,
  };

  test.each<[keyof typeof ALL, readonly string[]]>([
    ['hasKey', ['data', 'channel', 'campaign']],
    ['hasUser', ['key', 'channel', 'campaign']],
    ['hasEvent', ['key', 'channel', 'campaign']],
    ['hasReadyChannel', ['key', 'data', 'campaign']],
    ['hasCampaign', ['key', 'data', 'channel']],
  ])('without %s these steps are done: %j', (missing, done) => {
    expect(
      Object.entries(stepsDone({ ...ALL, [missing]: false })).flatMap(([step, isDone]) =>
        isDone ? step : [],
      ),
    ).toEqual(done);
  });
});

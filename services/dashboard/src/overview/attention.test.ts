import { expect, test } from '@jest/globals';
import { attentionOf, type Findings } from './attention.ts';

const NOTHING: Findings = {
  lag: { 'users-consumer': 0, 'events-consumer': 3 },
  letters: { count: 0, isMore: false, since: null },
  webhooks: [],
  channels: [],
  campaigns: [],
  addresses: [],
  definitions: { server: 1_599, client: 399 },
};

test('nobody is called where all is well, nor while nobody knows how far the consumers are', () => {
  expect(attentionOf(NOTHING)).toEqual([]);
  expect(attentionOf({ ...NOTHING, lag: null })).toEqual([]);
});

test('the slower consumer counts', () => {
  expect(
    attentionOf({ ...NOTHING, lag: { 'users-consumer': 0, 'events-consumer': 20_000 } }),
  ).toEqual([{ kind: 'ingest_behind', at: null, count: 20_000 }]);
});

test('a channel with settings that no test send proved is named, one without settings is not', () => {
  const channels = [
    { channel: 'SMS', status: 'untested', testedAt: null },
    { channel: 'EMAIL', status: 'not_configured', testedAt: null },
  ] as const;

  expect(attentionOf({ ...NOTHING, channels })).toEqual([
    { kind: 'channel_untested', at: null, channel: 'SMS' },
  ]);
});

test('an endpoint that fails is told apart from one that was switched off', () => {
  const webhooks = [
    { webhookId: '1', url: 'https://a.example', disabledReason: null, since: 5 },
    { webhookId: '2', url: 'https://b.example', disabledReason: 'gone', since: 6 },
  ] as const;

  expect(attentionOf({ ...NOTHING, webhooks }).map(({ kind, at }) => [kind, at])).toEqual([
    ['webhook_failing', 5],
    ['webhook_disabled', 6],
  ]);
});

test('of letters that are more than were counted it is said', () => {
  expect(attentionOf({ ...NOTHING, letters: { count: 1_000, isMore: true, since: 1 } })).toEqual([
    { kind: 'dead_letters', at: 1, count: 1_000, isMore: true },
  ]);
});

test('a budget of event definitions is named from four fifths of it on', () => {
  expect(attentionOf({ ...NOTHING, definitions: { server: 1_600, client: 399 } })).toEqual([
    { kind: 'definitions_nearly_full', at: null, count: 1_600, total: 2_000 },
  ]);
  expect(attentionOf({ ...NOTHING, definitions: { server: 0, client: 400 } })).toEqual([
    { kind: 'client_definitions_nearly_full', at: null, count: 400, total: 500 },
  ]);
});

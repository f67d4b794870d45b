import { expect, test } from '@jest/globals';
import type { ChannelState, IngestEntry, Webhook } from '../../api/types.ts';
import { attentionOf } from './attention.ts';

const NOW = 1_795_256_516_534;
const calm = { channels: [], deadLetters: [], webhooks: [], refusals: [], campaigns: [], now: NOW };

test('nothing needs attention where all is well', () => {
  expect(attentionOf(calm)).toEqual([]);
});

test('what is broken stands before what only looks odd', () => {
  const untested: ChannelState = { channel: 'SMS', status: 'untested', settings: {} };
  const paused: ChannelState = { channel: 'EMAIL', status: 'ready', settings: {}, pause: { reason: 'provider_auth', pausedAt: NOW } };

  const items = attentionOf({ ...calm, channels: [untested, paused] });

  expect(items.map(({ tone, to }) => [tone, to])).toEqual([
    ['bad', '/channels/EMAIL'],
    ['warn', '/channels/SMS'],
  ]);
});

test('an endpoint that somebody switched off himself is as it should be', () => {
  const webhook: Webhook = { id: 'w', url: 'https://x.example/', description: '', kinds: [], channels: [], status: 'disabled', disabledReason: 'by_hand', disabledAt: NOW, failingSince: null, previousSecretUntil: null, createdAt: NOW };

  expect(attentionOf({ ...calm, webhooks: [webhook] })).toEqual([]);
  expect(attentionOf({ ...calm, webhooks: [{ ...webhook, disabledReason: 'gone' }] })).toHaveLength(1);
});

test('old refusals are history', () => {
  const refusal: IngestEntry = { requestId: 'r', receivedAt: NOW - 2 * 3_600_000, outcome: 'refused' };

  expect(attentionOf({ ...calm, refusals: [refusal] })).toEqual([]);
  expect(attentionOf({ ...calm, refusals: [{ ...refusal, receivedAt: NOW }] })[0]?.text).toBe('1 request was refused within the hour.');
});

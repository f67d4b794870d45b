import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { signWebhook } from './standard-webhooks.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const body = '{"text":"Grüße 👋"}';
const now = () => Math.floor(Date.now() / 1000);
const sign = (secrets: string | readonly string[], timestampSeconds = now()) =>
  signWebhook(secrets, { id: 'msg_1', timestampSeconds, body });

describe('a hook is signed by the Standard Webhooks scheme', () => {
  test('the public package verifies it', () => {
    expect(new Webhook(secret).verify(body, sign(secret))).toEqual(JSON.parse(body));
  });

  test('with two secrets each of them verifies it', () => {
    const headers = sign([secret, other]);

    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const one of [secret, other])
      expect(new Webhook(one).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(other).verify(body, sign(secret))).toThrow();
  });

  test('kept by somebody and sent later it does not verify', () => {
    expect(() => new Webhook(secret).verify(body, sign(secret, now() - 301))).toThrow(/old/);
  });

  test.each([
    ['another body', { body: '{"text":"x"}' }],
    ['another id', { 'webhook-id': 'msg_2' }],
    ['another time', { 'webhook-timestamp': String(now() - 1) }],
  ])(
    '%s does not verify',
    (_name, { body: changed = body, ...headers }: Record<string, string>) => {
      expect(() => new Webhook(secret).verify(changed, { ...sign(secret), ...headers })).toThrow();
    },
  );
});

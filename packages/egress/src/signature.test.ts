import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signatureHeaders } from './signature.ts';

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const body = JSON.stringify({ id: 'evt_1', name: 'Zoë 👋' });
const signed = (secrets: readonly string[], sentAtMs = Date.now()) => signatureHeaders({ id: 'evt_1', sentAtMs, body, secrets });

test('the public verifier of the Standard Webhooks accepts a signature, and gives the body back', () => {
  const secret = newSecret();

  expect(new Webhook(secret).verify(body, signed([secret]))).toEqual({ id: 'evt_1', name: 'Zoë 👋' });
});

test('while a secret is rotated, receivers with the old one and with the new one both accept', () => {
  const [before, after] = [newSecret(), newSecret()];
  const headers = signed([after, before]);

  expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
  expect(() => new Webhook(before).verify(body, headers)).not.toThrow();
  expect(() => new Webhook(after).verify(body, headers)).not.toThrow();
  expect(() => new Webhook(before).verify(body, signed([after]))).toThrow(WebhookVerificationError);
});

test.each<readonly [string, { readonly body?: string; readonly headers?: Readonly<Record<string, string>> }]>([
  ['another body', { body: `${body} ` }],
  ['another id', { headers: { 'webhook-id': 'evt_2' } }],
  ['another time', { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 60) } }],
])('%s does not verify', (_name, { body: text = body, headers = {} }) => {
  const secret = newSecret();

  expect(() => new Webhook(secret).verify(text, { ...signed([secret]), ...headers })).toThrow(WebhookVerificationError);
});

test('a request that somebody kept and sends later does not verify', () => {
  const secret = newSecret();

  expect(() => new Webhook(secret).verify(body, signed([secret], Date.now() - 301_000))).toThrow(/old/);
});

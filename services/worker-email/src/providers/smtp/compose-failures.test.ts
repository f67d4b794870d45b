import { describe, expect, test } from '@jest/globals';
import { effectsOf } from '@tidings/channel-worker/testing/error-effects';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createMailLinker } from '../../mail-links.ts';
import { outgoingMail, TEST_CONFIG } from '../../testing/smtp.ts';
import { createSmtp } from './provider.ts';

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const RSA = pem(generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey);
const ED25519 = pem(generateKeyPairSync('ed25519').privateKey);
const DKIM = { dkimDomain: 'example.com', dkimSelector: 'news' };

/** A mail that must not reach its server. */
async function resultOf(
  overrides: Parameters<typeof outgoingMail>[1],
  linksOf = createMailLinker(TEST_CONFIG),
) {
  let connections = 0;
  const connect = async (): Promise<never> => {
    connections += 1;
    throw Object.assign(new Error('no server'), { code: 'ECONNREFUSED' });
  };
  const smtp = createSmtp(TEST_CONFIG, { egress: { connect } });
  const delivery = outgoingMail(25, overrides);
  const result = await smtp.send(delivery, () => linksOf(delivery));
  return { result, connections };
}

describe('settings by which no mail can be sent keep the delivery until they are corrected', () => {
  test.each([
    ['a DKIM key that is none', DKIM, { dkimPrivateKey: 'none' }, 'dkim_key'],
    ['half a DKIM key', DKIM, { dkimPrivateKey: RSA.slice(0, 300) }, 'dkim_key'],
    ['a DKIM key of the other kind', DKIM, { dkimPrivateKey: ED25519 }, 'dkim_key'],
    [
      'a second DKIM key of the other kind',
      { ...DKIM, dkimEd25519Selector: 'ed' },
      { dkimPrivateKey: RSA, dkimEd25519PrivateKey: RSA },
      'dkim_key',
    ],
    ['no sender', { fromAddress: undefined }, {}, 'settings'],
    ['a sender that is no address', { fromAddress: 'shop' }, {}, 'settings'],
    ['no host', { host: undefined }, {}, 'settings'],
    ['no port', { port: undefined }, {}, 'settings'],
  ])('%s', async (_what, settings, secrets, providerCode) => {
    const { result, connections } = await resultOf({ settings, secrets });

    expect(effectsOf('EMAIL', result)).toMatchObject({
      status: 'configuration',
      state: 'retry_wait',
      reason: 'provider_auth',
      last: 'retry_wait',
      account: 'misconfigured',
      providerCode,
      isUnmapped: false,
    });
    expect(JSON.stringify(result)).not.toContain('PRIVATE');
    expect(connections).toBe(0);
  });
});

test('a mail that cannot be composed has failed, is counted, and does not quote the message', async () => {
  const { result, connections } = await resultOf({}, () => {
    throw new RangeError('Text of the message');
  });

  expect(effectsOf('EMAIL', result)).toMatchObject({
    status: 'permanent',
    state: 'failed',
    reason: 'internal',
    account: 'works',
    isUnmapped: true,
  });
  expect(result).toMatchObject({
    providerCode: 'not_composed',
    providerMessage: 'The mail could not be composed (RangeError).',
  });
  expect(connections).toBe(0);
});

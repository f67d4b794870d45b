import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { dkimFaults } from '../channel-settings/dkim-faults.ts';
import { normalNetwork } from '../auth/normal-network.ts';
import { normalAddress } from './suppressions/address.ts';

describe('auth/normal-network', () => {
  test.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['10.1.2.3/0', '0.0.0.0/0'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8::ffff/127', '2001:db8::fffe/127'],
    ['::/0', '::/0'],
    ['fe80::1/10', 'fe80::/10'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::FFFF:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:a01:203/128', '10.1.2.3'],
    ['::ffff:10.1.2.3/96', '0.0.0.0/0'],
    ['::ffff:10.1.2.3/80', '::/80'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('%s is stored as %s', (text, kept) => {
    expect(normalNetwork(text)).toBe(kept);
    expect(normalNetwork(kept)).toBe(kept);
  });

  test.each([
    '',
    ' ',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '010.0.0.1',
    '0x7f.1',
    '10.0.0.1 ',
    '::1/129',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.1:80',
    'localhost',
    '*',
    '10.0.0.0/٨',
  ])('%j is rejected', (text) => {
    expect(normalNetwork(text)).toBeNull();
  });
});

describe('channels/dkim-faults', () => {
  const PEM = {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as const;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024, ...PEM }).privateKey;
  const domain = { dkimDomain: 'example.com', dkimSelector: 'news' };
  const ed25519 = generateKeyPairSync('ed25519', PEM).privateKey;
  const second = { dkimEd25519Selector: 'ed', dkimEd25519PrivateKey: ed25519 };

  test.each([
    ['nothing of it', {}],
    ['all of it', { ...domain, dkimPrivateKey: rsa }],
    ['all of both signatures', { ...domain, dkimPrivateKey: rsa, ...second }],
    ['the key as it was read', { ...domain, dkimPrivateKey: '********' }],
  ])('%s is valid', (_name, settings) => {
    expect(dkimFaults(settings)).toEqual([]);
  });

  test.each([
    ['no key', domain, ['/dkimPrivateKey']],
    ['nothing but a key', { dkimPrivateKey: rsa }, ['/dkimDomain', '/dkimSelector']],
    ['an empty selector', { ...domain, dkimSelector: '', dkimPrivateKey: rsa }, ['/dkimSelector']],
    ['no PEM', { ...domain, dkimPrivateKey: 'MIIB' }, ['/dkimPrivateKey']],
    [
      'a public key',
      {
        ...domain,
        dkimPrivateKey: generateKeyPairSync('rsa', { modulusLength: 1_024, ...PEM }).publicKey,
      },
      ['/dkimPrivateKey'],
    ],
    [
      'a short key',
      {
        ...domain,
        dkimPrivateKey: generateKeyPairSync('rsa', { modulusLength: 768, ...PEM }).privateKey,
      },
      ['/dkimPrivateKey'],
    ],
    ['a key that is not RSA', { ...domain, dkimPrivateKey: ed25519 }, ['/dkimPrivateKey']],
    [
      'Ed25519 without RSA',
      { ...second, dkimDomain: 'example.com' },
      ['/dkimSelector', '/dkimPrivateKey'],
    ],
    [
      'a second selector without its key',
      { ...domain, dkimPrivateKey: rsa, dkimEd25519Selector: 'ed' },
      ['/dkimEd25519PrivateKey'],
    ],
    [
      'a second key that is not Ed25519',
      { ...domain, dkimPrivateKey: rsa, ...second, dkimEd25519PrivateKey: rsa },
      ['/dkimEd25519PrivateKey'],
    ],
  ])('%s is invalid, and the error says what is expected', (_name, settings, pointers) => {
    const faults = dkimFaults(settings);

    expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
    expect(faults.every(({ expected }) => expected !== undefined)).toBe(true);
  });
});

describe('suppressions/address', () => {
  test.each([
    ['SMS', '+49 151 12345001', undefined, '+4915112345001'],
    ['SMS', '0151 / 123 45 001', 'DE', '+4915112345001'],
    ['SMS', '0151 12345001', undefined, null],
    ['SMS', 'ada@example.org', 'DE', null],
    ['SMS', '+1', 'DE', null],
    ['EMAIL', ' Ada@Example.ORG ', undefined, 'Ada@Example.ORG'],
    ['EMAIL', 'a@b.org, c@d.org', undefined, null],
    ['EMAIL', '"Ada" <ada@example.org>', undefined, null],
    ['EMAIL', 'ada@example.org\r\nBcc: x@y.org', undefined, null],
    ['EMAIL', '+4915112345001', 'DE', null],
  ] as const)('%s %j with country %s is %j', (channel, address, country, expected) => {
    expect(normalAddress(channel, address, country)).toBe(expected);
  });
});

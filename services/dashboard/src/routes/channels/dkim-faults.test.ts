import { expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import { dkimFaults } from './dkim-faults.ts';

const PEM = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;
const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024, ...PEM }).privateKey;
const domain = { dkimDomain: 'example.com', dkimSelector: 'news' };

test.each([
  ['nothing of it', {}],
  ['all of it', { ...domain, dkimPrivateKey: rsa }],
  ['the key as it was read', { ...domain, dkimPrivateKey: '********' }],
])('%s is right', (_name, settings) => {
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
  [
    'a key that is not RSA',
    { ...domain, dkimPrivateKey: generateKeyPairSync('ed25519', PEM).privateKey },
    ['/dkimPrivateKey'],
  ],
])('%s is not, and what it should be is said', (_name, settings, pointers) => {
  const faults = dkimFaults(settings);

  expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
  expect(faults.every(({ expected }) => expected !== undefined)).toBe(true);
});

import type { OutgoingDelivery } from '@tidings/channel-worker';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import type { DkimKey } from '../providers/smtp/dkim.ts';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';

export type SigningAlgorithm = DkimKey['algorithm'];

const DOMAIN = 'example.com';
const SELECTORS: Readonly<Record<SigningAlgorithm, string>> = {
  'rsa-sha256': 'rsa',
  'ed25519-sha256': 'ed',
};

/** Keys of both algorithms, and what stands of them in the DNS. */
export function createDkimKeys({ rsaBits = 2_048 } = {}) {
  const pairs = {
    'rsa-sha256': generateKeyPairSync('rsa', { modulusLength: rsaBits }),
    'ed25519-sha256': generateKeyPairSync('ed25519'),
  } as const;
  const [rsa, ed25519] = [pairs['rsa-sha256'], pairs['ed25519-sha256']];
  /** By name; an Ed25519 key is its 32 bytes (RFC 8463, 4). */
  const records: Readonly<Record<string, string>> = {
    [`rsa._domainkey.${DOMAIN}`]: `v=DKIM1; k=rsa; p=${der(rsa.publicKey).toString('base64')}`,
    [`ed._domainkey.${DOMAIN}`]: `v=DKIM1; k=ed25519; p=${der(ed25519.publicKey).subarray(-32).toString('base64')}`,
  };

  return {
    records,
    /** The keys as the signer has them. */
    keys: (Object.keys(SELECTORS) as SigningAlgorithm[]).map((algorithm) => ({
      algorithm,
      domain: DOMAIN,
      selector: SELECTORS[algorithm],
      key: pairs[algorithm].privateKey,
    })),
    /** The channel settings of an application that signs by these algorithms. */
    settingsOf: (
      algorithms: readonly SigningAlgorithm[],
    ): Pick<OutgoingDelivery, 'settings' | 'secrets'> => {
      const [isRsa, isEd25519] = [
        algorithms.includes('rsa-sha256'),
        algorithms.includes('ed25519-sha256'),
      ];
      return {
        settings: {
          dkimDomain: DOMAIN,
          ...(isRsa && { dkimSelector: SELECTORS['rsa-sha256'] }),
          ...(isEd25519 && { dkimEd25519Selector: SELECTORS['ed25519-sha256'] }),
        },
        secrets: {
          ...(isRsa && { dkimPrivateKey: pem(rsa.privateKey) }),
          ...(isEd25519 && { dkimEd25519PrivateKey: pem(ed25519.privateKey) }),
        },
      };
    },
    /** What each signature of a mail is worth, by another implementation. */
    async verdictsOf(source: Buffer | string): Promise<string[]> {
      const resolver = async (name: string) => {
        const record = records[name];
        if (record === undefined) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
        return [[record]];
      };
      const { results } = await dkimVerify(source, {
        resolver,
        strict: true,
        minBitLength: rsaBits,
      });
      return results.map(({ status, algo }) => `${algo} ${status.result}`);
    },
  };
}

function der(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

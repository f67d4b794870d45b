import {
  createECDH,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type ECDH,
} from 'node:crypto';

/** A browser's keys of a subscription: a P-256 key pair and the auth secret. */
export type BrowserKeys = {
  readonly ecdh: ECDH;
  readonly publicKey: Buffer;
  readonly auth: Buffer;
};

/** A subscription as the push service knows it. */
export type KnownSubscription = {
  readonly id: string;
  /** VAPID key whose owner may push; null: any sender. */ readonly applicationServerKey:
    | string
    | null;
};

/**
 * Subscriptions of simulated browsers. Everything is derived from the subscription id and one
 * secret, so there may be any number of them, and they survive restarts.
 */
export interface Subscriptions {
  /** Creates a subscription. */
  subscribe(applicationServerKey: string | null): KnownSubscription;
  /** Undefined for an id that was never issued. */
  find(id: string): KnownSubscription | undefined;
  keysOf(subscription: KnownSubscription): BrowserKeys;
}

const RANDOM_BYTES = 16;
const SIGNATURE_BYTES = 12;
/** On P-256. */
const PRIVATE_KEY_BYTES = 32;
const AUTH_BYTES = 16;

/** @param secretOf called when the first browser subscribes */
export function createSubscriptions(secretOf: () => Buffer): Subscriptions {
  const computeSignature = (text: string): string =>
    createHmac('sha256', secretOf())
      .update(text)
      .digest()
      .subarray(0, SIGNATURE_BYTES)
      .toString('base64url');
  const derived = (purpose: string, id: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secretOf(), id, purpose, bytes));
  return {
    subscribe(applicationServerKey) {
      const text = [
        randomBytes(RANDOM_BYTES).toString('base64url'),
        ...(applicationServerKey === null ? [] : [applicationServerKey]),
      ].join('~');
      return { id: `${text}~${computeSignature(text)}`, applicationServerKey };
    },
    find(id) {
      const parts = id.split('~');
      const given = Buffer.from(parts.pop() ?? '');
      const due = Buffer.from(computeSignature(parts.join('~')));
      if (given.length !== due.length || !timingSafeEqual(given, due)) return undefined;
      return { id, applicationServerKey: parts[1] ?? null };
    },
    keysOf({ id }) {
      const ecdh = createECDH('prime256v1');
      // One of 2^32 derived numbers is not a valid key of the curve.
      ecdh.setPrivateKey(derived('private key', id, PRIVATE_KEY_BYTES));
      return { ecdh, publicKey: ecdh.getPublicKey(), auth: derived('auth', id, AUTH_BYTES) };
    },
  };
}

import { describe, expect, test } from '@jest/globals';
import { WEB_PUSH_PAYLOAD_BYTES_MAX } from '@tidings/contracts/channels/push-notifications';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import ece from 'http_ece';
import webPush from 'web-push';
import { createBrowser, type TestBrowser } from '../../testing/browser.ts';
import { buildPushRequest } from './request.ts';
import { sealPush } from './seal.ts';

const decrypt = (body: Buffer, { ecdh, keys }: TestBrowser): Buffer =>
  ece.decrypt(body, { version: 'aes128gcm', privateKey: ecdh, authSecret: keys.auth });

const payloads = fc
  .uint8Array({ minLength: 1, maxLength: WEB_PUSH_PAYLOAD_BYTES_MAX, size: 'max' })
  .map((bytes) => Buffer.from(bytes));
const auths = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes));
const RUNS = propertyRuns(100);

describe('a sealed push', () => {
  test('of any payload is decrypted by its browser alone', () => {
    fc.assert(
      fc.property(payloads, auths, (payload, auth) => {
        const browser = createBrowser(auth);
        const body = sealPush(payload, browser.keys);

        expect(decrypt(body, browser)).toEqual(payload);
        expect(() => decrypt(body, createBrowser(auth))).toThrow();
        expect(() => decrypt(body, { ...browser, keys: createBrowser().keys })).toThrow();
      }),
      RUNS,
    );
  });

  test('has the length and header of the web-push package', () => {
    fc.assert(
      fc.property(payloads, auths, (payload, auth) => {
        const browser = createBrowser(auth);
        const { body } = webPush.generateRequestDetails(
          { endpoint: 'https://push.example/a', keys: browser.keys },
          payload,
        );
        const ours = sealPush(payload, browser.keys);

        expect(ours).toHaveLength(body.length);
        // Record size, length of the key, and the form of the key.
        expect(ours.subarray(16, 22)).toEqual(body.subarray(16, 22));
        expect(decrypt(ours, browser)).toEqual(decrypt(body, browser));
      }),
      RUNS,
    );
  });

  test('is rejected by its browser when any bit was changed', () => {
    fc.assert(
      fc.property(payloads, fc.nat(), fc.integer({ min: 0, max: 7 }), (payload, at, bit) => {
        const browser = createBrowser();
        const body = sealPush(payload, browser.keys);
        const index = at % body.length;
        // A larger record size means the same for a single record.
        fc.pre(index < 16 || index >= 20);
        body[index] = (body[index] ?? 0) ^ (1 << bit);

        expect(() => decrypt(body, browser)).toThrow();
      }),
      RUNS,
    );
  });
});

test('keys that are not those of a browser are an invalid address, as with the web-push package', () => {
  const bytes = (length: number) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((all) => Buffer.from(all));
  const wrongKeys = fc.oneof(
    // Random coordinates lie on the curve with a probability of 2^-256.
    bytes(64).map((point) => ({ p256dh: Buffer.from([4, ...point]), auth: Buffer.alloc(16) })),
    fc
      .integer({ min: 0, max: 200 })
      .filter((length) => length !== 65)
      .chain(bytes)
      .map((p256dh) => ({ p256dh, auth: Buffer.alloc(16) })),
    fc
      .integer({ min: 0, max: 15 })
      .chain(bytes)
      .map((auth) => ({ p256dh: createBrowser().publicKey, auth })),
  );
  fc.assert(
    fc.property(wrongKeys, ({ p256dh, auth }) => {
      const subscription = {
        endpoint: 'https://push.example/a',
        keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') },
      };

      expect(() => webPush.generateRequestDetails(subscription, 'text')).toThrow();
      expect(
        buildPushRequest(
          {
            deliveryId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
            campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bd',
            message: { body: 'text' },
            expiresAt: 1,
          },
          { subscription, authorization: 'vapid t=a.b.c, k=d', nowMs: 0 },
        ),
      ).toMatchObject({
        status: 'invalid_address',
        reason: 'invalid_address',
        providerCode: 'invalid_keys',
      });
    }),
    RUNS,
  );
});

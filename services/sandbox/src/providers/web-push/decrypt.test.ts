import { describe, expect, test } from '@jest/globals';
import { createECDH, randomBytes } from 'node:crypto';
import { decryptPush } from './decrypt.ts';

/** Example of RFC 8291, section 5 and appendix A. */
const EXAMPLE = {
  privateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  publicKey:
    'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  text: 'When I grow up, I want to be a watermelon',
};

function browser({ privateKey, auth } = EXAMPLE) {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  return { ecdh, publicKey: ecdh.getPublicKey(), auth: Buffer.from(auth, 'base64url') };
}

const body = Buffer.from(EXAMPLE.body, 'base64url');
const smallRecords = Buffer.from(body);
smallRecords.writeUInt32BE(30, 16);
const changed = (at: number): Buffer =>
  Buffer.from(
    body.map((byte, index) => (index === (at < 0 ? body.length + at : at) ? byte ^ 1 : byte)),
  );

describe('decrypting a push', () => {
  test('gives the text of the example of RFC 8291', () => {
    expect(browser().publicKey.toString('base64url')).toBe(EXAMPLE.publicKey);
    expect(decryptPush(body, browser()).toString()).toBe(EXAMPLE.text);
  });

  test.each([
    ['a changed text', changed(-20), browser()],
    ['a changed tag', changed(-1), browser()],
    ['a changed salt', changed(0), browser()],
    ['a changed key of the sender', changed(50), browser()],
    ['records that are too small', smallRecords, browser()],
    ['a key id that is not a key', changed(20), browser()],
    ['half of it', body.subarray(0, 60), browser()],
    ['nothing', Buffer.alloc(0), browser()],
    [
      'another browser',
      body,
      browser({ ...EXAMPLE, privateKey: randomBytes(32).toString('base64url') }),
    ],
    ['another secret', body, browser({ ...EXAMPLE, auth: randomBytes(16).toString('base64url') })],
  ])('of %s fails', (_what, bytes, keys) => {
    expect(() => decryptPush(bytes, keys)).toThrow();
  });
});

import { generateKeyPairSync, sign } from 'node:crypto';

/** A DER value: its tag, its length and its content (X.690). */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

const [INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8, SET, SEQUENCE, UTC_TIME] = [
  2, 3, 4, 6, 12, 0x31, 0x30, 0x17,
] as const;
const [ADDRESS_NAME, VERSION, EXTENSIONS] = [0x87, 0xa0, 0xa3] as const;
const objectId = (hex: string) => der(OBJECT_ID, Buffer.from(hex, 'hex'));
const bits = (value: Buffer) => der(BIT_STRING, Buffer.from([0]), value);
const COMMON_NAME = objectId('550403');
const ALTERNATIVE_NAME = objectId('551d11');
const ECDSA_WITH_SHA256 = objectId('2a8648ce3d040302');

/** A new self-signed certificate of 127.0.0.1 (RFC 5280) and its key, in PEM. */
export function createCertificate(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from('test')))));
  const times = ['200101000000Z', '491231235959Z'].map((time) => der(UTC_TIME, Buffer.from(time)));
  const addresses = der(SEQUENCE, der(ADDRESS_NAME, Buffer.from([127, 0, 0, 1])));
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, ALTERNATIVE_NAME, der(OCTET_STRING, addresses)))),
  );
  const certificate = der(SEQUENCE, signed, algorithm, bits(sign('sha256', signed, privateKey)));
  const lines = certificate.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

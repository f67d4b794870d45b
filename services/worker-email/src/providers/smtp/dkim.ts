import { createHash, createPrivateKey, sign, type Hash, type KeyObject } from 'node:crypto';
import { SmtpSettingsError, type SmtpSettings } from './settings.ts';

/**
 * Signed headers, if present. RFC 8058 requires both of its headers; nodemailer's default list
 * lacks the second.
 */
const SIGNED_HEADERS = [
  'from',
  'to',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
] as const;

/** A key and where its public half is found. */
export type DkimKey = {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
  readonly domain: string;
  readonly selector: string;
  readonly key: KeyObject;
};

/** Name and relaxed form of header fields, each with its line end. */
export type CanonicalHeaders = ReadonlyMap<string, string>;

/** A mail as it is signed (RFC 6376). */
export type SignedParts = {
  /** Its header fields; those that all mails of a campaign share are made canonical once. */
  readonly headers: readonly CanonicalHeaders[];
  /** The body in relaxed canonical form. */
  readonly body: readonly Buffer[];
};

/**
 * The keys by which mails of these settings are signed; none when they are not. With both kinds a mail has both
 * signatures: not every receiver verifies Ed25519 (RFC 8463).
 * @throws SmtpSettingsError if a private key cannot be read, or is of the other kind
 */
export function readDkimKeys(
  { dkimDomain, dkimSelector, dkimEd25519Selector }: SmtpSettings,
  secrets: Readonly<Record<string, string>>,
): readonly DkimKey[] {
  if (dkimDomain === undefined) return [];
  const keyOf = (
    algorithm: DkimKey['algorithm'],
    selector: string | undefined,
    privateKey: string | undefined,
  ): DkimKey[] =>
    selector === undefined || privateKey === undefined
      ? []
      : [{ algorithm, domain: dkimDomain, selector, key: readKey(algorithm, privateKey) }];
  return [
    ...keyOf('rsa-sha256', dkimSelector, secrets['dkimPrivateKey']),
    ...keyOf('ed25519-sha256', dkimEd25519Selector, secrets['dkimEd25519PrivateKey']),
  ];
}

function readKey(algorithm: DkimKey['algorithm'], privateKey: string): KeyObject {
  const [kind = ''] = algorithm.split('-');
  let key: KeyObject;
  try {
    key = createPrivateKey(privateKey);
  } catch (cause) {
    throw new SmtpSettingsError('dkim_key', `The ${kind} DKIM key cannot be read.`, { cause });
  }
  if (key.asymmetricKeyType !== kind)
    throw new SmtpSettingsError('dkim_key', `The ${kind} DKIM key is a key of another kind.`);
  return key;
}

/** The `DKIM-Signature` fields of a mail, to stand above its other headers. */
export async function signMail(mail: SignedParts, keys: readonly DkimKey[]): Promise<string> {
  if (keys.length === 0) return '';
  const bodyHash = hashBody(mail.body);
  const fields = await Promise.all(keys.map((key) => signHeaders(mail.headers, bodyHash, key)));
  return fields.join('');
}

async function signHeaders(
  headers: readonly CanonicalHeaders[],
  bodyHash: string,
  { algorithm, domain, selector, key }: DkimKey,
): Promise<string> {
  const names: string[] = [];
  let signed = '';
  for (const name of SIGNED_HEADERS) {
    const field = headers.find((part) => part.has(name))?.get(name);
    if (field === undefined) continue;
    names.push(name);
    signed += field;
  }
  const unsigned =
    `DKIM-Signature: v=1; a=${algorithm}; c=relaxed/relaxed; d=${domain};\r\n` +
    ` q=dns/txt; s=${selector}; bh=${bodyHash};\r\n` +
    ` h=${names.slice(0, 7).join(':')}${names.length > 7 ? `:\r\n ${names.slice(7).join(':')}` : ''};\r\n b=`;
  signed += canonicalField(unsigned)[1];
  const value = (await signText(signed, algorithm, key)).toString('base64');
  return `${unsigned}${value.replaceAll(/.{72}(?=.)/g, '$&\r\n ')}\r\n`;
}

function signText(text: string, algorithm: DkimKey['algorithm'], key: KeyObject): Promise<Buffer> {
  const data = Buffer.from(text, 'utf8');
  return new Promise((resolve, reject) => {
    const done = (cause: Error | null, signature: Buffer): void =>
      cause
        ? reject(new SmtpSettingsError('dkim_key', 'The DKIM key cannot sign.', { cause }))
        : resolve(signature);
    // Ed25519 signs the hash of the headers (RFC 8463, 3); in the thread pool, as RSA.
    if (algorithm === 'ed25519-sha256')
      sign(null, createHash('sha256').update(data).digest(), key, done);
    else sign('sha256', data, key, done);
  });
}

/** Header fields as text in canonical form. */
export function canonicalHeaders(text: string): CanonicalHeaders {
  const fields = new Map<string, string>();
  for (const field of text.split(/\r\n(?![ \t])/)) {
    if (field === '') continue;
    const [name, canonical] = canonicalField(field);
    fields.set(name, `${canonical}\r\n`);
  }
  return fields;
}

/** RFC 6376, 3.4.2. */
function canonicalField(field: string): readonly [name: string, canonical: string] {
  const colon = field.indexOf(':');
  const name = field.slice(0, colon).trim().toLowerCase();
  const value = field
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  return [name, `${name}:${value}`];
}

const prefixHashes = new WeakMap<Buffer, Hash>();

/** SHA-256 of a canonical body. What all mails of a campaign begin with is hashed once. */
function hashBody(body: readonly Buffer[]): string {
  const [first, ...rest] = body;
  if (first === undefined) return createHash('sha256').digest('base64');
  let prefix = prefixHashes.get(first);
  if (prefix === undefined) {
    prefix = createHash('sha256').update(first);
    prefixHashes.set(first, prefix);
  }
  const hash = prefix.copy();
  for (const piece of rest) hash.update(piece);
  return hash.digest('base64');
}

/** The relaxed form of any body (RFC 6376, 3.4.4), whose lines end in CRLF. */
export function relaxedBody(body: string): string {
  const lines = body.replaceAll(/[ \t]+/g, ' ').replaceAll(/ (?=\r\n|$)/g, '');
  let end = lines.length;
  while (lines.startsWith('\r\n', end - 2) && end >= 2) end -= 2;
  return end === 0 ? '' : `${lines.slice(0, end)}\r\n`;
}

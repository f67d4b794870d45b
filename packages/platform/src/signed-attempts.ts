import { fromBase36, toBase36 } from './base36.ts';

/** One attempt of one delivery. */
export type AttemptId = { readonly deliveryId: string; readonly fence: number };

const ID_BYTES = 16;
const NUMBER = /^[0-9a-z]{1,6}$/;

/** Encodes an attempt in two short parts of lower-case letters and digits, to be signed. */
export function attemptParts({ deliveryId, fence }: AttemptId): readonly [string, string] {
  return [toBase36(Buffer.from(deliveryId.replaceAll('-', ''), 'hex')), fence.toString(36)];
}

/** Decodes the parts of an attempt; null if they are invalid. */
export function parseAttempt(parts: readonly string[] | null): AttemptId | null {
  const [idPart = '', fencePart = ''] = parts ?? [];
  const hex = fromBase36(idPart, ID_BYTES)?.toString('hex');
  if (hex === undefined || !NUMBER.test(fencePart)) return null;
  return {
    deliveryId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    fence: Number.parseInt(fencePart, 36),
  };
}

/** A link of a mail: its target, and the number of distinct links in the mail. */
export type MailLink = AttemptId & { readonly url: string; readonly linkCount: number };

/** Encodes a link in parts, to be signed. */
export function linkParts({ url, linkCount, ...attempt }: MailLink): readonly string[] {
  return [...attemptParts(attempt), linkCount.toString(36), Buffer.from(url).toString('base64url')];
}

/** Decodes the parts of a link; null if they are invalid. */
export function parseLink(parts: readonly string[] | null): MailLink | null {
  const attempt = parseAttempt(parts);
  const [, , countPart = '', urlPart = ''] = parts ?? [];
  if (attempt === null || !NUMBER.test(countPart)) return null;
  return {
    ...attempt,
    url: Buffer.from(urlPart, 'base64url').toString(),
    linkCount: Number.parseInt(countPart, 36),
  };
}

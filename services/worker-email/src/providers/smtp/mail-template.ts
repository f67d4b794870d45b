import type { OutgoingDelivery, PersonalParts } from '@tidings/channel-worker';
import { RETURN_TOKEN_HEADER } from '@tidings/contracts/push/links';
import { splitAtUnsubscribe } from '@tidings/mail-body/unsubscribe-mark';
import { hasMarks, splitAtMarks } from '@tidings/liquid/marks';
import { itemAt } from '@tidings/platform';
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import { randomBytes } from 'node:crypto';
import type { HtmlPiece } from '../../html-template.ts';
import { parseTemplate } from '../../mail-content.ts';
import { requireUnsubscribe, type MailLinks } from '../../mail-links.ts';
import { personalLink } from '../../personal-link.ts';
import { canonicalHeaders, type CanonicalHeaders } from './dkim.ts';
import {
  buildFixedHeaders,
  buildReturnAddress,
  buildListUnsubscribe,
  buildMessageId,
  chooseSubject,
  type SenderSettings,
} from '../../mail.ts';
import { encodeHole, encodeText, encodeValue } from './quoted-printable.ts';

/** A place in a body that each mail fills: with a text of printable ASCII, or with a value of its user. */
export type Hole =
  | { readonly kind: 'unsubscribe' | 'open' }
  | { readonly kind: 'click'; readonly url: string; readonly linkCount: number }
  | ValueHole
  | {
      readonly kind: 'personal click';
      readonly url: string;
      readonly linkCount: number;
      /** The link as it is where it is not tracked. */
      readonly original: readonly (string | ValueHole)[];
    };
type ValueHole = {
  readonly kind: 'html' | 'text';
  readonly value: number;
  readonly isUpperCase: boolean;
};

/** What all mails of a campaign share, composed once, with holes for what differs. */
export type MailTemplate = {
  /** Headers that are the same in each mail, with the empty line that ends them. */
  readonly headers: string;
  readonly canonicalHeaders: CanonicalHeaders;
  readonly body: readonly (Buffer | Hole)[];
};

/** An address that nodemailer would write as it is, in a header and on the envelope; every other one is left to it. */
const PLAIN_ADDRESS =
  /^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const PLAIN_ADDRESS_CHARS_MAX = 254;
const PRINTABLE_ASCII = /^[\u0021-\u007e]*$/;
const PRINTABLE_TEXT = /^[ -~]*$/;
/** A word that does not fit on a line with the space before it (RFC 5322, 2.1.1: 998 characters). */
const LONG_WORD = /[!-~]{998}/;
/** What readers may take for an encoded word (RFC 2047) and decode, also beside other words. */
const LIKE_ENCODED_WORD = /=\?/;
/** Characters of an encoded word without its charset and encoding, as nodemailer writes them. */
const ENCODED_WORD_CHARS_MAX = 52;
/** From this share of other than ASCII on, base64 is shorter than quoted-printable. */
const BASE64_SHARE = 0.18;

function isPlainAddress(address: string): boolean {
  return address.length <= PLAIN_ADDRESS_CHARS_MAX && PLAIN_ADDRESS.test(address);
}

/** Composes what the mails of `delivery`'s campaign share. */
export function compileMail(delivery: OutgoingDelivery, links: MailLinks): MailTemplate {
  const { html, text } = parseTemplate(delivery.message);
  const textPieces = splitMarks(text, 'text');
  const shared = fixedHeaders(delivery, links);
  if (html === null) return singlePart(shared, 'plain', textPieces);
  const htmlPieces = splitHtml(html, delivery.isTracked && links.hasBase);
  // Nothing to read beside the HTML, of pictures alone: no empty text that a reader could be shown instead.
  if (text === '') return singlePart(shared, 'html', htmlPieces);
  const boundary = `--_${randomBytes(16).toString('hex')}`;
  const [plain, rich] = [encodePart(textPieces), encodePart(htmlPieces)];
  const headers = `${shared}Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n`;
  return templateFrom(headers, [
    `--${boundary}\r\n${partHeaders('plain', plain.encoding)}\r\n`,
    ...plain.pieces,
    `\r\n--${boundary}\r\n${partHeaders('html', rich.encoding)}\r\n`,
    ...rich.pieces,
    `\r\n--${boundary}--\r\n`,
  ]);
}

function singlePart(
  headers: string,
  type: 'plain' | 'html',
  content: readonly Piece[],
): MailTemplate {
  const { encoding, pieces } = encodePart(content);
  const end = encoding === 'base64' ? '' : chooseEnd(pieces);
  return templateFrom(`${headers}${partHeaders(type, encoding)}`, [...pieces, end]);
}

function templateFrom(headers: string, body: readonly Piece[]): MailTemplate {
  return {
    headers: `${headers}\r\n`,
    canonicalHeaders: canonicalHeaders(headers),
    body: joined(body),
  };
}

const HEADER_CHARS_MAX = 76;

/** The subject of one mail as a header: as `fixedHeaders` has it, at a fraction of the cost. */
function ownSubject(subject: string): string {
  const isPlain = PRINTABLE_TEXT.test(subject) && !needsEncoding(subject);
  const value = isPlain ? subject : encodeWords(subject);
  const header = `Subject: ${value}`;
  return header.length <= HEADER_CHARS_MAX ? header : foldLines(header, HEADER_CHARS_MAX);
}

/** The headers that are one mail's own; all of them are printable ASCII. */
export function buildOwnHeaders(
  delivery: OutgoingDelivery,
  { links, date }: { readonly links: MailLinks; readonly date: string },
): string {
  const list = buildListUnsubscribe(delivery, links);
  return (
    `To: ${delivery.address}\r\nMessage-ID: ${buildMessageId(delivery)}\r\nDate: ${date}\r\n` +
    `X-Tidings-Delivery: ${delivery.deliveryId}\r\n${RETURN_TOKEN_HEADER}: ${links.returnToken}\r\n` +
    (list.length === 0 ? '' : `List-Unsubscribe: ${list.join(',\r\n ')}\r\n`) +
    (delivery.personal === undefined ? '' : `${ownSubject(chooseSubject(delivery))}\r\n`)
  );
}

/** The body of one mail. */
export function fillBody(
  { body }: MailTemplate,
  links: MailLinks,
  personal?: PersonalParts,
): Buffer[] {
  return body.map((piece) =>
    Buffer.isBuffer(piece) ? piece : Buffer.from(fillHole(piece, links, personal), 'latin1'),
  );
}

/** Whether a mail can be filled in: all that is its own must be printable ASCII. nodemailer composes the others. */
export function canFill(delivery: OutgoingDelivery, links: MailLinks): boolean {
  const { fromAddress } = delivery.settings as SenderSettings;
  return (
    isPlainAddress(delivery.address) &&
    isPlainAddress(fromAddress) &&
    isPlainAddress(buildReturnAddress(delivery, links)) &&
    PRINTABLE_ASCII.test(links.base)
  );
}

function fillHole(hole: Hole, links: MailLinks, personal?: PersonalParts): string {
  switch (hole.kind) {
    case 'html':
    case 'text':
      return encodeValue(valueOf(hole, personal));
    case 'personal click': {
      const url = personalLink(hole.url, personal?.text ?? []);
      return encodeValue(
        url === null
          ? hole.original
              .map((piece) => (typeof piece === 'string' ? piece : valueOf(piece, personal)))
              .join('')
          : `href="${links.click(url, hole.linkCount)}"`,
      );
    }
    case 'click':
      return encodeHole(links.click(hole.url, hole.linkCount));
    case 'open':
      return encodeHole(links.open());
    case 'unsubscribe':
      return encodeHole(requireUnsubscribe(links));
  }
}

function valueOf({ kind, value, isUpperCase }: ValueHole, personal?: PersonalParts): string {
  const text = itemAt(personal?.[kind] ?? [], value);
  return isUpperCase ? text.toUpperCase() : text;
}

/** A text as pieces: marks of values are holes. */
function splitValues(text: string, kind: ValueHole['kind']): (string | ValueHole)[] {
  if (!hasMarks(text)) return [text];
  return splitAtMarks(text).map((piece) =>
    typeof piece === 'string' ? piece : { kind, ...piece },
  );
}

/** How a body of one part ends: in a line that is not empty, because a signature leaves empty lines at the end out. */
function chooseEnd(encoded: readonly Piece[]): string {
  const last = encoded.at(-1);
  // A value may be empty, or end in line breaks.
  if (typeof last === 'object' && 'value' in last) return '=\r\n';
  const isAtLineStart = typeof last !== 'string' || (last === '' && encoded.length > 1);
  if (isAtLineStart) return '';
  return last === '' || last.endsWith('\r\n') ? '=\r\n' : '\r\n';
}

type Piece = string | Hole;

function splitMarks(text: string, kind: ValueHole['kind']): Piece[] {
  return splitAtUnsubscribe(text).flatMap((piece, at): Piece[] => [
    ...(at === 0 ? [] : [{ kind: 'unsubscribe' } as const]),
    ...splitValues(piece, kind),
  ]);
}

function splitHtml(
  { pieces, linkCount }: { readonly pieces: readonly HtmlPiece[]; readonly linkCount: number },
  isTracked: boolean,
): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if (typeof piece === 'string') return splitMarks(piece, 'html');
    if (!isTracked) return splitValues(piece.original, 'html');
    if ('link' in piece && hasMarks(piece.link)) {
      const original = splitValues(piece.original, 'html');
      return [{ kind: 'personal click', url: piece.link, linkCount, original }];
    }
    if ('link' in piece) return ['href="', { kind: 'click', url: piece.link, linkCount }, '"'];
    return [PIXEL_START, { kind: 'open' }, PIXEL_END];
  });
}
const PIXEL_START = '<img src="';
const PIXEL_END =
  '" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">';

/** Consecutive texts as one, each encoded by itself so that a hole never moves what stands around it. */
function encodePart(pieces: readonly Piece[]): {
  readonly encoding: 'quoted-printable' | 'base64';
  readonly pieces: readonly Piece[];
} {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === 'string' && typeof last === 'string')
      merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  const [only] = merged;
  if (merged.length === 1 && typeof only === 'string' && isBase64Shorter(only))
    return { encoding: 'base64', pieces: [base64Lines(only)] };
  return {
    encoding: 'quoted-printable',
    pieces: merged.map((piece, at) =>
      typeof piece === 'string' ? encodeText(piece, { isOpen: at < merged.length - 1 }) : piece,
    ),
  };
}

function isBase64Shorter(text: string): boolean {
  const bytes = Buffer.from(text, 'utf8');
  let other = 0;
  for (const byte of bytes) if (byte > 127) other += 1;
  return other > bytes.length * BASE64_SHARE;
}

function base64Lines(text: string): string {
  const encoded = Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'utf8').toString('base64');
  return `${encoded.replaceAll(/.{76}(?=.)/g, '$&\r\n')}\r\n`;
}

function partHeaders(type: 'plain' | 'html', encoding: string): string {
  return `Content-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
}

/** Neighbouring texts as one buffer. */
function joined(pieces: readonly Piece[]): (Buffer | Hole)[] {
  const all: (Buffer | Hole)[] = [];
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') all.push(Buffer.from(text, 'latin1'));
      text = '';
      all.push(piece);
    }
  }
  if (text !== '') all.push(Buffer.from(text, 'latin1'));
  return all;
}

/** What nodemailer makes of the headers that all mails share: encoded words and folded lines are its own. */
function fixedHeaders(delivery: OutgoingDelivery, links: MailLinks): string {
  const fixed = buildFixedHeaders(delivery, links);
  const { Subject: subject, ...others } = fixed;
  // The subject of a personalised mail is its own.
  const headers =
    delivery.personal === undefined ? { ...fixed, Subject: subjectHeader(subject) } : others;
  const node = new MimeNode('text/plain');
  for (const [name, value] of Object.entries(headers)) node.setHeader(name, value as string);
  const wanted = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return `${node
    .buildHeaders()
    .split(/\r\n(?![ \t])/)
    .filter((line) => wanted.has(line.slice(0, line.indexOf(':')).toLowerCase()))
    .join('\r\n')}\r\nMIME-Version: 1.0\r\n`;
}

/**
 * Whether a subject of printable ASCII must be written as encoded words, which receivers join and decode: nodemailer folds
 * ASCII at spaces only, so that a long word breaks the limit of a line, and leaves what looks like an encoded word.
 */
const needsEncoding = (subject: string): boolean =>
  LONG_WORD.test(subject) || LIKE_ENCODED_WORD.test(subject);

const encodeWords = (text: string): string => encodeWord(text, 'Q', ENCODED_WORD_CHARS_MAX);

/** A subject as nodemailer takes it. */
export function subjectHeader(
  subject: string,
): string | { readonly prepared: true; readonly foldLines: true; readonly value: string } {
  return needsEncoding(subject)
    ? { prepared: true, foldLines: true, value: encodeWords(subject) }
    : subject;
}

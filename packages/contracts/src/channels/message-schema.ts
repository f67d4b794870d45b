import { LIMITS } from '../limits.ts';

/** A JSON Schema of one field. */
export type FieldSchema = Readonly<Record<string, unknown>>;

/** The schema of `message`. `body` is the only field that every channel requires. */
export type MessageSchema = {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, FieldSchema>>;
};

/** Plain JSON Schema, so the dashboard needs no schema library. */
export const messageSchema = <const Fields extends Readonly<Record<'body', FieldSchema>>>(
  properties: Fields,
) => ({ type: 'object', required: ['body'], properties }) as const;

/** An optional field; null counts as absent. */
const nullable = ({ type, ...rest }: FieldSchema): FieldSchema => ({
  ...(type === undefined ? {} : { type: [type, 'null'] }),
  ...rest,
});

/**
 * Empty, or with a character that is seen: white space, controls, direction marks, joiners and
 * fillers alone are a message of nothing. U+0000 has a fault of its own.
 */
export const VISIBLE =
  '^$|[^\\s\\p{Cc}\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0]|\\u0000';
const visible = { pattern: VISIBLE, description: 'text with a visible character' } as const;

export const optionalText = nullable({ type: 'string', ...visible });
export const optionalCount = nullable({ type: 'integer', minimum: 0 });
/** Objects within it count, too: `findKeyFaults` of templates counts all keys. */
const ofBoundedKeys = { maxProperties: LIMITS.messageKeysMax } as const;
export const optionalObject = nullable({ type: 'object', ...ofBoundedKeys });
export const textOrObject = { type: ['string', 'object'], minLength: 1, ...ofBoundedKeys } as const;
export const optionalChoice = (choices: readonly string[]): FieldSchema => ({
  enum: [...choices, null],
});
export const text = { type: 'string', minLength: 1, ...visible } as const;
export const shortText = (charsMax: number) => ({ ...text, maxLength: charsMax }) as const;

/** Schemes that run code or read local files. */
const FORBIDDEN_SCHEMES = ['javascript', 'data', 'vbscript', 'file', 'intent'];
/**
 * Browsers ignore tabs and line breaks anywhere in a URL, and controls and spaces before it (WHATWG
 * URL, 4.4).
 */
const anySpelling = (scheme: string) =>
  scheme
    .split('')
    .map((letter) => `[${letter}${letter.toUpperCase()}]`)
    .join('[\\t\\n\\r]*');
/**
 * Any other scheme, because app links may be deep links. No ampersand in the scheme: as HTML it
 * could hide a forbidden one.
 */
const DEEP_LINK = `^(?![^:/?#]*&)(?![\\s\\u0000-\\u001f]*(?:${FORBIDDEN_SCHEMES.map(anySpelling).join('|')})[\\s\\u0000-\\u001f]*:)`;
const WEB_LINK = '^[hH][tT][tT][pP][sS]?://[^\\s/?#]';

export const webLink = {
  type: 'string',
  minLength: 1,
  pattern: WEB_LINK,
  description: 'a link that begins with http:// or https://',
} as const;
export const appLink = {
  type: 'string',
  minLength: 1,
  pattern: DEEP_LINK,
  description: `a link of any scheme but ${FORBIDDEN_SCHEMES.join(', ')}`,
} as const;
type Link = typeof webLink | typeof appLink;

const imageFields = (link: Link) => ({ url: link });
const buttonFields = (link: Link) => ({ label: text, link });
/** Fields of list items, for each list field. */
export const ITEM_FIELDS = {
  images: Object.keys(imageFields(webLink)),
  buttons: Object.keys(buttonFields(webLink)),
} as const;

const listOf = (properties: Readonly<Record<string, FieldSchema>>): FieldSchema =>
  nullable({
    type: 'array',
    maxItems: LIMITS.messageListItemsMax,
    items: { type: 'object', required: Object.keys(properties), properties },
  });

/** Fields of a device notification, with the allowed links. */
export const notificationFields = (link: Link) =>
  ({
    title: optionalText,
    body: text,
    url: nullable(link),
    icon: nullable(link),
    images: listOf(imageFields(link)),
    buttons: listOf(buttonFields(link)),
  }) as const;

/** Fields of a message that a page or app shows. */
export const onScreenFields = {
  title: optionalText,
  body: text,
  duration: optionalCount,
  alignment: optionalChoice(['TOP', 'CENTER', 'BOTTOM']),
} as const;

/** Header names and values as HTTP defines them (RFC 9110, 5.1 and 5.5), without line breaks. */
const headerName = {
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  description: 'names of headers, of letters, digits and hyphens',
} as const;
const headerValue = {
  type: 'string',
  pattern: '^[\\t\\u0020-\\u007e\\u0080-\\u00ff]*$',
  description: 'the value of a header, in one line',
} as const;
export const optionalHeaders = nullable({
  type: 'object',
  ...ofBoundedKeys,
  propertyNames: headerName,
  additionalProperties: headerValue,
});
export const optionalHeaderValue = nullable({ ...headerValue, minLength: 1 });
export const optionalWebLink = nullable(webLink);

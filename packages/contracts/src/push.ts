import { Type } from 'typebox';
import { CHANNELS, type Channel } from './channels.ts';
import { LIMITS } from './limits.ts';

/** An optional field; null counts as absent. */
const nullable = <T>({
  type,
  ...rest
}: {
  readonly type?: string;
  readonly [keyword: string]: unknown;
}) =>
  Type.Optional(
    Type.Unsafe<T | null>({ ...(type === undefined ? {} : { type: [type, 'null'] }), ...rest }),
  );
const text = () => nullable<string>({ type: 'string' });
const body = (charsMax?: number) =>
  Type.String({ minLength: 1, ...(charsMax === undefined ? {} : { maxLength: charsMax }) });

/** Schemes that run code or read local files. */
const FORBIDDEN_SCHEMES = ['javascript', 'data', 'vbscript', 'file', 'intent'];
/** A browser skips tabs and line breaks anywhere in a URL, and controls and spaces before it (WHATWG URL, 4.4). */
const anySpelling = (scheme: string) =>
  scheme
    .split('')
    .map((letter) => `[${letter}${letter.toUpperCase()}]`)
    .join('[\\t\\n\\r]*');
/** Any other scheme: a link of an app may be a deep link. None has an ampersand in it, which would hide one of the above as HTML. */
const DEEP_LINK = `^(?![^:/?#]*&)(?![\\s\\u0000-\\u001f]*(?:${FORBIDDEN_SCHEMES.map(anySpelling).join('|')})[\\s\\u0000-\\u001f]*:)`;
const WEB_LINK = '^[hH][tT][tT][pP][sS]?://[^\\s/?#]';

const webLink = {
  type: 'string',
  minLength: 1,
  pattern: WEB_LINK,
  description: 'a link that begins with http:// or https://',
} as const;
const appLink = {
  type: 'string',
  minLength: 1,
  pattern: DEEP_LINK,
  description: `a link of any scheme but ${FORBIDDEN_SCHEMES.join(', ')}`,
} as const;
type Link = typeof webLink | typeof appLink;

const imageFields = (link: Link) => ({ url: link });
const images = (link: Link) =>
  nullable<readonly { url: string }[]>({
    type: 'array',
    maxItems: 10,
    items: { type: 'object', required: ['url'], properties: imageFields(link) },
  });
const buttonFields = (link: Link) => ({ label: { type: 'string', minLength: 1 }, link });
const buttons = (link: Link) =>
  nullable<readonly { label: string; link: string }[]>({
    type: 'array',
    maxItems: 10,
    items: { type: 'object', required: ['label', 'link'], properties: buttonFields(link) },
  });
/** What HTTP takes as the name and as the value of a header (RFC 9110, 5.1 and 5.5): nothing that would end the line. */
const headerName = {
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  description: 'names of headers, of letters, digits and hyphens',
} as const;
const headerValue = {
  type: 'string',
  pattern: '^[\\t\\u0020-\\u007e\\u0080-\\u00ff]*$',
  description: 'the value of a header, in one line',
} as const;
const customContent = () => nullable<Record<string, unknown>>({ type: 'object' });

const onScreen = {
  title: text(),
  body: body(),
  duration: nullable<number>({ type: 'integer', minimum: 0 }),
  alignment: nullable<string>({ enum: ['TOP', 'CENTER', 'BOTTOM', null] }),
};

/** The schema of `message` for each channel. Unknown fields are ignored with a warning. */
export const PUSH_MESSAGES = {
  SMS: Type.Object({ body: body(LIMITS.smsBodyCharsMax) }),
  WEB_PUSH: Type.Object({
    title: text(),
    body: body(),
    url: nullable<string>(webLink),
    icon: nullable<string>(webLink),
    images: images(webLink),
    buttons: buttons(webLink),
  }),
  APP_PUSH: Type.Object({
    title: text(),
    body: body(),
    url: nullable<string>(appLink),
    icon: nullable<string>(appLink),
    images: images(appLink),
    buttons: buttons(appLink),
    ttl: nullable<number>({ type: 'integer', minimum: 0 }),
    customContent: customContent(),
  }),
  EMAIL: Type.Object({ title: text(), body: body() }),
  WEB_HOOK: Type.Object({
    body: Type.Unsafe<string | Record<string, unknown>>({
      type: ['string', 'object'],
      minLength: 1,
    }),
    title: text(),
    url: nullable<string>(webLink),
    method: nullable<string>({ enum: ['POST', 'PUT', 'PATCH', null] }),
    headers: nullable<Record<string, string>>({
      type: 'object',
      propertyNames: headerName,
      additionalProperties: headerValue,
    }),
    contentType: nullable<string>({ ...headerValue, minLength: 1 }),
    customContent: customContent(),
  }),
  IN_APP: Type.Object(onScreen),
  ON_SITE: Type.Object(onScreen),
} as const satisfies Record<Channel, object>;

/** What a campaign is for, as its caller says. */
export const PURPOSES = ['transactional', 'marketing'] as const;
export type Purpose = (typeof PURPOSES)[number];

const shared = {
  // A longer text cannot be anybody's id.
  recipients: Type.Array(Type.String({ maxLength: LIMITS.customUserIdCharsMax }), {
    minItems: 1,
    maxItems: LIMITS.recipientsMax,
  }),
  channel: Type.Unsafe<Channel>({ type: 'string', enum: CHANNELS }),
  message: Type.Unsafe<PushMessage>({ type: 'object' }),
  purpose: nullable<Purpose>({ enum: [...PURPOSES, null] }),
  dryRun: nullable<boolean>({ type: 'boolean' }),
};

/** The body of `POST /push`. */
export const PushRequest = Type.Unsafe<PushRequest>({
  type: 'object',
  required: ['recipients', 'channel', 'message'],
  properties: shared,
  discriminator: { propertyName: 'channel' },
  oneOf: CHANNELS.map((channel) => ({
    type: 'object',
    required: ['channel'],
    properties: { channel: { const: channel }, message: PUSH_MESSAGES[channel] },
  })),
});
export type PushRequest = {
  readonly recipients: readonly string[];
  readonly channel: Channel;
  readonly message: PushMessage;
  readonly purpose?: Purpose | null;
  readonly dryRun?: boolean | null;
};

/** A campaign's message as accepted: the fields its channel knows. */
export type PushMessage = {
  readonly title?: string | null;
  readonly body: string | Record<string, unknown>;
} & Readonly<Record<string, unknown>>;

/** Fields of the objects in a list, for each field that is such a list. */
export const PUSH_ITEM_FIELDS: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  images: new Set(Object.keys(imageFields(webLink))),
  buttons: new Set(Object.keys(buttonFields(webLink))),
};
export const PUSH_FIELDS: ReadonlySet<string> = new Set(Object.keys(shared));
const messageFields = (channel: Channel): ReadonlySet<string> =>
  new Set(Object.keys(PUSH_MESSAGES[channel].properties));
export const PUSH_MESSAGE_FIELDS = {
  SMS: messageFields('SMS'),
  WEB_PUSH: messageFields('WEB_PUSH'),
  APP_PUSH: messageFields('APP_PUSH'),
  EMAIL: messageFields('EMAIL'),
  WEB_HOOK: messageFields('WEB_HOOK'),
  IN_APP: messageFields('IN_APP'),
  ON_SITE: messageFields('ON_SITE'),
} as const satisfies Record<Channel, ReadonlySet<string>>;

import { Type } from 'typebox';
import { CHANNELS, type Channel } from './channels.ts';
import { LIMITS } from './limits.ts';

/** An optional field; null counts as absent. */
const nullable = <T>({ type, ...rest }: { readonly type?: string; readonly [keyword: string]: unknown }) =>
  Type.Optional(Type.Unsafe<T | null>({ ...(type === undefined ? {} : { type: [type, 'null'] }), ...rest }));
const text = () => nullable<string>({ type: 'string' });
const body = (charsMax?: number) =>
  Type.String({ minLength: 1, ...(charsMax === undefined ? {} : { maxLength: charsMax }) });

/** Schemes that run code or read local files. */
const FORBIDDEN_SCHEMES = ['javascript', 'data', 'vbscript', 'file', 'intent'];
/** A browser skips tabs and line breaks anywhere in a URL, and controls and spaces before it (WHATWG URL, 4.4). */
const anySpelling = (scheme: string) => scheme.split('').map((letter) => `[${letter}${letter.toUpperCase()}]`).join('[\\t\\n\\r]*');
/** Any other scheme: a link of an app may be a deep link. */
const DEEP_LINK = `^(?![\\s\\u0000-\\u001f]*(?:${FORBIDDEN_SCHEMES.map(anySpelling).join('|')})[\\s\\u0000-\\u001f]*:)`;
const WEB_LINK = '^[hH][tT][tT][pP][sS]?://';

const LINK_DESCRIPTIONS = { [WEB_LINK]: 'an http or https address', [DEEP_LINK]: `an address whose scheme is not ${FORBIDDEN_SCHEMES.slice(0, -1).join(', ')} or ${FORBIDDEN_SCHEMES.at(-1)}` };

const link = (pattern: string) => ({ type: 'string', minLength: 1, pattern, description: LINK_DESCRIPTIONS[pattern] });
const images = (pattern: string) =>
  nullable<readonly { url: string }[]>({
    type: 'array',
    maxItems: 10,
    items: { type: 'object', required: ['url'], properties: { url: link(pattern) } },
  });
const buttons = (pattern: string) =>
  nullable<readonly { label: string; link: string }[]>({
    type: 'array',
    maxItems: 10,
    items: {
      type: 'object',
      required: ['label', 'link'],
      properties: { label: { type: 'string', minLength: 1 }, link: link(pattern) },
    },
  });
const customContent = () => nullable<Record<string, unknown>>({ type: 'object' });

const onScreen = {
  title: text(),
  body: body(),
  duration: nullable<number>({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  alignment: nullable<string>({ enum: ['TOP', 'CENTER', 'BOTTOM', null] }),
};

/** The schema of `message` for each channel. Unknown fields are ignored with a warning. */
export const PUSH_MESSAGES = {
  SMS: Type.Object({ body: body(LIMITS.smsBodyCharsMax) }),
  WEB_PUSH: Type.Object({
    title: text(),
    body: body(),
    url: nullable<string>(link(WEB_LINK)),
    icon: nullable<string>(link(WEB_LINK)),
    images: images(WEB_LINK),
    buttons: buttons(WEB_LINK),
  }),
  APP_PUSH: Type.Object({
    title: text(),
    body: body(),
    url: nullable<string>(link(DEEP_LINK)),
    icon: nullable<string>(link(DEEP_LINK)),
    images: images(DEEP_LINK),
    buttons: buttons(DEEP_LINK),
    ttl: nullable<number>({ type: 'integer', minimum: 0 }),
    customContent: customContent(),
  }),
  EMAIL: Type.Object({ title: text(), body: body() }),
  WEB_HOOK: Type.Object({
    body: Type.Unsafe<string | Record<string, unknown>>({ type: ['string', 'object'], minLength: 1 }),
    title: text(),
    url: nullable<string>(link(WEB_LINK)),
    method: nullable<string>({ enum: ['POST', 'PUT', 'PATCH', null] }),
    headers: nullable<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
    contentType: text(),
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
  recipients: Type.Array(Type.String({ maxLength: LIMITS.customUserIdCharsMax }), { minItems: 1, maxItems: LIMITS.recipientsMax }),
  channel: Type.Unsafe<Channel>({ enum: CHANNELS }),
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
export type PushMessage = { readonly title?: string | null; readonly body: string | Record<string, unknown> } & Readonly<
  Record<string, unknown>
>;

export const PUSH_FIELDS: ReadonlySet<string> = new Set(Object.keys(shared));
const messageFields = (channel: Channel): ReadonlySet<string> => new Set(Object.keys(PUSH_MESSAGES[channel].properties));
export const PUSH_MESSAGE_FIELDS = {
  SMS: messageFields('SMS'),
  WEB_PUSH: messageFields('WEB_PUSH'),
  APP_PUSH: messageFields('APP_PUSH'),
  EMAIL: messageFields('EMAIL'),
  WEB_HOOK: messageFields('WEB_HOOK'),
  IN_APP: messageFields('IN_APP'),
  ON_SITE: messageFields('ON_SITE'),
} as const satisfies Record<Channel, ReadonlySet<string>>;

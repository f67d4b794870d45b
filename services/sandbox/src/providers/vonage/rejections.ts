import { isE164 } from '@tidings/contracts/channels/addresses';

/** A problem of Vonage's API (RFC 7807). */
export type VonageRejection = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** The names of invalid parameters. */
  readonly parameters?: readonly string[];
  readonly retryAfterSeconds?: number;
};

const INVALID_PARAMETERS = '1020';
const TEXT_CHARS_MAX = 1_000;
const ENCODINGS: readonly unknown[] = ['text', 'unicode', 'auto'];

const invalid = (parameter: string, detail: string): VonageRejection => ({
  status: 422,
  code: INVALID_PARAMETERS,
  title: 'Invalid params',
  detail,
  parameters: [parameter],
});

export const UNAUTHENTICATED: VonageRejection = {
  status: 401,
  code: 'unauthorized',
  title: 'You did not provide correct credentials.',
  detail: 'Check that you are using the correct credentials.',
};
export const NO_JSON: VonageRejection = {
  status: 422,
  code: '1010',
  title: 'Missing params',
  detail: 'The body is no JSON object.',
};
/** The recipient has sent STOP: accepted first, rejected later. */
export const OPTED_OUT_CODE = '1240';

/** Vonage's error for an invalid send; undefined if it is valid. */
export function checkSend(fields: Readonly<Record<string, unknown>>): VonageRejection | undefined {
  const { channel, message_type: kind, to, from, text, ttl, webhook_url: url } = fields;
  const { client_ref: reference, sms } = fields;
  if (channel !== 'sms') return invalid('channel', 'The sandbox sends by sms alone.');
  if (kind !== 'text') return invalid('message_type', 'Must be text.');
  if (typeof to !== 'string' || !isE164(`+${to}`))
    return invalid('to', 'Must be a number in E.164 without a plus.');
  if (typeof from !== 'string' || !/^[A-Za-z0-9 ]{1,15}$/.test(from))
    return invalid('from', 'Must be a number without a plus, or a name.');
  if (typeof text !== 'string' || text === '' || text.length > TEXT_CHARS_MAX)
    return invalid('text', `Must have 1 to ${TEXT_CHARS_MAX} characters.`);
  if (ttl !== undefined && !(Number.isInteger(ttl) && Number(ttl) >= 20 && Number(ttl) <= 604_800))
    return invalid('ttl', 'Must be 20 to 604800 seconds.');
  if (url !== undefined && (typeof url !== 'string' || !URL.canParse(url)))
    return invalid('webhook_url', 'Must be a URL.');
  if (reference !== undefined && (typeof reference !== 'string' || reference.length > 100))
    return invalid('client_ref', 'Must have at most 100 characters.');
  const { encoding_type: encoding } = (sms ?? {}) as Readonly<Record<string, unknown>>;
  if (encoding !== undefined && !ENCODINGS.includes(encoding))
    return invalid('sms.encoding_type', 'Must be text, unicode or auto.');
  return undefined;
}

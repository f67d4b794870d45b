import type { EgressHttp, HttpAnswer } from '@tidings/egress';
// CommonJS: Node cannot detect its named exports.
import twilio, { type RequestClient, type Twilio } from 'twilio';

const TWILIO_API = 'https://api.twilio.com';

/** An application's account, from its channel settings. */
export type TwilioAccount = {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
};

/** One call of Twilio: its limits and the response. */
export type Exchange = {
  readonly http: EgressHttp;
  readonly timeoutMs: number;
  readonly mayBegin?: () => boolean;
  readonly signal?: AbortSignal;
  /** The raw response: Twilio's package drops the headers of errors. */
  answer?: HttpAnswer;
};

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Twilio's package over our checked connections: no retries, redirects or proxy variables. */
export function createTwilioClient(
  { settings, secrets }: TwilioAccount,
  exchange: Exchange,
): Twilio {
  const { accountSid, apiBaseUrl = TWILIO_API } = settings as {
    readonly accountSid: string;
    readonly apiBaseUrl?: string;
  };
  const request = async (
    options: Parameters<RequestClient['request']>[0],
  ): Promise<{ statusCode: number; body: unknown; headers: unknown }> => {
    const form = (values: unknown): string => new URLSearchParams(definedPairs(values)).toString();
    const { pathname } = new URL(options.uri);
    const query = options.params === undefined ? '' : `?${form(options.params)}`;
    exchange.answer = await exchange.http.request({
      method: options.method.toUpperCase() === 'POST' ? 'POST' : 'GET',
      url: `${apiBaseUrl.replace(/\/+$/, '')}${pathname}${query}`,
      headers: {
        ...(options.headers as Record<string, string>),
        Authorization: `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`,
      },
      ...(options.data === undefined ? {} : { body: form(options.data) }),
      timeoutMs: exchange.timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      ...(exchange.mayBegin === undefined ? {} : { mayBegin: exchange.mayBegin }),
      ...(exchange.signal === undefined ? {} : { signal: exchange.signal }),
    });
    const { status, headers, body } = exchange.answer;
    return { statusCode: status, headers, body };
  };
  // The interface is written for axios; only this method is used.
  const httpClient = { request } as unknown as RequestClient;
  // Twilio's package throws without an account id, which the settings require; Twilio rejects an
  // empty token.
  return new twilio.Twilio(accountSid, secrets['authToken'] || 'missing', {
    httpClient,
    accountSid,
  });
}

/** Drops undefined form fields, which the package leaves in. */
function definedPairs(values: unknown): [string, string][] {
  const fields = Object.entries(
    values as Readonly<Record<string, string | number | boolean | null | undefined>>,
  );
  return fields.flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
}

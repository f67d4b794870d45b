import type { EgressHttp, HttpAnswer } from '@tidings/egress';
// CommonJS, whose names Node cannot tell before it runs.
import twilio, { type RequestClient, type Twilio } from 'twilio';

const TWILIO_API = 'https://api.twilio.com';

/** The account of an application, as its channel settings hold it. */
export type TwilioAccount = {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
};

/** One call of Twilio: what it may take, and what came back. */
export type Exchange = {
  readonly http: EgressHttp;
  readonly timeoutMs: number;
  readonly mayBegin?: () => boolean;
  readonly signal?: AbortSignal;
  /** Twilio's package hands on no headers of an error: the answer as it came. */
  answer?: HttpAnswer;
};

const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** Twilio's own package over our vetted connections: no retries of its own, no redirects, no proxies of the environment. */
export function twilioOf({ settings, secrets }: TwilioAccount, exchange: Exchange): Twilio {
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
  // Written for axios, of which we use nothing but this one method.
  const httpClient = { request } as unknown as RequestClient;
  // Without an account it is Twilio's package that throws: the settings have one, and a token that is empty is Twilio's to refuse.
  return new twilio.Twilio(accountSid, secrets['authToken'] || 'missing', {
    httpClient,
    accountSid,
  });
}

/** What stands in a form; the package leaves what is not given undefined. */
function definedPairs(values: unknown): [string, string][] {
  const fields = Object.entries(
    values as Readonly<Record<string, string | number | boolean | null | undefined>>,
  );
  return fields.flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
}

/** An error of Mozilla's push service (autopush); `errno` identifies it. */
export type PushRejection = {
  readonly status: number;
  readonly errno: number | string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
};

const refusal = (status: number, errno: number, message: string): PushRejection => ({
  status,
  errno,
  message,
});

export const NO_SUCH_SUBSCRIPTION = refusal(404, 102, 'No such subscription');
export const SUBSCRIPTION_GONE = refusal(410, 106, 'The subscription was unregistered');
export const TOO_LARGE = refusal(413, 104, 'The message is larger than 4096 bytes');
export const BAD_CRYPTO = refusal(400, 110, 'The message cannot be decrypted by the browser');
export const NO_TTL = refusal(400, 112, 'TTL is missing or not a number of seconds');
export const BAD_TOPIC = refusal(
  400,
  113,
  'Topic has more than 32 characters, or is not base64url',
);
export const BAD_URGENCY = refusal(
  400,
  114,
  'Urgency is not one of very-low, low, normal and high',
);
export const unauthenticated = (message: string): PushRejection => refusal(401, 109, message);
/** As Google's push service words it. */
export const OTHER_KEY = refusal(
  403,
  109,
  'the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions.',
);

const BY_STATUS: Readonly<Record<number, PushRejection>> = {
  400: refusal(400, 101, 'Missing necessary crypto keys'),
  401: unauthenticated('Unauthorized'),
  403: refusal(403, 109, 'Forbidden'),
  404: NO_SUCH_SUBSCRIPTION,
  406: refusal(406, 201, 'Throttled'),
  410: SUBSCRIPTION_GONE,
  413: TOO_LARGE,
  429: refusal(429, 201, 'Too many requests'),
  503: refusal(503, 202, 'Unavailable'),
};

/** The usual error for the status of a fault. */
export function rejectionForFault({
  status,
  code,
  retryAfterSeconds,
}: {
  readonly status: number;
  readonly code?: string;
  readonly retryAfterSeconds?: number;
}): PushRejection {
  const usual = BY_STATUS[status] ?? refusal(status, 999, 'Rejected by a fault of the sandbox');
  const errno = code === undefined || !/^\d+$/.test(code) ? (code ?? usual.errno) : Number(code);
  return { ...usual, errno, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** The response body. A code that is not a number is formatted like Apple's. */
export function renderBody({ status, errno, message }: PushRejection): object {
  return typeof errno === 'number'
    ? {
        code: status,
        errno,
        error: message,
        message,
        more_info: 'https://autopush.readthedocs.io/en/latest/http.html#error-codes',
      }
    : { reason: errno };
}

import { startDeadline } from './deadline.ts';
import { textField } from './json.ts';

/** The service and its credentials. */
export type Access = {
  readonly baseUrl: string;
  readonly applicationId: string;
  readonly clientKey: string;
};

/**
 * `later`: no response, or the service asks to retry, after `afterMs` (0: unspecified). `refused`:
 * permanent; the same call will always be rejected. Calls never throw.
 */
export type Answer =
  | { readonly status: 'ok'; readonly body: unknown }
  | { readonly status: 'refused'; readonly httpStatus: number; readonly code: string }
  | { readonly status: 'later'; readonly afterMs: number };

export type CallOptions = {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  /** Continues after page unload. Browsers allow 64 KiB of these at a time. */
  readonly keepalive?: boolean;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 30_000;
/** Upper limit for Retry-After. */
const RETRY_AFTER_MS_MAX = 300_000;

export async function call(
  access: Access,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const deadline = startDeadline(options.timeoutMs ?? TIMEOUT_MS, options.signal);
  try {
    return await readAnswer(await request(access, path, { ...options, signal: deadline.signal }));
  } catch {
    return { status: 'later', afterMs: 0 };
  } finally {
    deadline.end();
  }
}

/** Sends the request, for callers that stream the body. @throws on network errors */
export function request(
  access: Access,
  path: string,
  { method = 'POST', body, keepalive = false, signal }: CallOptions,
): Promise<Response> {
  return fetch(`${access.baseUrl}${path}`, {
    method,
    headers: {
      'X-Application-Id': access.applicationId,
      'X-API-Key': access.clientKey,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      // An invalid message must not reject the whole batch.
      ...(path === '/' && { Prefer: 'handling=lenient' }),
    },
    credentials: 'omit',
    cache: 'no-store',
    keepalive,
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return { status: 'ok', body };
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    // NaN for a missing header or a date.
    return {
      status: 'later',
      afterMs: Math.min(Number(headers.get('Retry-After')) * 1000 || 0, RETRY_AFTER_MS_MAX),
    };
  }
  return { status: 'refused', httpStatus: status, code: textField(body, 'code') ?? 'refused' };
}

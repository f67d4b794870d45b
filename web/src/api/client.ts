import type { Problem } from '@tidings/contracts/errors/error-codes';
import { parseExactJson, stringifyExactJson } from '../lib/exact-json.ts';
import { credentials, isSessionOver, unreachableSince } from './credentials.ts';
import { ApiError, ConnectionError } from './problem.ts';
import { readRetryAfter } from './retries.ts';

export type Query = Readonly<Record<string, string | number | undefined>>;
export type RequestOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly query?: Query | undefined;
  readonly signal?: AbortSignal;
  /** Makes a repeated request safe: the service repeats the first response. */
  readonly idempotencyKey?: string;
};

const REQUEST_TIMEOUT_MS = 30_000;
/** An export of a million rows takes minutes. */
const FILE_TIMEOUT_MS = 600_000;

export function apiUrl(path: string, query: Query = {}): string {
  const known = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return `/api/v1/${path}${known.length > 0 ? `?${new URLSearchParams(known)}` : ''}`;
}

/** Calls a path below `/api/v1/` with the session. @throws ApiError on a status of 400 and above, ConnectionError without a response */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  const text = await response.text();
  return (text === '' ? undefined : parseExactJson(text)) as T;
}

/** Like `request`, for files. */
export async function requestBlob(path: string, options: RequestOptions = {}): Promise<Blob> {
  const response = await send(path, options, FILE_TIMEOUT_MS);
  return response.blob();
}

async function send(
  path: string,
  { method = 'GET', body, query, signal, idempotencyKey }: RequestOptions,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<Response> {
  const { applicationId, csrfToken } = credentials.get();
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      credentials: 'same-origin',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        ...(applicationId !== null && { 'X-Application-Id': applicationId }),
        ...(method !== 'GET' && csrfToken !== null && { 'X-CSRF-Token': csrfToken }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body !== undefined && { body: stringifyExactJson(body) }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    unreachableSince.set(unreachableSince.get() ?? Date.now());
    throw new ConnectionError(error);
  }
  unreachableSince.set(null);
  if (response.ok) return response;
  if (response.status === 401 && !path.startsWith('session')) isSessionOver.set(true);
  throw new ApiError(
    await readProblem(response),
    readRetryAfter(response.headers.get('Retry-After')),
  );
}

async function readProblem(response: Response): Promise<Problem> {
  try {
    return (await response.json()) as Problem;
  } catch {
    // A proxy answered with a body of its own.
    return {
      type: 'about:blank',
      title: `The server responded with status ${response.status}.`,
      status: response.status,
      code: 'unavailable',
      requestId: '',
    };
  }
}

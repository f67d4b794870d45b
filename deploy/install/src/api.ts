/** URL and credentials of an API. */
export type ApiAccess = {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** A request; `method` and `path` as in `POST /push`. */
export type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
};

const CALL_TIMEOUT_MS = 15_000;

/** A non-2xx response of the API; the message is its problem detail. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/**
 * Calls the API and resolves with the JSON of its response. `T` is the response type of the
 * contract.
 * @throws ApiError for a non-2xx response; Error if there is no response
 */
export async function callApi<T>(
  { baseUrl, headers }: ApiAccess,
  { method = 'GET', path, body }: ApiRequest,
): Promise<T> {
  const answer = await send(`${baseUrl}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  });
  const text = await answer.text();
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  throw new ApiError(answer.status, `${method} ${path} returned ${answer.status}: ${text}`);
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    throw new Error(`${request.method} ${url}: no response.`, { cause: error });
  }
}

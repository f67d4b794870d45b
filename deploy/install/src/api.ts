/** Where an API is and who calls it. */
export type ApiAccess = {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** What is asked, as in `POST /push`. */
export type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
};

const CALL_TIMEOUT_MS = 15_000;

/** An answer of the API that is not a success, told as a sentence. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
  }
}

/**
 * Calls the API and resolves with the JSON of its answer. The caller names the type, as the contract gives it.
 * @throws ApiError when the answer is not a success; Error when there is none
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
  throw new ApiError(answer.status, `${method} ${path} was answered ${answer.status}: ${text}`);
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    throw new Error(`${request.method} ${url} was not answered.`, { cause: error });
  }
}

import type { ShopConnection } from '../routes/shop/connection.ts';

const CALL_TIMEOUT_MS = 15_000;

type SdkAnswer = { readonly status: number; readonly body: unknown };

/** Client of the SDK endpoints below `/sdk/v1`, with the Client key. */
export interface SdkClient {
  /**
   * Resolves with a response of any status; `body` is undefined if it is not JSON.
   * @throws if there is no response
   */
  post(path: string, body: unknown, signal?: AbortSignal): Promise<SdkAnswer>;
  get(path: string): Promise<SdkAnswer>;
  /** Opens the stream of messages; `signal` closes it. */
  openStream(
    deviceId: string,
    call: { readonly lastEventId: string | null; readonly signal: AbortSignal },
  ): Promise<Response>;
}

export function createSdkClient({
  baseUrl,
  applicationId,
  clientKey,
}: Pick<ShopConnection, 'baseUrl' | 'applicationId' | 'clientKey'>): SdkClient {
  const headers = { 'X-Application-Id': applicationId, 'X-API-Key': clientKey };
  return {
    async post(path, body, signal) {
      const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
      const answer = await fetch(`${baseUrl}/sdk/v1/${path}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      });
      return { status: answer.status, body: await readJson(answer) };
    },
    async get(path) {
      const answer = await fetch(`${baseUrl}/sdk/v1/${path}`, {
        headers,
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
      return { status: answer.status, body: await readJson(answer) };
    },
    openStream: (deviceId, { lastEventId, signal }) =>
      fetch(`${baseUrl}/sdk/v1/messages/stream?deviceId=${encodeURIComponent(deviceId)}`, {
        headers: {
          ...headers,
          Accept: 'text/event-stream',
          ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }),
        },
        signal,
      }),
  };
}

const readJson = (answer: Response): Promise<unknown> => answer.json().catch(() => undefined);

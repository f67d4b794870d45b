import { Agent, request } from 'node:http';

export type HttpCall = {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};
/** Status 0: the connection failed, or no response in time; `text` has the reason. */
export type HttpAnswer = {
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
};

/**
 * Connections that are idle for so long are closed here, long before a server does, which would
 * break the next request on a busy machine.
 */
const IDLE_MS = 15_000;

export type HttpCaller = { call(call: HttpCall): Promise<HttpAnswer>; close(): void };

/**
 * An HTTP client with keep-alive and as few layers as possible, so that faults are recorded
 * precisely.
 */
export function createHttpCaller({ timeoutMs }: { readonly timeoutMs: number }): HttpCaller {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  return {
    call: ({ method, url, headers, body }) =>
      new Promise((resolve) => {
        const end = (answer: HttpAnswer): void => {
          clearTimeout(timer);
          resolve(answer);
        };
        const content =
          body === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
        const sent = request(url, { agent, method, headers: { ...headers, ...content } }, (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.on('error', (error) => end({ status: 0, text: error.message }));
          res.on('end', () =>
            end({
              status: res.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
              retryAfter: res.headers['retry-after'],
            }),
          );
        });
        const timer = setTimeout(() => sent.destroy(new Error('no response in time')), timeoutMs);
        sent.on('error', (error) => end({ status: 0, text: error.message }));
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}

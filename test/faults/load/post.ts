import { Agent, request } from 'node:http';

/** One request, as its caller knows it. Times are of `performance.now()`. */
export type Attempt = {
  readonly sentAt: number;
  answeredAt?: number;
  /** 0: the connection failed or no answer came in time. */
  status?: number;
  requestId?: string;
  campaignId?: string;
  retryAfter?: string;
  /** Of an answer that is neither 200 nor 503, or of a failure: what was said. */
  detail?: string;
};

/** Longer than any answer may take, so that a late one is seen for what it is. */
const TIMEOUT_MS = 20_000;

export type PostRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string };

export type Poster = { post(request: PostRequest): Promise<Omit<Attempt, 'sentAt'>>; close(): void };

/** A caller with kept connections: as few layers as possible between a fault and what is written down about it. */
export function createPoster(): Poster {
  const agent = new Agent({ keepAlive: true });
  return {
    post: ({ url, headers, body }) =>
      new Promise((resolve) => {
        const end = (answer: Omit<Attempt, 'sentAt' | 'answeredAt'>): void => {
          clearTimeout(timer);
          resolve({ ...answer, answeredAt: performance.now() });
        };
        const call = request(url, { agent, method: 'POST', headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } }, (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.on('error', (error) => end({ status: 0, detail: error.message }));
          res.on('end', () => end(readAnswer(res.statusCode ?? 0, { text: Buffer.concat(chunks).toString(), retryAfter: res.headers['retry-after'] })));
        });
        const timer = setTimeout(() => call.destroy(new Error('no answer in time')), TIMEOUT_MS);
        call.on('error', (error) => end({ status: 0, detail: error.message }));
        call.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function readAnswer(status: number, { text, retryAfter }: { readonly text: string; readonly retryAfter?: string }): Omit<Attempt, 'sentAt' | 'answeredAt'> {
  if (status === 200) {
    const { requestId, campaignId } = JSON.parse(text) as { readonly requestId: string; readonly campaignId?: string };
    return { status, requestId, ...(campaignId !== undefined && { campaignId }) };
  }
  return { status, ...(retryAfter !== undefined && { retryAfter }), ...(status !== 503 && { detail: text.slice(0, 300) }) };
}

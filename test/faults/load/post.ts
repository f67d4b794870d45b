import { Agent, request } from 'node:http';
import type { Attempt } from './ledger.ts';

/** Longer than any answer may take, so that a late one is seen for what it is. */
const TIMEOUT_MS = 20_000;

export type Poster = { post(url: string, options: { readonly headers: Readonly<Record<string, string>>; readonly body: string }): Promise<Omit<Attempt, 'sentAt'>>; close(): void };

/** A caller with kept connections: as few layers as possible between a fault and what is written down about it. */
export function createPoster(): Poster {
  const agent = new Agent({ keepAlive: true });
  return {
    post: (url, { headers, body }) =>
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
  if (status === 200) return { status, requestId: (JSON.parse(text) as { readonly requestId: string }).requestId };
  return { status, ...(retryAfter !== undefined && { retryAfter }), ...(status !== 503 && { detail: text.slice(0, 300) }) };
}

import { createHttpCaller, type HttpAnswer } from './call.ts';

/** One request as its caller knows it. Times are from `performance.now()`. */
export type Attempt = {
  readonly sentAt: number;
  answeredAt?: number;
  /** 0: the connection failed, or no response in time. */
  status?: number;
  requestId?: string;
  campaignId?: string;
  retryAfter?: string | undefined;
  /** Content of a response other than 200 and 503, or the reason of a failure. */
  detail?: string;
};

/** Longer than any response may take, so that late responses are measured. */
const TIMEOUT_MS = 20_000;

export type PostRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type Poster = {
  post(request: PostRequest): Promise<Omit<Attempt, 'sentAt'>>;
  close(): void;
};

export function createPoster(): Poster {
  const caller = createHttpCaller({ timeoutMs: TIMEOUT_MS });
  return {
    async post(request) {
      const answer = await caller.call({ method: 'POST', ...request });
      return { ...readAnswer(answer), answeredAt: performance.now() };
    },
    close: () => caller.close(),
  };
}

function readAnswer({
  status,
  text,
  retryAfter,
}: HttpAnswer): Omit<Attempt, 'sentAt' | 'answeredAt'> {
  if (status === 200) {
    const { requestId, campaignId } = JSON.parse(text) as {
      readonly requestId: string;
      readonly campaignId?: string;
    };
    return { status, requestId, ...(campaignId !== undefined && { campaignId }) };
  }
  return {
    status,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== 503 && { detail: text.slice(0, 300) }),
  };
}

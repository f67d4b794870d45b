// Runs in a pod of the product's image with node only, so it imports nothing of the project. Sends
// requests at a steady rate, retries each failed one once, and prints the results at its end.

import { setTimeout as delay } from 'node:timers/promises';
import type { CallerReport, CallerPlan, Failure, StreamReport } from './report.ts';

const ANSWER_WITHIN_MS = 15_000;
const RETRY_AFTER_MS_MAX = 5_000;
const MESSAGES_PER_BATCH = 2;

type Answer = { readonly status: number; readonly said: string; readonly retryAfterMs: number };
type Stream = {
  readonly report: { -readonly [K in keyof StreamReport]: StreamReport[K] };
  run(): Promise<void>;
};

const plan = JSON.parse(process.env['CALLER_PLAN'] ?? '{}') as CallerPlan;
let isStopped = false;
process.on('SIGTERM', () => {
  isStopped = true;
});

const userOf = (n: number): string => plan.users[n % plan.users.length] ?? '';
const ingest = makeStream(plan.batchesPerSecond, (n) => ({
  path: '/',
  body: {
    customUserId: userOf(n),
    messages: Array.from({ length: MESSAGES_PER_BATCH }, (_, index) => ({
      type: 'action',
      id: `${plan.prefix}-${n}-${index}`,
      time: Date.now(),
      customName: 'called',
      // The first one enters an automation.
      ...(index === 0 && { attributes: { batch: `${plan.prefix}-${n}` } }),
    })),
  },
}));
const push = makeStream(plan.pushesPerSecond, (n) => ({
  path: '/push',
  headers: { 'Idempotency-Key': `${plan.prefix}-${n}` },
  body: {
    recipients: [userOf(n)],
    channel: 'EMAIL',
    message: { title: `${plan.prefix}-${n}`, body: 'Once.' },
  },
}));
await Promise.all([ingest.run(), push.run()]);
process.stdout.write(
  `${JSON.stringify({ ingest: ingest.report, push: push.report } satisfies CallerReport)}\n`,
);

type Call = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: object;
};

function makeStream(perSecond: number, callOf: (n: number) => Call): Stream {
  const failures: Failure[] = [];
  const accepted: number[] = [];
  const report = { sent: 0, accepted, retried: 0, failures, slowestMs: 0 };
  const one = async (n: number): Promise<void> => {
    const call = callOf(n);
    const startedAt = performance.now();
    const first = await post(call);
    let last = first;
    if (first.status !== 200) {
      report.retried += 1;
      await delay(first.retryAfterMs);
      last = await post(call);
    }
    report.slowestMs = Math.max(report.slowestMs, Math.round(performance.now() - startedAt));
    if (last.status === 200) accepted.push(n);
    else failures.push({ n, first: first.said, second: last.said });
  };
  return {
    report,
    async run() {
      const underway = new Set<Promise<void>>();
      for (const startedAt = performance.now(); !isStopped;) {
        const call = one(report.sent).finally(() => underway.delete(call));
        underway.add(call);
        report.sent += 1;
        await delay(Math.max(0, startedAt + (report.sent * 1_000) / perSecond - performance.now()));
      }
      await Promise.all(underway);
    },
  };
}

async function post({ path, headers, body }: Call): Promise<Answer> {
  try {
    const answer = await fetch(`${plan.gatewayUrl}${path}`, {
      method: 'POST',
      headers: { ...plan.headers, ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      said: `${answer.status} ${text.slice(0, 200)}`,
      retryAfterMs: Math.min(
        RETRY_AFTER_MS_MAX,
        Number(answer.headers.get('retry-after') ?? 1) * 1_000,
      ),
    };
  } catch (error) {
    const { message, cause } = error as Error;
    return {
      status: 0,
      said: `${message}${cause instanceof Error ? `: ${cause.message}` : ''}`,
      retryAfterMs: 1_000,
    };
  }
}

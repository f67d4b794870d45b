import { setTimeout as delay } from 'node:timers/promises';
import type { Neighbour, NeighboursRig } from '../../rigs/neighbours-rig.ts';
import { createHttpCaller, type HttpCall } from '../call.ts';

/** The application that takes more than its share, with its Server key. */
export type Attacker = {
  readonly rig: Pick<NeighboursRig, 'gatewayUrl' | 'apiUrl'>;
  readonly neighbour: Neighbour;
  /** Aborts when the attack ends. */
  readonly signal: AbortSignal;
  /** Answers so far, by request and status; 0: none in time. */
  readonly answers: Map<string, number>;
  /** Campaigns that were accepted. */
  readonly campaignIds: Set<string>;
};

export type Asking = {
  readonly connections: number;
  /** Of each connection, after an answer. */
  readonly pauseMs: number;
  /** The request with this number, from 0. */
  request(no: number): Omit<HttpCall, 'headers'> & { readonly what: string };
};

const ANSWER_WITHIN_MS = 60_000;
const CANCELED_WITHIN_MS = 10_000;

/** Sends one request after the other on each connection until the attack ends. */
export async function keepAsking(
  { neighbour, signal, answers, campaignIds }: Attacker,
  { connections, pauseMs, request }: Asking,
): Promise<void> {
  const caller = createHttpCaller({ timeoutMs: ANSWER_WITHIN_MS });
  const close = (): void => caller.close();
  signal.addEventListener('abort', close, { once: true });
  let count = 0;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const { what, ...call } = request(count++);
      const { status, text } = await caller.call({ ...call, headers: neighbour.headers });
      if (signal.aborted) return;
      const answer = `${what} ${status}`;
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      if (status === 200 && what.startsWith('push'))
        campaignIds.add((JSON.parse(text) as { readonly campaignId: string }).campaignId);
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}

/** Cancels what the attack leaves. Returns how many cancels had no answer in time. */
export async function cancelAll({
  rig,
  neighbour,
  campaignIds,
}: Pick<Attacker, 'rig' | 'neighbour' | 'campaignIds'>): Promise<number> {
  const caller = createHttpCaller({ timeoutMs: CANCELED_WITHIN_MS });
  const answers = await Promise.all(
    [...campaignIds].map((id) =>
      caller.call({
        method: 'POST',
        url: `${rig.apiUrl}/api/v1/campaigns/${id}/cancel`,
        headers: neighbour.admin.headers,
      }),
    ),
  );
  caller.close();
  campaignIds.clear();
  return answers.filter(({ status }) => status === 0).length;
}

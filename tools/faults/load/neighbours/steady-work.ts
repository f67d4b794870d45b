import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tidings/testing';
import { callApi } from '@tidings/local';
import type { Neighbour, NeighboursRig } from '../../rigs/neighbours-rig.ts';
import { createHttpCaller } from '../call.ts';
import type { Entry } from '../ledger.ts';
import { startLoad } from '../load.ts';
import type { Random } from '../random.ts';

/** A request of the ordinary application. */
export type Work = Entry & {
  readonly kind: 'batch' | 'list' | 'segment';
  readonly path: '/' | '/push';
  readonly body: string;
  /** While it was under way, the process that accepts and this one waited so long for a CPU. */
  cpuWaitMs: number;
};

/** A read of the API; `ms` is Infinity if it failed. Times are from `performance.now()`. */
export type Read = { readonly sentAt: number; readonly ms: number };

export type SteadyWork = {
  readonly works: readonly Work[];
  readonly reads: readonly Read[];
  /** Waits until each push that was accepted is at the provider, or until the timeout. */
  stop(): Promise<void>;
};

export type SteadyWorkOptions = {
  readonly random: Random;
  readonly users: number;
  readonly requestsPerSecond: number;
};

/** Every this many requests one is a push: to a list, to a segment. */
const EVERY = { list: 20, segment: 60 } as const;
const LIST_LENGTH = 3;
const EVENTS_PER_BATCH = 3;
/** One user of four is in the segment. */
const IN_SEGMENT = 4;
const CITY = 'Ulm';
const READS_PER_SECOND = 2;
const READ_WITHIN_MS = 20_000;
const REGISTERED_WITHIN_MS = 60_000;

/** Registers the users of an ordinary application. */
export async function registerPeople(
  { gatewayUrl }: NeighboursRig,
  neighbour: Neighbour,
  users: number,
): Promise<void> {
  const access = { baseUrl: gatewayUrl, headers: neighbour.headers };
  for (let user = 0; user < users; user += 1)
    await callApi(access, {
      method: 'POST',
      path: '/',
      body: {
        customUserId: userOf(user),
        messages: [
          {
            type: 'user',
            id: `registers-${user}`,
            time: Date.now(),
            email: `${userOf(user)}@people.example`,
            city: user % IN_SEGMENT === 0 ? CITY : 'Bonn',
          },
        ],
      },
    });
  await eventually(() => callApi(neighbour.admin, { path: `/api/v1/users/${userOf(users - 1)}` }), {
    timeoutMs: REGISTERED_WITHIN_MS,
  });
}

/**
 * What an ordinary application does all the time: batches, small pushes to a list, a push to a segment
 * now and then, and reads of the API. A request that fails is not repeated.
 */
export function startSteadyWork(
  { gatewayUrl, apiUrl, cpuWaitMs }: NeighboursRig,
  { headers }: Neighbour,
  { random, users, requestsPerSecond }: SteadyWorkOptions,
): SteadyWork {
  let count = 0;
  const someone = (): string => userOf(Math.floor(random() * users));
  const load = startLoad<Work>({
    random,
    requestsPerSecond,
    retryChance: 0,
    next: () => nextWork((count += 1), someone),
    requestOf(work) {
      work.cpuWaitMs -= cpuWaitMs();
      return { url: `${gatewayUrl}${work.path}`, headers, body: work.body };
    },
    onAnswer(work) {
      work.cpuWaitMs = Math.max(0, work.cpuWaitMs + cpuWaitMs());
    },
  });
  const reading = startReading(apiUrl, headers);
  return {
    works: load.ledger.entries,
    reads: reading.reads,
    async stop() {
      // Closed first, so that requests without an answer end.
      load.close();
      await Promise.all([load.stop(), reading.stop()]);
    },
  };
}

function nextWork(no: number, someone: () => string): Work {
  const kind = no % EVERY.segment === 0 ? 'segment' : no % EVERY.list === 0 ? 'list' : 'batch';
  const message = { title: 'Hello', body: `Number ${no}` };
  const pushed = { channel: 'EMAIL', message };
  const bodies = {
    batch: () => ({
      customUserId: someone(),
      messages: Array.from({ length: EVENTS_PER_BATCH }, (_, index) => ({
        type: 'action',
        id: `event-${no}-${index}`,
        time: Date.now(),
        customName: 'came',
      })),
    }),
    list: () => ({ ...pushed, recipients: Array.from({ length: LIST_LENGTH }, someone) }),
    segment: () => ({ ...pushed, segment: { condition: { field: 'city', is: CITY } } }),
  };
  return {
    kind,
    path: kind === 'batch' ? '/' : '/push',
    body: JSON.stringify(bodies[kind]()),
    attempts: [],
    cpuWaitMs: 0,
  };
}

const userOf = (user: number): string => `person-${user}`;

/** Reads at their time, also when earlier ones have no answer. */
function startReading(
  apiUrl: string,
  headers: Neighbour['headers'],
): { readonly reads: readonly Read[]; stop(): Promise<void> } {
  const caller = createHttpCaller({ timeoutMs: READ_WITHIN_MS });
  const stopping = new AbortController();
  const reads: Read[] = [];
  const underway = new Set<Promise<void>>();
  const read = async (): Promise<void> => {
    const sentAt = performance.now();
    const url = `${apiUrl}/api/v1/campaigns?limit=20`;
    const { status } = await caller.call({ method: 'GET', url, headers });
    reads.push({ sentAt, ms: status === 200 ? performance.now() - sentAt : Infinity });
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const reading = read().finally(() => underway.delete(reading));
      underway.add(reading);
      await delay(1_000 / READS_PER_SECOND, undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  })();
  return {
    reads,
    async stop() {
      stopping.abort();
      caller.close();
      await running;
      await Promise.all(underway);
    },
  };
}

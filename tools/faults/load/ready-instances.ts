import { setTimeout as delay } from 'node:timers/promises';
import type { Supervisor } from '@tidings/local';

export type ReadyInstances = { next(): string; stop(): Promise<void> };

const POLL_MS = 100;
/** As three probes of a cluster, each of which waits a second. */
const READY_WITHIN_MS = 3_000;

/**
 * Round-robin over the processes that report ready, like a cluster's Service. Reads `urls` each
 * time, since processes start and stop.
 */
export function watchReadyInstances(
  supervisor: Supervisor,
  urls: Readonly<Record<string, string>>,
): ReadyInstances {
  const stopping = new AbortController();
  let ready = Object.values(urls);
  let turn = 0;
  const isReady = async (name: string): Promise<boolean> => {
    const metricsUrl = supervisor.list().find((service) => service.name === name)?.metricsUrl ?? '';
    const answer = await fetch(metricsUrl.replace(/metrics$/, 'readyz'), {
      signal: AbortSignal.timeout(READY_WITHIN_MS),
    }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok ?? false;
  };
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const checks = await Promise.all(
        Object.entries(urls).map(async ([name, url]) => ((await isReady(name)) ? [url] : [])),
      );
      ready = checks.flat();
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    next() {
      turn += 1;
      // If none is ready, the request fails as it would in a cluster.
      return ready[turn % ready.length] ?? Object.values(urls)[0] ?? '';
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

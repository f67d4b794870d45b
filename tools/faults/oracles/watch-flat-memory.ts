import { setTimeout as delay } from 'node:timers/promises';
import { homeLayout } from '@tidings/local';
import { liveHeapBytes, openInspector } from '../../stack/inspect-heap.ts';
import type { Rig } from '../rigs/rig.ts';
import type { MemorySample } from './flat-memory.ts';
import { residentBytes } from './memory.ts';

const INTERVAL_MS = 1_000;
/** A heap sample forces a garbage collection; too often, memory would be smaller than normal. */
const LOOKS_PER_HEAP = 10;

/** Samples one service until `stop`. */
export type FlatMemoryWatch = { stop(): Promise<readonly MemorySample[]> };

/** @throws if the service's inspector cannot be reached */
export async function watchFlatMemory(
  { supervisor, tidings }: Pick<Rig, 'supervisor' | 'tidings'>,
  name: string,
): Promise<FlatMemoryWatch> {
  const logFile = homeLayout(tidings.home).logFile(name);
  const { pid } = supervisor.list().find((service) => service.name === name) ?? {};
  if (pid === undefined) throw new Error(`unknown service: ${name}`);
  await openInspector({ pid, logFile });
  const samples: MemorySample[] = [];
  const stopping = new AbortController();
  const running = (async () => {
    for (let looks = 0; !stopping.signal.aborted; looks += 1) {
      // Memory first, since a forced collection changes resident memory.
      const resident = residentBytes(pid);
      if (resident === undefined) throw new Error(`${name} was restarted`);
      samples.push({
        residentBytes: resident,
        ...(looks % LOOKS_PER_HEAP === 0 && { liveHeapBytes: await liveHeapBytes(logFile) }),
      });
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  running.catch(() => undefined); // Reported by `stop`.
  return {
    async stop() {
      stopping.abort();
      await running;
      return samples;
    },
  };
}

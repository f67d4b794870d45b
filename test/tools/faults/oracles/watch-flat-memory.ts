import { setTimeout as delay } from 'node:timers/promises';
import { homeLayout } from '@tidings/local';
import { liveHeapBytes, openInspector } from '../../../stack/inspect-heap.ts';
import type { Rig } from '../rigs/rig.ts';
import type { MemorySample } from './flat-memory.ts';
import { residentBytes } from './memory.ts';

const INTERVAL_MS = 1_000;
/** A look at the heap collects all garbage first: were it often, memory would be smaller than it is by itself. */
const LOOKS_PER_HEAP = 10;

/** Looks at one service until `stop`. */
export type FlatMemoryWatch = { stop(): Promise<readonly MemorySample[]> };

/** @throws when the service cannot be asked for its heap */
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
      // Memory first: a collection changes what is resident.
      const resident = residentBytes(pid);
      if (resident === undefined) throw new Error(`${name} died and was started again`);
      samples.push({
        residentBytes: resident,
        ...(looks % LOOKS_PER_HEAP === 0 && { liveHeapBytes: await liveHeapBytes(logFile) }),
      });
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  running.catch(() => undefined); // Told by `stop`.
  return {
    async stop() {
      stopping.abort();
      await running;
      return samples;
    },
  };
}

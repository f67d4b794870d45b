import type { Bus, Consumer } from '@tidings/bus';
import { dispatchTopic, LANES, workerName, type Channel, type Lane } from '@tidings/contracts';
import { handlePointers, type PointerDependencies } from './handle-pointers.ts';

/**
 * The next read waits so long for a batch; a batch that takes longer has its partition left out of reads until it ends, and
 * what comes there meanwhile waits for the read after. Those of the express lane end in time, since they leave stragglers
 * behind; those of bulk take as long as their provider, and no read is to wait for them.
 */
const DETACH_AFTER_MS = { express: 250, bulk: 0 } as const satisfies Record<Lane, number>;

/** Works on the chunks of a channel that are announced, in both lanes. */
export function consumePointers(
  bus: Bus,
  channel: Channel,
  deps: PointerDependencies,
): Promise<Consumer> {
  const expressTopic = dispatchTopic(channel, 'express');
  const laneOf = (topic: string): Lane => (topic === expressTopic ? 'express' : 'bulk');
  return bus.consume({
    group: workerName(channel),
    topics: LANES.map((lane) => dispatchTopic(channel, lane)),
    partitionsConcurrently: 6,
    detachAfterMs: (topic) => DETACH_AFTER_MS[laneOf(topic)],
    handleBatch: (batch) => handlePointers(deps, batch, laneOf(batch.topic)),
  });
}

import {
  applyDeliveryUpdates,
  type DeliveryUpdateResult,
} from '@tidings/delivery/delivery-updates';
import type { DeliveryUpdate } from '@tidings/delivery/outcome-rules';
import { createMicroBatcher } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';

/** Stores delivery updates in micro-batches. */
export interface DeliveryUpdates {
  /** Resolves when stored, with results in the given order. */
  apply(outcomes: readonly DeliveryUpdate[]): Promise<readonly DeliveryUpdateResult[]>;
}

/** Maximum updates per transaction. A single request may exceed it. */
const UPDATES_MAX = 500;
const CALLERS_MAX = 200;

/**
 * Updates that arrive during a transaction share the next one: devices report thousands of displays
 * per second.
 */
export function createDeliveryUpdates(db: Database): DeliveryUpdates {
  const batcher = createMicroBatcher<readonly DeliveryUpdate[], readonly DeliveryUpdateResult[]>({
    async run(lists) {
      const results = await applyDeliveryUpdates(db, lists.flat());
      let at = 0;
      return lists.map(({ length }) => results.slice(at, (at += length)));
    },
    isOwnFault: (error) => dataErrorState(error) !== undefined,
    itemsMax: CALLERS_MAX,
    bytesMax: UPDATES_MAX,
  });
  return { apply: (outcomes) => batcher.add(outcomes, outcomes.length) };
}

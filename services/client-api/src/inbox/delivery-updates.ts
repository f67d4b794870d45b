import {
  applyDeliveryUpdates,
  type DeliveryUpdateResult,
} from '@tidings/delivery/delivery-updates';
import type { DeliveryUpdate } from '@tidings/delivery/outcome-rules';
import { createMicroBatcher } from '@tidings/platform';
import { dataErrorState, type Database } from '@tidings/postgres/database';

/** What becomes known of deliveries, from whatever route it comes. */
export interface DeliveryUpdates {
  /** Resolves when it is durable; results in the order given. */
  apply(outcomes: readonly DeliveryUpdate[]): Promise<readonly DeliveryUpdateResult[]>;
}

/** Outcomes of one transaction: of one request more only if it brings more. */
const UPDATES_MAX = 500;
const CALLERS_MAX = 200;

/** What comes while others are written is written together next: a campaign is displayed by thousands in a second. */
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

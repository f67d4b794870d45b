import { MARKETING_SUPPRESSION } from '@tidings/contracts/channels/suppression-reasons';
import { suppressAddress } from '@tidings/people/suppressions';
import type { Database } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { applyDeliveryUpdatesIn } from './delivery-updates.ts';

const statement = statementsIn(import.meta.dirname);

type TypedAddress = {
  readonly deliveryId: string;
  readonly applicationId: string;
  readonly address: string;
};

/**
 * Unsubscribes the e-mail address typed at a link that does not name one. Each link unsubscribes
 * one address: false, without a change, if it already did. The lock on the delivery orders
 * concurrent calls.
 * @callers client-api
 */
export function unsubscribeByOlderLink(
  db: Database,
  { deliveryId, applicationId, address }: TypedAddress,
): Promise<boolean> {
  return retryConflicts(() =>
    db.transaction(async (sql) => {
      const { rows } = await sql.query(statement('lock-subscribed-delivery'), [deliveryId]);
      if (rows.length === 0) return false;
      await applyDeliveryUpdatesIn(sql, [{ deliveryId, outcome: 'unsubscribed' }]);
      await suppressAddress(sql, {
        applicationId,
        channel: 'EMAIL',
        address,
        reason: MARKETING_SUPPRESSION,
      });
      return true;
    }),
  );
}

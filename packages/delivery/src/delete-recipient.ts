import {
  CHANNEL_DESCRIPTORS,
  parseWebPushSubscription,
  type Channel,
  type DeliveryState,
} from '@tidings/contracts';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { deleteHitsOf } from './link-hits.ts';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { deleteInboxOf } from './inbox.ts';

const statement = statementsIn(import.meta.dirname);

/** What has not left yet, also when a worker has just claimed it: arming refuses it from the commit on. */
const UNSENT: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait'];

/**
 * Takes a recipient's addresses out of their deliveries: what a provider said may name one, a test send has nothing
 * else, and where they had several each names a device. What waits for their devices is canceled, and what was still to be
 * sent ends as what goes to somebody unknown. The deliveries stay, so that the numbers of their campaigns do. @callers user-data
 */
export async function deleteRecipient(
  sql: Sql,
  {
    applicationId,
    customUserId,
    addresses,
    userIds,
  }: {
    readonly applicationId: string;
    readonly customUserId: string;
    readonly addresses: readonly string[];
    readonly userIds: readonly string[];
  },
): Promise<void> {
  const testSends = await findTestSends(sql, applicationId, addresses);
  // One look into the unique key for each campaign: no index begins with the recipient.
  const { rows } = await sql.query<{ id: string; is_unsent: boolean }>(
    statement('delete-recipient'),
    [applicationId, customUserId, testSends],
  );
  await deletePauseMessages(sql, applicationId, addresses);
  await deleteHitsOf(
    sql,
    rows.map((row) => row.id),
  );
  const waiting = await deleteInboxOf(sql, userIds);
  await changeDeliveryStates(
    sql,
    [...UNSENT, 'waiting'],
    [
      ...rows
        .filter((row) => row.is_unsent)
        .map(({ id }): StateChange => ({
          deliveryId: id,
          fence: null,
          state: 'failed',
          reason: 'unknown_user',
        })),
      ...waiting.map((deliveryId): StateChange => ({ deliveryId, fence: null, state: 'canceled' })),
    ],
  );
}

/** The test sends to any of these addresses, however they were written. */
async function findTestSends(
  sql: Sql,
  applicationId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; channel: Channel; test_address: string }>(
    statement('find-test-sends'),
    [applicationId],
  );
  const own = new Map<Channel, ReadonlySet<string>>();
  return rows.flatMap(({ id, channel, test_address: address }) => {
    const keys = own.get(channel) ?? new Set(addresses.map((text) => keyOf(channel, text)));
    own.set(channel, keys);
    return keys.has(keyOf(channel, address)) ? [id] : [];
  });
}

/** What makes two writings one address: the letter case of an e-mail does not matter, and of a subscription only the endpoint does. */
function keyOf(channel: Channel, address: string): string {
  const { address: where } = CHANNEL_DESCRIPTORS[channel];
  switch (where.kind) {
    case 'mailbox':
      return address.trim().toLowerCase();
    case 'device':
      return where.deviceKind === 'web_push'
        ? (parseWebPushSubscription(address)?.endpoint ?? address)
        : address.trim();
    case 'phone':
    case 'identity':
      return address.trim();
  }
}

/** What a provider said when it found settings wrong may name whom the message was for: of the pause, and in the logs of the campaigns that it held up. */
async function deletePauseMessages(
  sql: Sql,
  applicationId: string,
  addresses: readonly string[],
): Promise<void> {
  await sql.query(statement('delete-pause-messages'), [applicationId, addresses]);
}

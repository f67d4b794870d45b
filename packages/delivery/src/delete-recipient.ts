import { deleteAccountPauseMessages } from '@tidings/channel-breakers/account-pauses';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { parseWebPushSubscription } from '@tidings/contracts/channels/push-notifications';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { mailboxKey } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { deleteLinkHits } from '@tidings/link-hits/link-hits';
import { changeDeliveryStates, type StateChange } from './change-states.ts';
import { deleteDeliveryContexts } from './delivery-contexts.ts';
import { deleteDeliveryData } from './delivery-data.ts';
import { deleteInboxMessages } from './inbox.ts';

const statement = statementsIn(import.meta.dirname);

/** States of unsent deliveries. A claimed row can no longer be marked sending after the commit. */
const UNSENT: readonly DeliveryState[] = ['pending', 'claimed', 'retry_wait'];

/**
 * Removes a recipient's addresses from their deliveries: provider responses may contain one, a test
 * send has one, and address rows name devices. What was filled into their messages is deleted. Messages in the inbox are canceled; unsent
 * deliveries fail as sent to an unknown user. The deliveries stay, so that campaign figures stay.
 * @callers user-data
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
  // One lookup in the unique key per campaign: no index starts with the recipient.
  const { rows } = await sql.query<{ id: string; is_unsent: boolean }>(
    statement('delete-recipient'),
    [applicationId, customUserId, testSends],
  );
  await deletePauseMessages(sql, applicationId, addresses);
  await deleteLinkHits(
    sql,
    rows.map((row) => row.id),
  );
  const waiting = await deleteInboxMessages(sql, userIds);
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
  // By a statement of its own: it sees what workers wrote while the rows were waited for.
  const deliveryIds = rows.map((row) => row.id);
  await deleteDeliveryData(sql, deliveryIds);
  await deleteDeliveryContexts(sql, deliveryIds);
}

/** Test sends to any of these addresses, in any spelling. */
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

/** Normalizes an address for comparison: the key of a mailbox, the endpoint of a subscription. */
function keyOf(channel: Channel, address: string): string {
  const { address: where } = CHANNEL_DESCRIPTORS[channel];
  switch (where.kind) {
    case 'mailbox':
      return mailboxKey(address);
    case 'device':
      return where.deviceKind === 'web_push'
        ? (parseWebPushSubscription(address)?.endpoint ?? address)
        : address.trim();
    case 'phone':
    case 'identity':
      return address.trim();
  }
}

/**
 * Removes provider messages that may contain an address from the pause and from the logs of the
 * campaigns it stopped.
 */
async function deletePauseMessages(
  sql: Sql,
  applicationId: string,
  addresses: readonly string[],
): Promise<void> {
  // A mail server writes the domain as it got it.
  const spellings = addresses.flatMap((address) => [address, address.trim(), mailboxKey(address)]);
  // Every message contains an empty one.
  const wanted = new Set(spellings.filter((spelling) => spelling !== ''));
  await sql.query(statement('delete-pause-messages'), [applicationId, [...wanted]]);
  await deleteAccountPauseMessages(sql, applicationId, [...wanted]);
}

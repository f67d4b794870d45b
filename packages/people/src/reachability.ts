import { ADDRESS_OF } from '@tidings/contracts/channels/addresses';
import type { Channel } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

type ReachabilityQuery = {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly purpose: Purpose;
  readonly recipients: readonly string[];
};
type Contacts = {
  readonly profile: Readonly<Record<string, unknown>>;
  readonly suppression: DeliveryReason | null;
};
type Facts = Contacts & { readonly canSend: boolean };

/**
 * Why a message through this channel would not reach a registered user now. Checks the channel
 * first, then the address.
 */
export function unreachableReason(
  channel: Channel,
  { canSend, profile, suppression }: Facts,
): DeliveryReason | null {
  if (!canSend) return 'channel_not_configured';
  const address = ADDRESS_OF[channel](profile);
  return 'reason' in address ? address.reason : suppression;
}

type ChannelState = { readonly canSend: boolean; readonly isUntested: boolean };

export type Reachability = {
  /** The channel can send, but no test send has succeeded. */
  readonly isUntested: boolean;
  /**
   * For each recipient, in the given order: why a message would not reach the user now, or null.
   */
  readonly reasons: readonly (DeliveryReason | null)[];
};

/** Recipients per statement: bounds memory and statement size for large audiences. */
const RECIPIENTS_PER_STEP = 10_000;

/**
 * Checks for each of the unique recipients whether a message would reach the user now. Sends and
 * stores nothing.
 */
export async function readReachability(
  db: Database,
  { recipients, ...question }: ReachabilityQuery,
): Promise<Reachability> {
  const { canSend, isUntested } = await readChannelState(
    db,
    question.applicationId,
    question.channel,
  );
  const reasons: (DeliveryReason | null)[] = [];
  for (let start = 0; start < recipients.length; start += RECIPIENTS_PER_STEP) {
    const step = recipients.slice(start, start + RECIPIENTS_PER_STEP);
    const users = await readContacts(db, { ...question, recipients: step });
    for (const recipient of step) {
      const contacts = users.get(recipient);
      reasons.push(
        contacts === undefined
          ? 'unknown_user'
          : unreachableReason(question.channel, { canSend, ...contacts }),
      );
    }
  }
  return { isUntested, reasons };
}

async function readChannelState(
  db: Database,
  applicationId: string,
  channel: Channel,
): Promise<ChannelState> {
  const { rows } = await db.sql.query<{ sends: boolean; is_untested: boolean }>(
    statement('read-channel-state'),
    [applicationId, channel],
  );
  const [row] = rows;
  return { canSend: row?.sends === true, isUntested: row?.sends === true && row.is_untested };
}

/**
 * The contacts of the registered users among these, and the suppression of their address, if any.
 */
async function readContacts(
  db: Database,
  { applicationId, channel, purpose, recipients }: ReachabilityQuery,
): Promise<Map<string, Contacts>> {
  const { rows } = await db.sql.query<{ custom_user_id: string } & Contacts>(
    isDeviceChannel(channel) ? statement('read-devices-as-contacts') : statement('read-contacts'),
    [applicationId, recipients, channel, purpose],
  );
  return new Map(
    rows.map(({ custom_user_id, profile, suppression }) => [
      custom_user_id,
      { profile, suppression },
    ]),
  );
}

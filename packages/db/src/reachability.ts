import { ADDRESS_OF, type Channel, type DeliveryReason } from '@tidings/contracts';
import { CHANNEL_SENDS, type ChannelStatus } from './channel-settings.ts';
import type { Database } from './database.ts';

/** Why a send through this channel would not reach a registered user now: the channel first, then the address. */
export function whyUnreachable(channel: Channel, status: ChannelStatus, profile: Readonly<Record<string, unknown>>): DeliveryReason | null {
  if (status !== 'ready') return 'channel_not_configured';
  const address = ADDRESS_OF[channel](profile);
  return 'reason' in address ? address.reason : null;
}

export type Reachability = { readonly customUserId: string; readonly reason: DeliveryReason | null };

/** For each recipient, in the order given, whether a send would reach them now; nothing is sent or stored. */
export async function readReachability(
  db: Database,
  input: { readonly applicationId: string; readonly channel: Channel; readonly recipients: readonly string[] },
): Promise<Reachability[]> {
  const { applicationId, channel, recipients } = input;
  const { rows } = await db.sql.query<{ custom_user_id: string; fields: Record<string, unknown>; is_ready: boolean }>(
    `select u.custom_user_id, u.fields,
            ${CHANNEL_SENDS} as is_ready
     from applications a
     join users u on u.application_id = a.id and u.custom_user_id = any($2) and u.registered_at is not null
     left join channel_settings s on s.application_id = a.id and s.channel = $3
     where a.id = $1`,
    [applicationId, recipients, channel],
  );
  const users = new Map(rows.map((row) => [row.custom_user_id, row]));
  return recipients.map((customUserId) => {
    const user = users.get(customUserId);
    if (user === undefined) return { customUserId, reason: 'unknown_user' };
    return { customUserId, reason: whyUnreachable(channel, user.is_ready ? 'ready' : 'untested', user.fields) };
  });
}

import { ADDRESS_OF, CONTACT_FIELDS, type Channel, type DeliveryReason } from '@tidings/contracts';
import { CHANNEL_SENDS } from './channel-settings.ts';
import type { Database } from './database.ts';

/** Why a send through this channel, which sends or does not, would not reach a registered user now: the channel first, then the address. */
export function whyUnreachable(channel: Channel, doesSend: boolean, profile: Readonly<Record<string, unknown>>): DeliveryReason | null {
  if (!doesSend) return 'channel_not_configured';
  const address = ADDRESS_OF[channel](profile);
  return 'reason' in address ? address.reason : null;
}

type ChannelState = { readonly doesSend: boolean; readonly isUntested: boolean };

export type Reachability = {
  /** The channel sends though no test send has succeeded. */
  readonly isUntested: boolean;
  /** For each recipient, in the order given, why a send would not reach him now; null: it would. */
  readonly reasons: readonly (DeliveryReason | null)[];
};

/** As much as one statement looks up: memory and statements stay small, however many the recipients are. */
const RECIPIENTS_PER_STEP = 10_000;
const CONTACTS = `jsonb_strip_nulls(jsonb_build_object(${CONTACT_FIELDS.map((field) => `'${field}', u.fields -> '${field}'`).join(', ')}))`;

/** For each of the unique recipients whether a send would reach them now; nothing is sent or stored. */
export async function readReachability(
  db: Database,
  input: { readonly applicationId: string; readonly channel: Channel; readonly recipients: readonly string[] },
): Promise<Reachability> {
  const { applicationId, channel, recipients } = input;
  const { doesSend, isUntested } = await readChannelState(db, applicationId, channel);
  const reasons: (DeliveryReason | null)[] = [];
  for (let start = 0; start < recipients.length; start += RECIPIENTS_PER_STEP) {
    const step = recipients.slice(start, start + RECIPIENTS_PER_STEP);
    const contacts = await readContacts(db, applicationId, step);
    for (const recipient of step) {
      const profile = contacts.get(recipient);
      reasons.push(profile === undefined ? 'unknown_user' : whyUnreachable(channel, doesSend, profile));
    }
  }
  return { isUntested, reasons };
}

async function readChannelState(db: Database, applicationId: string, channel: Channel): Promise<ChannelState> {
  const { rows } = await db.sql.query<{ sends: boolean; is_untested: boolean }>(
    `select ${CHANNEL_SENDS} as sends, coalesce(s.status <> 'ready', false) as is_untested
     from applications a left join channel_settings s on s.application_id = a.id and s.channel = $2 where a.id = $1`,
    [applicationId, channel],
  );
  const [row] = rows;
  return { doesSend: row?.sends === true, isUntested: row?.sends === true && row.is_untested };
}

/** What the registered ones of these users can be reached by. */
async function readContacts(db: Database, applicationId: string, customUserIds: readonly string[]): Promise<Map<string, Record<string, unknown>>> {
  const { rows } = await db.sql.query<{ custom_user_id: string; contacts: Record<string, unknown> }>(
    `select u.custom_user_id, ${CONTACTS} as contacts from users u
     where u.application_id = $1 and u.custom_user_id = any($2) and u.registered_at is not null`,
    [applicationId, customUserIds],
  );
  return new Map(rows.map((row) => [row.custom_user_id, row.contacts]));
}

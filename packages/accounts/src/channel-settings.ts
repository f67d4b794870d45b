import type { Channel } from '@tidings/contracts';
import type { ChannelSetting as ChannelSettingRow } from '@tidings/database/client';
import type { SecretBox } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';

/** A channel nobody configured has no row; one whose test send has not succeeded since its last change is untested. */
export type ChannelStatus = 'not_configured' | 'untested' | 'ready';

export type ChannelSettings = {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly status: Exclude<ChannelStatus, 'not_configured'>;
  /** Grows with every change; a worker reloads when it differs. */
  readonly version: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Opened secrets; null when the key that sealed them is not the one at hand. */
  readonly secrets: Readonly<Record<string, string>> | null;
  readonly testedAt: number | null;
};

/**
 * SQL that says whether a channel sends: its settings `s` are there, and its test send succeeded or the application `a`
 * does without. `s` is left-joined: without a row the channel is not configured.
 */
export const CHANNEL_SENDS = `(s.channel is not null and (s.status = 'ready' or coalesce((a.settings ->> 'sendUntested')::boolean, false)))`;

type ChannelOfApplication = { readonly applicationId: string; readonly channel: Channel };

/** Which row sealed secrets of a channel stand in. */
export const channelSecretContext = (applicationId: string, channel: Channel): string =>
  `${applicationId}|${channel}`;

export async function readChannelSettings(
  db: Database,
  box: SecretBox,
  { applicationId, channel }: ChannelOfApplication,
): Promise<ChannelSettings | null> {
  // Not by Prisma, as in `getApplication`.
  const { rows } = await db.sql.query<ChannelSettingRow>(
    `select application_id as "applicationId", channel, settings, sealed_secrets as "sealedSecrets", status, version, updated_at as "updatedAt", tested_at as "testedAt"
     from channel_settings where application_id = $1 and channel = $2`,
    [applicationId, channel],
  );
  return rows[0] === undefined ? null : toChannelSettings(rows[0], box);
}

/** The version of the settings now; null when there are none. */
export async function readSettingsVersion(
  sql: Sql,
  { applicationId, channel }: ChannelOfApplication,
): Promise<number | null> {
  const { rows } = await sql.query<{ version: number }>(
    'select version from channel_settings where application_id = $1 and channel = $2',
    [applicationId, channel],
  );
  return rows[0]?.version ?? null;
}

/** The public key that browsers subscribe to the application with (VAPID); null while WEB_PUSH is not configured. */
export async function readVapidPublicKey(sql: Sql, applicationId: string): Promise<string | null> {
  const { rows } = await sql.query<{ public_key: string | null }>(
    `select settings ->> 'publicKey' as public_key from channel_settings where application_id = $1 and channel = 'WEB_PUSH'`,
    [applicationId],
  );
  return rows[0]?.public_key ?? null;
}

/** The SMS settings of every application that sends from this account of the provider. */
export async function readSmsSettingsOfAccount(
  db: Database,
  box: SecretBox,
  accountSid: string,
): Promise<ChannelSettings[]> {
  const { rows } = await db.sql.query<{ application_id: string }>(
    `select application_id from channel_settings where channel = 'SMS' and settings ->> 'accountSid' = $1 order by application_id`,
    [accountSid],
  );
  const found = await Promise.all(
    rows.map((row) =>
      readChannelSettings(db, box, { applicationId: row.application_id, channel: 'SMS' }),
    ),
  );
  return found.filter((settings) => settings !== null);
}

export async function listChannelStatuses(
  db: Database,
  applicationId: string,
): Promise<ReadonlyMap<string, 'untested' | 'ready'>> {
  const rows = await (
    await db.prisma()
  ).channelSetting.findMany({ where: { applicationId }, select: { channel: true, status: true } });
  return new Map(rows.map((row) => [row.channel, row.status as 'untested' | 'ready']));
}

/** The channels through which this application sends now. */
export async function listSendingChannels(
  db: Database,
  applicationId: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ channel: string }>(
    `select s.channel from channel_settings s join applications a on a.id = s.application_id where a.id = $1 and ${CHANNEL_SENDS}`,
    [applicationId],
  );
  return new Set(rows.map((row) => row.channel));
}

/** Replaces the settings; the channel is untested until its next test send succeeds. @callers api */
export async function writeChannelSettings(
  db: Database,
  box: SecretBox,
  input: {
    readonly applicationId: string;
    readonly channel: Channel;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly secrets: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { applicationId, channel } = input;
  const sealed =
    Object.keys(input.secrets).length === 0
      ? null
      : box.seal(JSON.stringify(input.secrets), channelSecretContext(applicationId, channel));
  await db.sql.query(
    `insert into channel_settings (application_id, channel, settings, sealed_secrets, status)
     values ($1, $2, $3::jsonb, $4, 'untested')
     on conflict (application_id, channel) do update
     set settings = excluded.settings, sealed_secrets = excluded.sealed_secrets, status = 'untested',
         version = channel_settings.version + 1, updated_at = now(), tested_at = null`,
    [applicationId, channel, JSON.stringify(input.settings), sealed],
  );
}

/** Notes a test send that succeeded with this version of the settings. @callers api */
export async function markChannelReady(
  db: Database,
  { applicationId, channel, version }: ChannelOfApplication & { readonly version: number },
): Promise<void> {
  await (
    await db.prisma()
  ).channelSetting.updateMany({
    where: { applicationId, channel, version },
    data: { status: 'ready', testedAt: new Date() },
  });
}

function toChannelSettings(row: ChannelSettingRow, box: SecretBox): ChannelSettings {
  const channel = row.channel as Channel;
  return {
    applicationId: row.applicationId,
    channel,
    status: row.status as 'untested' | 'ready',
    version: row.version,
    settings: row.settings as Record<string, unknown>,
    secrets: decryptSecrets(
      row.sealedSecrets,
      box,
      channelSecretContext(row.applicationId, channel),
    ),
    testedAt: row.testedAt?.getTime() ?? null,
  };
}

function decryptSecrets(
  sealed: string | null,
  box: SecretBox,
  context: string,
): Record<string, string> | null {
  if (sealed === null) return {};
  try {
    return JSON.parse(box.open(sealed, context)) as Record<string, string>;
  } catch {
    // Another ENCRYPTION_KEY: the channel reports a configuration fault, the deliveries are kept.
    return null;
  }
}

import type { Channel } from '@tidings/contracts/channels/channels';
import type { ChannelSetting as ChannelSettingRow } from '@tidings/database/client';
import type { SecretBox } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * `not_configured`: the channel has no row. `untested`: no test send has succeeded since the last
 * change.
 */
export type ChannelStatus = 'not_configured' | 'untested' | 'ready';

export type ChannelSettings = {
  readonly applicationId: string;
  readonly channel: Channel;
  readonly status: Exclude<ChannelStatus, 'not_configured'>;
  /** Incremented by every change; workers reload when it differs. */
  readonly version: number;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Decrypted secrets; null when the current key cannot decrypt them. */
  readonly secrets: Readonly<Record<string, string>> | null;
  readonly testedAt: number | null;
};

type ChannelOfApplication = { readonly applicationId: string; readonly channel: Channel };

/** Binds encrypted secrets to their row: secrets copied to another row cannot be decrypted. */
export const channelSecretContext = (applicationId: string, channel: Channel): string =>
  `${applicationId}|${channel}`;

export async function readChannelSettings(
  db: Database,
  box: SecretBox,
  { applicationId, channel }: ChannelOfApplication,
): Promise<ChannelSettings | null> {
  // Raw SQL, not Prisma: see `getApplication`.
  const { rows } = await db.sql.query<ChannelSettingRow>(statement('read-channel-settings'), [
    applicationId,
    channel,
  ]);
  return rows[0] === undefined ? null : toChannelSettings(rows[0], box);
}

/** The current version of the settings; null when there are none. */
export async function readSettingsVersion(
  sql: Sql,
  { applicationId, channel }: ChannelOfApplication,
): Promise<number | null> {
  const { rows } = await sql.query<{ version: number }>(statement('read-settings-version'), [
    applicationId,
    channel,
  ]);
  return rows[0]?.version ?? null;
}

/** The VAPID public key that browsers subscribe with; null while WEB_PUSH is not configured. */
export async function readVapidPublicKey(sql: Sql, applicationId: string): Promise<string | null> {
  const { rows } = await sql.query<{ public_key: string | null }>(
    statement('read-vapid-public-key'),
    [applicationId],
  );
  return rows[0]?.public_key ?? null;
}

/** The SMS settings of every application that have these values: they name an account. */
export async function listSmsSettingsWith(
  db: Database,
  box: SecretBox,
  values: Readonly<Record<string, string>>,
): Promise<ChannelSettings[]> {
  const { rows } = await db.sql.query<{ application_id: string }>(
    statement('find-sms-settings-with'),
    [JSON.stringify(values)],
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

/** The channels through which this application can send now. */
export async function listSendingChannels(
  db: Database,
  applicationId: string,
): Promise<ReadonlySet<string>> {
  const { rows } = await db.sql.query<{ channel: string }>(statement('list-sending-channels'), [
    applicationId,
  ]);
  return new Set(rows.map((row) => row.channel));
}

/**
 * Replaces the settings. The channel is untested until its next test send succeeds.
 * @callers api
 */
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
  const encrypted =
    Object.keys(input.secrets).length === 0
      ? null
      : box.seal(JSON.stringify(input.secrets), channelSecretContext(applicationId, channel));
  await db.sql.query(statement('write-channel-settings'), [
    applicationId,
    channel,
    JSON.stringify(input.settings),
    encrypted,
  ]);
}

/**
 * Marks the channel as ready after a test send with this version of the settings. Does nothing if
 * the settings have changed since.
 * @callers api
 */
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
  encrypted: string | null,
  box: SecretBox,
  context: string,
): Record<string, string> | null {
  if (encrypted === null) return {};
  try {
    return JSON.parse(box.open(encrypted, context)) as Record<string, string>;
  } catch {
    // Encrypted with another ENCRYPTION_KEY: the channel reports a configuration error, and its
    // deliveries wait.
    return null;
  }
}

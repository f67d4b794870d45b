import { FIRST_ACCOUNT } from '@tidings/contracts/channels/account-names';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { providerOf } from '@tidings/contracts/channels/provider';
import { partOfForm } from '@tidings/contracts/channels/settings/setting';
import type { SecretBox } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * `not_configured`: the channel has no row. `untested`: no test send has succeeded since the last
 * change.
 */
export type ChannelStatus = 'not_configured' | 'untested' | 'ready';

/** One account of a channel at its provider. */
export type ChannelAccount = {
  readonly name: string;
  readonly status: Exclude<ChannelStatus, 'not_configured'>;
  /** With the settings that the channel has for all accounts. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Decrypted secrets; null when the current key cannot decrypt them. */
  readonly secrets: Readonly<Record<string, string>> | null;
  readonly testedAt: number | null;
  /** Its weight beside the other accounts; null: it has none. */
  readonly share: number | null;
  /** ISO codes of the countries whose numbers it sends to; null: of all. */
  readonly countries: readonly string[] | null;
};

/** The settings of a channel: those of its first account, and further accounts in their order. */
export type ChannelSettings = ChannelAccount & {
  readonly applicationId: string;
  readonly channel: Channel;
  /** Incremented by every change; workers reload when it differs. */
  readonly version: number;
  readonly others: readonly ChannelAccount[];
};

export function accountsOf(settings: ChannelSettings): readonly ChannelAccount[] {
  return [settings, ...settings.others];
}

/** Those of them that may send: the tested ones, or all while none is, or if the application sends untested. */
export function accountsThatSend<Account extends Pick<ChannelAccount, 'status'>>(
  accounts: readonly Account[],
  { sendsUntested = false }: { readonly sendsUntested?: boolean } = {},
): readonly Account[] {
  const ready = accounts.filter(({ status }) => sendsUntested || status === 'ready');
  return ready.length > 0 ? ready : accounts;
}

type ChannelOfApplication = { readonly applicationId: string; readonly channel: Channel };

/** Binds encrypted secrets to their row: secrets copied to another row cannot be decrypted. */
export const channelSecretContext = (applicationId: string, channel: string): string =>
  `${applicationId}|${channel}`;
/** Of an account after the first one. */
export const accountSecretContext = (
  applicationId: string,
  channel: string,
  name: string,
): string => `${channelSecretContext(applicationId, channel)}|${name}`;

export async function readChannelSettings(
  db: Database,
  box: SecretBox,
  { applicationId, channel }: ChannelOfApplication,
): Promise<ChannelSettings | null> {
  // Raw SQL, not Prisma: see `getApplication`.
  const { rows } = await db.sql.query<SettingsRow>(statement('read-channel-settings'), [
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

/** The SMS settings of every application that has an account with these values. */
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

/** `ready`: one of its accounts is. */
export async function listChannelStatuses(
  db: Database,
  applicationId: string,
): Promise<ReadonlyMap<string, 'untested' | 'ready'>> {
  const { rows } = await db.sql.query<{ channel: string; is_ready: boolean }>(
    statement('list-channel-statuses'),
    [applicationId],
  );
  return new Map(rows.map((row) => [row.channel, row.is_ready ? 'ready' : 'untested']));
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

/** An account to store. Of all but the first, `settings` and `secrets` are its own alone. */
export type AccountToWrite = Omit<ChannelAccount, 'secrets'> & {
  readonly secrets: Readonly<Record<string, string>>;
};

/**
 * Replaces the settings by those of one account. The channel is untested until its next test send
 * succeeds. @callers api
 */
export async function writeChannelSettings(
  db: Database,
  box: SecretBox,
  {
    settings,
    secrets,
    ...channel
  }: ChannelOfApplication & Pick<AccountToWrite, 'settings' | 'secrets'>,
): Promise<void> {
  await writeChannelAccounts(db, box, {
    ...channel,
    accounts: [
      {
        name: FIRST_ACCOUNT,
        status: 'untested',
        testedAt: null,
        settings,
        secrets,
        share: null,
        countries: null,
      },
    ],
  });
}

/** Replaces all accounts of a channel, in their order. @callers api */
export async function writeChannelAccounts(
  db: Database,
  box: SecretBox,
  {
    applicationId,
    channel,
    accounts: [first, ...others],
  }: ChannelOfApplication & { readonly accounts: readonly [AccountToWrite, ...AccountToWrite[]] },
): Promise<void> {
  const sealed = ({ secrets }: AccountToWrite, context: string): string | null =>
    Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets), context);
  const testedAt = ({ testedAt: at }: AccountToWrite): Date | null =>
    at === null ? null : new Date(at);
  await db.transaction(async (sql) => {
    // The row of the channel is locked first, so that two of these take turns.
    await sql.query(statement('write-channel-settings'), [
      applicationId,
      channel,
      JSON.stringify(first.settings),
      sealed(first, channelSecretContext(applicationId, channel)),
      first.status,
      testedAt(first),
      first.name,
      first.share,
      first.countries ?? [],
    ]);
    await sql.query(statement('delete-channel-accounts'), [applicationId, channel]);
    for (const [index, account] of others.entries())
      await sql.query(statement('insert-channel-account'), [
        applicationId,
        channel,
        account.name,
        index + 1,
        JSON.stringify(account.settings),
        sealed(account, accountSecretContext(applicationId, channel, account.name)),
        account.status,
        testedAt(account),
        account.share,
        account.countries ?? [],
      ]);
  });
}

/**
 * Marks an account as ready after a test send with this version of the settings: the first one if
 * none is named. Does nothing if the settings have changed since. @callers api
 */
export async function markChannelReady(
  db: Database,
  {
    applicationId,
    channel,
    version,
    account,
  }: ChannelOfApplication & { readonly version: number; readonly account?: string },
): Promise<void> {
  await db.sql.query(statement('mark-account-ready'), [
    applicationId,
    channel,
    version,
    account ?? null,
  ]);
}

/** What the rows of both tables have of an account. */
type AccountRow = {
  readonly name: string;
  readonly settings: Record<string, unknown>;
  readonly sealed_secrets: string | null;
  readonly status: 'untested' | 'ready';
  /** Milliseconds since the epoch. */
  readonly tested_at: number | null;
  readonly share: number | null;
  readonly countries: string[];
};

type SettingsRow = AccountRow & {
  readonly application_id: string;
  readonly channel: Channel;
  readonly version: number;
  readonly others: readonly AccountRow[];
};

function toChannelSettings(row: SettingsRow, box: SecretBox): ChannelSettings {
  const { application_id: applicationId, channel, version, others } = row;
  const first = toAccount(row, box, channelSecretContext(applicationId, channel));
  const shared = ofChannel(channel, first);
  return {
    applicationId,
    channel,
    version,
    ...first,
    others: others.map((other) => {
      const own = toAccount(other, box, accountSecretContext(applicationId, channel, other.name));
      return {
        ...own,
        settings: { ...shared.settings, ...own.settings },
        secrets:
          own.secrets === null || shared.secrets === null
            ? null
            : { ...shared.secrets, ...own.secrets },
      };
    }),
  };
}

/** What the first account has for all of them. */
function ofChannel(
  channel: Channel,
  { settings, secrets }: ChannelAccount,
): Pick<ChannelAccount, 'settings' | 'secrets'> {
  const form = providerOf(CHANNEL_DESCRIPTORS[channel].providers, settings);
  if (form === undefined) return { settings: {}, secrets: {} };
  const { fields } = partOfForm(form, 'channel');
  const hasSecrets = Object.values(fields).some(({ isSecret }) => isSecret === true);
  const pick = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(values).filter(([name]) => fields[name] !== undefined));
  return { settings: pick(settings), secrets: hasSecrets ? secrets && pick(secrets) : {} };
}

function toAccount(row: AccountRow, box: SecretBox, context: string): ChannelAccount {
  return {
    name: row.name,
    status: row.status,
    settings: row.settings,
    secrets: decryptSecrets(row.sealed_secrets, box, context),
    testedAt: row.tested_at,
    share: row.share,
    countries: row.countries.length === 0 ? null : row.countries,
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

import type { Channel } from '@tidings/contracts/channels/channels';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

type ChannelVersion = {
  readonly applicationId: string;
  readonly channel: Channel;
  /** Of the channel's settings: a pause of another version is none. */
  readonly version: number;
};

/** Why one of several accounts is paused, with the provider's response. */
export type AccountPause = {
  readonly reason: DeliveryReason;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  readonly pausedAt: number;
};

/**
 * Pauses one of several accounts because this version of the settings is wrong. `none`: it is already
 * paused, or the settings have changed. `last`: no account that may send is left. In a transaction,
 * which keeps the settings locked: of two accounts that are paused at once one is the last.
 * @callers channel-worker
 */
export async function pauseAccount(
  sql: Sql,
  {
    account,
    ...input
  }: ChannelVersion & Omit<AccountPause, 'pausedAt'> & { readonly account: string },
): Promise<'none' | 'paused' | 'last'> {
  const { applicationId, channel, version } = input;
  const { rows } = await sql.query<{ is_paused: boolean }>(statement('pause-account'), [
    applicationId,
    channel,
    account,
    version,
    input.reason,
    input.providerCode ?? null,
    input.providerMessage ?? null,
  ]);
  if (rows.length === 0) return 'none';
  const left = await sql.query<{ is_left: boolean }>(statement('has-account-left'), [
    applicationId,
    channel,
    version,
  ]);
  return left.rows[0]?.is_left === true ? 'paused' : 'last';
}

/** The paused accounts of a channel, by name. */
export async function readAccountPauses(
  sql: Sql,
  { applicationId, channel, version }: ChannelVersion,
): Promise<Map<string, AccountPause>> {
  const { rows } = await sql.query<{
    account: string;
    reason: DeliveryReason;
    provider_code: string | null;
    provider_message: string | null;
    paused_at: Date;
  }>(statement('read-account-pauses'), [applicationId, channel, version]);
  return new Map(
    rows.map((row) => [
      row.account,
      {
        reason: row.reason,
        ...(row.provider_code !== null && { providerCode: row.provider_code }),
        ...(row.provider_message !== null && { providerMessage: row.provider_message }),
        pausedAt: row.paused_at.getTime(),
      },
    ]),
  );
}

/** Resumes one account, or all if none is named. A pause of a later version stays. @callers api */
export async function resumeAccounts(
  sql: Sql,
  { applicationId, channel, version, account }: ChannelVersion & { readonly account?: string },
): Promise<void> {
  await sql.query(statement('resume-accounts'), [applicationId, channel, version, account ?? null]);
}

/** Removes responses of providers that contain one of these addresses. @callers delivery */
export async function deleteAccountPauseMessages(
  sql: Sql,
  applicationId: string,
  addresses: readonly string[],
): Promise<void> {
  await sql.query(statement('delete-account-pause-messages'), [applicationId, addresses]);
}

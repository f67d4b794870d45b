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
 * Pauses one of several accounts because this version of the settings is wrong. Returns false if it
 * is already paused or the settings have changed. @callers channel-worker
 */
export async function pauseAccount(
  sql: Sql,
  {
    account,
    ...input
  }: ChannelVersion & Omit<AccountPause, 'pausedAt'> & { readonly account: string },
): Promise<boolean> {
  const { rows } = await sql.query<{ is_paused: boolean }>(statement('pause-account'), [
    input.applicationId,
    input.channel,
    account,
    input.version,
    input.reason,
    input.providerCode ?? null,
    input.providerMessage ?? null,
  ]);
  return rows.length > 0;
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

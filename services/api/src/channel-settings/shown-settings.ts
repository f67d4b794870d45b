import {
  accountsOf,
  accountsThatSend,
  type ChannelAccount,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { HIDDEN } from '@tidings/api-spec/hidden';
import {
  breakerOfAll,
  readAccountObstacles,
  type Obstacles,
} from '@tidings/channel-breakers/account-obstacles';
import { readOpenBreakers } from '@tidings/channel-breakers/open-breakers';
import { mayHaveAccounts } from '@tidings/contracts/channels/accounts';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  hasSeveralProviders,
  PROVIDER_SETTING,
  providerNameOf,
  providerOf,
} from '@tidings/contracts/channels/provider';
import { partOfForm } from '@tidings/contracts/channels/settings/setting';
import { readChannelPause } from '@tidings/delivery/channel-pauses';
import type { Database, Sql } from '@tidings/postgres/database';

type Settings = Readonly<Record<string, unknown>>;

/** The answer about a channel: its settings with a mask for each secret, and what keeps it from sending. */
export async function showSettings(
  { sql }: Pick<Database, 'sql'>,
  channel: Channel,
  settings: ChannelSettings | null,
) {
  if (settings === null) return { channel, status: 'not_configured' as const, settings: {} };
  const accounts = accountsOf(settings);
  const isReady = accounts.some(({ status }) => status === 'ready');
  const [ofChannel, ofAccounts] = await readObstacles(sql, settings);
  return {
    channel,
    status: isReady ? ('ready' as const) : ('untested' as const),
    testedAt: latest(accounts.map(({ testedAt }) => testedAt)),
    ...showObstacles(ofChannel),
    settings:
      accounts.length === 1
        ? { ...providerSetting(channel, settings), ...masked(settings) }
        : partOf(channel, settings, 'channel'),
    ...(mayHaveAccounts(channel) && {
      accounts: accounts.map((account) =>
        showAccount(channel, account, ofAccounts.get(account) ?? ofChannel),
      ),
    }),
  };
}

const latest = (times: readonly (number | null)[]): number | null =>
  times.reduce((last, at) => (at !== null && at > (last ?? 0) ? at : last), null);

/** What keeps the channel from sending, and each of several accounts. An only account has what the channel has. */
async function readObstacles(
  sql: Sql,
  settings: ChannelSettings,
): Promise<readonly [Obstacles, ReadonlyMap<ChannelAccount, Obstacles>]> {
  const accounts = accountsOf(settings);
  const pause = await readChannelPause(sql, settings);
  if (accounts.length === 1)
    return [{ pause, breaker: await readOpenBreakers(sql, settings) }, new Map()];
  const names = accounts.map(({ name }) => name);
  const obstacles = await readAccountObstacles(sql, settings, names);
  const ofAccounts = new Map(
    obstacles.flatMap((each, index) => {
      const account = accounts[index];
      return account === undefined ? [] : [[account, each] as const];
    }),
  );
  const sending = accountsThatSend(accounts).flatMap((account) => ofAccounts.get(account) ?? []);
  return [{ pause, breaker: breakerOfAll(sending) }, ofAccounts];
}

function showObstacles({ pause, breaker }: Obstacles) {
  return { ...(pause !== null && { pause }), ...(breaker !== null && { breaker }) };
}

function showAccount(channel: Channel, account: ChannelAccount, obstacles: Obstacles) {
  const { name, share, countries, status, testedAt, settings } = account;
  return {
    name,
    provider: providerNameOf(CHANNEL_DESCRIPTORS[channel].providers, settings),
    ...(share !== null && { share }),
    ...(countries !== null && { countries }),
    status,
    testedAt,
    ...showObstacles(obstacles),
    settings: partOf(channel, account, 'account'),
  };
}

function providerSetting(channel: Channel, { settings }: ChannelAccount): Settings {
  const { providers } = CHANNEL_DESCRIPTORS[channel];
  return hasSeveralProviders(providers)
    ? { [PROVIDER_SETTING]: providerNameOf(providers, settings) }
    : {};
}

function masked({ settings, secrets }: ChannelAccount): Settings {
  return {
    ...settings,
    ...Object.fromEntries(Object.keys(secrets ?? {}).map((field) => [field, HIDDEN])),
  };
}

/** The settings that the channel has for all accounts, or those of this one. */
function partOf(channel: Channel, account: ChannelAccount, part: 'account' | 'channel'): Settings {
  const form = providerOf(CHANNEL_DESCRIPTORS[channel].providers, account.settings);
  const shown = masked(account);
  if (form === undefined) return part === 'account' ? shown : {};
  const { fields } = partOfForm(form, part);
  return Object.fromEntries(Object.entries(shown).filter(([field]) => fields[field] !== undefined));
}

import {
  accountsOf,
  listChannelStatuses,
  readChannelSettings,
  writeChannelAccounts,
  type ChannelAccount,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { channelEndpoints, listChannelsEndpoint } from '@tidings/api-spec/endpoints/channels';
import { resumeAccounts } from '@tidings/channel-breakers/account-pauses';
import { isTestAddress } from '@tidings/contracts/channels/addresses';
import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { resumeChannel } from '@tidings/delivery/channel-pauses';
import { toE164 } from '@tidings/people/e164';
import { requestIdOf } from '@tidings/http/answer';
import { asciiMailbox, AppError } from '@tidings/platform';
import { getActor, getApplicationId } from '../../auth/access.ts';
import { readHealth } from '../../channel-health/read-health.ts';
import { COMPLETIONS } from '../../channel-settings/completions.ts';
import { showSettings } from '../../channel-settings/shown-settings.ts';
import { toStoredAccounts } from '../../channel-settings/stored-accounts.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';
import { sendTest } from '../../test-sends/send-channel-test.ts';

/** Channel settings, and the test send that makes a channel ready. */
export function channelRoutes(deps: ApiDependencies): Route[] {
  const { db } = deps;
  return [
    defineRoute(listChannelsEndpoint, async ({ res, query }) => {
      const applicationId = getApplicationId(res);
      const [statuses, health] = await Promise.all([
        listChannelStatuses(db, applicationId),
        readHealth(deps, applicationId),
      ]);
      const channels = CHANNELS.map((channel) => ({
        channel,
        status: statuses.get(channel) ?? ('not_configured' as const),
        health: health[channel],
      }));
      return paginate(query, channels, ({ channel }) => channel);
    }),
    ...CHANNELS.flatMap((channel) => routesForChannel(channel, deps)),
  ];
}

function routesForChannel(channel: Channel, deps: ApiDependencies): Route[] {
  const { db, box } = deps;
  const { read, write, test } = channelEndpoints(channel);
  const show = async (applicationId: string) => {
    const [settings, health] = await Promise.all([
      readChannelSettings(db, box, { applicationId, channel }),
      readHealth(deps, applicationId),
    ]);
    return { ...(await showSettings(db, channel, settings)), health: health[channel] };
  };
  return [
    defineRoute(read, async ({ res }) => show(getApplicationId(res))),
    defineRoute(write, async ({ res, body }) => {
      const applicationId = getApplicationId(res);
      const before = await readChannelSettings(db, box, { applicationId, channel });
      const completed = COMPLETIONS[channel]?.(body, before) ?? body;
      await writeChannelAccounts(db, box, {
        applicationId,
        channel,
        accounts: toStoredAccounts(channel, completed, before),
      });
      const after = await readChannelSettings(db, box, { applicationId, channel });
      if (after !== null) {
        await resumeAccounts(db.sql, after);
        await resumeChannel(db, after);
      }
      return show(applicationId);
    }),
    defineRoute(test, async ({ res, body }) => {
      const { to: written } = body;
      const to = asAddressed(channel, written);
      if (!isTestAddress(channel, to)) {
        throw new AppError('validation_failed', 'A test send goes to one address.', {
          errors: [{ pointer: '/to', code: 'invalid_value', expected: 'one address' }],
        });
      }
      const settings = await readChannelSettings(db, box, {
        applicationId: getApplicationId(res),
        channel,
      });
      if (settings === null)
        throw new AppError('conflict', 'This channel is not configured. PUT its settings first.');
      return sendTest(deps, {
        settings,
        account: accountToTest(settings, 'account' in body ? body.account : undefined),
        to,
        actor: getActor(res),
        requestId: requestIdOf(res),
      });
    }),
  ];
}

/** An address as deliveries to a user have it, so that a suppression of it is found. */
function asAddressed(channel: Channel, to: string): string {
  switch (CHANNEL_DESCRIPTORS[channel].address.kind) {
    case 'mailbox':
      return asciiMailbox(to);
    case 'phone':
      return toE164(to, undefined) ?? to;
    case 'device':
    case 'identity':
      return to;
  }
}

/** @throws AppError validation_failed */
function accountToTest(settings: ChannelSettings, name: unknown): ChannelAccount {
  const account =
    name === undefined ? settings : accountsOf(settings).find((one) => one.name === name);
  if (account !== undefined) return account;
  throw new AppError('validation_failed', 'The channel has no account of this name.', {
    errors: [{ pointer: '/account', code: 'invalid_value', expected: 'the name of an account' }],
  });
}

import type { Channel } from '@tidings/contracts/channels/channels';
import { ApiError, callApi, type ApiAccess } from '@tidings/local';
import { randomFrom } from '@tidings/testing';
import { readStoredDeliveries } from '../../oracles/delivery/stored-deliveries.ts';
import {
  checkPersonalMessages,
  type PersonalFindings,
} from '../../oracles/rolling/personal-messages.ts';
import { DEVICE_CHANNELS, newAudience } from '../../rigs/audience.ts';
import { userOf } from '../../rigs/delivery-rig.ts';
import type { TestApplication } from '../../rigs/rig.ts';
import type { RollingRun } from '../../rows/rolling/rolling-row.ts';
import { campaignOf } from '../delivery/pushes.ts';
import { startListeners } from '../devices/listeners.ts';
import { startLoad } from '../load.ts';
import { createRetryingCaller } from '../retrying-caller.ts';
import {
  GROUP,
  GROUP_SIZE,
  nameOf,
  PERSONAL_KINDS,
  personalPush,
  TEMPLATES,
  templateOf,
  templateText,
  zoneOf,
  type PersonalKind,
  type PersonalPush,
} from './pushes.ts';

/** Campaigns of this version to users of their own, besides the load of the row. */
export type PersonalCampaigns = {
  readonly applicationIds: readonly string[];
  count(): number;
  /**
   * One campaign of each kind by each channel; one to all users only if asked for.
   * @throws if one is not accepted
   */
  push(phase: string, withLarge?: boolean): Promise<void>;
  /** Reads each by an api. @throws if it cannot be read */
  readAll(apiUrl: string): Promise<void>;
  /** Cancels those whose recipients have their time hours later. */
  cancelLocal(): Promise<void>;
  check(): Promise<PersonalFindings>;
  stop(): Promise<void>;
};

export type PersonalCampaignsOptions = {
  readonly gatewayUrl: string;
  readonly apiUrl: string;
  readonly channels: readonly Channel[];
};

/** More than a campaign in the express lane has. */
const USERS = 1_100;
/** The channel with a campaign to all users. */
const LARGE_BY: Channel = 'EMAIL';

/** Creates two applications, one whose users have addresses and one with devices, and templates. */
export async function startPersonalCampaigns(
  { rig }: RollingRun,
  { gatewayUrl, apiUrl, channels }: PersonalCampaignsOptions,
): Promise<PersonalCampaigns> {
  const [addressed] = await rig.newSenders(1, USERS);
  if (addressed === undefined) throw new Error('no application was made');
  const clientApiUrl = rig.balancers['client-api'].url;
  const devices = await newAudience(rig, { users: GROUP_SIZE, clientApiUrl });
  const applications = [addressed, devices];
  for (const { id } of applications) await namePeople(rig, id);
  const isOnDevice = (channel: Channel): boolean =>
    (DEVICE_CHANNELS as readonly Channel[]).includes(channel);
  const applicationOf = (channel: Channel): TestApplication =>
    isOnDevice(channel) ? devices : addressed;
  const accessOf = (channel: Channel, baseUrl: string): ApiAccess => ({
    baseUrl,
    headers: { ...rig.adminHeaders, 'X-Application-Id': applicationOf(channel).id },
  });
  for (const channel of channels) await writeTemplates(accessOf(channel, apiUrl), channel);
  const caller = createRetryingCaller();
  const listeners = startListeners(devices, { url: clientApiUrl, caller });
  const load = startLoad<PersonalPush>({
    random: randomFrom(1),
    requestsPerSecond: 0,
    next: () => {
      throw new Error('this load has no requests of its own');
    },
    requestOf: ({ channel, key, body }) => ({
      url: `${gatewayUrl}/push`,
      headers: { ...applicationOf(channel).headers, 'Idempotency-Key': key },
      body,
    }),
  });
  const pushes: PersonalPush[] = [];
  const applicationIds = applications.map(({ id }) => id);
  return {
    applicationIds,
    count: () => pushes.length,
    async push(phase, withLarge = false) {
      const made = channels.flatMap((channel) =>
        PERSONAL_KINDS.filter(
          (kind) => kind !== 'all users' || (withLarge && channel === LARGE_BY),
        ).map((kind: PersonalKind) => {
          const key = `${phase}, ${kind}, ${channel}`;
          return personalPush({ kind, channel, key, users: USERS }, Date.now());
        }),
      );
      pushes.push(...made);
      await load.sendAll(made);
    },
    async readAll(readFrom) {
      for (const push of pushes)
        await callApi(accessOf(push.channel, readFrom), {
          path: `/api/v1/campaigns/${campaignOf(push)}`,
        });
    },
    async cancelLocal() {
      for (const push of pushes.filter(({ later }) => later.size > 0))
        await callApi(accessOf(push.channel, apiUrl), {
          method: 'POST',
          path: `/api/v1/campaigns/${campaignOf(push)}/cancel`,
        }).catch((error: unknown) => {
          // One that was sent too early has completed: `check` tells.
          if (!(error instanceof ApiError && error.status === 409)) throw error;
        });
    },
    async check() {
      const { deliveries } = await readStoredDeliveries(rig.db, applicationIds);
      const ids = new Set(pushes.map((push) => campaignOf(push) ?? ''));
      const arrived = [...rig.sandbox.texts(ids), ...listeners.shown];
      return checkPersonalMessages(pushes, { deliveries, arrived });
    },
    async stop() {
      await load.stop();
      await listeners.stop();
      load.close();
      caller.close();
    },
  };
}

/** Gives users a name and a time zone, and puts the first into the segment. */
async function namePeople({ db }: RollingRun['rig'], applicationId: string): Promise<void> {
  const people = Array.from({ length: USERS }, (_, user) => ({
    id: userOf(user),
    name: nameOf(userOf(user)),
    attributes: {
      timeZone: zoneOf(user),
      ...(user < GROUP_SIZE && { [GROUP.attribute]: GROUP.is }),
    },
  }));
  await db.sql.query(
    `update users u
     set fields = u.fields || jsonb_build_object('firstName', p.person ->> 'name'),
       custom_attributes = p.person -> 'attributes'
     from jsonb_array_elements($2::jsonb) as p(person)
     where u.application_id = $1 and u.custom_user_id = p.person ->> 'id'`,
    [applicationId, JSON.stringify(people)],
  );
}

async function writeTemplates(access: ApiAccess, channel: Channel): Promise<void> {
  for (const name of TEMPLATES)
    await callApi(access, {
      method: 'PUT',
      path: `/api/v1/templates/${templateOf(channel, name)}`,
      body: {
        name,
        channel,
        message: { ...(channel !== 'SMS' && { title: name }), body: templateText(name) },
      },
    });
}

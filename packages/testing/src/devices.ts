import { DEVICE_KIND_OF, type DeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { NewCampaign } from '@tidings/delivery/accept';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { configureChannel, createSendingCampaign } from './campaigns.ts';
import { createTestApplication } from './database.ts';

/** Of each user the addresses of his devices, the one that was seen last first. */
export type DevicesOfUsers = Readonly<Record<string, readonly string[]>>;

/** Gives registered users devices, each named by its address. */
export async function giveDevices(
  db: Database,
  {
    applicationId,
    devices,
    channel = 'WEB_PUSH',
  }: {
    readonly applicationId: string;
    readonly devices: DevicesOfUsers;
    readonly channel?: DeviceChannel;
  },
): Promise<void> {
  const rows = Object.entries(devices).flatMap(([customUserId, addresses]) =>
    addresses.map((address, index) => ({ customUserId, address, index })),
  );
  await db.sql.query(
    `insert into devices (application_id, device_id, user_id, proved_user_id, user_id_at_proof, kind, address, address_hash, seen_at)
     select $1, 'device of ' || x.address, u.id, u.id, u.id, $3, x.address, sha256(convert_to(x.address, 'UTF8')), now() - x.index * interval '1 minute'
     from jsonb_to_recordset($2::jsonb) as x("customUserId" text, address text, index int)
     join users u on u.application_id = $1 and u.custom_user_id = x."customUserId"`,
    [applicationId, JSON.stringify(rows), DEVICE_KIND_OF[channel]],
  );
}

/** A web push campaign to users with these devices, of an application of its own, expanded and ready to be sent. */
export async function createPushCampaign(
  db: Database,
  { devices, ...overrides }: { readonly devices: DevicesOfUsers } & Partial<NewCampaign>,
): Promise<NewCampaign> {
  const { applicationId } =
    overrides.applicationId === undefined
      ? await createTestApplication(db)
      : { applicationId: overrides.applicationId };
  if (overrides.applicationId === undefined) await configureChannel(db, applicationId, 'WEB_PUSH');
  const campaign = await createSendingCampaign(db, {
    ...overrides,
    applicationId,
    channel: 'WEB_PUSH',
    recipients: Object.keys(devices),
  });
  await giveDevices(db, { applicationId, devices });
  return campaign;
}

/** Users that no other test has, by their numbers of devices, whose addresses no other test has. */
export function someDevices(...numbers: readonly number[]): DevicesOfUsers {
  const prefix = systemIds.uuid().slice(-12);
  return Object.fromEntries(
    numbers.map((number, user) => [
      `${prefix}-${user}`,
      Array.from({ length: number }, (_, device) => `${prefix}-${user}-${device}`),
    ]),
  );
}

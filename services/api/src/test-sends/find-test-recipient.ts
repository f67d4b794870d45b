import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import { isTestAddress } from '@tidings/contracts/channels/addresses';
import type { Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { listUserDevices } from '@tidings/people/devices/devices';
import { toE164 } from '@tidings/people/e164';
import { asciiMailbox } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { findUsersByText, type UserOfText } from '../queries/users/find-users-by-text.ts';

/** Where a test goes, and whose it is, if anyone's; or why it goes nowhere. */
export type TestRecipient = { readonly to: string; readonly customUserId: string | null } & (
  | { readonly address: string }
  | { readonly address: null; readonly detail: string }
);

type Asked = {
  readonly applicationId: string;
  readonly settings: Pick<ApplicationSettings, 'defaultCountry'>;
  readonly channel: Channel;
  readonly to: string;
};

/** Finds the address of a channel by a user's id, an e-mail address or a phone number. */
export async function findTestRecipient(db: Database, asked: Asked): Promise<TestRecipient> {
  const { applicationId, settings, channel } = asked;
  const to = asked.to.trim();
  const users = await findUsersByText(db.sql, {
    applicationId,
    text: to,
    phone: toE164(to, settings.defaultCountry),
  });
  const [user, ...others] = users;
  if (user === undefined) return ofNoUser(to, { channel, settings });
  const customUserId = user.custom_user_id;
  // None of them is taken silently: a message has the values of its user.
  if (others.length > 0)
    return {
      to,
      customUserId: null,
      address: null,
      detail: `Several users have it: ${users.map((each) => each.custom_user_id).join(', ')}. Name one by the id.`,
    };
  const address = await addressOf(db, channel, user);
  if (address !== null) return { to, customUserId, address };
  return { to, customUserId, address: null, detail: `The user has no address of ${channel}.` };
}

function ofNoUser(to: string, { channel, settings }: Pick<Asked, 'channel' | 'settings'>) {
  const { kind } = CHANNEL_DESCRIPTORS[channel].address;
  const address =
    kind === 'mailbox' ? asciiMailbox(to) : (toE164(to, settings.defaultCountry) ?? to);
  return (kind === 'mailbox' || kind === 'phone') && isTestAddress(channel, address)
    ? { to, customUserId: null, address }
    : {
        to,
        customUserId: null,
        address: null,
        detail: 'No registered user has this id, e-mail address or phone number.',
      };
}

/** As a delivery of a test has it. Null: the user has none. */
async function addressOf(
  db: Database,
  channel: Channel,
  { id, custom_user_id, email, phone_e164 }: UserOfText,
): Promise<string | null> {
  const { address } = CHANNEL_DESCRIPTORS[channel];
  switch (address.kind) {
    case 'mailbox':
      return email === null || !isTestAddress(channel, asciiMailbox(email))
        ? null
        : asciiMailbox(email);
    case 'phone':
      return phone_e164;
    case 'identity':
      return custom_user_id;
    case 'device': {
      const devices = await listUserDevices(db, id);
      // As a campaign does, it leaves out a device that only says whose it is.
      const reachable = devices.filter(
        (device) => device.kind === address.deviceKind && device.customUserId === custom_user_id,
      );
      return reachable.find((device) => device.address !== null)?.address ?? null;
    }
  }
}

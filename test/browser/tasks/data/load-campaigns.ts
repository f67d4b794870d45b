import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { LIMITS } from '@tidings/contracts/limits';
import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { callPatiently } from './call-patiently.ts';
import type { LoadAccess } from './loaded.ts';
import type { LoadedPerson } from './people.ts';

const LARGE = 2;
const LARGE_PEOPLE_MAX = 20_000;
const SMALL_PEOPLE = 50;
/** The large ones take the longest. */
const COMPLETED_WITHIN_MS = 1_200_000;
const DAY_MS = 86_400_000;

/** One of 25 campaigns reaches no one, and one of 20 is canceled. */
const EVERY_FAILED = 25;
const EVERY_CANCELED = 20;

const SUBJECTS = [
  'The week in books',
  'הספרים של השבוע',
  'کتاب‌های این هفته',
  'Ten books for the holidays '.padEnd(200, 'and more '),
];

type Loaded = { readonly people: readonly LoadedPerson[]; readonly campaigns: number };

/** Campaigns by all channels: two large ones, some that reach no one, some canceled. Returns their ids once all have ended. */
export async function loadCampaigns(
  access: LoadAccess,
  loaded: Loaded,
): Promise<readonly string[]> {
  const { asServer } = access;
  const ids: string[] = [];
  for (let index = 0; index < loaded.campaigns; index++) {
    const body = campaign(index, loaded);
    const { campaignId } = await callPatiently<{ readonly campaignId: string }>(asServer, {
      method: 'POST',
      path: '/push',
      body,
    });
    ids.push(campaignId);
    if ('sendAt' in body)
      await callApi(asServer, { method: 'POST', path: `/api/v1/campaigns/${campaignId}/cancel` });
  }
  await awaitEnded(access);
  return ids;
}

function campaign(index: number, { people }: Loaded): object {
  const channel = CHANNELS[index % CHANNELS.length] ?? 'EMAIL';
  return {
    name: `Campaign ${index}`,
    recipients: recipientsOf(index, people),
    channel: index < LARGE ? 'EMAIL' : channel,
    message: messageOf(index < LARGE ? 'EMAIL' : channel, index),
    purpose: 'transactional',
    ...(index % EVERY_CANCELED === EVERY_CANCELED - 1 && { sendAt: Date.now() + DAY_MS }),
  };
}

function recipientsOf(index: number, people: readonly LoadedPerson[]): readonly string[] {
  if (index < LARGE)
    return people.slice(0, LARGE_PEOPLE_MAX).map(({ customUserId }) => customUserId);
  return Array.from({ length: SMALL_PEOPLE }, (_, each) =>
    index % EVERY_FAILED === EVERY_FAILED - 1
      ? `gone-${index}-${each}`
      : (people[(index * SMALL_PEOPLE + each) % people.length]?.customUserId ?? ''),
  );
}

function messageOf(channel: Channel, index: number): object {
  const title = SUBJECTS[index % SUBJECTS.length] ?? '';
  if (channel === 'SMS') return { body: title.slice(0, LIMITS.smsBodyCharsMax) };
  return { title, body: '<p>Read on: <a href="https://shop.example/books">books</a></p>' };
}

const STATES_UNDER_WAY = ['queued', 'sending'];

async function awaitEnded({ asServer }: LoadAccess): Promise<void> {
  await eventually(
    async () => {
      for (const status of STATES_UNDER_WAY) {
        const { items } = await callApi<{ readonly items: readonly { readonly name: string }[] }>(
          asServer,
          { path: `/api/v1/campaigns?status=${status}&limit=1` },
        );
        if (items.length > 0) throw new Error(`${items[0]?.name} is ${status}.`);
      }
    },
    { timeoutMs: COMPLETED_WITHIN_MS, intervalMs: 500 },
  );
}

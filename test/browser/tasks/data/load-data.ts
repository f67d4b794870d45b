import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { callPatiently } from './call-patiently.ts';
import { loadCampaigns } from './load-campaigns.ts';
import type { DataSizes, LoadAccess, LoadedData } from './loaded.ts';
import { person, requestsOf } from './people.ts';

type LoadOptions = { readonly sizes: DataSizes; readonly note: (text: string) => void };

const CALLS_AT_ONCE = 32;
const PROCESSED_WITHIN_MS = 1_800_000;

/** Loads people with their events, campaigns by all channels, and an endpoint that is down. */
export async function loadData(
  access: LoadAccess,
  { sizes, note }: LoadOptions,
): Promise<LoadedData> {
  const startedAt = performance.now();
  const done = (what: string): void =>
    note(`${what}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  await callApi(access.asAdmin, {
    method: 'POST',
    path: '/api/v1/webhooks',
    // The port of "discard", where nothing listens.
    body: { url: 'http://127.0.0.1:9/hooks', description: 'An endpoint that is down' },
  });
  const people = Array.from({ length: sizes.users }, (_, index) => person(index));
  await submitPeople(access, sizes);
  done(`${sizes.users} users with ${sizes.events} events accepted`);
  await awaitProcessed(access);
  done('processed');
  const [largestCampaignId = null] = await loadCampaigns(access, {
    people,
    campaigns: sizes.campaigns,
  });
  done(`${sizes.campaigns} campaigns`);
  return { people, largestCampaignId };
}

async function submitPeople({ asServer }: LoadAccess, sizes: DataSizes): Promise<void> {
  const now = Date.now();
  const { users, events } = sizes;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < users) {
      const index = next++;
      // The first ones have one more, where the events do not divide.
      const own = Math.floor(events / users) + (index < events % users ? 1 : 0);
      for (const body of requestsOf(index, { events: own, now }))
        await callPatiently(asServer, { method: 'POST', path: '/', body });
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}

async function awaitProcessed({ asAdmin }: LoadAccess): Promise<void> {
  await eventually(
    async () => {
      const { ingest } = await callApi<{
        readonly ingest: { readonly lag: Readonly<Record<string, number>> | null };
      }>(asAdmin, { path: '/api/v1/overview' });
      if (ingest.lag === null || Object.values(ingest.lag).some((records) => records > 0))
        throw new Error(`Not all is processed: ${JSON.stringify(ingest.lag)}`);
    },
    { timeoutMs: PROCESSED_WITHIN_MS, intervalMs: 500 },
  );
}

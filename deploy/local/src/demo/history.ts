import { ApiError, callApi, type ApiAccess } from '@tidings/install';
import type { LocalFile } from '../local-file.ts';
import { defineEvents } from './automation.ts';
import { buildShopHistory } from './shop-history.ts';

/** The funnel that the demonstration creates, or finds again. */
export const DEMO_FUNNEL = {
  slug: 'buying',
  name: 'Buying',
  window: '7d',
  steps: [
    { event: { kind: 'action', name: 'item_viewed' } },
    { event: { kind: 'action', name: 'cart_filled' } },
    { event: { kind: 'revenue', name: 'order_paid' } },
  ],
} as const;

/** Requests at a time: the service answers each in some milliseconds. */
const PARALLEL = 8;
const NOT_FOUND = 404;

/**
 * Sends twelve weeks of a shop’s events, unless an earlier run did: its people have the same ids in each run. It resolves
 * when all are accepted; they are stored while the demonstration goes on.
 */
export async function sendHistory(
  api: ApiAccess,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const [first, ...others] = buildShopHistory(Date.now());
  if (first === undefined || (await isKnown(api, first.customUserId))) return;
  // The first one last: a run that was interrupted is repeated, and ids of messages make that safe.
  const waiting = [...others];
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (let person = waiting.shift(); person !== undefined; person = waiting.shift()) {
        signal.throwIfAborted();
        await callApi(api, { method: 'POST', path: '/', body: person });
      }
    }),
  );
  await callApi(api, { method: 'POST', path: '/', body: first });
}

async function isKnown(api: ApiAccess, customUserId: string): Promise<boolean> {
  try {
    await callApi(api, { path: `/api/v1/users/${customUserId}` });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === NOT_FOUND) return false;
    throw error;
  }
}

/** Defines the events of the funnel, and the funnel; keys of applications may not do this. */
export async function createFunnel(local: LocalFile): Promise<void> {
  const api: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: {
      'X-Application-Id': local.applicationId,
      Authorization: `Bearer ${local.adminToken}`,
    },
  };
  const { slug, ...body } = DEMO_FUNNEL;
  await defineEvents(
    api,
    body.steps.map(({ event }) => event),
  );
  await callApi(api, { method: 'PUT', path: `/api/v1/funnels/${slug}`, body });
}

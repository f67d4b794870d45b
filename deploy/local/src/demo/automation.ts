import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, callApi, type ApiAccess } from '@tidings/install';
import type { LocalFile } from '../local-file.ts';

/** The automation that the demonstration activates, or finds again. The shop sends its events. */
export const DEMO_AUTOMATION = {
  slug: 'abandoned-cart',
  definition: {
    version: 1,
    name: 'Abandoned cart',
    purpose: 'transactional',
    trigger: { event: { kind: 'action', name: 'cart_filled' } },
    entry: { again: 'always' },
    exit: [{ event: { kind: 'revenue', name: 'order_paid' }, as: 'goal' }],
    nodes: [
      { id: 'minute', delay: '1m' },
      {
        id: 'reminder',
        send: {
          channel: 'EMAIL',
          message: {
            title: "{{ user.firstName | default: 'Hello' }}, your cart waits",
            body: '<p>{{ event.attributes.name | default: "Something" }} is still in it.</p>',
          },
        },
      },
    ],
  },
} as const;

const ENTERED_WITHIN_MS = 30_000;
const POLL_MS = 150;
const CONFLICT = 409;

/** Defines the events, and activates the automation; keys of applications may not do this. */
export async function activateAutomation(local: LocalFile): Promise<void> {
  const api: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: {
      'X-Application-Id': local.applicationId,
      Authorization: `Bearer ${local.adminToken}`,
    },
  };
  await defineEvents(api, [
    { kind: 'action', name: 'cart_filled' },
    { kind: 'revenue', name: 'order_paid' },
  ]);
  const path = `/api/v1/automations/${DEMO_AUTOMATION.slug}`;
  await callApi(api, { method: 'PUT', path, body: DEMO_AUTOMATION.definition });
  await unlessThere(callApi(api, { method: 'POST', path: `${path}/activate`, body: {} }));
}

/** Defines the events that no earlier start has defined. */
export async function defineEvents(
  api: ApiAccess,
  events: readonly { readonly kind: string; readonly name: string }[],
): Promise<void> {
  for (const body of events)
    await unlessThere(callApi(api, { method: 'POST', path: '/api/v1/definitions', body }));
}

/** Of an earlier start. */
async function unlessThere(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === CONFLICT)) throw error;
  });
}

/**
 * Resolves when a person waits in the automation. @throws otherwise, after the timeout
 */
export async function awaitEntered(
  api: ApiAccess,
  customUserId: string,
  signal: AbortSignal,
): Promise<void> {
  const path = `/api/v1/automations/${DEMO_AUTOMATION.slug}/runs?customUserId=${encodeURIComponent(customUserId)}`;
  for (const deadline = Date.now() + ENTERED_WITHIN_MS; ;) {
    const { items } = await callApi<{ items: readonly { readonly node: string | null }[] }>(api, {
      path,
    });
    if (items.some(({ node }) => node === 'minute')) return;
    if (Date.now() > deadline)
      throw new Error(
        `The cart entered no one in ${ENTERED_WITHIN_MS / 1_000} s: see the log of automation-engine.`,
      );
    await delay(POLL_MS, undefined, { signal });
  }
}

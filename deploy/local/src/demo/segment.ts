import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { callApi, type ApiAccess } from '@tidings/install';
import type { LocalFile } from '../local-file.ts';

/** The segment that the demonstration creates, or finds again. */
export const DEMO_SEGMENT = {
  slug: 'readers',
  name: 'Readers with a gold plan',
  condition: {
    all: [
      { attribute: 'plan', is: 'gold' },
      { event: { kind: 'action', name: 'article_read' }, within: '30d' },
    ],
  },
};

/** Its words for each user of the segment. */
export const DEMO_TEMPLATE = {
  slug: 'more-to-read',
  name: 'More to read',
  channel: 'EMAIL',
  message: {
    title: "{{ user.firstName | default: 'Dear reader' }}, here is more to read",
    body: '<p>You have read an article, and your {{ user.customAttributes.plan }} plan has more of them.</p>',
  },
};

/** Creates segment and template; keys of applications may not change them. */
export async function createSegmentAndTemplate(local: LocalFile): Promise<void> {
  const api: ApiAccess = {
    baseUrl: local.baseUrl,
    headers: {
      'X-Application-Id': local.applicationId,
      Authorization: `Bearer ${local.adminToken}`,
    },
  };
  for (const [collection, { slug, ...body }] of [
    ['segments', DEMO_SEGMENT],
    ['templates', DEMO_TEMPLATE],
  ] as const)
    await callApi(api, { method: 'PUT', path: `/api/v1/${collection}/${slug}`, body });
}

/**
 * Checks that a campaign to the segment reached the reader and no other user of this run.
 * @throws otherwise
 */
export async function assertReachedReader(
  api: ApiAccess,
  { campaignId }: CampaignRecord,
  { reader, others }: { readonly reader: string; readonly others: readonly string[] },
): Promise<void> {
  const { items } = await callApi<{
    items: readonly { readonly customUserId: string; readonly status: string }[];
  }>(api, { path: `/api/v1/campaigns/${campaignId}/deliveries?limit=500` });
  const statuses = new Map(items.map(({ customUserId, status }) => [customUserId, status]));
  const wrong = others.filter((each) => statuses.has(each));
  if (statuses.has(reader) && statuses.get(reader) !== 'failed' && wrong.length === 0) return;
  throw new Error(
    `Campaign ${campaignId} to the segment ${DEMO_SEGMENT.slug} should have reached ${reader} (${statuses.get(reader) ?? 'no recipient'}) and not ${wrong.join(', ') || 'others'}.`,
  );
}

import type { CampaignRecord } from '@tidings/contracts';
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

/** Creates the segment; segments are not for keys of applications to change. */
export async function createDemoSegment(local: LocalFile): Promise<void> {
  const { slug, name, condition } = DEMO_SEGMENT;
  await callApi(
    {
      baseUrl: local.baseUrl,
      headers: {
        'X-Application-Id': local.applicationId,
        Authorization: `Bearer ${local.adminToken}`,
      },
    },
    { method: 'PUT', path: `/api/v1/segments/${slug}`, body: { name, condition } },
  );
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

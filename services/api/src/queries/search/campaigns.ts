import type { SearchItem } from '@tidings/api-spec/endpoints/search';
import type { CampaignSource } from '@tidings/contracts/push/campaigns';
import type { Sql } from '@tidings/postgres/database';
import { findCampaigns, readCampaignsInBrief } from '../campaigns/find-campaigns.ts';
import type { Search } from './question.ts';

/** Test sends are found by their id only. */
const SOURCES: readonly CampaignSource[] = ['api', 'dashboard'];

/** Of the campaigns that back ends send without a name. */
const NAMELESS_MAX = 1_000;

/**
 * Campaigns by words of their name, title and tags, newest first: those that people name or send,
 * and the newest of all.
 */
export const searchCampaigns: Search = (question) => {
  if (question.uuid !== null) return null;
  return async (sql, hasTime) => {
    const asked = { ...question, sources: SOURCES, hasTime };
    const named = await findCampaigns(sql, { ...asked, isOfPeople: true });
    const newest = await findCampaigns(sql, { ...asked, scannedMax: NAMELESS_MAX });
    const ids = [...new Set([...named.ids, ...newest.ids])].toSorted().toReversed();
    return {
      items: await readCampaignItems(sql, question.applicationId, ids.slice(0, question.limit)),
      isCut: named.nextCursor !== null && named.ids.length < question.limit,
    };
  };
};

type CampaignItem = Extract<SearchItem, { readonly kind: 'campaign' }>;

export async function readCampaignItems(
  sql: Sql,
  applicationId: string,
  ids: readonly string[],
): Promise<CampaignItem[]> {
  if (ids.length === 0) return [];
  const found = await readCampaignsInBrief(sql, applicationId, ids);
  return found.map(({ id, channel, status, source, name, headline, created_at: createdAt }) => {
    const called = plain(headline ?? '');
    return {
      kind: 'campaign',
      id,
      title: name ?? (called || id),
      detail: name === null ? null : called || null,
      channel,
      status,
      source,
      createdAt: createdAt.getTime(),
    };
  });
}

/** The beginning of an HTML body may be cut within a tag. */
const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*(>|$)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

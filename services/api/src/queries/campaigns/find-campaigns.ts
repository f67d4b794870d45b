import type { AutomationFilter } from '@tidings/campaign-reports/campaign-origin';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { CampaignSource, CampaignStatus } from '@tidings/contracts/push/campaigns';
import type { Sql } from '@tidings/postgres/database';
import { firstIdSince } from '@tidings/postgres/first-id-since';
import { statementsIn } from '@tidings/postgres/statements';
import { timeOfId } from '../search/pasted-id.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Campaigns of earlier versions have their title in their message, which may be large. So steps
 * grow: what a step takes is known from those before it.
 */
const FIRST_STEP = 250;
const GROWTH = 4;
const SCANNED_MAX = 20_000;
/** Further words are ignored. */
const WORDS_MAX = 10;
/** The longest time from a request to its campaign. */
const ACCEPTED_WITHIN_MS = 60_000;

export type CampaignFilters = {
  readonly channel?: Channel;
  readonly status?: CampaignStatus;
  readonly source?: CampaignSource;
  readonly tag?: string;
  readonly automation?: AutomationFilter;
};

type CampaignsByWords = Omit<CampaignFilters, 'source' | 'automation'> & {
  readonly applicationId: string;
  readonly text: string;
  readonly limit: number;
  readonly sources: readonly CampaignSource[];
  /** The id of the last scanned campaign. */
  readonly cursor?: string;
  /** Only campaigns of the dashboard, and those with a name or tags. */
  readonly isOfPeople?: boolean;
  readonly scannedMax?: number;
  /** Whether to begin another step. */
  readonly hasTime: () => boolean;
};

export type FoundCampaigns = {
  readonly ids: readonly string[];
  /** Where to go on. The scan is bounded: with few matches there may be more than were found. */
  readonly nextCursor: string | null;
};

/** The words that something is searched by: each must occur, in any order and letter case. */
export const wordsOf = (text: string): string[] => text.trim().split(/\s+/u).slice(0, WORDS_MAX);

/** Campaigns that have all words in their name, title and tags, newest first. */
export async function findCampaigns(
  sql: Sql,
  { scannedMax = SCANNED_MAX, hasTime, limit, ...asked }: CampaignsByWords,
): Promise<FoundCampaigns> {
  const ids: string[] = [];
  let cursor = asked.cursor ?? null;
  let scanned = 0;
  do {
    const step = Math.min(GROWTH * scanned || FIRST_STEP, scannedMax - scanned);
    scanned += step;
    const left = limit - ids.length;
    const { rows } = await sql.query<{ id: string | null; edge: string | null }>(
      statement('find-campaigns'),
      [
        asked.applicationId,
        cursor,
        step,
        left + 1,
        wordsOf(asked.text),
        asked.channel ?? null,
        asked.sources,
        asked.status ?? null,
        asked.tag ?? null,
        asked.isOfPeople ?? false,
      ],
    );
    const found = rows.flatMap(({ id }) => id ?? []);
    ids.push(...found.slice(0, left));
    if (found.length > left) return { ids, nextCursor: ids.at(-1) ?? null };
    cursor = rows[0]?.edge ?? null;
  } while (cursor !== null && scanned < scannedMax && hasTime());
  return { ids, nextCursor: cursor };
}

/** The campaigns that a pasted id leads to: their own, of a delivery, or of their request. */
export async function findCampaignsById(
  sql: Sql,
  applicationId: string,
  id: string,
): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(statement('find-campaigns-by-id'), [
    applicationId,
    id,
    firstIdSince(timeOfId(id) + ACCEPTED_WITHIN_MS),
  ]);
  return rows.map((row) => row.id);
}

/** What a search shows of a campaign. */
export type CampaignInBrief = {
  readonly id: string;
  readonly channel: Channel;
  readonly source: CampaignSource;
  readonly status: CampaignStatus;
  readonly name: string | null;
  readonly headline: string | null;
  readonly created_at: Date;
};

export async function readCampaignsInBrief(
  sql: Sql,
  applicationId: string,
  ids: readonly string[],
): Promise<CampaignInBrief[]> {
  const { rows } = await sql.query<CampaignInBrief>(statement('read-found-campaigns'), [
    applicationId,
    ids,
  ]);
  return rows;
}

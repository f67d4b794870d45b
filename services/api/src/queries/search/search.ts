import {
  SEARCH_ITEMS_MAX,
  SEARCH_SOURCES,
  type SearchItem,
  type SearchKind,
  type SearchSource,
} from '@tidings/api-spec/endpoints/search';
import type { Clock } from '@tidings/platform';
import { boundTransactions } from '@tidings/postgres/bound-transactions';
import { isCanceled, type Database } from '@tidings/postgres/database';
import { createTurns } from '@tidings/segments/question-turns';
import { searchIds } from './by-id.ts';
import { searchCampaigns } from './campaigns.ts';
import { searchMessages } from './messages.ts';
import { searchSegments, searchTemplates } from './named.ts';
import { searchUsers } from './people.ts';
import { readPastedUuid } from './pasted-id.ts';
import type { Search, SearchAnswer, SearchQuestion, SearchWork } from './question.ts';
import { searchWebhooks } from './webhooks.ts';

type Source = { readonly kinds: readonly SearchKind[]; readonly search: Search };

/** In the order of their items. */
const SOURCES: Readonly<Record<SearchSource, Source>> = {
  ids: {
    kinds: ['delivery', 'campaign', 'request', 'webhookDelivery', 'deadLetter'],
    search: searchIds,
  },
  messages: { kinds: ['message'], search: searchMessages },
  webhooks: { kinds: ['webhookDelivery'], search: searchWebhooks },
  users: { kinds: ['user'], search: searchUsers },
  campaigns: { kinds: ['campaign'], search: searchCampaigns },
  segments: { kinds: ['segment'], search: searchSegments },
  templates: { kinds: ['template'], search: searchTemplates },
};

type Found = {
  readonly items: readonly SearchItem[];
  readonly incomplete: readonly SearchSource[];
};

type SearchBounds = {
  /** Of each source, once it has a place. */
  readonly timeoutMs: number;
  /** Sources that are searched at a time in this process, each by a connection. */
  readonly places: number;
};

/** A source that waits this many times longer than it may run is left out. */
const WAITS = 2;
const PLACES_OF_APPLICATION = 2;
/** A search has at most seven sources. */
const WAITERS_MAX = 60;
const WAITERS_OF_APPLICATION_MAX = 15;

type Asked = Pick<SearchQuestion, 'applicationId' | 'defaultCountry' | 'text'> & {
  /** Items of other kinds are left out. */
  readonly mayOpen: (kind: SearchKind) => boolean;
};

/** Searches all that an application has, for one caller. */
export type Searching = (asked: Asked) => Promise<Found>;

/**
 * Applications take turns, source by source. A source that
 * takes or waits too long is left out, and named.
 */
export function createSearch(
  db: Database,
  { timeoutMs, places }: SearchBounds,
  clock: Clock,
): Searching {
  const bounded = boundTransactions(db, { totalMs: timeoutMs, statementMs: timeoutMs }, clock);
  const turns = createTurns({
    places,
    // Another application finds a place.
    placesOfApplication: Math.max(1, Math.min(places - 1, PLACES_OF_APPLICATION)),
    waitersMax: WAITERS_MAX,
    waitersOfApplicationMax: WAITERS_OF_APPLICATION_MAX,
    waitMs: WAITS * timeoutMs,
  });

  /** Null: it took or waited too long. */
  async function inTime(applicationId: string, work: SearchWork): Promise<SearchAnswer | null> {
    const answer = await turns.take(applicationId, () => {
      const endsAt = clock.monotonicMs() + timeoutMs / 2;
      return unlessCanceled(
        bounded.transaction(async (sql) => {
          await sql.query('set transaction read only; set local jit = off');
          return work(sql, () => clock.monotonicMs() < endsAt);
        }),
      );
    });
    return answer === 'busy' ? null : answer;
  }

  return async ({ text, mayOpen, ...asked }) => {
    const question: SearchQuestion = {
      ...asked,
      text: text.trim(),
      uuid: readPastedUuid(text),
      limit: SEARCH_ITEMS_MAX,
    };
    const answers = new Map<SearchSource, SearchAnswer | null>();
    const run = async (source: SearchSource): Promise<void> => {
      const work = SOURCES[source].kinds.some(mayOpen) ? SOURCES[source].search(question) : null;
      if (work !== null) answers.set(source, await inTime(asked.applicationId, work));
    };
    await Promise.all(SEARCH_SOURCES.map(run));
    return {
      items: (Object.keys(SOURCES) as SearchSource[])
        .flatMap((source) => answers.get(source)?.items ?? [])
        .filter(({ kind }) => mayOpen(kind)),
      incomplete: SEARCH_SOURCES.filter((source) => {
        const answer = answers.get(source);
        return answer === null || answer?.isCut === true;
      }),
    };
  };
}

async function unlessCanceled<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isCanceled(error)) return null;
    throw error;
  }
}

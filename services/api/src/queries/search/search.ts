import {
  SEARCH_ITEMS_MAX,
  SEARCH_SOURCES,
  type SearchItem,
  type SearchKind,
  type SearchSource,
} from '@tidings/api-spec/endpoints/search';
import { searchIds } from './by-id.ts';
import { searchCampaigns } from './campaigns.ts';
import type { InTime } from './in-time.ts';
import { searchMessages } from './messages.ts';
import { searchAutomations, searchSegments, searchTemplates } from './named.ts';
import { searchUsers } from './people.ts';
import { readPastedUuid } from './pasted-id.ts';
import type { Search, SearchAnswer, SearchQuestion } from './question.ts';
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
  automations: { kinds: ['automation'], search: searchAutomations },
  segments: { kinds: ['segment'], search: searchSegments },
  templates: { kinds: ['template'], search: searchTemplates },
};

type Found = {
  readonly items: readonly SearchItem[];
  readonly incomplete: readonly SearchSource[];
};

type Asked = Pick<SearchQuestion, 'applicationId' | 'defaultCountry' | 'text'> & {
  /** Items of other kinds are left out. */
  readonly mayOpen: (kind: SearchKind) => boolean;
};

/**
 * Searches all that an application has. A source that takes or waits too long is left out, and
 * named.
 */
export async function search(inTime: InTime, { text, mayOpen, ...asked }: Asked): Promise<Found> {
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
}

import type { SearchItem } from '@tidings/api-spec/endpoints/search';
import type { BoundedWork } from './in-time.ts';

export type SearchQuestion = {
  readonly applicationId: string;
  readonly defaultCountry: string | undefined;
  /** Without spaces around it. */
  readonly text: string;
  /** The UUID that the text is; null: it is none. */
  readonly uuid: string | null;
  /** Of each kind. */
  readonly limit: number;
};

export type SearchAnswer = {
  readonly items: readonly SearchItem[];
  /** Whether there is more to search than was. */
  readonly isCut?: boolean;
};

/** One part of a search. Null: it has nothing to look for. */
export type Search = (question: SearchQuestion) => BoundedWork<SearchAnswer> | null;

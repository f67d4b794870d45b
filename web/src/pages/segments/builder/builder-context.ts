import { createContext, useContext } from 'react';
import type { Option } from '../../../ui/options.ts';
import type { Names } from '../describe-condition.ts';

/** What conditions may name. */
export type BuilderFacts = {
  readonly names: Names;
  /** Event definitions by slug. */
  readonly events: readonly Option[];
  /** Other segments. */
  readonly segments: readonly Option[];
};

export const BuilderFactsContext = createContext<BuilderFacts>({
  names: { events: new Map(), segments: new Map() },
  events: [],
  segments: [],
});

export const useBuilderFacts = (): BuilderFacts => useContext(BuilderFactsContext);

import { createContext, useContext } from 'react';
import type { SegmentPreview } from '../api/types.ts';
import type { Option } from '../ui/options.ts';
import { NO_NAMES, type Names } from './describe-condition.ts';

/** What conditions may name. */
export type BuilderFacts = {
  readonly names: Names;
  /** Event definitions by slug. */
  readonly events: readonly Option[];
  /** Funnels, with the names of their steps. */
  readonly funnels: readonly (Option & { readonly steps: readonly string[] })[];
  /** Other segments. */
  readonly segments: readonly Option[];
};

export const BuilderFactsContext = createContext<BuilderFacts>({
  names: NO_NAMES,
  events: [],
  funnels: [],
  segments: [],
});

export const useBuilderFacts = (): BuilderFacts => useContext(BuilderFactsContext);

/** How many people each condition of a group has by itself. */
export type PartCounts = {
  readonly isExact: boolean;
  /** By the pointer below the condition: `/all/0`. */
  readonly counts: ReadonlyMap<string, number>;
  /** The most that one of them has. */
  readonly most: number;
};

export const PartCountsContext = createContext<PartCounts | null>(null);

/** @param root the pointer of the whole condition in the question */
export function toPartCounts(
  preview: SegmentPreview | undefined,
  root = '/condition',
): PartCounts | null {
  if (preview?.parts === undefined) return null;
  const below = preview.parts.filter(({ pointer }) => pointer.startsWith(`${root}/`));
  return {
    isExact: preview.estimate.isExact,
    counts: new Map(below.map(({ pointer, count }) => [pointer.slice(root.length), count])),
    most: Math.max(...below.map(({ count }) => count)),
  };
}

/** The pointer of the condition that is edited, in the request of its form. */
export const RootPointerContext = createContext('');

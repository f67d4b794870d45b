import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Funnel } from '../../api/types.ts';
import { isComplete } from '../../conditions/new-condition.ts';
import { showToast } from '../../ui/toast.tsx';
import { freeSlug, randomSlug, toSlug } from '../../ui/to-slug.ts';
import { isSameFunnel } from './draft.ts';

type FunnelNaming = { readonly name: string; readonly slug: string };

export type FunnelSaving = {
  /** Of the funnel as it is shown; null: it is not saved like this. */
  readonly slug: string | null;
  readonly isAllowed: boolean;
  readonly isBusy: boolean;
  /** Saves it under its name, or a new one under that of its events, and goes on. */
  readonly save: (onSaved: (slug: string) => void) => void;
};

type WriteFunnel = FunnelNaming & {
  readonly expectedVersion: number;
  readonly funnel: FunnelDefinition;
};

/** Writes a funnel. */
export const useWriteFunnel = () =>
  useChange<WriteFunnel, Funnel>(
    ({ slug, name, expectedVersion, funnel: { steps, window } }) => ({
      path: `funnels/${encodeURIComponent(slug)}`,
      method: 'PUT',
      body: { name, steps, window, expectedVersion },
    }),
    ['funnels'],
  );

const takenBy = (others: readonly Funnel[]): ReadonlySet<string> =>
  new Set(others.map(({ slug }) => slug));

/** How a funnel that is being edited is saved before something names it. */
export function useSaving({
  saved,
  draft,
  standard,
  others,
  onSaved,
}: {
  readonly saved: Funnel | null;
  readonly draft: FunnelDefinition;
  /** The name of a new one. */
  readonly standard: string;
  /** A new one that is the same as one of these is saved already, under its name. */
  readonly others: readonly Funnel[];
  readonly onSaved: (funnel: Funnel) => Promise<void>;
}): FunnelSaving {
  const may = useMay('changeFunnels');
  const write = useWriteFunnel();
  const same = (saved === null ? others : [saved]).find((each) => isSameFunnel(each, draft));
  return {
    slug: same?.slug ?? null,
    isAllowed: may && isComplete(draft),
    isBusy: write.isPending,
    save: (next) =>
      write.mutate(
        {
          name: saved?.name ?? standard,
          slug: saved?.slug ?? freeSlug(toSlug(standard, randomSlug('funnel')), takenBy(others)),
          expectedVersion: saved?.version ?? 0,
          funnel: draft,
        },
        {
          onSuccess: (funnel) => {
            showToast(`Funnel saved as “${funnel.name}”`);
            void onSaved(funnel).then(() => next(funnel.slug));
          },
          onError: (error) => showToast(errorMessage(error), 'bad'),
        },
      ),
  };
}

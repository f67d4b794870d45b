import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useStore } from '../../lib/store.ts';
import { credentials } from '../../api/credentials.ts';

type Search = Readonly<Record<string, string | undefined>>;

type Shown = {
  /** What the address names. */
  readonly identity: string;
  /** Another number: another draft, which begins anew. */
  readonly key: number;
  /** Null: one that began on this page. */
  readonly draftId: string | null;
};

/**
 * Which draft the address means. The one that is written here gets its id in the address once it is
 * stored, so that a reload finds it, and stays as it is on the page.
 */
export function useShownDraft(search: Search): Shown & {
  readonly onCreated: (draftId: string) => void;
} {
  const { applicationId } = useStore(credentials);
  const navigate = useNavigate();
  const [ownId, setOwnId] = useState<string | null>(null);
  const { draft: draftId = null, application: _application, ...link } = search;
  const identity = JSON.stringify([applicationId, draftId ?? link]);
  const [shown, setShown] = useState<Shown>({ identity, key: 0, draftId });
  let next = shown;
  if (identity !== shown.identity) {
    next =
      draftId !== null && draftId === ownId
        ? { ...shown, identity }
        : { identity, key: shown.key + 1, draftId };
    setShown(next);
  }
  const onCreated = (id: string): void => {
    setOwnId(id);
    // At once, also while another page waits for the draft to be saved: back leads to the draft.
    void navigate({
      to: '/compose',
      search: { draft: id } as never,
      replace: true,
      ignoreBlocker: true,
    });
  };
  return { ...next, onCreated };
}

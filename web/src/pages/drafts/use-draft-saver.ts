import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { request } from '../../api/client.ts';
import { invalidate, useRead } from '../../api/queries.ts';
import type { StoredDraft } from '../../api/types.ts';
import { useStore } from '../../lib/store.ts';
import type { DraftContent } from '../compose/draft-content.ts';
import {
  createDraftSaver,
  type DraftSaver,
  type DraftVersion,
  type SaverState,
} from './draft-saver.ts';

/** How often a page looks whether another editor changed the draft that it shows. */
const LOOK_EVERY_MS = 10_000;

const REQUESTS = {
  create: (content: DraftContent) =>
    request<StoredDraft>('drafts', { method: 'POST', body: { content } }),
  write: ({ draftId, version }: DraftVersion, content: DraftContent) =>
    request<StoredDraft>(`drafts/${draftId}`, {
      method: 'PUT',
      body: { content, expectedVersion: version },
    }),
  read: (draftId: string) => request<StoredDraft>(`drafts/${draftId}`),
};

/** Keeps what is written on a page as a draft, and shows what another editor writes into it. */
export function useDraftSaver({
  draft,
  onCreated,
  onNewer,
}: {
  /** Null: a new one. */
  readonly draft: StoredDraft | null;
  readonly onCreated: (draftId: string) => void;
  readonly onNewer: (draft: StoredDraft) => void;
}): DraftSaver & SaverState {
  const [saver] = useState(() => createDraftSaver({ draft, requests: REQUESTS, onCreated }));
  const state = useStore(saver.state);
  const draftId = state.stored?.draftId;
  const { data } = useRead<StoredDraft>(`drafts/${draftId}`, {
    enabled: draftId !== undefined,
    everyMs: LOOK_EVERY_MS,
    isKept: false,
  });
  useEffect(() => {
    if (data !== undefined && saver.takeNewer(data)) onNewer(data);
    // An answer is looked at once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [data]);
  useSavingWhenLeft(saver);
  return { ...saver, ...state };
}

/** A page that is hidden may be closed without asking, on a phone above all. */
function useSavingWhenLeft(saver: DraftSaver): void {
  const client = useQueryClient();
  useEffect(() => {
    const save = (): void => {
      if (document.visibilityState === 'hidden') void saver.flush();
    };
    document.addEventListener('visibilitychange', save);
    return () => {
      document.removeEventListener('visibilitychange', save);
      void saver.flush().then(() => invalidate(client, ['drafts']));
    };
  }, [saver, client]);
}

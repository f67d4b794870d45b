import { ConnectionError, httpStatus } from '../../api/problem.ts';
import { isBusy, retryDelayMs } from '../../api/retries.ts';
import type { StoredDraft } from '../../api/types.ts';
import { createStore, type Store } from '../../lib/store.ts';
import type { DraftContent } from '../compose/draft-content.ts';

/** A version of a stored draft. */
export type DraftVersion = { readonly draftId: string; readonly version: number };

type Requests = {
  readonly create: (content: DraftContent) => Promise<StoredDraft>;
  readonly write: (which: DraftVersion, content: DraftContent) => Promise<StoredDraft>;
  readonly read: (draftId: string) => Promise<StoredDraft>;
};

export type SaverState = {
  /** Null until the first change is saved. */
  readonly stored: (DraftVersion & { readonly savedAt: number }) | null;
  /** Whether all that was written is saved. */
  readonly isSaved: boolean;
  /** Why the last try failed. */
  readonly error: Error | null;
  /** What another editor made of the draft meanwhile: nothing is saved until one is chosen. */
  readonly conflict: StoredDraft | 'gone' | null;
};

export interface DraftSaver {
  readonly state: Store<SaverState>;
  /** The newest content, saved or not. */
  latest(): DraftContent;
  /** Saves it soon. */
  change(content: DraftContent): void;
  /** Saves now what is not saved. */
  flush(): Promise<'saved' | 'failed' | 'conflict'>;
  /** Takes over what another window saved, unless something waits here. True if it is news. */
  takeNewer(draft: StoredDraft): boolean;
  /** With it a push sends the draft, once. */
  sendQuery(): Readonly<Record<string, string | number>>;
  /** Looks whether another editor has changed the draft. */
  recheck(): Promise<void>;
  /** Decides a conflict for the draft of another editor. */
  takeTheirs(draft: StoredDraft): void;
  /** Decides a conflict: what is written here becomes a draft of its own. */
  keepAsOther(): void;
  /** Forgets what is not saved: the draft was sent or deleted. */
  drop(): void;
}

/** Most pauses of typing are shorter. */
const QUIET_MS = 1_000;
/** Who types without a pause loses no more. */
const UNSAVED_MS_MAX = 10_000;

const versionOf = ({ draftId, version, updatedAt }: StoredDraft): SaverState['stored'] => ({
  draftId,
  version,
  savedAt: updatedAt,
});

/** Saves a draft while it is written, one request at a time. It never overwrites a version that it has not seen. */
export function createDraftSaver({
  draft,
  requests: { create, write, read },
  onCreated,
  quietMs = QUIET_MS,
}: {
  /** Null: a new one. */
  readonly draft: StoredDraft | null;
  readonly requests: Requests;
  readonly onCreated: (draftId: string) => void;
  readonly quietMs?: number;
}): DraftSaver {
  const state = createStore<SaverState>({
    stored: draft === null ? null : versionOf(draft),
    isSaved: true,
    error: null,
    conflict: null,
  });
  const set = (changes: Partial<SaverState>): void => state.set({ ...state.get(), ...changes });
  let latest: DraftContent = draft?.content ?? {};
  let saved = latest;
  let unsavedSince: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | null = null;
  let failures = 0;

  const isWaiting = (): boolean => latest !== saved;

  async function saveAll(): Promise<void> {
    while (isWaiting() && state.get().conflict === null) {
      const content = latest;
      const { stored } = state.get();
      unsavedSince = null;
      try {
        const answer = stored === null ? await create(content) : await write(stored, content);
        failures = 0;
        saved = content;
        set({ stored: versionOf(answer), isSaved: !isWaiting(), error: null });
        if (stored === null) onCreated(answer.draftId);
      } catch (error) {
        if (stored !== null && isMoved(error)) await recheck();
        else fail(error as Error);
        return;
      }
    }
  }

  function fail(error: Error): void {
    set({ error });
    if (!mayPass(error)) return;
    timer = setTimeout(run, retryDelayMs(failures, error));
    failures += 1;
  }

  function run(): Promise<void> {
    clearTimeout(timer);
    running ??= saveAll().finally(() => {
      running = null;
    });
    return running;
  }

  async function recheck(): Promise<void> {
    const { stored } = state.get();
    if (stored === null) return;
    try {
      const found = await read(stored.draftId);
      if (found.version !== stored.version) set({ conflict: found });
    } catch (error) {
      if (httpStatus(error) === 404) set({ conflict: 'gone' });
      else fail(error as Error);
    }
  }

  function take(found: StoredDraft): void {
    latest = found.content;
    saved = latest;
    unsavedSince = null;
    clearTimeout(timer);
    set({ stored: versionOf(found), isSaved: true, error: null, conflict: null });
  }

  return {
    state,
    latest: () => latest,
    change(content) {
      latest = content;
      set({ isSaved: false });
      if (state.get().conflict !== null) return;
      const now = Date.now();
      unsavedSince ??= now;
      clearTimeout(timer);
      timer = setTimeout(run, Math.max(0, Math.min(quietMs, unsavedSince + UNSAVED_MS_MAX - now)));
    },
    async flush() {
      await run();
      // A change came while the last request ended.
      if (isWaiting() && state.get().error === null) await run();
      if (state.get().conflict !== null) return 'conflict';
      return isWaiting() ? 'failed' : 'saved';
    },
    takeNewer(found) {
      const { stored, conflict } = state.get();
      if (stored === null || found.version <= stored.version) return false;
      if (isWaiting() || running !== null || conflict !== null) return false;
      take(found);
      return true;
    },
    sendQuery() {
      const { stored } = state.get();
      return stored === null ? {} : { draftId: stored.draftId, draftVersion: stored.version };
    },
    recheck,
    takeTheirs: take,
    keepAsOther() {
      saved = {};
      set({ stored: null, isSaved: false, conflict: null });
      void run();
    },
    drop() {
      saved = latest;
      clearTimeout(timer);
      set({ isSaved: true, error: null, conflict: null });
    },
  };
}

/** Another editor has changed, sent or deleted the draft. */
const isMoved = (error: unknown): boolean => [404, 409].includes(httpStatus(error) ?? 0);

/** The same request may succeed later. */
const mayPass = (error: unknown): boolean =>
  error instanceof ConnectionError || isBusy(error) || (httpStatus(error) ?? 0) >= 500;

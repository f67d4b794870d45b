import { createStore } from '../lib/store.ts';

/** Of every request: for which application, and the proof that it comes from this page. */
export const credentials = createStore<{
  readonly applicationId: string | null;
  readonly csrfToken: string | null;
}>({ applicationId: null, csrfToken: null });

/** Whether an answer said that the session is over. */
export const isSessionOver = createStore(false);

/** When the last request got no answer, in milliseconds since the epoch; null while answers come. */
export const unreachableSince = createStore<number | null>(null);

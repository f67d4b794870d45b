import { createStore } from '../lib/store.ts';

/** Sent with every request: the selected application, and the CSRF token that proves that this page sent it. */
export const credentials = createStore<{
  readonly applicationId: string | null;
  readonly csrfToken: string | null;
}>({ applicationId: null, csrfToken: null });

/** True after a response said that the session has ended. */
export const isSessionOver = createStore(false);

/** Since when requests get no response, in milliseconds since the Unix epoch; null while the service responds. */
export const unreachableSince = createStore<number | null>(null);

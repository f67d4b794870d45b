import { QueryClient } from '@tanstack/react-query';
import { ConnectionError, httpStatus } from './problem.ts';

const STALE_AFTER_MS = 5_000;
const RETRIES_MAX = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      // Retry only what can succeed without a change: a lost connection and 503.
      retry: (count, error) =>
        count < RETRIES_MAX && (error instanceof ConnectionError || httpStatus(error) === 503),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

import { QueryClient } from '@tanstack/react-query';
import { retriesRead, retryDelayMs } from './retries.ts';

const STALE_AFTER_MS = 5_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      retry: retriesRead,
      retryDelay: retryDelayMs,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

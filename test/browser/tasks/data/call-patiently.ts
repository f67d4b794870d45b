import { ApiError, callApi, type ApiAccess } from '@tidings/local';
import { setTimeout as delay } from 'node:timers/promises';

const BUSY: readonly number[] = [429, 503];
const BUSY_WAIT_MS = 500;

/** Waits while the installation refuses work because it has enough. */
export async function callPatiently<T>(
  access: ApiAccess,
  request: Parameters<typeof callApi>[1],
): Promise<T> {
  for (;;) {
    try {
      return await callApi<T>(access, request);
    } catch (error) {
      if (!(error instanceof ApiError) || !BUSY.includes(error.status)) throw error;
      await delay(BUSY_WAIT_MS);
    }
  }
}

import { withLock } from '../locks.ts';

/** Called when this tab becomes, and stops being, the active one. */
export type ActiveTab = { readonly start: () => void; readonly stop: () => void };

/**
 * Elects the one tab that receives and shows messages: the first visible one. Without the Web Locks
 * API every visible tab does; then the lease and the list of shown messages prevent duplicates.
 */
export function whileActiveTab(name: string, { start, stop }: ActiveTab): void {
  let waiting: AbortController | undefined;
  const enter = (): void => {
    if (waiting !== undefined) return;
    const mine = new AbortController();
    waiting = mine;
    const hold = (): Promise<void> =>
      new Promise((resolve) => {
        if (mine.signal.aborted) return resolve();
        start();
        mine.signal.addEventListener('abort', () => {
          stop();
          resolve();
        });
      });
    // Aborted while waiting for the lock.
    withLock(name, { signal: mine.signal }, hold).catch(() => {});
  };
  const exit = (): void => {
    waiting?.abort();
    waiting = undefined;
  };
  const look = (): void => (document.hidden ? exit() : enter());
  document.addEventListener('visibilitychange', look);
  // A page in the back/forward cache must give up the lock.
  addEventListener('pagehide', exit);
  addEventListener('pageshow', look);
  look();
}

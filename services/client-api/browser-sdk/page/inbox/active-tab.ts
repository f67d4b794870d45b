import { withLock } from '../locks.ts';

/** What a tab does while it is the one that shows messages. */
export type ActiveTab = { readonly start: () => void; readonly stop: () => void };

/**
 * One tab listens and shows: a visible one, and of several visible windows the first. Where the browser has no locks every
 * visible tab does; then the service's lease, and the list of what was shown, keep a message from appearing twice.
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
    // Aborted while it waited: nothing was begun.
    withLock(name, { signal: mine.signal }, hold).catch(() => {});
  };
  const exit = (): void => {
    waiting?.abort();
    waiting = undefined;
  };
  const look = (): void => (document.hidden ? exit() : enter());
  document.addEventListener('visibilitychange', look);
  // A page that is kept for "back" would keep its turn.
  addEventListener('pagehide', exit);
  addEventListener('pageshow', look);
  look();
}

/**
 * Runs `work` while no other tab of the origin does. With `ifAvailable` it runs at once, with
 * `hasLock` false if the lock is taken. Without the Web Locks API every tab runs.
 */
export function withLock(
  name: string,
  options: LockOptions,
  work: (hasLock: boolean) => Promise<void>,
): Promise<void> {
  return 'locks' in navigator
    ? navigator.locks.request(name, options, (lock) => work(lock !== null))
    : work(true);
}

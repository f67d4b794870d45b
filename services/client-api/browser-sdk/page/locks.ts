/**
 * Does `work` while no other tab of the origin does: waits its turn, or, where `ifAvailable`, is told that it has none. A
 * browser without locks lets everybody.
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

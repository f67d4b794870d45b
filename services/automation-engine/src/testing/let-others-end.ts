import { setTimeout as delay } from 'node:timers/promises';

/**
 * A build begins once older transactions have ended, also those of other databases. Tests beside it
 * need the CPU to end theirs.
 */
export const letOthersEnd = (): Promise<true> => delay(10, true);

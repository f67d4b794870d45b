import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** About three times the weight of the others, as a larger CPU request gives on Kubernetes. */
const NICENESS = -5;

/**
 * Lets a process go before the others where cores are few: callers wait for it, while nobody waits for those that work
 * off what Kafka keeps. Only an administrator may; for anybody else all are equal.
 */
export function raisePriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
    // Linux weighs sessions before it weighs the processes in one, and each of ours has a session of its own.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS));
  } catch {
    // Not allowed, or a kernel without such groups.
  }
}

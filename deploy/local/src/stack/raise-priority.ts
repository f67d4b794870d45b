import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** About three times the weight of other processes, like a larger CPU request on Kubernetes. */
const NICENESS = -5;

/**
 * Gives a process priority when CPU is scarce: clients wait for it, while no client waits for Kafka
 * consumers. Needs administrator rights; without them all processes are equal.
 */
export function raisePriority(pid: number): void {
  try {
    setPriority(pid, NICENESS);
    // Linux weighs sessions (autogroups) before processes, and each of our processes has its own
    // session.
    if (process.platform === 'linux') writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS));
  } catch {
    // Not permitted, or a kernel without autogroups.
  }
}

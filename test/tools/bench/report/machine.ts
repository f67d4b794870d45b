import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** What the figures were measured on; nothing that names the machine. */
export function machineFacts() {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    /** Other work on the machine shows here: well above zero at the start means that somebody else was measured too. */
    loadAtStart: loadavg()[0] ?? 0,
  };
}

/** The part of the whole machine that some CPU time was. */
export function shareOfMachine(cpuSeconds: number, seconds: number): number {
  return cpuSeconds / (seconds * availableParallelism());
}

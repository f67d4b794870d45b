import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Facts of the machine, without its name. */
export function machineFacts() {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    /** Well above zero at the start means that other work distorts the figures. */
    loadAtStart: loadavg()[0] ?? 0,
  };
}

/** Share of the machine's CPU capacity. */
export function shareOfMachine(cpuSeconds: number, seconds: number): number {
  return cpuSeconds / (seconds * availableParallelism());
}

import type { BenchInstallation } from '../installation/bench-installation.ts';
import type { Durations } from './durations.ts';

/** Shared by the parts of one run. */
export type IngestBench = {
  readonly bench: BenchInstallation;
  readonly durations: Durations;
  /** Maximum accepted requests per second; measured on first use. */
  acceptancePeak(): Promise<number>;
  /** Maximum requests per second at which the consumers keep up; measured on first use. */
  sustainedPeak(): Promise<number>;
  /** Waits until the consumers have caught up, so that the next part starts without a backlog. */
  settle(): Promise<void>;
};

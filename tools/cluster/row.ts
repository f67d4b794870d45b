import type { Application } from './application.ts';
import type { Image } from './images.ts';
import type { Installation } from './installation.ts';
import type { Options } from './options.ts';
import type { ExternalServices } from './external-services.ts';
import type { Cluster } from './support/cluster.ts';

/** Shared by all rows; each continues from the state of the previous one. */
export type Stage = {
  readonly cluster: Cluster;
  readonly external: ExternalServices;
  readonly options: Options;
  readonly images: { readonly now: Image; readonly next: Image };
  readonly signal: AbortSignal;
  /** Created by the row `install`. */
  readonly installation: Installation;
  /** Created on first use. */
  application(): Promise<Application>;
};

/** Results as sentences; `leftOut`: why this cluster cannot run the row. */
export type RowResult = {
  readonly notes?: readonly string[];
  readonly violations?: readonly string[];
  readonly leftOut?: string;
};

export type Row = {
  readonly name: string;
  readonly claim: string;
  /** Runs even if only other rows are named. */
  readonly isAlwaysRun?: true;
  /** @throws if the row could not be run */
  run(stage: Stage): Promise<RowResult>;
};

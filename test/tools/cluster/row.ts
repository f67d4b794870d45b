import type { Application } from './application.ts';
import type { Image } from './images.ts';
import type { Installation } from './installation.ts';
import type { Options } from './options.ts';
import type { ExternalServices } from './external-services.ts';
import type { Cluster } from './support/cluster.ts';

/** What rows share; each finds it as the one before has left it. */
export type Stage = {
  readonly cluster: Cluster;
  readonly external: ExternalServices;
  readonly options: Options;
  readonly images: { readonly now: Image; readonly next: Image };
  readonly signal: AbortSignal;
  /** Of the row `install`. */
  readonly installation: Installation;
  /** Made when it is first asked for. */
  application(): Promise<Application>;
};

/** What was seen, as sentences; `leftOut`: why this cluster cannot show it. */
export type RowResult = {
  readonly notes?: readonly string[];
  readonly violations?: readonly string[];
  readonly leftOut?: string;
};

export type Row = {
  readonly name: string;
  readonly claim: string;
  /** Belongs to every run, whatever rows are named. */
  readonly isAlwaysRun?: true;
  /** @throws where it could not be done at all */
  run(stage: Stage): Promise<RowResult>;
};

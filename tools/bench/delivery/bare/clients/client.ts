import type { WorkerChannel } from '../../channels.ts';

/** The HTTP client of a provider's package: its own, or the undici that workers use. */
export type Transport = 'own' | 'undici';

/** Number of messages and concurrency of a bare client. */
export type BarePlan = {
  readonly channel: WorkerChannel;
  readonly transport: Transport;
  readonly messages: number;
  readonly concurrency: number;
  readonly smtpPort: number;
  readonly sinkUrl: string;
  readonly body: string;
};

export interface BareClient {
  send(index: number): Promise<unknown>;
  close(): Promise<void>;
}

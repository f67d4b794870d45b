import type { WorkerChannel } from '../../channels.ts';

/** How a provider's package reaches it: by the means that it brings along, or by the undici that workers give it. */
export type Transport = 'own' | 'undici';

/** What a bare client sends: so many messages, so many at a time. */
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

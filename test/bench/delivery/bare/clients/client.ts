import type { DispatchedChannel } from '../../channels.ts';

/** What a bare client sends: so many messages, so many at a time. */
export type BarePlan = { readonly channel: DispatchedChannel; readonly messages: number; readonly concurrency: number; readonly smtpPort: number; readonly sinkUrl: string; readonly body: string };

export interface BareClient {
  send(index: number): Promise<unknown>;
  close(): Promise<void>;
}

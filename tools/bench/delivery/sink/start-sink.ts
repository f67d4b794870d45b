import { join } from 'node:path';
import { startChild } from '../../child/start-child.ts';
import type { Received, SinkPorts, SinkRequest } from './sink.ts';

export type Sink = {
  readonly processId: number;
  readonly smtpPort: number;
  readonly httpUrl: string;
  received(): Promise<Received>;
  stop(): void;
};

export async function startSink(): Promise<Sink> {
  const child = startChild<SinkRequest, SinkPorts | Received>(join(import.meta.dirname, 'sink.ts'));
  const ports = (await child.ask({ ask: 'ports' })) as SinkPorts;
  return {
    processId: child.processId,
    smtpPort: ports.smtp,
    httpUrl: `http://127.0.0.1:${ports.http}`,
    received: async () => (await child.ask({ ask: 'received' })) as Received,
    stop: () => child.stop(),
  };
}

import { startBenchInstallation } from '../installation/bench-installation.ts';
import { registerUsers } from '../installation/register-users.ts';
import type { PartReport } from '../report/figures.ts';
import { machineFacts } from '../report/machine.ts';
import { reportParts } from '../report/report-parts.ts';
import { SLOTS, createDeliveryBench, type DeliveryBench } from './context.ts';
import { measureDispatch } from './parts/dispatch.ts';
import { measureExpansion } from './parts/expansion.ts';
import { measureExpress } from './parts/express.ts';
import { startSink } from './sink/start-sink.ts';
import { FULL, QUICK } from './sizes.ts';

const PARTS = {
  expansion: measureExpansion,
  email: (run) => measureDispatch(run, 'EMAIL'),
  hooks: (run) => measureDispatch(run, 'WEB_HOOK'),
  express: measureExpress,
} as const satisfies Record<string, (run: DeliveryBench) => Promise<PartReport>>;
export type DeliveryPart = keyof typeof PARTS;
export const DELIVERY_PARTS = Object.keys(PARTS) as DeliveryPart[];

const SERVICES = ['gateway', 'users-consumer', 'events-consumer', 'campaigns', 'worker-email', 'worker-web-hook'];

/** Delivery measured part by part, on one installation made for it: ratios within one run, beside what they should be. */
export async function benchDelivery({ parts, isQuick }: { readonly parts: readonly DeliveryPart[]; readonly isQuick: boolean }): Promise<void> {
  const machine = machineFacts();
  const reports: Partial<Record<DeliveryPart, PartReport>> = {};
  const sizes = isQuick ? QUICK : FULL;
  console.error('Starting an installation …');
  const bench = await startBenchInstallation({ services: SERVICES, env: { SEND_CONCURRENCY: String(SLOTS) } });
  const sink = await startSink();
  try {
    console.error(`${sizes.users} users …`);
    await registerUsers(bench, { users: sizes.users });
    const run = await createDeliveryBench(bench, { sink, sizes });
    for (const part of DELIVERY_PARTS.filter((name) => parts.includes(name))) {
      console.error(`${part} …`);
      reports[part] = await PARTS[part](run);
    }
  } finally {
    sink.stop();
    await bench.stop();
  }
  reportParts({ name: 'delivery', machine, isQuick, reports });
}

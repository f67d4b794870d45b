import { sampleBatch } from './sample-batch.ts';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from '@tidings/local';
import { startTidings } from '../stack/start-tidings.ts';
import { applyLoad, type LoadResult } from './load.ts';

const BATCH_SIZES = [1, 10, 100];
const CONNECTIONS = 50;
const WARM_UP_SECONDS = 3;
const MEASURED_SECONDS = 8;

type Measured = LoadResult & { readonly cpuMicrosecondsPerRequest: number };
type Row = { readonly messagesPerRequest: number; readonly bare: Measured; readonly gateway: Measured };

/** Events per second and CPU per request of the gateway, beside a server that only parses the JSON, in one run. */
export async function benchIngest(): Promise<void> {
  const tidings = await startTidings({ name: 'bench-ingest', services: ['gateway', 'campaigns', 'worker-email'], env: { LOG_LEVEL: 'warn' } });
  const bare = await startBareServer();
  try {
    const { baseUrl: _, applicationId, serverKey } = tidings.local;
    const gateway = tidings.supervisor.list().find(({ name }) => name === 'gateway');
    if (gateway === undefined) throw new Error('no gateway');
    const headers = { 'X-Application-Id': applicationId, 'X-API-Key': serverKey };
    const rows: Row[] = [];
    for (const messagesPerRequest of BATCH_SIZES) {
      const body = sampleBatch(messagesPerRequest);
      console.error(`${messagesPerRequest} messages per request (${body.length} bytes) …`);
      rows.push({
        messagesPerRequest,
        bare: await measure({ url: bare.url, headers: {}, body }, () => bare.cpuMicroseconds()),
        gateway: await measure({ url: `${tidings.serviceUrl('gateway')}/`, headers, body }, () => cpuMicrosecondsOf(gateway.metricsUrl)),
      });
    }
    report(rows);
  } finally {
    bare.process.kill();
    await tidings.stop();
  }
}

async function measure(load: { url: string; headers: Record<string, string>; body: string }, cpuMicroseconds: () => Promise<number>): Promise<Measured> {
  await applyLoad({ ...load, seconds: WARM_UP_SECONDS, connections: CONNECTIONS });
  const before = await cpuMicroseconds();
  const result = await applyLoad({ ...load, seconds: MEASURED_SECONDS, connections: CONNECTIONS });
  const used = (await cpuMicroseconds()) - before;
  return { ...result, cpuMicrosecondsPerRequest: used / result.requests };
}

async function startBareServer(): Promise<{ process: ChildProcess; url: string; cpuMicroseconds: () => Promise<number> }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', join(ROOT_DIR, 'test', 'bench', 'bare-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${chunk.toString().trim()}`;
  return {
    process: child,
    url,
    cpuMicroseconds: async () => ((await (await fetch(`${url}/cpu`)).json()) as { microseconds: number }).microseconds,
  };
}

async function cpuMicrosecondsOf(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]) * 1_000_000;
}

function report(rows: readonly Row[]): void {
  const perSecond = (row: Row, side: 'bare' | 'gateway'): number => Math.round((row[side].requests * row.messagesPerRequest) / row[side].seconds);
  console.log('\n| messages per request | bare events/s | bare CPU µs/request | gateway events/s | gateway CPU µs/request | CPU ratio | gateway p50 / p99 ms | not 2xx |');
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const row of rows) {
    const { bare, gateway } = row;
    const cells = [
      row.messagesPerRequest,
      perSecond(row, 'bare'),
      Math.round(bare.cpuMicrosecondsPerRequest),
      perSecond(row, 'gateway'),
      Math.round(gateway.cpuMicrosecondsPerRequest),
      (gateway.cpuMicrosecondsPerRequest / bare.cpuMicrosecondsPerRequest).toFixed(1),
      `${gateway.p50Ms} / ${gateway.p99Ms}`,
      gateway.notOk,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  const folder = join(ROOT_DIR, '.tidings', 'bench');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ingest.json'), `${JSON.stringify({ at: new Date().toISOString(), connections: CONNECTIONS, rows }, null, 2)}\n`);
  console.log('\nAs JSON: .tidings/bench/ingest.json');
}

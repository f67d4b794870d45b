import { once } from 'node:events';
import { connect } from 'node:net';
import type { Run } from '../../fault-row.ts';
import { runFor } from '../steps.ts';

/** Flushes Redis, stops it for a while, and freezes it for a while. */
export async function disturbRedis(run: Run, forMs: number): Promise<void> {
  const { redis } = run.rig;
  await flushAll(redis.url);
  await runFor(run, 500);
  await redis.stop();
  await runFor(run, forMs);
  await redis.start();
  await runFor(run, 500);
  redis.kill('SIGSTOP');
  await runFor(run, forMs);
  redis.kill('SIGCONT');
  await runFor(run, 500);
}

async function flushAll(url: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.write('FLUSHALL\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  if (!answer.toString().startsWith('+OK'))
    throw new Error(`FLUSHALL was answered ${answer.toString()}`);
}

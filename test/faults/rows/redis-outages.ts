import { once } from 'node:events';
import { connect } from 'node:net';
import type { FaultRow } from '../fault-row.ts';
import { checkSameProcesses, goOn, pidsOf } from './steps.ts';

export const redisAway: FaultRow = {
  id: 'F10',
  fault: 'Redis flushed, stopped, frozen',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    const { rig, plan } = run;
    const before = pidsOf(run);
    const forMs = plan.outageMs / 2;
    await flushAll(rig.redis.url);
    await goOn(run, 500);
    await rig.redis.stop();
    await goOn(run, forMs);
    await rig.redis.start();
    await goOn(run, 500);
    rig.redis.kill('SIGSTOP');
    await goOn(run, forMs);
    rig.redis.kill('SIGCONT');
    await goOn(run, 500);
    checkSameProcesses(run, before);
  },
};

async function flushAll(url: string): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.write('FLUSHALL\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  if (!answer.toString().startsWith('+OK')) throw new Error(`FLUSHALL was answered ${answer.toString()}`);
}

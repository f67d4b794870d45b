import { SEND_CONCURRENCY } from '../../rigs/delivery-rig.ts';
import { runFor } from '../steps.ts';
import type { AutomationsRow } from './automations-row.ts';
import { untilFed } from './steps.ts';

export const kafkaAway: AutomationsRow = {
  id: 'A5',
  fault: 'Kafka stopped and started',
  brokers: 1,
  needsKafka: true,
  async inject(run) {
    const [kafka] = run.rig.kafkaNodes;
    if (kafka === undefined) throw new Error('this row needs a Kafka of its own');
    await untilFed(run, 1 / 3);
    await kafka.stop();
    await runFor(run, run.plan.outageMs);
    await kafka.start();
  },
};

/** While people enter, while they wait as well, and once they wait alone. */
const STOPS_AT = [1 / 4, 3 / 4, 1] as const;

export const postgresStopped: AutomationsRow = {
  id: 'A9',
  fault: 'Postgres stopped at once (-m immediate) three times, and started',
  brokers: 1,
  async inject(run) {
    const { rig } = run;
    for (const share of STOPS_AT) {
      await untilFed(run, share);
      await runFor(run, 0, 2_000);
      // What `pg_ctl stop -m immediate` sends.
      rig.postgres.kill('SIGQUIT');
      await rig.postgres.ended();
      // A mail that has left and could not be marked any more.
      run.allowed.unknown += SEND_CONCURRENCY;
      await runFor(run, 500, 3_000);
      await rig.postgres.start();
    }
  },
};

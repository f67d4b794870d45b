import { setTimeout as delay } from 'node:timers/promises';
import { callApi } from '@tidings/local';
import { copyCheckout, type CheckoutCopy } from '../../../checkouts/copy-checkout.ts';
import type { Change } from '../../../checkouts/edit-text.ts';
import { findDifferences } from '../../oracles/delivery/counters.ts';
import { readStoredDeliveries } from '../../oracles/delivery/stored-deliveries.ts';
import { timesToSend } from '../../oracles/delivery/time-to-send.ts';
import { WORKERS } from '../../rigs/delivery-proxies.ts';
import { userOf, type Sender } from '../../rigs/delivery-rig.ts';
import { report } from '../../suites/row-frame.ts';
import { checkCheckout } from '../rolling/prepare-stores.ts';
import { checkSameProcesses, listPids, noteRecovery, runFor } from '../steps.ts';
import { act, read, untilOver, type Started } from './control.ts';
import type { DeliveryRow, DeliveryRun } from './delivery-row.ts';
import { allowAmbiguousAttempts, untilSends } from './steps.ts';

const WORKER = WORKERS.EMAIL;
const LIMITS = 'packages/liquid/src/engine/step-limit.ts';

/** Without these, only the CPU between two steps is looked at: as with a cost that no limit knows. */
export const UNCOUNTED: readonly Change[] = [
  { file: LIMITS, find: 'if (this.steps > TEXT_LIMITS.stepsMax)', replace: 'if (false)' },
  { file: LIMITS, find: 'if (wantedChars > TEXT_LIMITS.searchCharsMax)', replace: 'if (false)' },
];

/** Without this, messages are rendered in the thread of the service. */
export const WITHOUT_THREADS: Change = {
  file: 'packages/templates/src/rendering/render-pool.ts',
  find: `      this.queue.add({ applicationId, job, queuedAt: performance.now(), resolve, reject });
      this.assign();`,
  replace: `      import('./run-job.ts')
        .then(({ runJob }) => runJob(job, { onStep: () => undefined }))
        .then(resolve, reject);`,
};

const SEARCHED_CHARS = 100_000;
const HALF_OF_WANTED_CHARS = 25_000;
const SEARCHES = 60;

/** More than ten seconds of work for a user who has the attribute. */
const TEMPLATE = [
  '{% if user.customAttributes.poison == true %}',
  `{% capture a %}${'a'.repeat(SEARCHED_CHARS)}{% endcapture %}`,
  `{% capture b %}${'a'.repeat(HALF_OF_WANTED_CHARS)}b${'a'.repeat(HALF_OF_WANTED_CHARS)}{% endcapture %}`,
  `{% if ${Array(SEARCHES).fill('a contains b').join(' or ')} %}x{% endif %}`,
  '{% endif %}Hello',
].join('');

/** Recipients of a poisonous campaign; the first have the attribute. */
const RECIPIENTS = 8;
const POISONED = 2;

/** Less than a rendering takes, and much more than a healthy process is busy. */
const WATCHDOG_MS = 5_000;
/**
 * On a busy machine a rendering of a second of CPU may take longer than the lease of this suite, and its
 * row would be claimed again. The default lease; and a shorter one, so that a death costs less time.
 */
const BESIDE_THREADS = { CLAIM_LEASE_MS: '30000' };
const BESIDE_DEATHS = { CLAIM_LEASE_MS: '10000', WATCHDOG_MS: String(WATCHDOG_MS) };
/** Deaths of a chunk before its rows are rendered one by one. */
const DEATHS_MIN = 3;
const CANCELED_AFTER_DEATHS = 2;
const LOOK_MS = 100;

/** The machine is busy with searches that nothing ends. */
const SENT_BESIDE_THREADS_WITHIN_MS = 10_000;
const SENT_BESIDE_DEATHS_WITHIN_MS = 60_000;
const LATE_MS = 5_000;
const OVER_WITHIN_MS = 120_000;
/** Each death takes the time of the watchdog, a start and the session of the dead process. */
const SETTLED_WITHIN_MS = 300_000;
const CANCELED_WITHIN_MS = 60_000;

export const poisonousTemplates: DeliveryRow = {
  id: 'D31',
  fault:
    'a template whose cost nothing counts: in threads, and in the thread of a worker, which ends each time',
  brokers: 1,
  withinMs: 900_000,
  // The row is about the waits of others, not about a full machine.
  plan: { applications: 2, users: 300, requestsPerSecond: 6 },
  async inject(run) {
    const copy = copyCheckout(run.ending);
    try {
      const poisoner = await preparePoisoner(run);
      await withChanges(copy, UNCOUNTED, async () => {
        await withWorkerOf(run, { copy, env: BESIDE_THREADS }, () => besideThreads(run, poisoner));
        await withChanges(copy, [WITHOUT_THREADS], () =>
          withWorkerOf(run, { copy, env: BESIDE_DEATHS }, () => besideDeaths(run, poisoner)),
        );
      });
      report(run, 'true reports', await findDifferences(run.rig.db, [poisoner.id]));
    } finally {
      copy.remove();
    }
  },
};

async function preparePoisoner({ rig }: DeliveryRun): Promise<Sender> {
  const [poisoner] = await rig.newSenders(1, RECIPIENTS);
  if (poisoner === undefined) throw new Error('no application was made');
  await rig.db.sql.query(
    `update users set custom_attributes = '{"poison": true}' where application_id = $1 and custom_user_id = any($2)`,
    [poisoner.id, Array.from({ length: POISONED }, (_, user) => userOf(user))],
  );
  return poisoner;
}

/** No process ends, and the others wait for seconds at most. */
async function besideThreads(run: DeliveryRun, poisoner: Sender): Promise<void> {
  const pids = listPids(run);
  const from = performance.now();
  const started = await pushPoison(run, poisoner);
  const ms = await untilOver(run, started, { timeoutMs: OVER_WITHIN_MS });
  const what = 'a campaign whose renderings are ended with their threads is over';
  noteRecovery(run, { what, ms, msMax: OVER_WITHIN_MS });
  await checkOutcomes(run, started);
  checkSameProcesses(run, pids);
  noteWait(run, { from, beside: 'threads', msMax: SENT_BESIDE_THREADS_WITHIN_MS });
}

/** The process ends until the rows that end it are known, and the others wait for a minute at most. */
async function besideDeaths(run: DeliveryRun, poisoner: Sender): Promise<void> {
  const deaths = watchDeaths(run);
  const from = performance.now();
  try {
    const started = await pushPoison(run, poisoner);
    const canceled = await pushPoison(run, poisoner);
    while (deaths.count() < CANCELED_AFTER_DEATHS)
      await delay(LOOK_MS, undefined, { signal: run.ending });
    const answer = await act(canceled, 'cancel');
    if (answer !== 'done')
      report(run, 'an outcome for everyone', [`a cancel between two deaths returned ${answer}`]);
    noteRecovery(run, {
      what: 'a campaign that was canceled between two deaths is over',
      ms: await untilOver(run, canceled, { timeoutMs: SETTLED_WITHIN_MS }),
      msMax: CANCELED_WITHIN_MS,
    });
    const ms = await untilOver(run, started, { timeoutMs: SETTLED_WITHIN_MS });
    noteRecovery(run, {
      what: 'a campaign that ends its process is over',
      ms: ms === null ? null : performance.now() - from,
      msMax: SETTLED_WITHIN_MS,
    });
    await checkOutcomes(run, started);
    await untilSends(run, 'EMAIL');
  } finally {
    deaths.stop();
  }
  allowAmbiguousAttempts(run, ['EMAIL'], deaths.count());
  run.cells['ended'] = deaths.count();
  if (deaths.count() < DEATHS_MIN)
    report(run, 'healthy', [`the worker ended ${deaths.count()} times: the fault had no effect`]);
  noteWait(run, { from, beside: 'deaths', msMax: SENT_BESIDE_DEATHS_WITHIN_MS });
}

async function pushPoison(
  { rig }: DeliveryRun,
  poisoner: Sender,
): Promise<Pick<Started, 'campaignId' | 'access' | 'admin'>> {
  const { campaignId } = await callApi<{ readonly campaignId: string }>(
    { baseUrl: rig.gatewayUrl, headers: poisoner.headers },
    {
      method: 'POST',
      path: '/push',
      body: {
        recipients: Array.from({ length: RECIPIENTS }, (_, user) => userOf(user)),
        channel: 'EMAIL',
        personalize: true,
        message: { title: 'Hello', body: TEMPLATE },
      },
    },
  );
  return { campaignId, access: poisoner.access, admin: poisoner.admin };
}

/** Those who have the attribute fail, and the others have the message once. */
async function checkOutcomes(
  run: DeliveryRun,
  started: Pick<Started, 'campaignId' | 'access'>,
): Promise<void> {
  const { campaignId } = started;
  const { rig, notes } = run;
  const { deliveries } = await readStoredDeliveries(rig.db, [await applicationOf(run, campaignId)]);
  const poisoned = new Set(Array.from({ length: POISONED }, (_, user) => userOf(user)));
  const own = deliveries.filter((delivery) => delivery.campaignId === campaignId);
  const isRight = ({ customUserId, state, reason, providerCode }: (typeof own)[number]): boolean =>
    poisoned.has(customUserId)
      ? state === 'failed' && reason === 'template_error' && providerCode === 'limit'
      : // A mail under way when its process ended may have left.
        state === 'sent' || state === 'unknown';
  report(
    run,
    'true reports',
    own
      .filter((delivery) => !isRight(delivery))
      .map(
        ({ customUserId, state, reason, providerCode }) =>
          `${customUserId} of a poisonous campaign is ${state} ${reason} ${providerCode}`,
      ),
  );
  if (own.length !== RECIPIENTS)
    report(run, 'an outcome for everyone', [`${own.length} of ${RECIPIENTS} recipients`]);
  const arrived = Map.groupBy(
    rig.sandbox.accepted().filter((message) => message.campaignId === campaignId),
    ({ to }) => to,
  );
  report(
    run,
    'sent once',
    [...arrived].filter(([, mails]) => mails.length > 1).map(([to]) => `${to} has two mails`),
  );
  const { counts, failures } = await read(started);
  notes.push(`a poisonous campaign: ${JSON.stringify({ counts, failures })}`);
}

async function applicationOf({ rig }: DeliveryRun, campaignId: string): Promise<string> {
  const { rows } = await rig.db.sql.query<{ id: string }>(
    'select application_id as id from campaigns where id = $1',
    [campaignId],
  );
  return rows[0]?.id ?? '';
}

/** The longest time that a mail of the ordinary applications took since `from`. */
function noteWait(
  run: DeliveryRun,
  {
    from,
    beside,
    msMax,
  }: { readonly from: number; readonly beside: string; readonly msMax: number },
): void {
  const pushes = run.load.ledger.entries.filter(
    ({ channel, recipients, attempts: [first] }) =>
      channel === 'EMAIL' && recipients.length === 1 && first !== undefined && first.sentAt >= from,
  );
  const times = timesToSend(pushes, run.rig.sandbox.accepted());
  const ms = Math.max(0, ...times);
  const late = times.filter((one) => one > LATE_MS).length;
  run.notes.push(
    `beside ${beside}, ${late} of ${times.length} mails of others took over ${LATE_MS} ms`,
  );
  run.cells[`slowest beside ${beside}`] = `${(ms / 1_000).toFixed(1)} s`;
  noteRecovery(run, {
    what: `the slowest of ${times.length} mails of others beside ${beside}`,
    ms,
    msMax,
  });
}

/** Counts how often the worker has ended. */
function watchDeaths(run: DeliveryRun): { count(): number; stop(): void } {
  let pid = listPids(run).get(WORKER);
  let deaths = 0;
  const timer = setInterval(() => {
    const now = listPids(run).get(WORKER);
    if (now === pid) return;
    pid = now;
    deaths += 1;
  }, LOOK_MS);
  return { count: () => deaths, stop: () => clearInterval(timer) };
}

function withChanges(
  copy: CheckoutCopy,
  [first, ...others]: readonly Change[],
  work: () => Promise<void>,
): Promise<void> {
  return first === undefined ? work() : copy.edit(first, () => withChanges(copy, others, work));
}

/** Runs `work` with a worker of the copy instead of this checkout's. */
async function withWorkerOf(
  run: DeliveryRun,
  { copy, env }: { readonly copy: CheckoutCopy; readonly env: Readonly<Record<string, string>> },
  work: () => Promise<void>,
): Promise<void> {
  const { rig } = run;
  const home = rig.checkout.dir;
  const restart = async (): Promise<void> => {
    await rig.supervisor.remove(WORKER);
    await rig.supervisor.add({ name: WORKER, program: WORKER });
    checkCheckout(run, { of: (name) => name === WORKER, is: rig.checkout.dir });
  };
  rig.checkout.dir = copy.dir;
  rig.instanceEnv.set(WORKER, env);
  try {
    await restart();
    await untilSends(run, 'EMAIL');
    await work();
    await runFor(run, 1_000);
  } finally {
    rig.checkout.dir = home;
    rig.instanceEnv.delete(WORKER);
    await restart();
  }
}

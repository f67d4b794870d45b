import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { postAll } from '../../load/automations/post-all.ts';
import { readStoredRuns, type StoredRuns } from '../../oracles/automations/stored-runs.ts';
import { userOf } from '../../rigs/delivery-rig.ts';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';
import { report } from '../../suites/row-frame.ts';
import { measureUntil, noteRecovery, runFor } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { activateAutomation, mailOf } from './own-automation.ts';

const UPGRADE: AutomationDefinition = {
  version: 1,
  name: 'Upgrade',
  purpose: 'transactional',
  trigger: { event: { kind: 'action', name: 'upgraded' } },
  filter: { attribute: 'plan', is: 'new' },
  nodes: [
    {
      id: 'plan',
      if: { attribute: 'plan', is: 'new' },
      // oxlint-disable-next-line unicorn/no-thenable
      then: [mailOf('new', 'Welcome.')],
      else: [mailOf('old', 'Still here?')],
    },
  ],
};

/** So that requests meet many stalls. */
const SLICES = 20;
const PAUSE_MS = 500;
const STORED_WITHIN_MS = 60_000;
/** A run that begins later than this after its entry has waited for its profile. */
const SETTLED_MS = 100;
/** Less than the ten seconds that a run waits for the profile of its request. */
const STALL_MS = { least: 500, most: 2_500 };

export const profilesBesideTriggers: AutomationsRow = {
  id: 'A35',
  fault: 'requests with an attribute and its trigger, consumers stalled at random',
  brokers: 1,
  isQuiet: true,
  plan: { users: 2_000 },
  async inject(run) {
    const { rig, plan, sender, random, prefix } = run;
    const target = { url: rig.gatewayUrl, headers: sender.headers, random };
    const startedAt = Date.now();
    const people = Array.from({ length: plan.users }, (_, user) => user);
    const profile = (user: number, plan: 'old' | 'new', time: number) => ({
      type: 'user',
      id: `${prefix}-${user}-${plan}`,
      time,
      customAttributes: { plan },
    });
    await postAll(
      people.map((user) => ({
        customUserId: userOf(user),
        messages: [profile(user, 'old', startedAt - 60_000)],
      })),
      target,
    );
    await untilAll(run, 'old');
    await activateAutomation(sender, {
      slug: 'upgrade',
      events: ['upgraded'],
      definition: UPGRADE,
    });
    const stalling = stallConsumers(run);
    try {
      const atOnce = Math.ceil(people.length / SLICES);
      for (let from = 0; from < people.length; from += atOnce) {
        const bodies = people.slice(from, from + atOnce).map((user) => {
          const time = Date.now();
          const messages = [
            profile(user, 'new', time),
            { type: 'action', id: `${prefix}-${user}-up`, time, customName: 'upgraded' },
          ];
          return {
            customUserId: userOf(user),
            messages: random() < 0.5 ? messages : messages.toReversed(),
          };
        });
        await postAll(bodies, target);
        await runFor(run, 0, PAUSE_MS);
      }
      await untilAll(run, 'new');
    } finally {
      run.notes.push(`${await stalling.stop()} stalls of a consumer`);
    }
  },
  async afterwards(run) {
    const stored = await readStoredRuns(run.rig.db, run.sender.id);
    report(run, 'profiles', findOldProfiles(stored, run.plan.users));
    const late = stored.lines.filter(({ reason }) => reason === 'settling_timeout').length;
    run.notes.push(`${late} runs went on without the profile of their request`);
    const enteredAt = new Map(stored.runs.map((each) => [each.runId, each.enteredAt]));
    const settled = stored.lines.filter(
      ({ runId, outcome, at }) =>
        outcome === 'entered' && at > (enteredAt.get(runId) ?? 0) + SETTLED_MS,
    ).length;
    run.notes.push(`${settled} runs began once the profile of their request was stored`);
    if (settled === 0)
      report(run, 'profiles', ['no run had to wait for its profile: the fault had no effect']);
    Object.assign(run.cells, { events: run.plan.users });
  },
};

/** Branches that saw the value before, and people without a run. */
function findOldProfiles({ runs, lines }: StoredRuns, people: number): string[] {
  return [
    ...(runs.length === people ? [] : [`${runs.length} of ${people} people entered`]),
    ...lines
      .filter(({ node, reason }) => node === 'plan' && reason !== 'then')
      .map(({ runId }) => `the branch of run ${runId} saw the old value`),
  ];
}

async function untilAll(run: AutomationsRun, plan: 'old' | 'new'): Promise<void> {
  const { rig, sender } = run;
  const haveIt = async (): Promise<boolean> => {
    const { rows } = await rig.db.sql.query<{ n: number }>(
      `select count(*)::int as n from users where application_id = $1 and custom_attributes ->> 'plan' = $2`,
      [sender.id, plan],
    );
    return rows[0]?.n === run.plan.users;
  };
  noteRecovery(run, {
    what: `all profiles have the ${plan} value`,
    ms: await measureUntil(haveIt, { msMax: STORED_WITHIN_MS }),
    msMax: STORED_WITHIN_MS,
  });
}

/** One at a time in turn, that of users first; resolves with how many there were. */
function stallConsumers(run: AutomationsRun): { stop(): Promise<number> } {
  const { rig, ending } = run;
  let isOver = false;
  let stalls = 0;
  const stalling = (async () => {
    while (!isOver && !ending.aborted) {
      const name = CONSUMERS[stalls % CONSUMERS.length] ?? '';
      rig.supervisor.kill(name, 'SIGSTOP');
      await runFor(run, STALL_MS.least, STALL_MS.most);
      rig.supervisor.kill(name, 'SIGCONT');
      stalls += 1;
      await runFor(run, 50, 500);
    }
  })().catch(() => undefined);
  return {
    async stop() {
      isOver = true;
      await stalling;
      return stalls;
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { ROOT_DIR } from '@tidings/local';
import type { RowHead } from '../../fault-row.ts';
import { startPersonalCampaigns, type PersonalCampaigns } from '../../load/personal/campaigns.ts';
import type { Version } from '../../rigs/version.ts';
import { report } from '../../suites/row-frame.ts';
import { findDifferences } from '../../oracles/delivery/counters.ts';
import { untilAllSend } from '../delivery/steps.ts';
import { noteRecovery, runFor } from '../steps.ts';
import { OTHERS, restartEveryService } from './every-service.ts';
import { checkCheckout, prepareStores } from './prepare-stores.ts';
import type { RollingRow, RollingRun } from './rolling-row.ts';

export const TWO_VERSIONS: RowHead = {
  id: 'U16',
  fault: 'templates, segments and set times while two versions work side by side',
  brokers: 1,
  plan: { users: 100, requestsPerSecond: 2 },
};

const CHANNELS: readonly Channel[] = ['EMAIL', 'SMS', 'WEB_HOOK', 'IN_APP', 'WEB_PUSH'];
/** Long enough for a chunk to be skipped and dispatched again, several times. */
const BESIDE_MS = 20_000;
/** A message that its device did not confirm is offered again after a minute. */
const SENT_WITHIN_MS = 180_000;
const WITHIN_MS = 900_000;
const POLL_MS = 5_000;

/** The name of a process of this version beside one of the version before. */
const newer = (service: string): string => `${service}-3`;
const FIRST = ['gateway', 'api'].map(newer);
const FURTHER = ['campaigns', ...CHANNELS.map(workerName)].map(newer);

/**
 * The gateway and the api of this version accept campaigns that the version before does not know,
 * in each state of an upgrade: while all other services are of the version before, while both work
 * side by side, after the upgrade, and after a rollback.
 */
export const twoVersions = (version: Version): RollingRow => ({
  ...TWO_VERSIONS,
  withinMs: WITHIN_MS,
  async inject(run) {
    const before = version.rootDir();
    await prepareStores(run, version);
    version.useThis();
    const [gatewayUrl = '', apiUrl = ''] = await add(run, FIRST);
    const campaigns = await startPersonalCampaigns(run, { gatewayUrl, apiUrl, channels: CHANNELS });
    const check = (): void => {
      const isNewer = (name: string): boolean => [...FIRST, ...FURTHER].includes(name);
      checkCheckout(run, { of: isNewer, is: ROOT_DIR });
      const is = version.rootDir();
      checkCheckout(run, { of: (name) => !OTHERS.includes(name) && !isNewer(name), is });
    };
    try {
      version.useBefore();
      check();
      await campaigns.push('before', true);
      await runFor(run, BESIDE_MS);
      await campaigns.readAll(run.rig.apiUrl);

      version.useThis();
      await add(run, FURTHER);
      checkCheckout(run, { of: (name) => name === 'campaigns', is: before });
      await campaigns.push('beside', true);
      await runFor(run, BESIDE_MS);

      await restartEveryService(run, 'every service upgraded', [...FIRST, ...FURTHER]);
      check();
      await campaigns.push('upgraded');

      version.useBefore();
      for (const name of FURTHER) await run.rig.supervisor.remove(name);
      await campaigns.push('removed');
      await restartEveryService(run, 'every service rolled back', FIRST);
      check();
      await campaigns.push('rolled back', true);
      await runFor(run, BESIDE_MS);

      version.useThis();
      await restartEveryService(run, 'every service upgraded again', FIRST);
      check();
      await untilAllSend(run);
      await checkAll(run, campaigns);
    } finally {
      await campaigns.stop();
      for (const name of FIRST) await run.rig.supervisor.remove(name);
    }
  },
});

/** Starts processes of the version that is in use; resolves with their URLs. */
async function add({ rig }: RollingRun, names: readonly string[]): Promise<readonly string[]> {
  const urls: string[] = [];
  for (const name of names)
    urls.push(await rig.supervisor.add({ name, program: name.replace(/-\d+$/, '') }));
  return urls;
}

/** Waits until each recipient whose time has come has a message, and reports what is wrong. */
async function checkAll(run: RollingRun, campaigns: PersonalCampaigns): Promise<void> {
  const startedAt = performance.now();
  let findings = await campaigns.check();
  const left: number[] = [];
  while (findings.lost.length > 0 && performance.now() - startedAt < SENT_WITHIN_MS) {
    left.push(findings.lost.length);
    await delay(POLL_MS);
    findings = await campaigns.check();
  }
  run.notes.push(`missing after the last upgrade, every ${POLL_MS} ms: ${left.join(', ')}`);
  noteRecovery(run, {
    what: 'every personal message sent after the last upgrade',
    ms: findings.lost.length === 0 ? performance.now() - startedAt : null,
    msMax: SENT_WITHIN_MS,
  });
  await campaigns.cancelLocal();
  findings = await campaigns.check();
  report(run, 'an outcome for everyone', findings.lost);
  report(run, 'sent once', findings.twice);
  report(run, 'true reports', findings.wrong);
  report(run, 'true reports', await findDifferences(run.rig.db, campaigns.applicationIds));
  run.notes.push(`${campaigns.count()} campaigns of this version, ${findings.right} messages`);
}

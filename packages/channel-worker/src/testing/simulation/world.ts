import { readChannelSettings } from '@tidings/accounts/channel-settings';
import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { Lane } from '@tidings/contracts/channels/channels';
import type { ChunkRef } from '@tidings/contracts/ingest/records';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { updateApplication } from '@tidings/people/update-application';
import type { Database } from '@tidings/postgres/database';
import {
  configureChannel,
  createPushCampaign,
  createSendingApplication,
  createSendingCampaign,
  randomFrom,
  someDevices,
  testSecretBox,
} from '@tidings/testing';
import { setImmediate as turn } from 'node:timers/promises';
import type { SettingsCache } from '../../settings-cache.ts';
import { gateDatabase } from './gated-database.ts';
import { createGates, type Gates } from './gates.ts';
import { createSimulatedProvider, type SimulatedProvider } from './simulated-provider.ts';
import { createSimulatedWorker, type SimulatedWorker } from './simulated-worker.ts';

const CAMPAIGNS = 2;
const RECIPIENTS = 8;
/** Of a campaign to devices, of which each recipient has some. */
const OWNERS = 5;
const DEVICES_MAX = 3;
const WORKERS = 4;
/** Of the statements, how many break off before they are done, and as many after. */
const LOST_SHARE = 0.01;
/** Of a campaign in bulk, recipients without an address: their deliveries fail without a send. */
const UNREACHABLE = 2;
/** How the statements begin by which a worker takes rows from others: claims, and in bulk the marking. */
const CLAIMS: Readonly<Record<Lane, readonly string[]>> = {
  express: ['with due as', 'with chunk as'],
  bulk: ['with marked as', "update deliveries d set state = 'claimed'"],
};
/** Of the claims, how many wake the sleepers. */
const EARLY_WAKE_SHARE = 0.3;
const HOUR_MS = 3_600_000;
/** Event-loop turns without progress after which all participants count as waiting. */
const QUIET_ROUNDS = 5;

/**
 * Targets of the campaigns: one address per recipient, or several devices, optionally without
 * retries of unknown outcomes.
 */
export type Scenario = {
  readonly channelName: 'EMAIL' | 'WEB_PUSH';
  readonly wishes: ApplicationSettings;
  /** In bulk, rows are read and marked without a claim. */
  readonly lane: Lane;
};
export const SCENARIOS = {
  'one address each': { channelName: 'EMAIL', wishes: {}, lane: 'express' },
  'one address each, in bulk': { channelName: 'EMAIL', wishes: {}, lane: 'bulk' },
  'several devices': {
    channelName: 'WEB_PUSH',
    wishes: { resendOnUnknown: { WEB_PUSH: false } },
    lane: 'express',
  },
  'several devices, sent again on doubt': { channelName: 'WEB_PUSH', wishes: {}, lane: 'express' },
} as const satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof SCENARIOS;

/** Campaigns, workers and a provider, whose steps are all controlled by the simulation. */
export class World {
  readonly db: Database;
  readonly applicationId: string;
  readonly campaignIds: readonly string[];
  readonly provider: SimulatedProvider;
  /** The steps in order, without values that differ between runs. */
  readonly lines: string[] = [];
  readonly dead = new Set<string>();
  /**
   * Number of crashes, pauses and lost responses of Postgres; each may leave a worker's sends
   * ambiguous.
   */
  disturbances = 0;
  /** From then on no statement breaks off. */
  isAtPeace = false;
  readonly scenery: Scenario;
  readonly #random: () => number;
  readonly #cache: SettingsCache;
  readonly #gates: Gates = createGates();
  readonly #busy = { count: 0 };
  readonly #asleep = new Map<string, { readonly untilStep: number; missedMs: number }>();
  readonly #inHurry = new Set<string>();
  readonly #failuresOfTheDead: unknown[] = [];
  #workers: readonly SimulatedWorker[];
  #born = 0;

  static async make(db: Database, seed: number, scenarioName: ScenarioName): Promise<World> {
    const scenery = SCENARIOS[scenarioName];
    const random = randomFrom(seed);
    const { applicationId } = await createSendingApplication(db);
    await configureChannel(db, applicationId, 'WEB_PUSH');
    await updateApplication(db, applicationId, { settings: scenery.wishes });
    const campaignIds: string[] = [];
    for (let made = 0; made < CAMPAIGNS; made += 1) {
      const numberOfDevices = (): number => 1 + Math.floor(random() * DEVICES_MAX);
      const { campaignId } =
        scenery.channelName === 'EMAIL'
          ? await createSendingCampaign(db, { applicationId, count: RECIPIENTS })
          : await createPushCampaign(db, {
              applicationId,
              devices: someDevices(...Array.from({ length: OWNERS }, numberOfDevices)),
            });
      if (scenery.lane === 'bulk') await moveToBulk(db, campaignId);
      campaignIds.push(campaignId);
    }
    return new World({
      db,
      applicationId,
      campaignIds,
      scenery,
      random,
      cache: await readOnce(db, { applicationId, campaignIds, scenery }),
    });
  }

  private constructor(
    made: Pick<World, 'db' | 'applicationId' | 'campaignIds' | 'scenery'> & {
      readonly random: () => number;
      readonly cache: SettingsCache;
    },
  ) {
    this.db = made.db;
    this.applicationId = made.applicationId;
    this.campaignIds = made.campaignIds;
    this.scenery = made.scenery;
    this.#random = made.random;
    this.#cache = made.cache;
    this.provider = createSimulatedProvider({
      gates: this.#gates,
      random: made.random,
      db: made.db,
      busy: this.#busy,
    });
    this.#workers = Array.from({ length: WORKERS }, () => this.#newWorker());
  }

  /** Undefined of nothing. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** A whole number from 0 on. */
  below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  /** A part of the whole, by which weights are drawn. */
  draw(total: number): number {
    return this.#random() * total;
  }

  /** Resolves when every participant is at a gate, waits for time, or is done. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
      await turn();
      if (this.#busy.count > 0) quiet = -1;
    }
  }

  /** False if no participant that is awake waits. */
  openGate(): boolean {
    const waiting = this.#gates.waiting().filter(({ who }) => !this.#asleep.has(who));
    const inHurry = waiting.filter(({ who }) => this.#inHurry.has(who));
    const gate = this.pick(inHurry.length > 0 ? inHurry : waiting);
    if (gate === undefined) return false;
    this.lines.push(`${gate.who}: ${gate.what}`);
    this.#inHurry.delete(gate.who);
    gate.open();
    if (
      CLAIMS[this.scenery.lane].some((claim) => gate.what.startsWith(claim)) &&
      this.#random() < EARLY_WAKE_SHARE
    )
      this.#wakeRudely();
    return true;
  }

  /** An idle worker starts the chunk; without one nothing happens. */
  give(chunk: ChunkRef): void {
    const worker = this.pick(
      this.#workers.filter((one) => one.isIdle() && !this.#asleep.has(one.name)),
    );
    if (worker === undefined) return;
    this.lines.push(
      `${worker.name} gets chunk ${chunk.chunkNo} of campaign ${this.campaignIds.indexOf(chunk.campaignId)}`,
    );
    worker.begin(chunk);
  }

  areAllIdle(): boolean {
    return this.#workers.every((worker) => worker.isIdle());
  }

  /**
   * Advances Postgres' time by moving rows into the past; sleeping workers notice when they wake.
   */
  async passTime(ms: number): Promise<void> {
    await moveIntoPast(this.db, this.campaignIds, ms);
    for (const { name, clock } of this.#workers) {
      const sleeper = this.#asleep.get(name);
      if (sleeper === undefined) clock.advance(ms);
      else sleeper.missedMs += ms;
    }
  }

  /** The clock of Postgres was an hour ahead when it wrote the rows of this campaign, and is right from now on. */
  async putClockRight(campaignId: string): Promise<void> {
    this.lines.push(`the clock is put right for campaign ${this.campaignIds.indexOf(campaignId)}`);
    await moveRowsIntoPast(this.db, [campaignId], -HOUR_MS);
  }

  kill(): void {
    const victim = this.#anyWorker();
    this.lines.push(`${victim.name} dies`);
    this.disturbances += 1;
    this.#gates.kill(victim.name);
    this.dead.add(victim.name);
    this.#failuresOfTheDead.push(...victim.failures);
    this.#asleep.delete(victim.name);
    this.#workers = this.#workers.map((worker) => (worker === victim ? this.#newWorker() : worker));
  }

  putToSleep(untilStep: number): void {
    const { name } = this.#anyWorker();
    if (this.#asleep.has(name)) return;
    this.lines.push(`${name} sleeps`);
    this.disturbances += 1;
    this.#asleep.set(name, { untilStep, missedMs: 0 });
  }

  /** Those whose sleep is over at this step. */
  wake(step: number): void {
    for (const { name, clock } of this.#workers) {
      const sleeper = this.#asleep.get(name);
      if (sleeper === undefined || sleeper.untilStep > step) continue;
      this.#asleep.delete(name);
      clock.advance(sleeper.missedMs);
    }
  }

  /** Wakes a sleeping worker right after another took its rows: the worst moment. */
  #wakeRudely(): void {
    for (const name of this.#asleep.keys()) this.#inHurry.add(name);
    this.wake(Infinity);
  }

  stop(): void {
    const worker = this.#anyWorker();
    this.lines.push(`${worker.name} is stopped`);
    worker.stop();
  }

  /** Anything that went wrong and should not have. */
  failures(): unknown[] {
    return [...this.#failuresOfTheDead, ...this.#workers.flatMap((worker) => worker.failures)];
  }

  #anyWorker(): SimulatedWorker {
    const worker = this.pick(this.#workers);
    if (worker === undefined) throw new Error('there are no workers');
    return worker;
  }

  #newWorker(): SimulatedWorker {
    this.#born += 1;
    const name = `worker ${this.#born}`;
    const db = gateDatabase(this.db, {
      who: name,
      gates: this.#gates,
      loses: () => this.#loses(),
      busy: this.#busy,
    });
    return createSimulatedWorker({
      name,
      db,
      ...this.scenery,
      channel: this.provider.channelOf(name),
      cache: this.#cache,
    });
  }

  #loses(): 'before' | 'after' | 'nothing' {
    const dice = this.#random();
    if (this.isAtPeace || dice > 2 * LOST_SHARE) return 'nothing';
    this.disturbances += 1;
    return dice < LOST_SHARE ? 'before' : 'after';
  }
}

async function moveToBulk(db: Database, campaignId: string): Promise<void> {
  for (const [table, key] of [
    ['campaigns', 'id'],
    ['campaign_chunks', 'campaign_id'],
  ])
    await db.sql.query(`update ${table} set lane = 'bulk' where ${key} = $1`, [campaignId]);
  await db.sql.query(
    `update users set fields = '{}' where id in (select user_id from deliveries where campaign_id = $1 order by id limit $2)`,
    [campaignId, UNREACHABLE],
  );
}

/** What a worker would cache: not part of the protocol. */
async function readOnce(
  db: Database,
  { applicationId, campaignIds, scenery }: Pick<World, 'applicationId' | 'campaignIds' | 'scenery'>,
): Promise<SettingsCache> {
  const settings = await readChannelSettings(db, testSecretBox, {
    applicationId,
    channel: scenery.channelName,
  });
  const campaigns = await readCampaignsToSend(db.sql, campaignIds);
  return {
    campaign: (id) => Promise.resolve(campaigns.get(id) ?? null),
    settings: () => Promise.resolve(settings && { ...settings, pausedAccounts: new Set<string>() }),
    forgetSettings: () => undefined,
  };
}

async function moveIntoPast(
  db: Database,
  campaignIds: readonly string[],
  ms: number,
): Promise<void> {
  await moveRowsIntoPast(db, campaignIds, ms);
  await db.sql.query(
    `update campaigns set ${moved(['created_at', 'expires_at'])} where id = any($1)`,
    [campaignIds, ms],
  );
}

/** What the clock of Postgres writes. */
const TIMES_OF = {
  deliveries: ['lease_until', 'next_at', 'created_at', 'updated_at'],
  delivery_addresses: ['lease_until', 'next_at', 'updated_at'],
  campaign_chunks: ['due_at', 'leased_until', 'written_at'],
} as const;

async function moveRowsIntoPast(
  db: Database,
  campaignIds: readonly string[],
  ms: number,
): Promise<void> {
  for (const [table, times] of Object.entries(TIMES_OF))
    await db.sql.query(`update ${table} set ${moved(times)} where campaign_id = any($1)`, [
      campaignIds,
      ms,
    ]);
}

const moved = (times: readonly string[]): string =>
  times.map((time) => `${time} = ${time} - $2::float8 * interval '1 ms'`).join(', ');

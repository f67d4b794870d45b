import { expect, test } from '@jest/globals';
import { stopAutomation } from '@tidings/automations/automations';
import { relisten } from '@tidings/automations/relisten';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { acceptCampaign } from '@tidings/delivery/accept';
import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import { systemIds } from '@tidings/platform';
import { isLiveCondition } from '@tidings/segments/live-conditions';
import { EVERYONE, selectWithOthers } from '@tidings/segments/members';
import { readConditionContext, writeSegment } from '@tidings/segments/segments';
import {
  createCondition,
  createRandom,
  DEFINITIONS,
  DURATION_MS,
  PLANS,
  SEGMENTS,
  someAttributes,
} from '@tidings/segments/testing';
import { expandAll, newCampaign, seedsOfRun, userMessage } from '@tidings/testing';
import { stepEngine } from './testing/agreement/engine-runs.ts';
import { createMovedClock } from './testing/agreement/moved-clock.ts';
import { countEvaluations } from './testing/live-members/evaluations.ts';
import { isMentioned, type Happening } from './testing/live-members/mentions.ts';
import { automationRig, cart, HOUR_MS } from './testing/rig.ts';

const DAYS = 60;
const STEPS = 40;
const PEOPLE = 14;
/** The others register later, or not at all. */
const REGISTERED = 10;
const LIVE = 14;
const DAY_MS = 24 * HOUR_MS;
/** All of them in the nightly run. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const OUTCOMES = ['delivered', 'opened', 'clicked'] as const;
const NAMES = Array.from({ length: PEOPLE }, (_each, index) => `p${index}`);

const seeds = seedsOfRun(SEEDS);

test.each(seeds.length === SEEDS.length ? seeds : seeds.slice(-2))(
  'members are those of a recomputation at each step of 60 days, and no one else is asked, seed %i',
  async (seed) => {
    const clock = await createMovedClock();
    try {
      await moveThrough(seed, clock);
    } finally {
      await clock.close();
    }
  },
  600_000,
);

async function moveThrough(
  seed: number,
  clock: Awaited<ReturnType<typeof createMovedClock>>,
): Promise<void> {
  const { db } = clock;
  const random = createRandom(seed);
  const from =
    Math.floor(Date.now() / DAY_MS) * DAY_MS + (seed % 24) * HOUR_MS - (DAYS + 2) * DAY_MS;
  let at = from;
  await clock.set(at);
  const rig = await automationRig(db);
  const { applicationId } = rig;
  const counting = countEvaluations(db);
  await insertDefinitions();
  const happened = new Map<string, Set<Happening>>();
  const visitors = new Map<string, string>();
  const asked = { changes: 0, rechecks: 0, moves: 0 };
  for (const name of NAMES.slice(0, REGISTERED)) await changeProfile(name);
  const campaigns = [await sendCampaign(), await sendCampaign()];
  const segments = new Map<string, Condition>();
  const live = new Map<string, string>();
  for (const [slug, condition] of SEGMENTS) await write(slug, condition);
  for (let no = 0; no < LIVE - 2; no += 1) await makeLive();
  await step(new Set(live.values()));

  for (let no = 0; no < STEPS; no += 1) {
    at = await nextInstant(no);
    await clock.set(at);
    const building = new Set<string>();
    happened.clear();
    const deeds = random.chance(0.3) ? 0 : random.integer(1, 5);
    for (let deed = 0; deed < deeds; deed += 1) await doSomething();
    if (no % 20 === 7) building.add(await makeLive());
    if (no % 20 === 13) for (const slug of await edit()) building.add(slug);
    if (no % 20 === 17) await stopOne();
    await step(building);
  }
  expect(rig.failures).toEqual([]);
  // Time alone has its share, and there are moves that can be missed.
  expect(asked.rechecks).toBeGreaterThan(5);
  expect(asked.changes).toBeGreaterThan(20);
  expect(asked.moves).toBeGreaterThan(20);

  /** Lets the engine do what there is to do, and compares. */
  async function step(building: ReadonlySet<string>): Promise<void> {
    const due = await readDue();
    const before = await readMembers();
    await stepEngine(counting.db, rig.observer);
    const evaluations = counting.take();
    const idOf = await readIds();
    const named = new Set([...happened].flatMap(([name, what]) => namedBy(idOf.get(name), what)));
    const others: string[] = [];
    for (const { slug, userId } of evaluations) {
      if (building.has(slug)) continue;
      const pair = `${slug} ${userId}`;
      if (due.has(pair)) asked.rechecks += 1;
      else if (named.has(pair)) asked.changes += 1;
      else others.push(pair);
    }
    const place = `seed ${seed}, ${(at - from) / DAY_MS} days`;
    expect([place, others]).toEqual([place, []]);
    const members = await readMembers();
    const expected = await recompute();
    for (const [slug, names] of expected) {
      const said = [place, slug, JSON.stringify(segments.get(slug))];
      expect([...said, members.get(slug) ?? []]).toEqual([...said, names]);
      const earlier = new Set(before.get(slug));
      asked.moves += names.filter((name) => !earlier.has(name)).length;
    }
  }

  /** The segments that ask about what happened to a person, each with them. */
  function namedBy(userId: string | undefined, what: ReadonlySet<Happening>): string[] {
    const isNamed = (slug: string): boolean =>
      [...what].some((each) => isMentioned(each, { segment: slug }, segments));
    return [...live.values()].filter(isNamed).map((slug) => `${slug} ${userId}`);
  }

  /** Some steps come to the instant of a recheck, some to the millisecond before it. */
  async function nextInstant(no: number): Promise<number> {
    const spread = from + ((no + 1) / STEPS) * DAYS * DAY_MS;
    const planned = Math.max(at + 1, Math.round(spread + (random.integer(0, 200) - 100) * 600_000));
    const { rows } = await db.sql.query<{ ms: number | null }>(
      `select floor(extract(epoch from min(recheck_at)) * 1000)::float8 as ms from segment_members
       where application_id = $1`,
      [applicationId],
    );
    const next = rows[0]?.ms ?? Infinity;
    if (next <= at + 1 || next > planned) return planned;
    return random.pick([planned, planned, next, next - 1]);
  }

  async function doSomething(): Promise<void> {
    const name = random.pick(NAMES);
    const kind = random.integer(0, 9);
    if (kind <= 4) return act(name);
    if (kind <= 6) return changeProfile(name);
    if (kind === 7) return actAsVisitor(name);
    return hearOutcome();
  }

  function noteOf(name: string, ...what: readonly Happening[]): void {
    happened.set(name, new Set([...(happened.get(name) ?? []), ...what]));
  }

  /** What someone does now, or did before, or will have done by a clock that is ahead. */
  function newEvent() {
    const definition = random.pick(DEFINITIONS.filter(({ slug }) => slug !== 'never'));
    const { slug, kind } = definition;
    const time = random.pick([
      at,
      at,
      at - random.integer(0, 40) * HOUR_MS,
      at - random.pick(DURATION_MS) + random.integer(-1, 1),
      at + random.integer(1, 30) * 60_000,
    ]);
    const attributes = Object.fromEntries(
      ['price', 'color', 'a'].map((key) => [key, random.pick([0, 5, 5.5, 100, ...PLANS])]),
    );
    const date = new Date(at + random.integer(-40, 40) * DAY_MS).toISOString();
    return {
      slug,
      message: {
        type: kind,
        id: systemIds.uuid(),
        time,
        name: slug,
        ...(kind === 'revenue'
          ? { revenue: random.pick([10, 19.99, 0.1, 200]), currency: random.pick(['EUR', 'USD']) }
          : { attributes: { ...attributes, at: date } }),
      },
    };
  }

  async function act(customUserId: string): Promise<void> {
    const { slug, message } = newEvent();
    const isProved = random.chance(0.8);
    await rig.applyEvents(
      rig.record({
        customUserId,
        receivedAt: at,
        keyType: isProved ? 'server' : 'client',
        messages: [message] as never,
      }),
    );
    noteOf(customUserId, `event ${slug}`);
  }

  /** Who does something without a name, and turns out to be a person later. */
  async function actAsVisitor(customUserId: string): Promise<void> {
    const serviceUserId = visitors.get(customUserId) ?? systemIds.uuid();
    visitors.set(customUserId, serviceUserId);
    const { slug, message } = newEvent();
    await rig.applyEvents(
      rig.record({
        customUserId: null,
        serviceUserId,
        receivedAt: at,
        messages: [message] as never,
      }),
    );
    // It is the person's already if the visitor has turned out to be them.
    noteOf(customUserId, `event ${slug}`);
  }

  async function changeProfile(customUserId: string): Promise<void> {
    const serviceUserId = random.chance(0.3) ? (visitors.get(customUserId) ?? null) : null;
    await rig.applyUsers(
      rig.record({
        customUserId,
        serviceUserId,
        receivedAt: at,
        keyType: random.chance(0.8) ? 'server' : 'client',
        messages: [
          userMessage({
            time: at,
            customAttributes: someAttributes(random, at),
            ...(random.chance(0.5) && { country: random.pick(['DE', 'AT', 'CH']) }),
            ...(random.chance(0.5) && { firstName: random.pick(PLANS) }),
            ...(random.chance(0.5) && { birthday: at - random.integer(-40, 40) * DAY_MS }),
          }),
        ],
      }),
    );
    noteOf(customUserId, 'profile', 'identity');
  }

  async function hearOutcome(): Promise<void> {
    const { campaignId, deliveries } = random.pick(campaigns);
    const [name, deliveryId] = random.pick([...deliveries]);
    await applyDeliveryUpdates(db, [{ deliveryId, outcome: random.pick(OUTCOMES), at }]);
    noteOf(name, `campaign ${campaignId}`);
  }

  async function sendCampaign() {
    const campaign = newCampaign({ applicationId, recipients: NAMES.slice(0, REGISTERED) });
    const { campaignId } = campaign;
    await acceptCampaign(db, campaign);
    await expandAll(db, campaignId);
    const { rows } = await db.sql.query<{ id: string; name: string }>(
      `update deliveries set state = 'sent', sent_at = now() where campaign_id = $1
       returning id, custom_user_id as name`,
      [campaignId],
    );
    return { campaignId, deliveries: new Map(rows.map(({ id, name }) => [name, id])) };
  }

  async function insertDefinitions(): Promise<void> {
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin, discarded, merged_into)
       select $1, slug, kind, name, 'auto', discarded, "mergedInto"
       from jsonb_to_recordset($2::jsonb) as x(slug text, kind text, name text, discarded bool, "mergedInto" text)`,
      [applicationId, JSON.stringify(DEFINITIONS)],
    );
  }

  function drawLive(): Condition {
    const drawn = {
      now: from + (DAYS / 2) * DAY_MS,
      campaigns: campaigns.map(({ campaignId }) => ({
        id: campaignId,
        channel: 'EMAIL' as const,
        purpose: 'marketing' as const,
        tags: [],
      })),
    };
    for (;;) {
      const condition = createCondition(random, drawn);
      if (isLiveCondition(condition, { segments })) return condition;
    }
  }

  /** Returns whether it is one that may be written. */
  async function write(slug: string, condition: Condition): Promise<boolean> {
    const written = await writeSegment(db, {
      applicationId,
      slug,
      name: slug,
      condition,
      by: 'test',
    });
    if (typeof written === 'string' || 'errors' in written) return false;
    segments.set(slug, condition);
    return true;
  }

  /** An automation makes another segment live. Returns the segment. */
  async function makeLive(): Promise<string> {
    const slug = `s${segments.size}`;
    while (!(await write(slug, drawLive())));
    const automation = `a${segments.size}`;
    await rig.activate(
      cart([{ id: 'hour', delay: '1h' }], { trigger: { segment: slug, when: 'enters' } }),
      automation,
    );
    live.set(automation, slug);
    return slug;
  }

  /** Another condition. Returns the segments that ask something else by it. */
  async function edit(): Promise<readonly string[]> {
    const slug = random.pick([...live.values(), 'vip']);
    while (!(await write(slug, drawLive())));
    await db.transaction((sql) => relisten(sql, applicationId));
    // Those that name it, directly or not.
    return slug === 'vip' ? [...live.values()] : [slug];
  }

  async function stopOne(): Promise<void> {
    const slug = random.pick([...live.keys()]);
    await stopAutomation(db, { applicationId, slug, runs: 'end', by: 'test' });
    live.delete(slug);
  }

  async function readDue(): Promise<ReadonlySet<string>> {
    const { rows } = await db.sql.query<{ slug: string; user_id: string }>(
      `select slug, user_id from segment_members
       where application_id = $1 and recheck_at <= to_timestamp($2::float8 / 1000)`,
      [applicationId, at],
    );
    return new Set(rows.map(({ slug, user_id: userId }) => `${slug} ${userId}`));
  }

  async function readIds(): Promise<ReadonlyMap<string, string>> {
    const { rows } = await db.sql.query<{ id: string; name: string }>(
      'select id, custom_user_id as name from users where application_id = $1 and custom_user_id is not null',
      [applicationId],
    );
    return new Map(rows.map(({ id, name }) => [name, id]));
  }

  async function readMembers(): Promise<ReadonlyMap<string, string[]>> {
    const { rows } = await db.sql.query<{ slug: string; names: string[] }>(
      `select m.slug, array_agg(u.custom_user_id order by u.custom_user_id) as names
       from segment_members m join users u on u.id = m.user_id
       where m.application_id = $1 and m.is_member group by 1`,
      [applicationId],
    );
    return new Map(rows.map(({ slug, names }) => [slug, names]));
  }

  /** Of all people, whom each live segment has now. */
  async function recompute(): Promise<ReadonlyMap<string, string[]>> {
    const slugs = [...live.values()];
    const found = await selectWithOthers(
      db.sql,
      {
        context: await readConditionContext(db.sql, applicationId),
        condition: EVERYONE,
        now: at,
        customUserIds: NAMES,
      },
      slugs.map((slug) => ({ segment: slug })),
    );
    return new Map(
      slugs.map((slug, index) => [
        slug,
        found
          .filter(({ others }) => others[index] === true)
          .map(({ customUserId }) => customUserId)
          .toSorted(),
      ]),
    );
  }
}

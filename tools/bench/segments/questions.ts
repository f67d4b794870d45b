import type { Condition } from '@tidings/contracts/segments/conditions';

/** A question about all users, and the statement that a developer would write for it. */
export type SegmentQuestion = {
  readonly name: string;
  readonly condition: Condition;
  /** Counts the users; `$1` is the application, `$2` now in milliseconds. */
  readonly byHand: string;
  /** Seconds. */
  readonly goal: number;
};

const DAY_MS = 86_400_000;
const SECONDS_MAX = 2;
/** Of questions with more than 1.5 million events in their window, and of those about messages. */
const WIDE_SECONDS_MAX = 5;

const PERSONS = 'from users u where u.application_id = $1 and u.registered_at is not null';
/** Events of a definition in the last days, by the person whose events they are. */
const eventsOf = (slug: string, days: number): string =>
  `select coalesce(p.merged_into, e.user_id) as person, e.time, e.revenue, e.currency, e.attributes
   from events e join users p on p.id = e.user_id
   where e.application_id = $1 and e.slug = '${slug}' and e.time >= $2::bigint - ${days * DAY_MS} and e.time <= $2::bigint`;
/** Messages that reached a milestone in the last days, by user. */
const messagesOf = (milestone: string, days: number, ofCampaign: string): string =>
  `select d.user_id as person from deliveries d join campaigns c on c.id = d.campaign_id
   where c.application_id = $1 and d.test_address is null and ${ofCampaign}
     and d.${milestone} > to_timestamp($2::bigint / 1000.0) - interval '${days} days' and d.${milestone} <= to_timestamp($2::bigint / 1000.0)`;
const personsWith = (having: string): string =>
  `select count(*)::int as count ${PERSONS} and u.id in (${having})`;

export const SEGMENT_QUESTIONS: readonly SegmentQuestion[] = [
  {
    name: 'country and plan',
    condition: {
      all: [
        { field: 'country', is: 'DE' },
        { attribute: 'plan', is: 'pro' },
      ],
    },
    byHand: `select count(*)::int as count ${PERSONS} and u.fields->>'country' = 'DE' and u.custom_attributes->>'plan' = 'pro'`,
    goal: SECONDS_MAX,
  },
  {
    name: 'score from 800 to 900',
    condition: { attribute: 'score', gte: 800, lt: 900 },
    byHand: `select count(*)::int as count ${PERSONS} and jsonb_typeof(u.custom_attributes->'score') = 'number'
      and (u.custom_attributes->>'score')::numeric >= 800 and (u.custom_attributes->>'score')::numeric < 900`,
    goal: SECONDS_MAX,
  },
  {
    name: 'viewed at least 3 times in 30 days',
    condition: { event: 'viewed', count: { gte: 3 }, within: '30d' },
    byHand: personsWith(
      `select person from (${eventsOf('viewed', 30)}) v group by 1 having count(*) >= 3`,
    ),
    goal: WIDE_SECONDS_MAX,
  },
  {
    name: 'not logged in for 14 days',
    condition: { not: { event: 'logged_in', within: '14d' } },
    byHand: `select count(*)::int as count ${PERSONS} and not exists (select from (${eventsOf('logged_in', 14)}) l where l.person = u.id)`,
    goal: SECONDS_MAX,
  },
  {
    name: 'checkout in 7 days, no order after it',
    condition: { event: 'checkout', within: '7d', notFollowedBy: { event: 'ordered' } },
    byHand: personsWith(
      `select c.person from (${eventsOf('checkout', 7)}) c
       left join (select person, max(time) as time from (${eventsOf('ordered', 7)}) o group by 1) o on o.person = c.person
       where o.time is null or o.time <= c.time`,
    ),
    goal: SECONDS_MAX,
  },
  {
    name: 'revenue in EUR over 200 in 90 days',
    condition: { event: 'ordered', sum: { gt: 200 }, currency: 'EUR', within: '90d' },
    byHand: personsWith(
      `select person from (${eventsOf('ordered', 90)}) o where currency = 'EUR' group by 1 having sum(revenue::numeric) > 200`,
    ),
    goal: SECONDS_MAX,
  },
  {
    name: 'viewed a price over 150 in 30 days',
    condition: { event: 'viewed', within: '30d', where: [{ attribute: 'price', gt: 150 }] },
    byHand: personsWith(
      `select person from (${eventsOf('viewed', 30)}) v
       where jsonb_typeof(attributes->'price') = 'number' and (attributes->>'price')::numeric > 150`,
    ),
    goal: WIDE_SECONDS_MAX,
  },
  {
    name: 'no marketing e-mail in 7 days',
    condition: {
      not: { message: { channel: 'EMAIL', purpose: 'marketing' }, was: 'sent', within: '7d' },
    },
    byHand: `select count(*)::int as count ${PERSONS} and not exists (select from
      (${messagesOf('sent_at', 7, "c.channel = 'EMAIL' and c.purpose = 'marketing'")}) m where m.person = u.id)`,
    goal: WIDE_SECONDS_MAX,
  },
  {
    name: 'opened at least 2 messages in 90 days',
    condition: { message: {}, was: 'opened', count: { gte: 2 }, within: '90d' },
    byHand: personsWith(
      `select person from (${messagesOf('opened_at', 90, 'true')}) m group by 1 having count(*) >= 2`,
    ),
    goal: WIDE_SECONDS_MAX,
  },
];

/** Three leaves about behaviour, as an automation asks them of one user. */
export const THREE_LEAVES: Condition = {
  all: [
    { event: 'viewed', count: { gte: 3 }, within: '30d' },
    { not: { event: 'logged_in', within: '14d' } },
    { event: 'ordered', sum: { gt: 200 }, currency: 'EUR', within: '30d' },
  ],
};

import type { Database } from '@tidings/postgres/database';

/** Everything here is small: a few kilobytes of text, some thousand users. What it costs is not. */

const SEARCHED_CHARS = 160_000;
const HALF_OF_WANTED_CHARS = 40_000;
const SEARCHES = 30;

/** Searches of one text in another, each of which takes the square of their lengths. */
export const SEARCHING_TEMPLATE = [
  `{% capture a %}${'a'.repeat(SEARCHED_CHARS)}{% endcapture %}`,
  `{% capture b %}${'a'.repeat(HALF_OF_WANTED_CHARS)}b${'a'.repeat(HALF_OF_WANTED_CHARS)}{% endcapture %}`,
  `{% if ${Array(SEARCHES).fill('a contains b').join(' or ')} %}x{% endif %}ok`,
].join('');

const DATES = 1_000;

/** What the limits permit: some 0.1 s of CPU for each recipient. */
export const PERMITTED_TEMPLATE = `{% for i in (1..${DATES}) %}{% assign x = "now" | date: "%A %d %B %Y %H %M %S %Z %c" %}{% endfor %}ok`;

const CONDITIONS = 250;
const COMPARISONS = 40;

/** 204 KB, which take 0.1 s of CPU to parse. */
export const LONG_TEMPLATE =
  `{% if user.city == "a"${' or user.city == "b"'.repeat(COMPARISONS)} %}x{% endif %}ok`.repeat(
    CONDITIONS,
  );

const LEAVES = 40;

/** For each of forty parts, the events of each user are compared with all later ones. */
export const COSTLY_CONDITION = {
  any: Array.from({ length: LEAVES }, (_, leaf) => ({
    event: 'viewed',
    within: '365d',
    where: [{ attribute: 'page', contains: 'page' }],
    followedBy: {
      event: 'viewed',
      in: '3650d',
      where: [{ attribute: 'page', contains: `never-${leaf}` }],
    },
    notFollowedBy: {
      event: 'viewed',
      in: '3650d',
      where: [{ attribute: 'page', contains: `not-${leaf}` }],
    },
  })),
};

const IMAGES = 300_000;

/** A push of 5.4 MB that the schema refuses. */
export const REFUSED_PUSH = JSON.stringify({
  recipients: ['person-0'],
  channel: 'WEB_PUSH',
  personalize: true,
  message: {
    title: 'Hello',
    body: 'Hello',
    images: Array.from({ length: IMAGES }, () => ({ url: '{{ a }}' })),
  },
});

export const PEOPLE = 7_000;
const EVENTS_OF_ONE = 60;
const DAYS = 28;

export const personOf = (user: number): string => `person-${user}`;

/** Writes users with events, as the services would have stored them. */
export async function writePeople(
  db: Database,
  { applicationId, events }: { readonly applicationId: string; readonly events: boolean },
): Promise<void> {
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields)
     select uuidv7(), $1, 'person-' || n, now(), jsonb_build_object('email', 'person-' || n || '@many.example')
     from generate_series(0, $2::int - 1) as n`,
    [applicationId, PEOPLE],
  );
  if (events) {
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin) values ($1, 'viewed', 'action', 'viewed', 'auto')`,
      [applicationId],
    );
    await db.sql.query(
      `select make_partitions('events', interval '1 month', 2, now() - interval '${DAYS} days')`,
    );
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes)
       select uuidv7(), 0, $1, u.id, 'viewed-' || u.custom_user_id || '-' || n, 'action', 'viewed',
         (extract(epoch from at) * 1000)::bigint, at, jsonb_build_object('page', 'page-' || n)
       from users u, generate_series(1, ${EVENTS_OF_ONE}) as n,
         lateral (select now() - interval '${DAYS} days' * n / ${EVENTS_OF_ONE + 1}.0 as at) as moment
       where u.application_id = $1`,
      [applicationId],
    );
  }
  await db.sql.query('vacuum analyze users, events');
}

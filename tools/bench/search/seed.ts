import type { Database } from '@tidings/postgres/database';
import { inSteps } from '../rows/in-steps.ts';

/** How much an application has. */
export type Sizes = {
  readonly users: number;
  readonly campaigns: number;
  readonly calls: number;
};

export const FULL: Sizes = { users: 500_000, campaigns: 5_000, calls: 100 };

/** Smoke test only; the figures mean nothing. */
export const QUICK: Sizes = { users: 5_000, campaigns: 200, calls: 5 };

const NAMED = 200;
const CAMPAIGNS_PER_STATEMENT = 1_000;
/** Tables whose statistics a search needs. */
const ANALYZED = ['users', 'campaigns', 'segments', 'templates'];

/** Rows by SQL, as the services would have stored them. */
export async function seed(
  db: Database,
  applicationId: string,
  { users, campaigns }: Sizes,
): Promise<void> {
  console.error(`${users} users …`);
  await inSteps(users, (from, to) => db.sql.query(USERS, [applicationId, from, to, FIRST, LAST]));
  console.error(`${campaigns} campaigns …`);
  await inSteps(
    campaigns,
    (from, to) => db.sql.query(CAMPAIGNS, [applicationId, from, to]),
    CAMPAIGNS_PER_STATEMENT,
  );
  await db.sql.query(SEGMENTS, [applicationId, NAMED]);
  await db.sql.query(TEMPLATES, [applicationId, NAMED]);
  for (const table of ANALYZED) await db.sql.query(`vacuum analyze ${table}`);
}

/** Of several scripts. A first name has many people: the hardest case of one. */
const FIRST =
  'Anna Annette Heiko Zoë Maria Jean Иван Пётр Анна אנה יעל زهرا محمد 太郎 花子 민수'.split(' ');
const LAST =
  "Berlinger Müller Anders O'Neil Strauß Соловьёв Петрова ברלין כהן علی‌زاده محمدی 山田 鈴木 김".split(
    ' ',
  );

const USERS = `
  insert into users (id, application_id, custom_user_id, registered_at, fields, clocks, phone_e164)
  select uuidv7(), $1, 'u-' || no, now(),
         jsonb_build_object(
           'email', 'person' || no || '@example.com', 'phoneNumber', '+49151' || no,
           'firstName', ($4::text[])[1 + n % cardinality($4::text[])],
           'lastName', ($5::text[])[1 + n / 7 % cardinality($5::text[])] || n / 1000),
         '{"fields": {}}', '+49151' || no
  from (select n, lpad(n::text, 8, '0') as no from generate_series($2::int, $3::int) as n) as numbered`;

const CAMPAIGNS = `
  insert into campaigns (id, application_id, channel, lane, purpose, source, status, message, recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at, name, tags, search_text)
  select uuidv7(), $1, 'EMAIL', 'bulk', 'marketing', 'dashboard', 'completed', jsonb_build_object('title', title, 'body', repeat('<p>Hello</p>', 100)), 1, 1, 'key:Bench', uuidv7(), now(), now() + interval '3 days', 'Wave ' || n, array['newsletter'], search_key('Wave ' || n || ' ' || title || ' newsletter')
  from (select n, 'Offer ' || n || ' of the week' as title from generate_series($2::int, $3::int) as n) as titled`;

const SEGMENTS = `
  insert into segments (application_id, slug, name, condition, version, updated_by)
  select $1, 'segment-' || n, 'Buyers of part ' || n, '{"field": "country", "is": "DE"}', 1, 'bench'
  from generate_series(1, $2::int) as n`;

const TEMPLATES = `
  insert into templates (application_id, slug, name, channel, content, version, updated_by)
  select $1, 'template-' || n, 'Greeting ' || n, 'EMAIL', '{}', 1, 'bench'
  from generate_series(1, $2::int) as n`;

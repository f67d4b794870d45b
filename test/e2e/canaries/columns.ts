import type { Database } from '@tidings/postgres/database';
import { canariesIn, type Canary, type CanaryKind } from './canary.ts';

/** The only columns that may hold each kind unencrypted, and why. All others must hold none. */
export const ALLOWED_COLUMNS: Readonly<
  Record<string, { readonly kinds: readonly CanaryKind[]; readonly why: string }>
> = {
  'users.fields': {
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'the profile, as the caller sent it',
  },
  'users.phone_e164': {
    kinds: ['phone number'],
    why: 'the number that SMS go to, made of the profile’s',
  },
  'users.email_key': {
    kinds: ['e-mail address'],
    why: 'the address in lower case, by which people are searched and suppressions found',
  },
  'users.mailbox_key': {
    kinds: ['e-mail address'],
    why: 'one text for all spellings of an address that is not plain ASCII',
  },
  'users.mailbox_spelling': {
    kinds: ['e-mail address'],
    why: 'the address in lower case that this text was made of',
  },
  'devices.address': {
    kinds: ['push address'],
    why: 'the subscription or token that pushes go to',
  },
  'campaigns.message': {
    kinds: ['message text'],
    why: 'the message, as it is sent and shown in the report',
  },
  'campaigns.search_text': {
    kinds: ['message text'],
    why: 'the words by which the campaign is found: its title or the beginning of its text',
  },
  'campaign_drafts.content': {
    kinds: ['message text'],
    why: 'a campaign that is being written',
  },
  'inbox.message': {
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'a personal message, from its rendering until it is shown; deleted with the user',
  },
  'delivery_data.filled_in': {
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'what was filled into a personal message; deleted with the user and with the delivery',
  },
  'automation_runs.data': {
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'what the API gave a run; deleted with the user and with the run',
  },
  'delivery_contexts.event': {
    kinds: ['phone number', 'e-mail address', 'name'],
    why: 'the event that a message of an automation shows; deleted with the user and with the delivery',
  },
  'refused_requests.custom_user_id': {
    kinds: ['phone number', 'e-mail address'],
    why: 'the user id chosen by the caller; searchable, and deleted with the user',
  },
  'suppressions.address': {
    kinds: ['phone number', 'e-mail address'],
    why: 'an address that nothing is sent to any more',
  },
  'suppressions.mailbox_key': {
    kinds: ['e-mail address'],
    why: 'one text for all spellings of such an address',
  },
  'deliveries.test_address': {
    kinds: ['phone number', 'e-mail address', 'push address'],
    why: 'the address of a test send, typed in by a member',
  },
};

export type Finding = { readonly where: string; readonly kind: CanaryKind; readonly name: string };

/** Searches every value of every column of every table for the canaries. */
export async function findInDatabase(
  db: Database,
  canaries: readonly Canary[],
): Promise<readonly Finding[]> {
  const findings = new Map<string, Finding>();
  for (const { table, columns } of await listTables(db)) {
    const list = columns.map((column) => `"${column}"::text as "${column}"`).join(', ');
    const { rows } = await db.sql.query<Record<string, string | null>>(
      `select ${list} from "${table}"`,
    );
    for (const row of rows) {
      for (const [column, text] of Object.entries(row)) {
        const where = `${table}.${column}`;
        for (const { kind, name } of text === null ? [] : canariesIn(text, canaries))
          findings.set(`${where} ${name}`, { where, kind, name });
      }
    }
  }
  return [...findings.values()];
}

/** Findings in columns that are not allowed. */
export const notAllowed = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ where, kind }) => !(ALLOWED_COLUMNS[where]?.kinds.includes(kind) ?? false));

/** Partitions are read through their parent table. */
async function listTables(
  db: Database,
): Promise<readonly { readonly table: string; readonly columns: readonly string[] }[]> {
  const { rows } = await db.sql.query<{ table: string; columns: string[] }>(
    `select c.relname as "table", array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by 1 order by 1`,
  );
  return rows;
}

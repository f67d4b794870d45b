import { afterAll, describe, expect, test } from '@jest/globals';
import { readAll } from '../../testing/log-rows.ts';
import { startTestDashboard, type Headers } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, tenant } = dashboard;

type Entry = { readonly id: string; readonly actor: string; readonly action: string; readonly status: number | null; readonly [field: string]: unknown };
const owner = await dashboard.signIn('owner');
const auditOf = async (query: string): Promise<Entry[]> =>
  (await dashboard.request<{ items: Entry[] }>('GET', `audit?${query}`, { headers: owner.headers })).body.items;

describe('GET audit', () => {
  test('S41 a change by a session: who, what, when, of what, from where, and what came of it', async () => {
    const developer = await dashboard.signIn('developer');
    const headers: Headers = { ...developer.headers, 'X-Forwarded-For': '203.0.113.5' };
    const before = Date.now();

    const key = await dashboard.request<{ id: string; key: string }>('POST', 'keys', { headers, body: { type: 'server', name: 'Back end' } });
    await dashboard.request('PATCH', `keys/${key.body.id}`, { headers, body: { type: 'client' } });
    await dashboard.request('PATCH', `keys/${key.body.id}`, { headers, body: { type: 'client' } });

    const common = { actor: `member:${developer.member.email}`, memberId: developer.member.id, address: '203.0.113.5', applicationId: tenant.applicationId };
    const entries = await auditOf(`member=${developer.member.id}`);
    expect(entries).toMatchObject([
      { ...common, action: 'PATCH keys/:keyId', target: { keyId: key.body.id }, detail: { type: 'client' }, status: 409 },
      { ...common, action: 'PATCH keys/:keyId', target: { keyId: key.body.id }, detail: { type: 'client' }, status: 200 },
      { ...common, action: 'POST keys', target: { id: key.body.id }, detail: { type: 'server', name: 'Back end' }, status: 201, requestId: key.headers.get('x-request-id') },
    ]);
    expect(Number(entries[0]?.['at'])).toBeGreaterThanOrEqual(before);
    expect(JSON.stringify(entries)).not.toContain(key.body.key);
  });

  test('a change by an administrator token, by its name; reading, and what a key does, is no change of the kind', async () => {
    await dashboard.request('PUT', 'allow-list', { headers: dashboard.asAdmin, body: { entries: ['10.0.0.0/8'] } });
    await dashboard.request('PUT', 'allow-list', { headers: dashboard.asAdmin, body: { entries: [] } });
    await dashboard.request('GET', 'allow-list', { headers: dashboard.asAdmin });
    await dashboard.request('DELETE', 'users/nobody', { headers: dashboard.asServer });

    const entries = await auditOf(`application=${tenant.applicationId}&action=${encodeURIComponent('PUT allow-list')}`);
    expect(entries).toMatchObject([{ actor: 'token:test', tokenId: expect.any(String), detail: { entries: [] } }, { detail: { entries: ['10.0.0.0/8'] } }]);
    expect((await auditOf(`application=${tenant.applicationId}&limit=500`)).map(({ action }) => action)).not.toContain('DELETE users/:customUserId');
  });

  test('S41 of secrets the names of their fields alone', async () => {
    const password = 'correct horse battery staple';
    await dashboard.request('PUT', 'channels/EMAIL', { headers: owner.headers, body: { host: 'smtp.example.com', port: 587, security: 'starttls', fromAddress: 'shop@example.com', username: 'shop', password } });

    const [entry] = await auditOf(`member=${owner.member.id}&action=${encodeURIComponent('PUT channels/EMAIL')}`);

    expect(entry?.['detail']).toEqual({ fields: ['host', 'port', 'security', 'fromAddress', 'username', 'password'] });
    expect((await db.sql.query('select 1 from audit_entries where audit_entries::text like $1', [`%${password}%`])).rowCount).toBe(0);
  });

  test('what a role may not do, and what is not valid, changes nothing and is no entry', async () => {
    const viewer = await dashboard.signIn('viewer');
    const developer = await dashboard.signIn('developer');

    await dashboard.request('POST', 'keys', { headers: viewer.headers, body: { type: 'server', name: 'x' } });
    await dashboard.request('POST', 'keys', { headers: developer.headers, body: { type: 'root' } });

    expect(await auditOf(`member=${viewer.member.id}`)).toEqual([]);
    expect(await auditOf(`member=${developer.member.id}`)).toEqual([]);
  });

  test('pages by cursor, between two instants', async () => {
    const admin = await dashboard.signIn('admin');
    for (let index = 0; index < 5; index += 1) await dashboard.request('PUT', 'allow-list', { headers: admin.headers, body: { entries: [] } });
    const page = (query: string) => readAll(async (cursor) => (await dashboard.request<{ items: Entry[]; nextCursor: string | null }>('GET', `audit?member=${admin.member.id}&limit=2${query}&cursor=${cursor}`, { headers: owner.headers })).body);

    const { items, pages } = await page('');

    expect([items.length, pages]).toEqual([5, 3]);
    expect(items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).toSorted().toReversed());
    expect((await page(`&from=${Date.now() + 60_000}`)).items).toEqual([]);
    expect((await page(`&to=${Date.now() + 60_000}`)).items).toHaveLength(5);
  });
});

describe('S41 the audit log', () => {
  test('is never changed, and never deleted', async () => {
    await dashboard.request('PUT', 'allow-list', { headers: dashboard.asAdmin, body: { entries: [] } });

    await expect(db.sql.query('delete from audit_entries where status = 200')).rejects.toThrow(/never changed/);
    await expect(db.sql.query(`update audit_entries set actor = 'nobody' where status = 200`)).rejects.toThrow(/never changed/);
    await expect(db.sql.query('update audit_entries set status = 500 where status = 200')).rejects.toThrow(/never changed/);
  });

  test('comes first: what cannot be recorded is not done', async () => {
    const query = (text: unknown, ...rest: unknown[]): unknown => {
      if (String(text).includes('audit_entries')) throw new Error('no room for the audit log');
      return Reflect.apply(db.sql.query, db.sql, [text, ...rest]);
    };
    const sql = { query } as unknown as typeof db.sql;
    await using broken = await startTestDashboard({ db: { ...db, sql } });
    const headers = { ...broken.asAdmin, 'X-Application-Id': tenant.applicationId };

    const { status } = await broken.request('POST', 'keys', { headers, body: { type: 'server', name: 'unrecorded' } });

    expect(status).toBe(500);
    expect((await dashboard.request('GET', 'keys', { headers: dashboard.asAdmin })).text).not.toContain('unrecorded');
  });
});

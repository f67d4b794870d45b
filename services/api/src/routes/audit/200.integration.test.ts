import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import { eventually, newCampaign, registerUsers } from '@tidings/testing';
import { readAll } from '../../testing/log-rows.ts';
import { startTestApi, type Headers } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;

type Entry = {
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly status: number | null;
  readonly [field: string]: unknown;
};
const owner = await api.signIn('owner');
const auditOf = async (query: string): Promise<Entry[]> =>
  (await api.request<{ items: Entry[] }>('GET', `audit?${query}`, { headers: owner.headers })).body
    .items;

describe('GET audit', () => {
  test('a change by a session: actor, action, time, target, address and status', async () => {
    const developer = await api.signIn('developer');
    const headers: Headers = { ...developer.headers, 'X-Forwarded-For': '203.0.113.5' };
    const before = Date.now();

    const key = await api.request<{ id: string; key: string }>('POST', 'keys', {
      headers,
      body: { type: 'server', name: 'Back end' },
    });
    await api.request('PATCH', `keys/${key.body.id}`, { headers, body: { type: 'client' } });
    await api.request('PATCH', `keys/${key.body.id}`, { headers, body: { type: 'client' } });

    const common = {
      actor: `member:${developer.member.email}`,
      memberId: developer.member.id,
      address: '203.0.113.5',
      applicationId: tenant.applicationId,
    };
    const entries = await auditOf(`member=${developer.member.id}`);
    expect(entries).toMatchObject([
      {
        ...common,
        action: 'PATCH keys/:keyId',
        target: { keyId: key.body.id },
        detail: { type: 'client' },
        status: 409,
      },
      {
        ...common,
        action: 'PATCH keys/:keyId',
        target: { keyId: key.body.id },
        detail: { type: 'client' },
        status: 200,
      },
      {
        ...common,
        action: 'POST keys',
        target: { id: key.body.id },
        detail: { type: 'server', name: 'Back end' },
        status: 201,
        requestId: key.headers.get('x-request-id'),
      },
    ]);
    expect(Number(entries[0]?.['at'])).toBeGreaterThanOrEqual(before);
    expect(JSON.stringify(entries)).not.toContain(key.body.key);
  });

  test('a change by an administrator token, with its name; reads have no entry', async () => {
    await api.request('PUT', 'allow-list', {
      headers: api.asAdmin,
      body: { entries: ['10.0.0.0/8'] },
    });
    await api.request('PUT', 'allow-list', {
      headers: api.asAdmin,
      body: { entries: [] },
    });
    await api.request('GET', 'allow-list', { headers: api.asAdmin });

    const entries = await auditOf(
      `application=${tenant.applicationId}&action=${encodeURIComponent('PUT allow-list')}`,
    );
    expect(entries).toMatchObject([
      { actor: 'token:test', tokenId: expect.any(String), detail: { entries: [] } },
      { detail: { entries: ['10.0.0.0/8'] } },
    ]);
  });

  test('only the field names of secrets', async () => {
    const password = 'correct horse battery staple';
    await api.request('PUT', 'channels/EMAIL', {
      headers: owner.headers,
      body: {
        host: 'smtp.example.com',
        port: 587,
        security: 'starttls',
        fromAddress: 'shop@example.com',
        username: 'shop',
        password,
      },
    });

    const [entry] = await auditOf(
      `member=${owner.member.id}&action=${encodeURIComponent('PUT channels/EMAIL')}`,
    );

    expect(entry?.['detail']).toEqual({
      fields: ['host', 'port', 'security', 'fromAddress', 'username', 'password'],
    });
    expect(
      (
        await db.sql.query('select 1 from audit_entries where audit_entries::text like $1', [
          `%${password}%`,
        ])
      ).rowCount,
    ).toBe(0);
  });

  test('forbidden and invalid requests change nothing and have no entry', async () => {
    const viewer = await api.signIn('viewer');
    const developer = await api.signIn('developer');

    await api.request('POST', 'keys', {
      headers: viewer.headers,
      body: { type: 'server', name: 'x' },
    });
    await api.request('POST', 'keys', { headers: developer.headers, body: { type: 'root' } });

    expect(await auditOf(`member=${viewer.member.id}`)).toEqual([]);
    expect(await auditOf(`member=${developer.member.id}`)).toEqual([]);
  });

  test('pages by cursor between two instants', async () => {
    const admin = await api.signIn('admin');
    for (let index = 0; index < 5; index += 1)
      await api.request('PUT', 'allow-list', {
        headers: admin.headers,
        body: { entries: [] },
      });
    const page = (query: string) =>
      readAll(
        async (cursor) =>
          (
            await api.request<{ items: Entry[]; nextCursor: string | null }>(
              'GET',
              `audit?member=${admin.member.id}&limit=2${query}&cursor=${cursor}`,
              { headers: owner.headers },
            )
          ).body,
      );

    const { items, pages } = await page('');

    expect([items.length, pages]).toEqual([5, 3]);
    expect(items.map(({ id }) => id)).toEqual(
      items
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect((await page(`&from=${Date.now() + 60_000}`)).items).toEqual([]);
    expect((await page(`&to=${Date.now() + 60_000}`)).items).toHaveLength(5);
  });
});

describe('GET audit names', () => {
  const entriesOf = (action: string) =>
    auditOf(`application=${tenant.applicationId}&action=${encodeURIComponent(action)}`);

  test('the key that deleted a user or controlled a campaign, and only a hash of the customUserId', async () => {
    const campaign = newCampaign({ applicationId: tenant.applicationId });
    await acceptCampaign(db, campaign);
    await registerUsers(db, tenant.applicationId, ['leaves']);

    await api.request('DELETE', 'users/leaves', { headers: api.asServer });
    await api.request('POST', `campaigns/${campaign.campaignId}/cancel`, {
      headers: api.asServer,
    });

    const actor = expect.stringMatching(/^key:./) as unknown;
    expect(await entriesOf('DELETE users/:customUserId')).toMatchObject([
      { actor, target: { customUserIdSha256: expect.any(String) }, status: 204 },
    ]);
    expect(await entriesOf('POST campaigns/:campaignId/cancel')).toMatchObject([
      { actor, target: { campaignId: campaign.campaignId }, status: 200 },
    ]);
    expect(
      JSON.stringify(await auditOf(`application=${tenant.applicationId}&limit=500`)),
    ).not.toContain('leaves');
  });

  test('exports of a user or of a list, with the names of the filters only', async () => {
    await registerUsers(db, tenant.applicationId, ['exported']);

    await api.request('GET', 'users/exported/export', { headers: api.asServer });
    await api.request('GET', 'users?format=csv&search=exported', { headers: owner.headers });
    await api.request('GET', 'users?search=exported', { headers: owner.headers });

    expect(await entriesOf('GET users/:customUserId/export')).toMatchObject([
      { actor: expect.stringMatching(/^key:./), status: 200 },
    ]);
    const [file, ...others] = await entriesOf('GET users');
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      actor: `member:${owner.member.email}`,
      detail: { format: 'csv', fields: ['search'] },
      status: 200,
    });
  });

  test('failed sign-ins, to members and to accounts that do not exist', async () => {
    const { member } = await api.signIn('viewer');
    const signIn = (email: string) =>
      api.request('POST', 'session', {
        headers: { 'X-Forwarded-For': '198.51.100.9' },
        body: { email, password: 'a guess of eve' },
      });
    await signIn(member.email);
    for (let guess = 0; guess < 3; guess += 1) await signIn(`unknown-${guess}@example.com`);

    const read = async () =>
      (await auditOf(`action=${encodeURIComponent('POST session')}&limit=500`)).filter(
        ({ actor, address }) => actor === 'sign-in' && address === '198.51.100.9',
      );
    // Responses do not wait for the entries.
    await eventually(async () =>
      expect((await read()).filter(({ status }) => status === 401)).toHaveLength(4),
    );
    const entries = await read();
    expect(entries.filter(({ memberId }) => memberId === member.id)).toMatchObject([
      { status: 401, address: '198.51.100.9' },
    ]);
    expect(entries.filter(({ memberId }) => memberId === undefined)).toHaveLength(3);
    expect(JSON.stringify(entries)).not.toMatch(/guess of eve|unknown-/);
  });

  test('the active tokens of a removed member', async () => {
    const admin = await api.signIn('admin');
    const token = await api.request<{ id: string }>('POST', 'administrator-tokens', {
      headers: admin.headers,
      body: { name: 'stays' },
    });

    await api.request('DELETE', `members/${admin.member.id}`, { headers: owner.headers });

    const [entry] = await auditOf(`action=${encodeURIComponent('DELETE members/:memberId')}`);
    expect(entry).toMatchObject({
      target: { memberId: admin.member.id, livingTokenIds: token.body.id },
      status: 204,
    });
  });
});

describe('the audit log', () => {
  test('is append-only', async () => {
    await api.request('PUT', 'allow-list', {
      headers: api.asAdmin,
      body: { entries: [] },
    });

    await expect(db.sql.query('delete from audit_entries where status = 200')).rejects.toThrow(
      /never changed/,
    );
    await expect(
      db.sql.query(`update audit_entries set actor = 'deleted' where status = 200`),
    ).rejects.toThrow(/never changed/);
    await expect(
      db.sql.query('update audit_entries set status = 500 where status = 200'),
    ).rejects.toThrow(/never changed/);
  });

  test('is written first: an action that cannot be recorded is not executed', async () => {
    const query = (text: unknown, ...rest: unknown[]): unknown => {
      if (String(text).includes('audit_entries')) throw new Error('no room for the audit log');
      return Reflect.apply(db.sql.query, db.sql, [text, ...rest]);
    };
    const sql = { query } as unknown as typeof db.sql;
    await using broken = await startTestApi({ db: { ...db, sql } });
    const headers = { ...broken.asAdmin, 'X-Application-Id': tenant.applicationId };

    const { status } = await broken.request('POST', 'keys', {
      headers,
      body: { type: 'server', name: 'unrecorded' },
    });

    expect(status).toBe(500);
    expect((await api.request('GET', 'keys', { headers: api.asAdmin })).text).not.toContain(
      'unrecorded',
    );
  });
});

import { afterAll, describe, expect, test } from '@jest/globals';
import { addMember } from '@tidings/accounts/members/members';
import { issueSetupLink } from '@tidings/accounts/members/invitations';
import { createOwnDatabase } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const DAY_MS = 86_400_000;
const PERSON = { email: 'Ada@Example.com', name: 'Ada', password: 'correct horse battery staple' };

const api = await startTestApi({}, await createOwnDatabase());
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db } = api;

const welcome = (token: string, person = PERSON) =>
  api.request('POST', 'session/first-administrator', {
    headers: {},
    body: { token, ...person },
  });
const setup = async () => (await api.request('GET', 'session/setup', { headers: {} })).body;

describe('POST session/first-administrator', () => {
  test('the first use of a setup link creates the owner; afterwards no link does', async () => {
    const old = String(await issueSetupLink(db, Date.now() - DAY_MS));
    const links = await Promise.all(
      Array.from({ length: 4 }, async () => String(await issueSetupLink(db, Date.now()))),
    );
    // A member with a lesser role does not disable the setup link.
    await addMember(db, { email: 'viewer@example.com', name: 'V', role: 'viewer' });
    expect(await setup()).toEqual({ setup: true, oidc: null });
    expect((await welcome(old)).status).toBe(404);
    expect((await welcome('wl_nobody')).status).toBe(404);

    const answers = await Promise.all(
      links.map((token, index) => welcome(token, { ...PERSON, email: `Ada${index}@Example.com` })),
    );

    const [made, ...others] = answers.filter(({ status }) => status === 201);
    expect(others).toEqual([]);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(3);
    expect(made?.body).toMatchObject({
      user: { email: expect.stringMatching(/^ada\d@example\.com$/), name: 'Ada', role: 'owner' },
      csrfToken: expect.any(String),
    });
    expect(await setup()).toEqual({ setup: false, oidc: null });
    expect(await issueSetupLink(db, Date.now())).toBeNull();
    for (const token of links) expect((await welcome(token)).status).toBe(404);
  });
});

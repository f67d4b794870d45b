import { expect, test } from '@jest/globals';
import { callApi } from '@tidings/local';
import { connectDatabase } from '@tidings/postgres/database';
import { eventually } from '@tidings/testing';
import { LONG_TIMEOUT, type Installation } from './installation.ts';
import { choose } from '../../browser/support/pickers.ts';

type Sent = {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string;
};

/** The tasks of a developer: keys, the allow-list, a channel, and finding a missing event. */
export function developerJourneys(installation: () => Installation): void {
  /** Sends a request with a key of the journeys' application. */
  const send = async (key: string, path: string, body: unknown): Promise<Sent> => {
    const { local, journeysId } = installation();
    const answer = await fetch(`${local.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'X-Application-Id': journeysId,
        'X-API-Key': key,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    const { code, requestId } = (await answer.json()) as {
      readonly code?: string;
      readonly requestId: string;
    };
    return { status: answer.status, code, requestId };
  };
  const batch = (...messages: readonly object[]) => ({ customUserId: 'ada', messages });
  const action = (id: string, rest: object = { customName: 'looked' }) => ({
    type: 'action',
    id,
    time: Date.now(),
    ...rest,
  });
  const newKey = async (name: string): Promise<string> =>
    (
      await callApi<{ readonly key: string }>(installation().asAdmin, {
        method: 'POST',
        path: '/api/v1/keys',
        body: { type: 'server', name },
      })
    ).key;

  test('a Server key is created, shown once and used; changed to a Client key it sends events but no campaigns', async () => {
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open(installation().inJourneys('/settings/keys'));
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Order service');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = (await page.locator('[data-secret]').textContent(LONG_TIMEOUT))?.trim() ?? '';
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    const push = {
      recipients: ['ada'],
      channel: 'EMAIL',
      message: { title: 'Hello', body: 'Hello' },
      dryRun: true,
    };
    expect([
      (await send(key, '/', batch(action('k1')))).status,
      (await send(key, '/push', push)).status,
    ]).toEqual([200, 200]);

    await page.getByRole('button', { name: 'Change to Client key: Order service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change to Client key' }).click();
    await page.getByText('Changed to Client key').waitFor(LONG_TIMEOUT);

    await eventually(
      async () =>
        expect(await send(key, '/push', push)).toMatchObject({
          status: 403,
          code: 'client_key_forbidden',
        }),
      POLL_TIMEOUT,
    );
    expect((await send(key, '/', batch(action('k2')))).status).toBe(200);
    expect(
      await page.getByRole('button', { name: 'Change to Client key: Order service' }).count(),
    ).toBe(0);
  }, 120_000);

  test('the allow-list warns before a lock-out, rejects with 403, lists the rejected address, and adds it with one click', async () => {
    const key = await newKey('Allow-list');
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open(installation().inJourneys('/settings/allow-list'));
    await page.getByLabel('Addresses and networks').fill('203.0.113.0/24');
    await page.getByText('Your own address,').waitFor(LONG_TIMEOUT);
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('dialog')
      .getByText('Your own address is not on the list.')
      .waitFor(LONG_TIMEOUT);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. Active within 5 seconds.').waitFor(LONG_TIMEOUT);

    await eventually(
      async () =>
        expect(await send(key, '/', batch(action('a1')))).toMatchObject({
          status: 403,
          code: 'ip_not_allowed',
        }),
      POLL_TIMEOUT,
    );
    await page
      .getByRole('region', { name: 'Recently rejected addresses' })
      .getByText('127.0.0.1')
      .first()
      .waitFor(LONG_TIMEOUT);

    await page.getByRole('button', { name: 'Add my address (127.0.0.1)' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(
      async () => expect((await send(key, '/', batch(action('a2')))).status).toBe(200),
      POLL_TIMEOUT,
    );

    await callApi(installation().asAdmin, {
      method: 'PUT',
      path: '/api/v1/allow-list',
      body: { entries: [] },
    });
  }, 120_000);

  test('EMAIL is configured, and a test send makes it ready', async () => {
    const { local, asAdmin, inJourneys } = installation();
    const demonstration = {
      ...asAdmin,
      headers: { ...asAdmin.headers, 'X-Application-Id': local.applicationId },
    };
    const { settings } = await callApi<{ readonly settings: { readonly port: number } }>(
      demonstration,
      { path: '/api/v1/channels/EMAIL' },
    );
    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open(inJourneys('/channels/EMAIL'));
    await page.getByText('Enter the settings to start sending.').waitFor(LONG_TIMEOUT);
    await page.getByLabel('SMTP host').fill('not a host!');
    await page.getByLabel('Port', { exact: true }).fill(String(settings.port));
    await choose(page, 'Encryption', 'None');
    await page.getByLabel('Sender address').fill('hello@journeys.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[aria-invalid=true]').waitFor(LONG_TIMEOUT);
    expect(await page.getByLabel('SMTP host').getAttribute('aria-invalid')).toBe('true');

    await page.getByLabel('SMTP host').fill('127.0.0.1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Send a successful test to start sending.').waitFor(LONG_TIMEOUT);
    await page.getByLabel('E-mail address').fill('operator@journeys.example');
    await page.getByRole('button', { name: 'Send test' }).click();

    await page.getByText('Test sent – channel ready').waitFor(LONG_TIMEOUT);
    await page.getByText(/Tested/).waitFor(LONG_TIMEOUT);
    expect(await callApi(asAdmin, { path: '/api/v1/channels/EMAIL' })).toMatchObject({
      status: 'ready',
    });
  }, 120_000);

  test('the ingest log explains a missing event: a duplicate, an unknown slug, a 400 with its pointer', async () => {
    const key = await newKey('Ingest log');
    const sent = await send(
      key,
      '/',
      batch({ type: 'user', id: 'i-user', time: Date.now(), firstName: 'Ada' }, action('i-once')),
    );
    await send(
      key,
      '/',
      batch(action('i-once', { customName: 'looked_again' }), action('i-slug', { name: 'zzzzz' })),
    );
    const refused = await send(key, '/', batch(action('i-bad', { time: 'yesterday' })));
    expect([sent.status, refused.status]).toEqual([200, 400]);

    await using visit = await installation().visit();
    const { page } = visit;
    const log = page.getByRole('region', { name: 'Ingest log' });
    await visit.open(installation().inJourneys('/ingest'));
    await log.getByText('Unknown slug').first().waitFor(LONG_TIMEOUT);
    await page.getByLabel('Message ID').fill('i-once');
    await page.keyboard.press('Enter');
    await log
      .getByText('Unknown slug')
      .first()
      .waitFor({ state: 'detached', ...LONG_TIMEOUT });
    await log.getByText('Duplicate ID').waitFor(LONG_TIMEOUT);
    expect(await log.getByRole('link', { name: 'i-once' }).count()).toBe(2);

    await log
      .getByRole('row', { name: /Duplicate/ })
      .getByRole('link')
      .click();
    await page.getByRole('dialog').getByText('This message is not stored.').waitFor(LONG_TIMEOUT);
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^message 1 of/ })
      .click();
    await page.getByRole('dialog').getByText('Processed').waitFor(LONG_TIMEOUT);
    expect(page.url()).toContain(sent.requestId);

    await visit.open(installation().inJourneys('/ingest?reason=unknown_slug'));
    await log.getByRole('link', { name: 'i-slug' }).waitFor(LONG_TIMEOUT);
    await visit.open(installation().inJourneys(`/ingest?requestId=${refused.requestId}`));
    await log.getByText('/messages/0/time').waitFor(LONG_TIMEOUT);
  }, 120_000);

  test('a dead letter is replayed once its cause is fixed, and its event appears', async () => {
    const { local, inJourneys } = installation();
    const key = await newKey('Dead letters');
    await using db = await injectStorageFault(local.databaseUrl);
    await send(
      key,
      '/',
      batch(
        { type: 'user', id: 'd-user', time: Date.now(), firstName: 'Ada' },
        action('d-poison', { customName: 'poisonous' }),
      ),
    );

    await using visit = await installation().visit();
    const { page } = visit;
    await visit.open(inJourneys('/settings/dead-letters'));
    const letters = page.getByRole('region', { name: 'Dead letters' });
    await letters.getByText('Waiting').waitFor({ timeout: 60_000 });
    await db.removeFault();
    await letters.getByRole('button').first().click();
    await page.getByRole('dialog').getByText('d-poison').waitFor(LONG_TIMEOUT);
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Replay started').waitFor(LONG_TIMEOUT);

    await letters.getByText('Replayed').waitFor({ timeout: 60_000 });
    await visit.open(inJourneys('/users/ada?tab=events'));
    await page.getByRole('link', { name: 'poisonous' }).waitFor(LONG_TIMEOUT);
  }, 180_000);
}

const POLL_TIMEOUT = { timeoutMs: 30_000, intervalMs: 100 };

/** Makes Postgres reject events whose message id begins with `d-poison`, until `removeFault` is called. */
async function injectStorageFault(databaseUrl: string) {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'test' });
  await db.sql.query(
    `create function refuse_poison() returns trigger language plpgsql as $$ begin if new.message_id like 'd-poison%' then raise exception 'refused' using errcode = '22P05'; end if; return new; end $$`,
  );
  await db.sql.query(
    'create trigger refuse_poison before insert on events for each row execute function refuse_poison()',
  );
  const removeFault = async (): Promise<void> =>
    void (await db.sql.query('drop function if exists refuse_poison() cascade'));
  return {
    removeFault,
    async [Symbol.asyncDispose]() {
      await removeFault();
      await db.close();
    },
  };
}

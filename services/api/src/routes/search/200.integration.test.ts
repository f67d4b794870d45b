import { afterAll, describe, expect, test } from '@jest/globals';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { searchEndpoint, SearchKind } from '@tidings/api-spec/endpoints/search';
import { acceptCampaign } from '@tidings/delivery/accept';
import { updateApplication } from '@tidings/people/update-application';
import { archiveSegment, writeSegment } from '@tidings/segments/segments';
import { writeAutomation } from '@tidings/automations/automations';
import { archiveTemplate, writeTemplate } from '@tidings/templates/templates';
import { newCampaign, registerUsers } from '@tidings/testing';
import { insertUser } from '../../testing/log-rows.ts';
import { startTestApi, type Headers } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other } = api;
const { applicationId } = tenant;
const asOther = { 'X-Application-Id': other.applicationId, 'X-API-Key': other.serverKey };

type Found = AnswerOf<typeof searchEndpoint>;

const search = async (q: string, headers: Headers = api.asServer): Promise<Found> => {
  const { body } = await api.request<Found>('GET', `search?q=${encodeURIComponent(q)}`, {
    headers,
  });
  expect(body.incomplete).toEqual([]);
  return body;
};
const ids = async (q: string, kind: SearchKind): Promise<string[]> =>
  (await search(q)).items.filter((item) => item.kind === kind).map(({ id }) => id);

const PEOPLE = {
  'u-01417': { firstName: 'Anna', lastName: 'Berlinger', email: 'Anna.Berlinger@Example.com' },
  anna: { firstName: 'Zoë', lastName: 'ANNABEL' },
  multi: { firstName: 'Anna Maria', lastName: "O'Neil-Müller" },
  hebrew: {
    firstName: 'אנה',
    lastName: 'ברלין',
    phoneNumber: '+972 54 123 4567',
    phoneE164: '+972541234567',
  },
  persian: { firstName: 'زهرا', lastName: 'علی‌زاده', email: 'zahra@example.ir' },
  russian: { firstName: 'Пётр', lastName: 'Соловьёв' },
  japanese: { firstName: '太郎', lastName: '山田' },
  halfWidth: { firstName: 'ﾊﾅｺ', lastName: 'Ｓｕｚｕｋｉ' },
  turkish: { firstName: 'İpek', lastName: 'Yıldız' },
  german: {
    firstName: 'Heiko',
    lastName: 'Strauß',
    phoneNumber: '0151 2345678',
    phoneE164: '+491512345678',
  },
  '100%': { firstName: '100% Cotton', lastName: 'a_b' },
  'back\\slash': { firstName: 'tab\tname', lastName: 'C:\\x' },
} as const;
await registerUsers(db, applicationId, PEOPLE);
await registerUsers(db, other.applicationId, { theirs: { firstName: 'Anna', lastName: 'Theirs' } });
await insertUser(db, applicationId, { customUserId: 'anna-not-registered' });
await updateApplication(db, applicationId, { settings: { defaultCountry: 'DE' } });

describe('GET search finds users', () => {
  test.each<[string, string, readonly string[]]>([
    ['an id, before names that begin with it', 'anna', ['anna', 'u-01417', 'multi']],
    ['the beginning of an id', 'u-014', ['u-01417']],
    ['an id in its letter case only', 'U-014', []],
    ['a first name in any letter case, whole ones first', 'ANNA', ['u-01417', 'anna', 'multi']],
    ['the beginning of a last name', 'berl', ['u-01417']],
    ['first and last name', 'anna ber', ['u-01417']],
    ['last and first name', 'Berlinger A', ['u-01417']],
    ['the same with a comma', 'berlinger, anna', ['u-01417']],
    ['a first name of two words', 'anna mar', ['multi']],
    ['two words and a last name', "anna maria o'n", ['multi']],
    ['an e-mail address in any letter case', 'ANNA.berlinger@example.COM', ['u-01417']],
    ['the beginning of an e-mail address', 'anna.b', ['u-01417']],
    ['no part of an e-mail address', 'example.com', []],
    ['no part of a name', 'linger', []],
    ['a phone number in E.164', '+491512345678', ['german']],
    ['a phone number in national form', '0151/23 456-78', ['german']],
    ['a phone number with 00', '0049 (151) 2345678', ['german']],
    ['the beginning of a national number', '0151 23', ['german']],
    ['the beginning of an international number', '+972 54', ['hebrew']],
    ['Hebrew: a first name', 'אנה', ['hebrew']],
    ['Hebrew: a whole name', 'אנה ברל', ['hebrew']],
    ['Persian: a first name', 'زهر', ['persian']],
    ['Persian: letters of an Arabic keyboard, no joiner', 'عليزاده', ['persian']],
    ['Persian: last and first name', 'علی‌زاده زهرا', ['persian']],
    ['Russian: in any letter case', 'СОЛОВЬЁВ', ['russian']],
    ['Russian: without the dots of yo', 'петр соловьев', ['russian']],
    ['Japanese: without a space', '山田太郎', ['japanese']],
    ['Japanese: the beginning of it', '山田太', ['japanese']],
    ['Japanese: with a space', '山田　太郎', ['japanese']],
    ['Japanese: of half-width letters', 'ハナコ', ['halfWidth']],
    ['full-width letters', 'suzuki', ['halfWidth']],
    ['decomposed letters', 'Zoe\u0308', ['anna']],
    ['Turkish: a dotted capital', 'İpek Y', ['turkish']],
    ['a sharp s as two', 'STRAUSS', ['german']],
    ['a percent sign as a character', '100%', ['100%']],
    ['not as any characters', '%', []],
    ['an underscore as a character', 'a_', ['100%']],
    ['not as any character', '_nna', []],
    ['a backslash as a character', 'c:\\', ['back\\slash']],
    ['control characters as characters', 'tab\tn', ['back\\slash']],
    ['spaces around it', '  berlinger  ', ['u-01417']],
    ['a user of another application', 'theirs', []],
    ['no user', 'stranger of the house', []],
    ['a text as long as may be', 'x'.repeat(200), []],
  ])('by %s', async (_name, q, expected) => {
    expect(await ids(q, 'user')).toEqual(expected);
  });

  test('with name and address, else the id and what there is', async () => {
    expect((await search('u-01417')).items).toEqual([
      {
        kind: 'user',
        id: 'u-01417',
        title: 'Anna Berlinger',
        detail: 'Anna.Berlinger@Example.com',
      },
    ]);
    expect((await search('german')).items).toMatchObject([
      { title: 'Heiko Strauß', detail: '0151 2345678' },
    ]);
    await registerUsers(db, applicationId, { bare: {} });
    expect((await search('bare')).items).toMatchObject([{ title: 'bare', detail: null }]);
  });

  test('in their own application', async () => {
    expect((await search('anna', asOther)).items.map(({ id }) => id)).toEqual(['theirs']);
  });

  test('at most five', async () => {
    const many = Array.from({ length: 8 }, (_, n) => [
      `five-${n}`,
      { firstName: 'Fivestar', lastName: `Person ${n}`, email: `fivestar${n}@example.com` },
    ]);
    await registerUsers(db, applicationId, Object.fromEntries(many));

    for (const q of ['fivestar', 'fivestar person', 'person', 'five-', 'fivestar1', 'f'])
      expect((await ids(q, 'user')).length).toBe(q === 'fivestar1' ? 1 : 5);
  });

  test('until they are deleted', async () => {
    const contact = {
      email: 'leaving@example.com',
      phoneNumber: '+4930999',
      phoneE164: '+4930999',
    };
    await registerUsers(db, applicationId, {
      leaver: { firstName: 'Goodbye', lastName: 'Farewell', ...contact },
    });
    const asked = ['leaver', 'goodbye', 'farewell', 'goodbye fare', contact.email, '+4930999'];
    for (const q of asked) expect(await ids(q, 'user')).toEqual(['leaver']);

    await api.request('DELETE', 'users/leaver', { headers: api.asServer });

    for (const q of asked) expect((await search(q)).items).toEqual([]);
  });
});

describe('GET search finds campaigns', () => {
  const accept = async (
    title: string | null,
    overrides: Partial<Parameters<typeof acceptCampaign>[1]> = {},
    body = 'Text',
  ): Promise<string> => {
    const message = { ...(title !== null && { title }), body };
    const campaign = newCampaign({ applicationId, message, ...overrides });
    await acceptCampaign(db, campaign);
    return campaign.campaignId;
  };

  test('by words of the title in any order, newest first', async () => {
    const older = await accept('Black Friday: the last hours');
    const newer = await accept('Friday greetings in BLACK', { source: 'dashboard' });
    await accept('Friday in white');

    expect(await ids('friday black', 'campaign')).toEqual([newer, older]);
    expect(await ids('bla', 'campaign')).toEqual([newer, older]);
    expect(await ids('last hours', 'campaign')).toEqual([older]);
    expect((await search('black greetings')).items).toEqual([
      {
        kind: 'campaign',
        id: newer,
        title: 'Friday greetings in BLACK',
        detail: null,
        channel: 'EMAIL',
        status: 'queued',
        source: 'dashboard',
        createdAt: expect.any(Number),
      },
    ]);
  });

  test.each([
    ['Hebrew', 'מבצע סוף השנה', 'סוף השנה'],
    ['Persian', 'تخفیف یلدا', 'يلدا'],
    ['Russian', 'Зимняя распродажа', 'ЗИМНЯЯ'],
    ['Japanese', '冬のセール開始', 'セール'],
    ['a percent sign', '50% discount_now', '50% t_n'],
  ])('in any script: %s', async (_name, title, q) => {
    const id = await accept(title);

    expect(await ids(q, 'campaign')).toEqual([id]);
  });

  test('not by what only looks like a pattern', async () => {
    await accept('fifty percent');

    expect(await ids('fifty%percent', 'campaign')).toEqual([]);
    expect(await ids('f_fty', 'campaign')).toEqual([]);
  });

  test('by the beginning of a text without a title', async () => {
    const id = await accept(null, { channel: 'SMS' }, '<b>Parcel</b>\n has arrived');

    expect((await search('parcel arrived')).items).toMatchObject([
      { id, title: 'Parcel has arrived', channel: 'SMS' },
    ]);
  });

  test('by the title of their template', async () => {
    const message = { title: 'Templated hello', body: 'x' };
    const template = { slug: null, version: null, share: 1, message, variants: [] };
    const id = await accept(null, { templates: [template] }, '');

    expect(await ids('templated', 'campaign')).toEqual([id]);
  });

  test('by name, title and tags together; the name is its title', async () => {
    const named = await accept('Only today', { name: 'Wave 2, חזרה', tags: ['Newsletter', 'vip'] });
    await accept(null, { name: 'Wave of another' });

    for (const q of ['wave 2', 'only today', 'NEWSLETTER', 'vip wave today', 'חזרה'])
      expect(await ids(q, 'campaign')).toEqual([named]);
    expect((await search('wave vip')).items).toMatchObject([
      { id: named, title: 'Wave 2, חזרה', detail: 'Only today' },
    ]);
    expect((await search('wave another')).items).toMatchObject([
      { title: 'Wave of another', detail: 'Text' },
    ]);
  });

  test('which the version before accepted', async () => {
    const id = await accept('Accepted earlier');
    await db.sql.query('update campaigns set search_text = null where id = $1', [id]);

    expect((await search('earlier')).items).toMatchObject([{ id, title: 'Accepted earlier' }]);
  });

  test('at most five, no test sends, and none of others', async () => {
    for (let n = 0; n < 6; n += 1) await accept(`Sextet ${n}`);
    await accept('Solo', { source: 'test' });
    await accept('Foreign', { applicationId: other.applicationId });

    expect(await ids('sextet', 'campaign')).toHaveLength(5);
    expect(await ids('solo', 'campaign')).toEqual([]);
    expect(await ids('foreign', 'campaign')).toEqual([]);
  });

  test('with the status of lists', async () => {
    const sendAt = Date.now() + 3_600_000;
    const schedule = { sendAt, sendAtLocal: null, isLater: true };
    await accept('Scheduled later', { schedule });

    expect((await search('scheduled later')).items).toMatchObject([{ status: 'scheduled' }]);
  });
});

describe('GET search finds segments and templates', () => {
  const by = 'test';
  const segment = (slug: string, name: string, application = applicationId) =>
    writeSegment(db, {
      applicationId: application,
      slug,
      name,
      condition: { field: 'country', is: 'DE' },
      by,
    });
  const template = (slug: string, name: string, application = applicationId) =>
    writeTemplate(db, {
      applicationId: application,
      slug,
      name,
      channel: 'SMS',
      message: { body: 'x' },
      by,
    });

  test('by parts of name and slug; those that begin with the text first', async () => {
    await segment('a-city', 'In Hamburg, 30 days');
    await segment('hh-buyers', 'Hamburg buyers');
    await segment('a-theirs', 'Hamburg theirs', other.applicationId);
    await template('pickup-hamburg', 'Pick-up 50%');

    expect(await ids('hamburg', 'segment')).toEqual(['hh-buyers', 'a-city']);
    expect(await ids('buyers hh', 'segment')).toEqual(['hh-buyers']);
    expect(await ids('50%', 'template')).toEqual(['pickup-hamburg']);
    expect(await ids('5_', 'template')).toEqual([]);
    expect((await search('amburg')).items).toEqual([
      { kind: 'segment', id: 'hh-buyers', title: 'Hamburg buyers', detail: 'hh-buyers' },
      { kind: 'segment', id: 'a-city', title: 'In Hamburg, 30 days', detail: 'a-city' },
      {
        kind: 'template',
        id: 'pickup-hamburg',
        title: 'Pick-up 50%',
        detail: 'pickup-hamburg',
        channel: 'SMS',
      },
    ]);
  });

  test.each(['רשימה', 'لیست', 'Список', '一覧'])('in any script: %s', async (name) => {
    await segment(`s-${name.length}`, name);

    expect(await ids(name.toUpperCase(), 'segment')).toEqual([`s-${name.length}`]);
  });

  test('automations too, with their status', async () => {
    const definition = {
      version: 1,
      name: 'Carts of Graz',
      purpose: 'marketing',
      trigger: { api: true },
      nodes: [{ id: 'hour', delay: '1h' }],
    };
    await writeAutomation(db, { applicationId, slug: 'graz-carts', definition, by });

    expect((await search('graz cart')).items).toEqual([
      {
        kind: 'automation',
        id: 'graz-carts',
        title: 'Carts of Graz',
        detail: 'graz-carts',
        status: 'draft',
      },
    ]);
  });

  test('at most five, and none that is archived', async () => {
    for (let n = 0; n < 7; n += 1) {
      await segment(`octet-${n}`, `Octet ${n}`);
      await template(`octet-${n}`, `Octet ${n}`);
    }
    await archiveSegment(db, { applicationId, slug: 'octet-0', by });
    await archiveTemplate(db, { applicationId, slug: 'octet-0', by });

    for (const kind of ['segment', 'template'] as const)
      expect(await ids('octet', kind)).toEqual([1, 2, 3, 4, 5].map((n) => `octet-${n}`));
  });
});

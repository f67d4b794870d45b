import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { updateApplication } from '@tidings/people/update-application';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, userMessage } from '@tidings/testing';
import { userTenant } from './testing/user-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => userTenant(db);

describe('a phone number', () => {
  test('is kept as sent, and also stored in E.164 by the application’s country', async () => {
    const { applicationId, record, apply, profile, e164 } = await newTenant();
    await updateApplication(db, applicationId, { settings: { defaultCountry: 'FR' } });

    await apply(record({ messages: [userMessage({ time: 1, phoneNumber: '06 12 34 56 78' })] }));

    expect(await profile()).toMatchObject({ phoneNumber: '06 12 34 56 78' });
    expect(await e164()).toBe('+33612345678');
  });

  test.each([
    ['that is invalid is kept and has no such form', '06 12', 'FR', null],
    ['without a country has no such form', '06 12 34 56 78', undefined, null],
    ['with a country code needs no country', '+44 20 7183 8750', undefined, '+442071838750'],
  ])('%s', async (_, phoneNumber, defaultCountry, expected) => {
    const { applicationId, record, apply, profile, e164 } = await newTenant();
    if (defaultCountry !== undefined)
      await updateApplication(db, applicationId, { settings: { defaultCountry } });

    await apply(record({ messages: [userMessage({ phoneNumber })] }));

    expect(await profile()).toMatchObject({ phoneNumber });
    expect(await e164()).toBe(expected);
  });

  test('follows its field: a newer value, a cleared one, one of a merged anonymous user', async () => {
    const { record, apply, e164 } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const seen: (string | null)[] = [];
    const step = async (...records: readonly IngestRecord[]): Promise<void> => {
      await apply(...records);
      seen.push(await e164());
    };

    await step(record({ messages: [userMessage({ time: 1, phoneNumber: '+442071838750' })] }));
    await step(record({ messages: [userMessage({ time: 2, city: 'London' })] }));
    await step(record({ messages: [userMessage({ time: 3, phoneNumber: null })] }));
    await step(
      record({
        customUserId: null,
        serviceUserId,
        messages: [userMessage({ time: 4, phoneNumber: '+33612345678' })],
      }),
    );
    await step(record({ serviceUserId }));

    expect(seen).toEqual(['+442071838750', '+442071838750', null, null, '+33612345678']);
  });
});

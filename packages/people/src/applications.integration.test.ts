import { afterAll, expect, test } from '@jest/globals';
import {
  createApplication,
  getApplication,
  listApplications,
} from '@tidings/accounts/applications';
import { systemIds } from '@tidings/platform';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { updateApplication } from './update-application.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('an application is found under its id, with its name and no settings', async () => {
  const application = await createApplication(db, 'Übersicht 👁');

  expect(application).toMatchObject({ name: 'Übersicht 👁', settings: {} });
  expect(await getApplication(db, application.applicationId)).toEqual(application);
  expect(await listApplications(db)).toContainEqual(application);
});

test('an unknown id has no application', async () => {
  expect(await getApplication(db, systemIds.uuid())).toBeNull();
  expect(await updateApplication(db, systemIds.uuid(), { name: 'x' })).toBeNull();
});

test('a change affects only the named fields and settings, of this application alone', async () => {
  const [application, other] = [await createTestApplication(db), await createTestApplication(db)];

  await updateApplication(db, application.applicationId, {
    settings: { defaultSubject: 'News', sendUntested: true },
  });
  await updateApplication(db, application.applicationId, { name: 'new name' });
  const changed = await updateApplication(db, application.applicationId, {
    settings: { sendUntested: false },
  });

  expect(changed).toEqual({
    ...application,
    name: 'new name',
    settings: { defaultSubject: 'News', sendUntested: false },
  });
  expect(await getApplication(db, other.applicationId)).toEqual(other);
});

test('concurrent changes of different settings are all kept', async () => {
  const { applicationId } = await createTestApplication(db);

  await Promise.all([
    updateApplication(db, applicationId, { settings: { defaultSubject: 'News' } }),
    updateApplication(db, applicationId, { settings: { sendUntested: true } }),
  ]);

  expect((await getApplication(db, applicationId))?.settings).toEqual({
    defaultSubject: 'News',
    sendUntested: true,
  });
});

import { afterAll, expect, test } from '@jest/globals';
import { recordLinkHits } from '@tidings/link-hits/link-hits';
import { withAdvisoryLock } from '@tidings/postgres/with-advisory-lock';
import { createOwnDatabase } from '@tidings/testing';
import { createMail } from '../testing/mails.ts';
import { classifyLinkHitsExclusively } from './classify-link-hits.ts';

// Hits of the whole database are classified.
const db = await createOwnDatabase();
afterAll(() => db.close());

test('hits are classified by one process at a time', async () => {
  const { signal } = new AbortController();
  const mail = await createMail(db, { ageMs: 600_000 });
  await recordLinkHits(db, [{ deliveryId: mail.deliveryId, kind: 'open', isMachine: false }]);
  await db.sql.query(`update link_visits set at = at - interval '1 minute'`);

  await withAdvisoryLock(db, 'visits', async () => {
    expect(await classifyLinkHitsExclusively(db, signal)).toBe(false);
    expect(await mail.read()).toMatchObject({ status: 'sent' });
  });

  expect(await classifyLinkHitsExclusively(db, signal)).toBe(true);
  expect(await mail.read()).toMatchObject({ status: 'opened' });
});

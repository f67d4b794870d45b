import type { FindMembers } from '@tidings/delivery/snapshots';
import { findAudience } from '@tidings/segments/audience';
import { compileMembers } from '@tidings/segments/members';
import { localSettings, QUESTION_DEFAULTS, readNow } from '@tidings/segments/question-queue';

const SETTINGS = localSettings({
  name: 'tidings-snapshots',
  workMemMiB: QUESTION_DEFAULTS.workMemMiB,
});

/** The statement for the recipients of an audience, as it is now. */
export const findMembers: FindMembers = async (sql, { applicationId, audience }) => {
  await sql.query(SETTINGS);
  const found = await findAudience(sql, applicationId, audience);
  if ('failure' in found) return found;
  return {
    audience: found.audience,
    members: compileMembers({ ...found.asked, now: await readNow(sql) }),
  };
};

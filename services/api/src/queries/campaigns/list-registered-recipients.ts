import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/**
 * The recipients of a campaign who are registered users now, whether it began or not. So a deleted
 * user is not among them.
 */
export async function listRegisteredRecipients(
  { sql }: Pick<Database, 'sql'>,
  { applicationId, campaignId }: { readonly applicationId: string; readonly campaignId: string },
): Promise<string[]> {
  const { rows } = await sql.query<{ custom_user_id: string }>(
    statement('list-registered-recipients'),
    [applicationId, campaignId],
  );
  return rows.map((row) => row.custom_user_id);
}

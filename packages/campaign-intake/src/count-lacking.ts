import type { CampaignTemplate, Channel } from '@tidings/contracts';
import { countUsersLacking } from '@tidings/people/template-users';
import type { Database } from '@tidings/postgres/database';
import { compileMessage } from '@tidings/templates/compile-message';

/**
 * How many of these users lack each variable that a message requires. A message of a variant counts
 * as if all got it.
 */
export async function countLacking(
  db: Database,
  {
    applicationId,
    channel,
    templates,
    customUserIds,
  }: {
    readonly applicationId: string;
    readonly channel: Channel;
    readonly templates: readonly CampaignTemplate[];
    readonly customUserIds: readonly string[];
  },
): Promise<Record<string, number>> {
  const messages = templates.flatMap(({ message, variants }) => [
    message,
    ...variants.map((variant) => variant.message),
  ]);
  const paths = new Map<string, readonly string[]>();
  for (const message of messages) {
    const compiled = compileMessage(channel, message, '/message');
    if (!compiled.ok) continue;
    for (const { name, path, isRequired } of compiled.compiled.variables)
      if (isRequired && path[0] === 'user') paths.set(name, path.slice(1));
  }
  const counts = await countUsersLacking(db, {
    applicationId,
    customUserIds,
    paths: [...paths.values()],
  });
  return Object.fromEntries(
    [...paths.keys()].map((name, index) => [name, counts[index] ?? 0] as const),
  );
}

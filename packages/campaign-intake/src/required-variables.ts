import type { Channel } from '@tidings/contracts/channels/channels';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { AppError } from '@tidings/platform';
import { renderPool } from '@tidings/templates/process-pool';

/** Paths of variables below the user, by their names. */
export type RequiredVariables = ReadonlyMap<string, readonly string[]>;

/**
 * What the messages require of a user. A message of a variant, or of one of several templates,
 * counts as if all got it. Read in a thread: they may be of four megabytes.
 * @throws AppError `unavailable`
 */
export async function requiredVariables(
  applicationId: string,
  channel: Channel,
  templates: readonly CampaignTemplate[],
): Promise<RequiredVariables> {
  const messages = templates
    .flatMap(({ message, variants }) => [message, ...variants.map((variant) => variant.message)])
    .map((message) => ({ key: null, message }));
  const variables = await renderPool.listVariables({ applicationId, channel, messages });
  if (variables === null)
    throw new AppError('unavailable', 'The templates took too long to read. Try again later.');
  return new Map(
    variables
      .filter(({ isRequired, path }) => isRequired && path[0] === 'user')
      .map(({ name, path }) => [name, path.slice(1)]),
  );
}

/** Counts in the order of the variables, by their names. */
export const byName = (
  variables: RequiredVariables,
  counts: readonly number[],
): Record<string, number> =>
  Object.fromEntries([...variables.keys()].map((name, index) => [name, counts[index] ?? 0]));

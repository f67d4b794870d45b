import type { CampaignTemplate, Channel } from '@tidings/contracts';
import { compileAccepted } from '@tidings/templates/compile-message';

/** Paths of variables below the user, by their names. */
export type RequiredVariables = ReadonlyMap<string, readonly string[]>;

/**
 * What the messages require of a user. A message of a variant, or of one of several templates,
 * counts as if all got it.
 */
export function requiredVariables(
  channel: Channel,
  templates: readonly CampaignTemplate[],
): RequiredVariables {
  const messages = templates.flatMap(({ message, variants }) => [
    message,
    ...variants.map((variant) => variant.message),
  ]);
  const paths = new Map<string, readonly string[]>();
  for (const message of messages) {
    for (const { name, path, isRequired } of compileAccepted(channel, message)?.variables ?? [])
      if (isRequired && path[0] === 'user') paths.set(name, path.slice(1));
  }
  return paths;
}

/** Counts in the order of the variables, by their names. */
export const byName = (
  variables: RequiredVariables,
  counts: readonly number[],
): Record<string, number> =>
  Object.fromEntries([...variables.keys()].map((name, index) => [name, counts[index] ?? 0]));

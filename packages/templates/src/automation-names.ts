import type { TemplateContent } from '@tidings/contracts/push/templates';
import { TEXT_LIMITS } from '@tidings/liquid/limits';
import type { TextOf } from '@tidings/liquid/parse-options';
import { renderPool } from './rendering/process-pool.ts';

/** The variables that automations alone have. */
type AutomationName = 'event' | 'run';

const ALLOWED: Readonly<Record<TextOf, readonly AutomationName[]>> = {
  push: [],
  run: ['run'],
  event: ['event', 'run'],
};

/** What a template of such texts names. */
export const EXPECTED_NAMES: Readonly<Record<TextOf, string>> = {
  push: 'neither event nor run, which an automation alone has',
  run: 'no event, which the trigger has not',
  event: 'an event or none',
};

export const mayName = (textOf: TextOf, names: ReadonlySet<AutomationName>): boolean =>
  [...names].every((name) => ALLOWED[textOf].includes(name));

/**
 * Which of these the messages of a stored template name, also in conditions, loops and arguments of
 * filters. Messages are read in a thread if they may name one: few do.
 */
export async function automationNames(
  applicationId: string,
  { channel, message, variants }: TemplateContent,
): Promise<ReadonlySet<AutomationName>> {
  const messages = [message, ...variants.map((variant) => variant.message)].filter(mayHoldName);
  if (messages.length === 0) return new Set();
  const variables = await renderPool.listVariables({
    applicationId,
    channel,
    messages: messages.map((each) => ({ key: null, message: each })),
  });
  // What cannot be read in time is not rendered either.
  const roots = new Set((variables ?? []).map(({ path }) => path[0]));
  return new Set(ALLOWED.event.filter((name) => roots.has(name)));
}

/** Characters of an output or tag; a few more, for its ends. */
const OUTPUT_CHARS_MAX = TEXT_LIMITS.tokenCharsMax + 10;
const START_OR_NAME = /\{[{%]|\b(?:event|run)\b/g;

/** Finds more than those that name one. In one pass: an author may write a million braces. */
function mayHoldName(message: object): boolean {
  const values: unknown[] = [message];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === 'string') {
      let start = -Infinity;
      for (const { 0: found, index } of value.matchAll(START_OR_NAME)) {
        if (found.startsWith('{')) start = index;
        else if (index - start <= OUTPUT_CHARS_MAX) return true;
      }
    } else if (typeof value === 'object' && value !== null)
      for (const child of Object.values(value)) values.push(child);
  }
  return false;
}

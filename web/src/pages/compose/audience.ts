import type { Condition } from '@tidings/contracts/segments/conditions';
import { isComplete } from '../../conditions/new-condition.ts';
import { EVERYONE } from '../../conditions/everyone.ts';

export type AudienceKind = 'everyone' | 'segment' | 'condition' | 'users';

/** Who a draft is for. `to` says which of the others counts. */
export type AudienceChoice = {
  readonly to: AudienceKind;
  readonly recipients: string;
  /** Slugs; empty until chosen. */
  readonly segment: string;
  readonly condition: Condition;
  readonly exclude: string;
  readonly recheck: boolean;
};

/** The audience as a question about users; null for a list of ids, and until it is complete. */
export function audienceCondition(choice: AudienceChoice): Condition | null {
  const whole = wholeAudience(choice);
  if (whole === null || !isComplete(whole)) return null;
  return choice.exclude === '' ? whole : { all: [whole, { not: { segment: choice.exclude } }] };
}

function wholeAudience({ to, segment, condition }: AudienceChoice): Condition | null {
  switch (to) {
    case 'everyone':
      return EVERYONE;
    case 'segment':
      return segment === '' ? null : { segment };
    case 'condition':
      return condition;
    case 'users':
      return null;
  }
}

/** The unique customUserIds of a text, separated by lines, commas or semicolons. */
export function readRecipients(text: string): readonly string[] {
  const ids = text.split(/[\n\r,;]+/).map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ''))];
}

const NUMBER = /^\+?[\d\s()./-]{7,}$/;

/** Whether a text may be an e-mail address or a phone number. It may be an id all the same. */
export const isContact = (text: string): boolean => text.includes('@') || NUMBER.test(text);

/** What is missing of the audience. */
export function listMissingAudience(choice: AudienceChoice): readonly string[] {
  switch (choice.to) {
    case 'everyone':
      return [];
    case 'segment':
      return choice.segment === '' ? ['a segment'] : [];
    case 'condition':
      return isComplete(choice.condition) ? [] : ['all of the conditions'];
    case 'users':
      return readRecipients(choice.recipients).length === 0 ? ['people'] : [];
  }
}

/** The audience as `POST /push` takes it. */
export function buildAudience(choice: AudienceChoice): Readonly<Record<string, unknown>> {
  const { to, segment, condition, recipients, exclude, recheck } = choice;
  if (to === 'users') return { recipients: readRecipients(recipients) };
  const own = to === 'everyone' ? EVERYONE : condition;
  return {
    segment: to === 'segment' ? segment : { condition: own },
    ...(exclude !== '' && { exclude }),
    ...(recheck && { recheck }),
  };
}

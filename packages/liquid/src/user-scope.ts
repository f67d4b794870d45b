import { TEMPLATE_ATTRIBUTES, TEMPLATE_USER_FIELDS } from '@tidings/contracts/push/templates';
import { NOW, type Scope } from './engine/render-context.ts';
import type { TemplateContext } from './template-context.ts';

/** What templates may know of a user. */
export type TemplateUser = {
  readonly customUserId: string;
  /** Milliseconds. */
  readonly registeredAt: number;
  /** Fields of the profile by name. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly customAttributes: Readonly<Record<string, unknown>>;
  /** Of the run in which an automation sends to the user; absent: it sends nothing here. */
  readonly context?: TemplateContext | undefined;
  /** What `now` is, in milliseconds. Default: the time of the rendering. */
  readonly renderedAt?: number;
};

/** The range of a JavaScript date. */
const DATE_MS_MAX = 8_640_000_000_000_000;

/** The variables of one rendering. */
export function userScope(
  {
    customUserId,
    registeredAt,
    fields,
    customAttributes,
    context,
    renderedAt = Date.now(),
  }: TemplateUser,
  campaignId: string,
): Scope {
  const user: Record<string, unknown> = {};
  for (const field of TEMPLATE_USER_FIELDS) {
    const value = fields[field];
    if (typeof value === 'string') user[field] = value;
  }
  user['customUserId'] = customUserId;
  // Formatted when a template reads it: that costs more than all other fields.
  Object.defineProperties(user, {
    registeredAt: { get: () => toIso(registeredAt), enumerable: true },
    birthday: { get: () => toDay(fields['birthday']), enumerable: true },
  });
  user[TEMPLATE_ATTRIBUTES] = customAttributes;
  return { user, campaign: { id: campaignId }, ...contextScope(context), [NOW]: renderedAt };
}

function contextScope(context: TemplateContext | undefined): Scope {
  if (context === undefined) return {};
  const { event, run } = context;
  return {
    run: { ...run, enteredAt: toIso(run.enteredAt) },
    ...(event !== null && { event: { ...event, time: toIso(event.time) } }),
  };
}

/** As ISO 8601, which the filter `date` reads; it takes numbers for seconds. */
function toIso(milliseconds: unknown): string | undefined {
  const ms = Number(milliseconds ?? NaN);
  return Math.abs(ms) <= DATE_MS_MAX ? new Date(ms).toISOString() : undefined;
}

const MIDNIGHT = 'T00:00:00.000Z';

/** A day without a time is that day in every zone. */
function toDay(milliseconds: unknown): string | undefined {
  const iso = toIso(milliseconds);
  return iso?.endsWith(MIDNIGHT) === true ? iso.slice(0, -MIDNIGHT.length) : iso;
}

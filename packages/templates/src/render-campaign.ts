import { readTemplateUsers } from '@tidings/people/template-users';
import { itemAt } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { askUsers } from '@tidings/segments/ask-users';
import { readConditionContext } from '@tidings/segments/segments';
import { chooseTemplate } from './choose-share.ts';
import { chooseVariants } from './choose-variants.ts';
import type { MessageToSend } from '@tidings/liquid/compile-message';
import { filledUser, type Filling } from '@tidings/liquid/filling';
import { knowCampaign, type KeyedTemplate, type PersonalCampaign } from './know-campaign.ts';
import type { RenderFault } from '@tidings/liquid/render-fault';
import { renderPool } from './rendering/process-pool.ts';
import type { MessagesToRender } from './rendering/render-pool.ts';
import type { TemplateContext } from '@tidings/liquid/template-context';
import type { TemplateUser } from '@tidings/liquid/user-scope';

export type { PersonalCampaign } from './know-campaign.ts';

/** What a campaign says to one recipient. */
export type RenderedForUser = {
  /** The index of the recipient's template. */
  readonly templateNo: number;
  /** The index of the variant of that template; null: the template's own message. */
  readonly variantNo: number | null;
  /** The message, or why there is none. */
  readonly message: MessageToSend | RenderFault;
};

/** What a recipient got, or is to get again: from it the same words are rendered. */
export type RecordedFilling = Filling &
  Pick<RenderedForUser, 'templateNo' | 'variantNo'> & {
    /** `RENDERER_VERSION` of the version that wrote it. */
    readonly renderer: number;
  };

/**
 * Renders the message of a campaign for some of its recipients: from `recorded` where it has one, else
 * from their profiles as they are now; null for those who are not registered. Those for whom the time
 * was over are left out, and at least one is not. Profiles, and each condition, are read by one
 * statement for all of them. `timed_out`: Postgres did not finish the conditions of variants in time.
 */
export async function renderCampaign(
  db: Database,
  campaign: PersonalCampaign,
  {
    customUserIds,
    recorded = NONE,
    contexts = NO_CONTEXTS,
    endsAt = Infinity,
  }: {
    readonly customUserIds: readonly string[];
    /** By customUserId. */
    readonly recorded?: ReadonlyMap<string, RecordedFilling>;
    /** By customUserId, of a campaign of an automation. A record has its own. */
    readonly contexts?: ReadonlyMap<string, TemplateContext>;
  } & Pick<MessagesToRender, 'endsAt'>,
): Promise<Map<string, RenderedForUser | null> | 'timed_out'> {
  const { campaignId, applicationId, channel } = campaign;
  const { templates, attributes } = await knowCampaign(renderPool, campaign);
  const unrecorded = customUserIds.filter((id) => !recorded.has(id));
  const users = await readUsers(db, { applicationId, customUserIds: unrecorded, attributes });
  // Before a decision the first stands for it: nothing is sent.
  const templateOf = (id: string): number => chooseTemplate(campaign, id) ?? 0;
  const variants = await chooseAll(db, campaign, { templates, templateOf, ids: [...users.keys()] });
  if (variants === 'timed_out') return variants;
  // Of a user who is not registered there is nothing to render.
  const rendered = new Map<string, RenderedForUser | null>(
    unrecorded.flatMap((id) => (users.has(id) ? [] : [[id, null]])),
  );
  const choices = new Map<string, Pick<RenderedForUser, 'templateNo' | 'variantNo'>>();
  for (const [id, user] of users) {
    choices.set(id, { templateNo: templateOf(id), variantNo: variants.get(id) ?? null });
    users.set(id, { ...user, context: contexts.get(id) });
  }
  for (const [id, filling] of recorded) {
    choices.set(id, filling);
    users.set(id, filledUser(id, filling));
  }
  const choiceOf = (id: string): string => {
    const { templateNo, variantNo } = choices.get(id) ?? {};
    return `${templateNo} ${variantNo}`;
  };
  for (const ids of Map.groupBy(users.keys(), choiceOf).values()) {
    if (rendered.size > 0 && performance.now() >= endsAt) break;
    const { templateNo, variantNo } = itemAt(
      ids.flatMap((id) => choices.get(id) ?? []),
      0,
    );
    const template = itemAt(templates, templateNo);
    const { message } = variantNo === null ? template : itemAt(template.variants, variantNo);
    const messages = await renderPool.render({
      applicationId,
      campaignId,
      channel,
      message,
      endsAt,
      users: ids.flatMap((id) => users.get(id) ?? []),
    });
    for (const [index, own] of messages.entries())
      rendered.set(itemAt(ids, index), { templateNo, variantNo, message: own });
  }
  return rendered;
}

const NONE: ReadonlyMap<string, RecordedFilling> = new Map();
const NO_CONTEXTS: ReadonlyMap<string, TemplateContext> = new Map();

async function readUsers(
  db: Database,
  asked: Parameters<typeof readTemplateUsers>[1],
): Promise<Map<string, TemplateUser>> {
  return asked.customUserIds.length === 0 ? new Map() : readTemplateUsers(db, asked);
}

type Choice = {
  readonly templates: readonly KeyedTemplate[];
  readonly templateOf: (customUserId: string) => number;
  readonly ids: readonly string[];
};

/** The variant of each user for whom there is one. */
async function chooseAll(
  db: Database,
  { applicationId }: PersonalCampaign,
  { templates, templateOf, ids }: Choice,
): Promise<Map<string, number> | 'timed_out'> {
  const chosen = new Map<string, number>();
  if (ids.length === 0 || templates.every(({ variants }) => variants.length === 0)) return chosen;
  const context = await readConditionContext(db.sql, applicationId);
  return askUsers(db, async (sql, now) => {
    for (const [index, { variants }] of templates.entries()) {
      const customUserIds = ids.filter((id) => templateOf(id) === index);
      const own = await chooseVariants(sql, { context, variants, customUserIds, now });
      for (const [id, variant] of own) chosen.set(id, variant);
    }
    return chosen;
  });
}

import { readTemplateUsers } from '@tidings/people/template-users';
import type { Database } from '@tidings/postgres/database';
import { askUsers } from '@tidings/segments/ask-users';
import { readConditionContext } from '@tidings/segments/segments';
import { chooseShare } from './choose-share.ts';
import { chooseVariants } from './choose-variants.ts';
import {
  compileCampaign,
  type CompiledTemplate,
  type PersonalCampaign,
} from './compile-campaign.ts';
import type { CompiledMessage, MessageToSend } from './compile-message.ts';
import { RenderFault } from './liquid/render-fault.ts';
import { userScope } from './user-scope.ts';

/** What a campaign says to one recipient. */
export type RenderedForUser = {
  /** The index of the recipient's template. */
  readonly templateNo: number;
  /** The index of the variant of that template; null: the template's own message. */
  readonly variantNo: number | null;
  /** The message, or why there is none. */
  readonly message: MessageToSend | RenderFault;
};

/**
 * Renders the message of a campaign for some of its recipients, from their profiles as they are
 * now; null for those who are not registered. Profiles, and each condition, are read by one
 * statement for all of them. `timed_out`: Postgres did not finish the conditions of variants in
 * time.
 */
export async function renderCampaign(
  db: Database,
  campaign: PersonalCampaign,
  customUserIds: readonly string[],
): Promise<Map<string, RenderedForUser | null> | 'timed_out'> {
  const { campaignId, applicationId } = campaign;
  const { templates, attributes } = compileCampaign(campaign);
  const users = await readTemplateUsers(db, { applicationId, customUserIds, attributes });
  const shares = templates.map(({ share }) => share);
  const templateOf = (id: string): number => chooseShare(campaignId, id, shares);
  const variants = await chooseAll(db, campaign, { templates, templateOf, ids: [...users.keys()] });
  if (variants === 'timed_out') return variants;
  // Users of one message follow each other: one that is not kept is parsed once for all of them.
  const choices = customUserIds
    .map((id) => ({ id, templateNo: templateOf(id), variantNo: variants.get(id) ?? null }))
    .toSorted((a, b) => a.templateNo - b.templateNo || (a.variantNo ?? -1) - (b.variantNo ?? -1));
  return new Map(
    choices.map(({ id, templateNo, variantNo }): [string, RenderedForUser | null] => {
      const user = users.get(id);
      if (user === undefined) return [id, null];
      const template = templates[templateNo];
      const compile =
        variantNo === null ? template?.message : template?.variants[variantNo]?.message;
      const message = render(compile?.() ?? null, userScope(user, campaignId));
      return [id, { templateNo, variantNo, message }];
    }),
  );
}

function render(
  compiled: CompiledMessage | null,
  scope: ReturnType<typeof userScope>,
): MessageToSend | RenderFault {
  if (compiled === null) return new RenderFault('failed', 'the template cannot be read');
  try {
    return compiled.renderToSend(scope);
  } catch (error) {
    if (error instanceof RenderFault) return error;
    throw error;
  }
}

type Choice = {
  readonly templates: readonly CompiledTemplate[];
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
  if (templates.every(({ variants }) => variants.length === 0)) return chosen;
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

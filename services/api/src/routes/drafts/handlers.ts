import {
  createDraftEndpoint,
  deleteDraftEndpoint,
  listDraftsEndpoint,
  readDraftEndpoint,
  writeDraftEndpoint,
} from '@tidings/api-spec/endpoints/drafts';
import { findDraftFaults } from '@tidings/campaign-drafts/draft-faults';
import {
  createDraft,
  deleteDraft,
  listDrafts,
  readDraft,
  writeDraft,
  type CreatedDraft,
  type Draft,
  type DraftContent,
} from '@tidings/campaign-drafts/drafts';
import { LIMITS } from '@tidings/contracts/limits';
import type { CampaignReports } from '@tidings/campaign-reports/reports';
import { AppError } from '@tidings/platform';
import type { Response } from 'express';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { paginate } from '../../http/page.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { copyCampaign } from '../../queries/campaigns/copy-campaign.ts';

/** Drafts: campaigns that are being written. */
export function draftRoutes(
  deps: Pick<ApiDependencies, 'db' | 'ids'> & { readonly reports: CampaignReports },
): Route[] {
  const { db, ids } = deps;
  const routes = [
    defineRoute(listDraftsEndpoint, async ({ res, query }) =>
      paginate(query, await listDrafts(db, getApplicationId(res)), ({ draftId }) => draftId),
    ),
    defineRoute(createDraftEndpoint, async ({ res, body: { content, campaignId } }) => {
      const applicationId = getApplicationId(res);
      const created = await createDraft(db, {
        applicationId,
        draftId: ids.uuid(),
        content:
          content === undefined
            ? await copyCampaign(deps, { applicationId, campaignId: String(campaignId) })
            : checked(content),
        by: getActor(res),
      });
      if ('oldest' in created) throw fullError(created);
      return created.draft;
    }),
    defineRoute(readDraftEndpoint, async ({ res, params }) =>
      found(await readDraft(db, draftOf(res, params))),
    ),
    defineRoute(writeDraftEndpoint, async ({ res, params, body }) => {
      const written = await writeDraft(db, {
        ...draftOf(res, params),
        content: checked(body.content),
        expectedVersion: body.expectedVersion,
        by: getActor(res),
      });
      const { draft, isMoved } = found(written);
      if (isMoved) throw movedError(draft);
      return draft;
    }),
    defineRoute(deleteDraftEndpoint, async ({ res, params }) => {
      if (!(await deleteDraft(db, draftOf(res, params)))) found(null);
    }),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}

const draftOf = (res: Response, params: Readonly<Record<string, string>>) => ({
  applicationId: getApplicationId(res),
  draftId: String(params['draftId']),
});

/** @throws AppError not_found */
function found<T>(draft: T | null): T {
  if (draft === null)
    throw new AppError('not_found', 'This application has no draft with this id.');
  return draft;
}

/** @throws AppError validation_failed */
function checked(content: DraftContent): DraftContent {
  const errors = findDraftFaults(content);
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The draft cannot be stored.', { errors });
  return content;
}

const movedError = ({ version, updatedBy, updatedAt }: Draft): AppError =>
  new AppError(
    'conflict',
    `The draft has version ${version} by now, of ${updatedBy}, ${timeOf(updatedAt)}. Nothing was changed. Read it again.`,
  );

const fullError = ({ oldest }: Extract<CreatedDraft, { oldest: unknown }>): AppError =>
  new AppError(
    'conflict',
    `An application has at most ${LIMITS.draftsMax} drafts. Delete some first. Changed longest ago: ${oldest
      .map(({ draftId, updatedAt }) => `${draftId} (${timeOf(updatedAt)})`)
      .join(', ')}.`,
  );

const timeOf = (ms: number): string => new Date(ms).toISOString();

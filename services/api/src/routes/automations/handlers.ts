import {
  activateAutomationEndpoint,
  deleteAutomationEndpoint,
  listAutomationsEndpoint,
  listAutomationVersionsEndpoint,
  pauseAutomationEndpoint,
  readAutomationEndpoint,
  readAutomationReportEndpoint,
  resumeAutomationEndpoint,
  stopAutomationEndpoint,
  writeAutomationEndpoint,
} from '@tidings/api-spec/endpoints/automations';
import {
  activateAutomation,
  archiveAutomation,
  listAutomations,
  listAutomationVersions,
  pauseAutomation,
  resumeAutomation,
  stopAutomation,
  writeAutomation,
  type Automation,
} from '@tidings/automations/automations';
import { readReport, readTotals } from '@tidings/automation-reports/report';
import { readSplitReports } from '@tidings/automation-winners/split-report';
import { channelsOf, isChanged } from '@tidings/automation-reports/summary';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { isSlugCursor, isVersionCursor, readPage, toPage } from '../../http/page.ts';
import { readExactJson } from '../../http/read-json.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { changed, refuse } from './changed.ts';
import { automationOf, found, foundAutomation } from './found-automation.ts';
import { rehearsalRoutes } from './rehearsal-handlers.ts';
import { runRoutes } from './run-handlers.ts';

/** Automations: what happens to people after a trigger, who is in it, and why. */
export function automationRoutes(deps: ApiDependencies): Route[] {
  const { db, clock } = deps;
  const routes = [
    defineRoute(listAutomationsEndpoint, async ({ res, query }) => {
      const { cursor: after = null, limit } = readPage(query, isSlugCursor);
      const listed = await listAutomations(db.sql, getApplicationId(res), {
        after,
        limit: limit + 1,
      });
      const totals = await readTotals(
        db.sql,
        listed.map(({ id }) => id),
      );
      const { items, nextCursor } = toPage(listed, limit, ({ slug }) => slug);
      return {
        items: items.map((automation) => ({
          ...frameOf(automation),
          ...found(totals.get(automation.id) ?? null),
          trigger: automation.draft.trigger,
          channels: channelsOf(automation.draft),
        })),
        nextCursor,
      };
    }),
    defineRoute(readAutomationEndpoint, async ({ res, params }) =>
      shown(await foundAutomation(db.sql, res, params)),
    ),
    defineRoute(writeAutomationEndpoint, async ({ res, params, body }) => {
      const { expectedVersion, ...definition } = body;
      if (expectedVersion !== undefined && !isVersion(expectedVersion))
        throw new AppError('validation_failed', 'The automation is not valid.', {
          errors: [
            { pointer: '/expectedVersion', code: 'out_of_range', expected: 'an integer from 0' },
          ],
        });
      const written = await writeAutomation(db, {
        ...automationOf(res, params),
        definition,
        ...(expectedVersion !== undefined && { expectedVersion }),
        by: getActor(res),
      });
      if (written === 'moved')
        throw new AppError('conflict', 'The draft was changed since. Read it again.');
      if (written === 'too_many')
        throw new AppError(
          'conflict',
          `An application has at most ${LIMITS.automationsMax} automations. Delete one first.`,
        );
      return shownWith(changed(written));
    }),
    defineRoute(deleteAutomationEndpoint, async ({ res, params }) => {
      const outcome = await archiveAutomation(db, {
        ...automationOf(res, params),
        by: getActor(res),
      });
      if (outcome !== 'archived') refuse(outcome);
    }),
    defineRoute(activateAutomationEndpoint, async ({ res, params, body: { inFlight = 'keep' } }) =>
      shownWith(
        changed(
          await activateAutomation(db, {
            ...automationOf(res, params),
            inFlight,
            by: getActor(res),
          }),
        ),
      ),
    ),
    defineRoute(pauseAutomationEndpoint, async ({ res, params }) =>
      shownWith(
        changed(await pauseAutomation(db, { ...automationOf(res, params), by: getActor(res) })),
      ),
    ),
    defineRoute(resumeAutomationEndpoint, async ({ res, params, body: { missedSends = 'send' } }) =>
      shownWith(
        changed(
          await resumeAutomation(db, {
            ...automationOf(res, params),
            missedSends,
            by: getActor(res),
          }),
        ),
      ),
    ),
    defineRoute(stopAutomationEndpoint, async ({ res, params, body: { runs = 'finish' } }) =>
      shownWith(
        changed(
          await stopAutomation(db, { ...automationOf(res, params), runs, by: getActor(res) }),
        ),
      ),
    ),
    defineRoute(listAutomationVersionsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isVersionCursor);
      const { id } = await foundAutomation(db.sql, res, params);
      const versions = await listAutomationVersions(db.sql, id, {
        before: cursor === undefined ? null : Number(cursor),
        limit: limit + 1,
      });
      return toPage(versions, limit, ({ version }) => String(version));
    }),
    defineRoute(readAutomationReportEndpoint, async ({ res, params, query }) => {
      const automation = await foundAutomation(db.sql, res, params);
      const report = await readReport(
        db.sql,
        { applicationId: getApplicationId(res), automation },
        query,
      );
      const winners = await readSplitReports(db.sql, automation);
      return {
        ...report,
        nodes: report.nodes.map((node) => {
          const winner = winners.get(node.id);
          return winner === undefined ? node : { ...node, winner };
        }),
        asOf: clock.now(),
      };
    }),
    ...runRoutes(deps),
    ...rehearsalRoutes(deps),
  ];
  return routes.map((route) => ({ ...route, readBody: readExactJson }));
}

const VERSION_MAX = 2_147_483_647;
const isVersion = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= VERSION_MAX;

const frameOf = (automation: Automation) => ({
  slug: automation.slug,
  name: automation.draft.name,
  status: automation.status,
  draftVersion: automation.draftVersion,
  liveVersion: automation.liveVersion,
  hasChanges: isChanged(automation),
  activatedAt: automation.activatedAt,
  pausedAt: automation.pausedAt,
  createdAt: automation.createdAt,
  updatedAt: automation.updatedAt,
  updatedBy: automation.updatedBy,
});

const shown = (automation: Automation) => ({
  ...frameOf(automation),
  draft: automation.draft,
  live: automation.live,
});

const shownWith = ({ automation, warnings }: ReturnType<typeof changed>) => ({
  ...shown(automation),
  warnings,
});

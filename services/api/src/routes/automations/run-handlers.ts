import {
  endRunEndpoint,
  listRunsEndpoint,
  listUserRunsEndpoint,
  readAutomationUserEndpoint,
  readRunEndpoint,
  retryRunEndpoint,
  startRunEndpoint,
} from '@tidings/api-spec/endpoints/automation-runs';
import { listRuns, listRunsOfPerson, readRun } from '@tidings/automation-reports/runs';
import { explainUser } from '@tidings/automation-reports/why';
import { endRun, retryRun, type ChangedRun } from '@tidings/automations/change-runs';
import { startRun, type StartedRun } from '@tidings/automations/start-run';
import { readIdempotencyKey } from '@tidings/campaign-intake/idempotency-key';
import { AppError, isUuid } from '@tidings/platform';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readPage, toPage } from '../../http/page.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { automationOf, foundAutomation, notFound } from './found-automation.ts';

/** The ways of people through an automation. */
export function runRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(startRunEndpoint, async ({ req, res, params, body }) => {
      const { key: idempotencyKey, faults } = readIdempotencyKey(req.headers);
      if (faults.length > 0)
        throw new AppError('validation_failed', 'The request is not valid.', {
          errors: [...faults],
        });
      const started = await startRun(db, {
        ...automationOf(res, params),
        ...body,
        ...(idempotencyKey !== null && { idempotencyKey }),
      });
      if (typeof started === 'string') throw refusalOf(started);
      if (started.isReplayed) res.setHeader('Idempotent-Replay', 'true');
      return { runId: started.runId };
    }),
    defineRoute(listRunsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isUuid);
      const { status, node, customUserId } = query;
      const { id } = await foundAutomation(db.sql, res, params);
      const runs = await listRuns(db.sql, id, {
        status,
        node,
        customUserId,
        before: cursor ?? null,
        limit: limit + 1,
      });
      return toPage(runs, limit, ({ runId }) => runId);
    }),
    defineRoute(listUserRunsEndpoint, async ({ res, params, query }) => {
      const { cursor, limit } = readPage(query, isUuid);
      const runs = await listRunsOfPerson(db.sql, {
        applicationId: getApplicationId(res),
        customUserId: String(params['customUserId']),
        before: cursor ?? null,
        limit: limit + 1,
      });
      return toPage(foundPerson(runs), limit, ({ runId }) => runId);
    }),
    defineRoute(readRunEndpoint, async ({ res, params }) => {
      const { id } = await foundAutomation(db.sql, res, params);
      return foundRun(await readRun(db.sql, { automationId: id, runId: String(params['runId']) }));
    }),
    defineRoute(endRunEndpoint, async ({ res, params }) => {
      const { id } = await foundAutomation(db.sql, res, params);
      done(await endRun(db, { automationId: id, runId: String(params['runId']) }));
    }),
    defineRoute(retryRunEndpoint, async ({ res, params }) => {
      const { id } = await foundAutomation(db.sql, res, params);
      done(await retryRun(db, { automationId: id, runId: String(params['runId']) }));
    }),
    defineRoute(readAutomationUserEndpoint, async ({ res, params }) => {
      const automation = await foundAutomation(db.sql, res, params);
      const explained = await explainUser(db.sql, {
        applicationId: getApplicationId(res),
        automation,
        customUserId: String(params['customUserId']),
      });
      return foundPerson(explained);
    }),
  ];
}

/** @throws AppError `not_found` */
function foundPerson<T>(found: T | null): T {
  if (found === null)
    throw new AppError('not_found', 'This application has no user with this customUserId.');
  return found;
}

/** @throws AppError `not_found` */
function foundRun<T>(run: T | null): T {
  if (run === null) throw new AppError('not_found', 'The automation has no run with this id.');
  return run;
}

/** @throws AppError `not_found` or `conflict` */
function done(outcome: ChangedRun): void {
  if (outcome === 'changed') return;
  if (outcome === 'not_found') foundRun(null);
  if (outcome === 'other_run')
    throw new AppError('conflict', 'The person is in the automation again.');
  throw new AppError('conflict', `The run is ${outcome}.`);
}

function refusalOf(started: Extract<StartedRun, string>): AppError {
  switch (started) {
    case 'not_found':
      return notFound();
    case 'not_active':
      return new AppError('conflict', 'The automation is not active.');
    case 'other_trigger':
      return new AppError('conflict', 'Events enter people here: its trigger is not the API.');
    case 'not_registered':
      return new AppError('validation_failed', 'The request is not valid.', {
        errors: [
          {
            pointer: '/customUserId',
            code: 'invalid_value',
            expected: 'the customUserId of a registered user',
          },
        ],
      });
    case 're_entry':
      return new AppError('conflict', 'The person may not enter again: see `entry`.');
    case 'capacity':
      return new AppError('conflict', 'The person has the maximum of runs at a time.');
    case 'other_body':
      return new AppError(
        'idempotency_conflict',
        'This Idempotency-Key was used with a different body before.',
      );
  }
}

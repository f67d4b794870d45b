import {
  countConditionEndpoint,
  countSegmentEndpoint,
  explainConditionEndpoint,
  explainSegmentEndpoint,
  listConditionMembersEndpoint,
  listSegmentMembersEndpoint,
  listUserSegmentsEndpoint,
  previewSegmentEndpoint,
} from '@tidings/api-spec/endpoints/segments';
import { listSuggestionsEndpoint } from '@tidings/api-spec/endpoints/suggestions';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { AppError } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { explainMembership } from '@tidings/segments/explain';
import {
  countMembers,
  listMembers,
  selectCustomUserIds,
  testConditions,
  type Question,
} from '@tidings/segments/members';
import { isUnanswered } from '@tidings/segments/question-queue';
import type { MessageRetention } from '@tidings/segments/condition-context';
import { readCondition } from '@tidings/segments/read-condition';
import {
  keepCount,
  listSegmentsOf,
  readConditionContext,
  readSegment,
} from '@tidings/segments/segments';
import { suggestOfEvents, suggestOfProfiles } from '@tidings/segments/suggestions';
import type { Response } from 'express';
import { getApplicationId, getSettings } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { paginateBySlug, readUserPage } from '../../http/page.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { searchInTime } from '../../http/search-in-time.ts';
import {
  findCandidates,
  inOrderOf,
  pageOfPeople,
  personsOf,
} from '../../queries/users/people-pages.ts';
import { answered, answeredOfAll, countQuestion } from '../../http/user-questions.ts';
import { found, segmentOf } from './found-segment.ts';

/** A page of a file costs as much as its whole list: it has many rows. */
const CSV_PAGE_ROWS = 50_000;

/** Questions about conditions: preview, count, members, explanation. They store nothing. */
export function questionRoutes(deps: ApiDependencies): Route[] {
  const { db, questions, clock, deliveryRetentionDays } = deps;
  const read = (res: Response, condition: unknown) =>
    readAsked(db.sql, { applicationId: getApplicationId(res), deliveryRetentionDays }, condition);
  const ofAll = <T>(asked: T, now: number) => ({
    ...asked,
    now,
    memoryMiB: questions.memoryMiB,
  });
  const named = (res: Response, params: Readonly<Record<string, string>>) =>
    readNamed(db.sql, segmentOf(res, params));
  const count = async (res: Response, asked: Asked) => {
    const startedAt = clock.now();
    const [counted, asOf] = await answeredOfAll(
      questions.ask(
        getApplicationId(res),
        async (sql, now) => [await countMembers(sql, ofAll(asked, now)), now] as const,
      ),
    );
    return { ...counted, asOf, tookMs: clock.now() - startedAt };
  };
  const explain = async (
    res: Response,
    asked: Asked,
    { customUserId, at }: { readonly customUserId: string; readonly at?: number | undefined },
  ) => {
    const [explanation, asOf] = answered(
      await questions.askUsers(getApplicationId(res), async (sql, now) => {
        if (at !== undefined && at > now) throw inTheFuture();
        const question = { ...asked, now: at ?? now };
        const isPast = at !== undefined;
        return [
          await explainMembership(sql, question, { customUserId, isPast }),
          question.now,
        ] as const;
      }),
    );
    return { ...registered(explanation), asOf };
  };
  return [
    defineRoute(previewSegmentEndpoint, async ({ res, body }) => {
      countQuestion(deps, res);
      const startedAt = clock.now();
      const { warnings, ...asked } = await read(res, body.condition);
      const { estimate: estimated, now: asOf } = answered(await questions.estimate(asked));
      const { sample, stillOpen, ...estimate } = estimated;
      const parts = body.parts === true ? await questions.countParts(asked) : undefined;
      return {
        estimate,
        sample,
        stillOpen: stillOpen.map(inRequest),
        ...(parts !== undefined && {
          // The estimate is there: it does not wait for what only adds to it.
          parts: isUnanswered(parts) ? [] : parts.map(inRequest),
        }),
        warnings,
        asOf,
        tookMs: clock.now() - startedAt,
      };
    }),
    defineRoute(listSuggestionsEndpoint, async ({ res, query: { event } }) => {
      countQuestion(deps, res);
      const applicationId = getApplicationId(res);
      if (event === undefined)
        return answered(
          await questions.askDrawn(applicationId, (sql, drawn) =>
            suggestOfProfiles(sql, applicationId, drawn),
          ),
        );
      const context = await readConditionContext(db.sql, applicationId);
      const suggested = await questions.askUsers(applicationId, (sql) =>
        suggestOfEvents(sql, context, event),
      );
      return found(answered(suggested));
    }),
    defineRoute(countConditionEndpoint, async ({ res, body }) =>
      count(res, await read(res, body.condition)),
    ),
    defineRoute(explainConditionEndpoint, async ({ res, body }) => {
      countQuestion(deps, res);
      return explain(res, await read(res, body.condition), body);
    }),
    defineRoute(countSegmentEndpoint, async ({ res, params }) => {
      const which = segmentOf(res, params);
      const { version } = found(await readSegment(db.sql, which));
      const { tookMs, ...counted } = await count(res, await named(res, params));
      await keepCount(db.sql, { ...which, version }, counted);
      return { ...counted, tookMs };
    }),
    defineRoute(explainSegmentEndpoint, async ({ res, params, query }) => {
      countQuestion(deps, res);
      const customUserId = String(params['customUserId']);
      return explain(res, await named(res, params), { customUserId, at: query.at });
    }),
    defineRoute(listUserSegmentsEndpoint, async ({ res, params, query }) => {
      countQuestion(deps, res);
      const applicationId = getApplicationId(res);
      const context = await readConditionContext(db.sql, applicationId);
      const segments = await listSegmentsOf(db.sql, applicationId);
      const { items, nextCursor } = paginateBySlug(query, segments);
      const conditions = items.map(({ condition }) => condition);
      const customUserId = String(params['customUserId']);
      const results = registered(
        answered(
          await questions.askUsers(applicationId, (sql, now) =>
            testConditions(sql, { context, now, conditions, customUserId }),
          ),
        ),
      );
      return {
        items: items.map(({ slug, name }, index) => ({
          slug,
          name,
          isMember: results[index] === true,
        })),
        nextCursor,
      };
    }),
    defineRoute(
      listSegmentMembersEndpoint,
      async ({ res, params, query }) => {
        const { limit, ...page } = readUserPage(query);
        const asked = await named(res, params);
        const members = await answeredOfAll(
          questions.ask(getApplicationId(res), (sql, now) =>
            listMembers(sql, ofAll(asked, now), { ...page, limit: limit + 1 }),
          ),
        );
        return pageOfPeople(db.sql, getApplicationId(res), { members, limit });
      },
      { csvPageRows: CSV_PAGE_ROWS },
    ),
    defineRoute(
      listConditionMembersEndpoint,
      async ({ res, body, query: { search, ...query } }) => {
        const applicationId = getApplicationId(res);
        const { limit, ...page } = readUserPage(query);
        const { warnings: _warnings, ...asked } = await read(res, body.condition);
        const asking = { applicationId, defaultCountry: getSettings(res).defaultCountry };
        const candidates =
          search === undefined
            ? null
            : await searchInTime(deps.inTime, applicationId, (sql) =>
                findCandidates(sql, { ...asking, text: search }),
              );
        const members = await answeredOfAll(
          questions.ask(applicationId, async (sql, now) =>
            candidates === null
              ? listMembers(sql, ofAll(asked, now), { ...page, limit: limit + 1 })
              : inOrderOf(
                  candidates,
                  await selectCustomUserIds(sql, { ...asked, now }, candidates),
                ),
          ),
        );
        return search === undefined
          ? pageOfPeople(db.sql, applicationId, { members, limit })
          : {
              items: await personsOf(db.sql, applicationId, members.slice(0, limit)),
              nextCursor: null,
            };
      },
      { csvPageRows: CSV_PAGE_ROWS },
    ),
  ];
}

type Asked = Pick<Question, 'context' | 'condition'>;

/** @throws AppError `validation_failed` */
async function readAsked(
  sql: Sql,
  { applicationId, ...retention }: MessageRetention & { readonly applicationId: string },
  value: unknown,
) {
  const context = await readConditionContext(sql, applicationId, retention);
  const asked = readCondition(value, context, '/condition');
  if (!asked.ok)
    throw new AppError('validation_failed', 'The condition is not valid.', {
      errors: [...asked.errors],
    });
  return { context, condition: asked.condition, warnings: asked.warnings };
}

/** @throws AppError `not_found` */
async function readNamed(
  sql: Sql,
  { applicationId, slug }: { readonly applicationId: string; readonly slug: string },
): Promise<Asked> {
  const context = await readConditionContext(sql, applicationId);
  return { context, condition: found<Condition>(context.segments.get(slug) ?? null) };
}

/** @throws AppError `not_found` */
function registered<T>(answer: T | null): T {
  if (answer === null)
    throw new AppError('not_found', 'No user with this customUserId is registered.');
  return answer;
}

const inRequest = <T extends { readonly pointer: string }>(part: T): T => ({
  ...part,
  pointer: `/condition${part.pointer}`,
});

const inTheFuture = (): AppError =>
  new AppError('validation_failed', 'The question is not valid.', {
    errors: [{ pointer: '/at', code: 'out_of_range', expected: 'an instant that has passed' }],
  });

import {
  authorize,
  READABLE_BY_PAGES,
  settleBody,
  type Decision,
  type GuardedEndpoint,
  type Authorizer,
  type RequestContext,
} from '@tidings/access';
import { keepHeaders } from '@tidings/http/answer';
import type { ErrorAnswer } from '@tidings/http/error-answer';
import type { Answer } from '@tidings/http/request-value';
import { AppError } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { GatewayDependencies } from '../dependencies.ts';
import { countAnswer } from '../request-metrics.ts';
import { startDeadlineBudget } from '../deadline-budget.ts';
import type { GatewayPath, GatewayRate } from './gateway-path.ts';

export type GuardOptions = Omit<GuardedEndpoint<GatewayRate>, 'admission'> & {
  readonly path: GatewayPath;
  /** Whether browser pages may call. */
  readonly isOpenToPages?: boolean;
};

type GuardDependencies = Authorizer<GatewayRate> &
  Pick<GatewayDependencies, 'admissions' | 'clock' | 'lag'> & { readonly answerError: ErrorAnswer };

/** Rejects the request, or calls `next`. No other code path leads to a handler. */
export type RequestGuard = (req: IncomingMessage, res: Answer, next: () => void) => void;

/**
 * Checks a request before its body is read: see `authorize`. Hot path: no promise if the cache can
 * answer, no allocation for rejected requests, nothing thrown.
 */
export function createRequestGuard(deps: GuardDependencies, endpoint: GuardOptions): RequestGuard {
  const at = { ...deps, ...endpoint, admission: deps.admissions[endpoint.path] };
  return (req, res, next) => {
    countAnswer(at.path, res);
    const startBudget = startDeadlineBudget(at);
    const context: RequestContext = {
      req,
      res,
      headers:
        at.isOpenToPages === true && req.headers.origin !== undefined ? [...READABLE_BY_PAGES] : [],
    };
    const finish = (rejection: Decision): void => {
      // The caller disconnected, so no more of the body arrives.
      if (res.closed) return settleBody(res, 0, 0);
      if (rejection !== null) return at.answerError(rejection, context);
      keepHeaders(res, context.headers);
      startBudget(res);
      next();
    };
    const fail = (error: unknown): void => at.answerError(error, context);
    let decision: Decision | Promise<Decision>;
    try {
      decision = authorize(context, at);
    } catch (error) {
      return fail(error);
    }
    if (decision === null || decision instanceof AppError) finish(decision);
    else decision.then(finish, fail);
  };
}

import {
  authorize,
  READABLE_BY_PAGES,
  settleBody,
  type Decision,
  type GuardedEndpoint,
  type Authorizer,
  type RequestContext,
} from '@tidings/access';
import { AppError, setCommonHeaders, type Answer, type ErrorAnswer } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { GatewayDependencies } from '../dependencies.ts';
import { countAnswer } from '../request-metrics.ts';
import { startDeadlineBudget } from '../deadline-budget.ts';

/** The addresses of the gateway. */
export type GatewayPath = 'ingest' | 'push';

/** What is counted there. */
export type GatewayRate =
  | 'ingest'
  | 'ingestClient'
  | 'ingestClientAddress'
  | 'ingestBytes'
  | 'push';

export type GuardOptions = Omit<GuardedEndpoint<GatewayRate>, 'admission'> & {
  readonly path: GatewayPath;
  /** Whether pages of browsers may call. */
  readonly isOpenToPages?: boolean;
};

type GuardDependencies = Authorizer<GatewayRate> &
  Pick<GatewayDependencies, 'admissions' | 'clock' | 'lag'> & { readonly answerError: ErrorAnswer };

/** Answers a request that is refused. Any other goes on: there is no other way to a handler. */
export type RequestGuard = (req: IncomingMessage, res: Answer, goOn: () => void) => void;

/**
 * All that is decided before a body is read: see `authorize`. Like that it makes nothing for a request before it is let in, no
 * promise where memory has the answers, and throws nothing.
 */
export function createRequestGuard(deps: GuardDependencies, entrance: GuardOptions): RequestGuard {
  const at = { ...deps, ...entrance, admission: deps.admissions[entrance.path] };
  return (req, res, goOn) => {
    countAnswer(at.path, res);
    const noteSpent = startDeadlineBudget(at);
    const exchange: RequestContext = {
      req,
      res,
      headers:
        at.isOpenToPages === true && req.headers.origin !== undefined ? [...READABLE_BY_PAGES] : [],
    };
    const finish = (refusal: Decision): void => {
      // The caller went, and nothing more of the body will arrive.
      if (res.closed) return settleBody(res, 0, 0);
      if (refusal !== null) return at.answerError(refusal, exchange);
      setHeaders(exchange);
      noteSpent(res);
      goOn();
    };
    const fail = (error: unknown): void => at.answerError(error, exchange);
    let decision: Decision | Promise<Decision>;
    try {
      decision = authorize(exchange, at);
    } catch (error) {
      return fail(error);
    }
    if (decision === null || decision instanceof AppError) finish(decision);
    else decision.then(finish, fail);
  };
}

function setHeaders({ res, headers }: RequestContext): void {
  setCommonHeaders(res);
  for (let at = 0; at < headers.length; at += 2)
    res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}

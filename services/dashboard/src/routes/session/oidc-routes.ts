import { admitIdentity } from '@tidings/db';
import { AppError } from '@tidings/platform';
import { cookiesOf } from '../../auth/access.ts';
import { DEPARTURE_LIVES_MS, type Arrival, type ArrivalFault, type IdentityProvider } from '../../auth/identity-provider.ts';
import { createSignIns } from '../../auth/sign-in.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Call, Route } from '../endpoint.ts';
import { arriveEndpoint, departEndpoint } from './endpoints.ts';

type Fault = ArrivalFault | 'unavailable' | 'email_taken';

/** There and back by the identity provider; both are links that a browser follows, so what goes wrong is told to the pages. */
export function oidcRoutes(deps: DashboardDependencies): Route[] {
  const signIns = createSignIns(deps);
  const backWith = (fault: Fault): string => `${deps.dashboardUrl}/?signInError=${fault}`;
  /** Null: signed in. */
  const enter = async (arrival: Arrival, call: Call<unknown, unknown>): Promise<Fault | null> => {
    if (arrival.status === 'refused') return arrival.reason;
    const member = await admitIdentity(deps.db, arrival.identity);
    if (member === 'email_taken') return member;
    await signIns.begin(member, { endpoint: arriveEndpoint, call });
    return null;
  };
  return [
    departEndpoint.handledBy(async ({ req, res }) => {
      const departure = await providerOf(deps).depart();
      if (departure !== null) cookiesOf(res).write(req, res, { name: 'oidc', value: departure.kept, ageSeconds: DEPARTURE_LIVES_MS / 1000 });
      res.setHeader('Location', departure?.url ?? backWith('unavailable'));
    }),
    arriveEndpoint.handledBy(async (call) => {
      const { req, res } = call;
      const cookies = cookiesOf(res);
      const arrival = await providerOf(deps).arrive(new URLSearchParams(req.originalUrl.split('?')[1] ?? ''), cookies.read(req, 'oidc') ?? '');
      cookies.clear(req, res, 'oidc');
      const fault = await enter(arrival, call);
      res.setHeader('Location', fault === null ? deps.dashboardUrl : backWith(fault));
    }),
  ];
}

function providerOf({ identityProvider }: DashboardDependencies): IdentityProvider {
  if (identityProvider === null) throw new AppError('not_found', 'No identity provider is configured.');
  return identityProvider;
}

import type { Seeded } from './seed.ts';
import type { Sizes } from './sizes.ts';

/** A query of a screen; the call number varies its parameters. */
export type DashboardQuery = {
  readonly name: string;
  readonly path: (call: number) => string;
  readonly isAdministrators?: boolean;
};

const PRIME = 7_919;

/** By part of the dashboard. */
export function dashboardQueries(
  { campaignId, heavyUser, userOf, requestIds, slugs }: Seeded,
  { deliveries, events }: Sizes,
) {
  const anyUser = (call: number): string => userOf((call * PRIME) % deliveries);
  const campaign = `campaigns/${campaignId}`;
  return {
    report: [
      { name: 'report', path: () => `${campaign}/report` },
      { name: 'campaigns, newest', path: () => 'campaigns' },
      { name: 'webhooks of the event', path: () => `${campaign}/webhooks` },
    ],
    recipients: [
      { name: 'first page', path: () => `${campaign}/deliveries` },
      { name: 'failed', path: () => `${campaign}/deliveries?group=failed` },
      {
        name: 'a state of 1 in 1,000',
        path: () => `${campaign}/deliveries?status=unknown`,
      },
      {
        name: 'a reason of 1 in 50,000',
        path: () => `${campaign}/deliveries?reason=payload_too_large`,
      },
      { name: 'a reason without deliveries', path: () => `${campaign}/deliveries?reason=sms_stop` },
      {
        name: 'one recipient',
        path: (call) => `${campaign}/deliveries?customUserId=${anyUser(call)}`,
      },
    ],
    users: [
      { name: 'timeline', path: (call) => `users/${anyUser(call)}/timeline` },
      { name: 'timeline of the user with most events', path: () => `users/${heavyUser}/timeline` },
      {
        name: 'search by id prefix',
        path: (call) => `users?search=${anyUser(call).slice(0, 9)}`,
      },
      {
        name: 'search by e-mail',
        path: (call) => `users?search=user-${(call * PRIME) % deliveries}@people.example`,
      },
    ],
    ingest: [
      { name: 'newest', path: () => 'ingest' },
      { name: 'dropped', path: () => 'ingest?outcome=dropped' },
      { name: 'held (none exist)', path: () => 'ingest?outcome=held' },
      { name: 'by reason', path: () => 'ingest?reason=duplicate_id' },
      { name: 'by user', path: (call) => `ingest?customUserId=${anyUser(call)}` },
      { name: 'by message id', path: (call) => `ingest?messageId=m${(call * PRIME) % events}` },
      { name: 'one request', path: (call) => `ingest/${requestIds[call % requestIds.length]}` },
      {
        name: 'one message',
        path: (call) => `ingest/${requestIds[call % requestIds.length]}/messages/0`,
      },
    ],
    events: [
      { name: 'definitions with counts', path: () => 'definitions' },
      {
        name: 'a definition with samples',
        path: (call) => `definitions/${slugs[call % slugs.length]}`,
      },
      {
        name: 'chart of a week',
        path: (call) => `definitions/${slugs[call % slugs.length]}/chart`,
      },
      { name: 'revenue', path: () => 'revenue' },
      {
        name: 'events of a definition',
        path: (call) => `events?definition=${slugs[call % slugs.length]}`,
      },
    ],
    overview: [{ name: 'overview', path: () => 'overview', isAdministrators: true }],
  } as const satisfies Record<string, readonly DashboardQuery[]>;
}

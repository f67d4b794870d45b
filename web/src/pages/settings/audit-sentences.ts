import { CHANNELS } from '@tidings/contracts/channels/channels';
import { channelName } from '../../labels/channel-name.ts';
import { humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';

/** What was done, by method and path. */
const SENTENCES: Readonly<Record<string, string>> = {
  'POST session': 'Signed in',
  'DELETE session': 'Signed out',
  'POST session/password': 'Changed the own password',
  'POST session/first-administrator': 'Set up the installation as its first administrator',
  'POST session/invitation': 'Accepted an invitation',
  'GET session/oidc/callback': 'Signed in by the identity provider',
  'POST campaigns': 'Sent or scheduled a campaign',
  'PATCH campaigns/:campaignId': 'Changed a campaign',
  'POST drafts': 'Began a draft of a campaign',
  'PUT drafts/:draftId': 'Changed a draft of a campaign',
  'DELETE drafts/:draftId': 'Deleted a draft of a campaign',
  'POST test-sends': 'Sent a test of a message',
  'PUT test-sends/addresses': 'Changed the own test addresses',
  'POST campaigns/:campaignId/pause': 'Paused a campaign',
  'POST campaigns/:campaignId/resume': 'Resumed a campaign',
  'POST campaigns/:campaignId/cancel': 'Canceled a campaign',
  'POST campaigns/:campaignId/retry-failed': 'Retried the failed messages of a campaign',
  'POST campaigns/:campaignId/decision': 'Chose the template for the rest of a campaign',
  'GET users/:customUserId/export': 'Exported a user',
  'DELETE users/:customUserId': 'Deleted a user',
  'POST definitions': 'Defined an event',
  'PATCH definitions/:slug': 'Changed an event definition',
  'DELETE definitions/:slug': 'Deleted an event definition',
  'POST definitions/:slug/merge': 'Merged an event definition into another one',
  'PUT automations/:slug': 'Saved an automation',
  'DELETE automations/:slug': 'Deleted an automation',
  'POST automations/:slug/activate': 'Activated an automation',
  'POST automations/:slug/pause': 'Paused an automation',
  'POST automations/:slug/resume': 'Resumed an automation',
  'POST automations/:slug/stop': 'Stopped an automation',
  'POST automations/:slug/rehearse': 'Rehearsed an automation',
  'POST automations/:slug/runs': 'Entered a person into an automation',
  'POST automations/:slug/runs/:runId/end': 'Took a person out of an automation',
  'POST automations/:slug/runs/:runId/retry': 'Retried a run of an automation',
  'PUT segments/:slug': 'Saved a segment',
  'DELETE segments/:slug': 'Deleted a segment',
  'PUT funnels/:slug': 'Saved a funnel',
  'DELETE funnels/:slug': 'Deleted a funnel',
  'PUT templates/:slug': 'Saved a template',
  'DELETE templates/:slug': 'Deleted a template',
  'PUT blocks/:slug': 'Saved a block of templates',
  'DELETE blocks/:slug': 'Deleted a block of templates',
  'POST applications': 'Created an application',
  'PATCH applications/:applicationId': 'Changed the settings of an application',
  'POST applications/:applicationId/user-token-secret': 'Replaced the secret of user tokens',
  'POST keys': 'Created an API key',
  'PATCH keys/:keyId': 'Changed the type of an API key',
  'DELETE keys/:keyId': 'Revoked an API key',
  'PUT allow-list': 'Changed the allow-list',
  'POST webhooks': 'Added a webhook endpoint',
  'PATCH webhooks/:webhookId': 'Changed a webhook endpoint',
  'DELETE webhooks/:webhookId': 'Deleted a webhook endpoint',
  'POST webhooks/:webhookId/rotate-secret': 'Replaced the secret of a webhook endpoint',
  'POST webhooks/:webhookId/test': 'Sent a test event to a webhook endpoint',
  'POST webhooks/:webhookId/deliveries/:deliveryId/replay': 'Sent a webhook event again',
  'POST suppressions': 'Suppressed an address',
  'DELETE suppressions/:suppressionId': 'Removed a suppression',
  'POST dead-letters/:deadLetterId/replay': 'Replayed a dead letter',
  'POST dead-letters/:deadLetterId/discard': 'Discarded a dead letter',
  'POST members': 'Invited a member',
  'PATCH members/:memberId': 'Changed a member',
  'POST members/:memberId/invitation': 'Renewed an invitation',
  'DELETE members/:memberId': 'Removed a member',
  'POST administrator-tokens': 'Created an administrator token',
  'DELETE administrator-tokens/:tokenId': 'Revoked an administrator token',
  ...Object.fromEntries(
    CHANNELS.flatMap((channel) => [
      [`PUT channels/${channel}`, `Changed the settings of ${channelName(channel)}`],
      [`POST channels/${channel}/test`, `Sent a test by ${channelName(channel)}`],
    ]),
  ),
};

/** Actions that can be filtered, as sentences. */
export const AUDIT_ACTIONS = Object.entries(SENTENCES).map(([value, label]) => ({ value, label }));

export const hasSentence = (action: string): boolean => Object.hasOwn(SENTENCES, action);

/** What an entry says, with the name of what was changed if it is kept. */
export function auditSentence(
  action: string,
  { target, detail }: { readonly target: object; readonly detail: object },
): string {
  const named = nameIn(detail) ?? nameIn(target);
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action] : undefined;
  const text = sentence ?? fallback(action);
  return named === null ? text : `${text}: “${isolate(named)}”`;
}

/** A list that was taken as a file; otherwise an action that is newer than this page. */
function fallback(action: string): string {
  const [method = '', path = ''] = action.split(' ');
  const [what = ''] = path.split('/');
  return method === 'GET'
    ? `Exported a list of ${humanize(what).toLowerCase()}`
    : `Changed ${humanize(what).toLowerCase()}`;
}

const NAMES = ['name', 'email', 'slug'] as const;

function nameIn(values: object): string | null {
  const named: Readonly<Record<string, unknown>> = { ...values };
  const name = NAMES.map((key) => named[key]).find((value) => typeof value === 'string');
  return typeof name === 'string' && name !== '' ? name : null;
}

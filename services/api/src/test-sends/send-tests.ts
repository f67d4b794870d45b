import { resolveTemplates, type ResolvedPush } from '@tidings/campaign-intake';
import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { acceptCampaign } from '@tidings/delivery/accept';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { currentTraceparent } from '@tidings/platform';
import { renderCampaign } from '@tidings/templates/render-campaign';
import type { ApiDependencies } from '../dependencies.ts';
import { answered } from '../http/user-questions.ts';
import { answerRendered } from '../rendering/answer-rendered.ts';
import { findTestRecipient, type TestRecipient } from './find-test-recipient.ts';
import { SUCCEEDED, waitForOutcome } from './wait-for-outcome.ts';

type Asked = {
  readonly applicationId: string;
  readonly settings: ApplicationSettings;
  readonly push: Parameters<typeof resolveTemplates>[2];
  readonly to: readonly string[];
  /** Whose values a personal message has, of recipients who are no users. */
  readonly valuesOf: string | null;
  readonly actor: string;
  readonly requestId: string;
};

/** What became of a test. */
type TestSent = {
  readonly to: string;
  readonly customUserId: string | null;
  readonly template: string | null;
  readonly campaignId: string | null;
  readonly ok: boolean;
  readonly status: string;
  readonly reason?: string;
  readonly providerMessage?: string;
  readonly detail?: string;
};

type Dependencies = Pick<
  ApiDependencies,
  'db' | 'clock' | 'ids' | 'questions' | 'testSendTimeoutMs'
>;

/**
 * Sends a message to test addresses as a campaign would, and waits for the outcomes. Each is a
 * campaign of its own with the words of its user.
 * @throws AppError `validation_failed`, `unavailable`
 */
export async function sendTests(deps: Dependencies, asked: Asked): Promise<TestSent[]> {
  const { db } = deps;
  const { applicationId, settings, to } = asked;
  const push = await resolveTemplates(db, applicationId, asked.push);
  const { channel } = push;
  const recipients = await Promise.all(
    to.map((each) => findTestRecipient(db, { applicationId, settings, channel, to: each })),
  );
  const tests = recipients.flatMap((recipient) =>
    (push.templates ?? [null]).map((template) => ({ recipient, template })),
  );
  return Promise.all(
    tests.map(({ recipient, template }) => sendTest(deps, { ...asked, push, recipient, template })),
  );
}

type OneTest = Omit<Asked, 'push' | 'to'> & {
  readonly push: ResolvedPush;
  readonly recipient: TestRecipient;
  /** Null: the message as it is. */
  readonly template: CampaignTemplate | null;
};

async function sendTest(deps: Dependencies, test: OneTest): Promise<TestSent> {
  const { recipient, template } = test;
  const { to, customUserId, address } = recipient;
  const answer = { to, customUserId, template: template?.slug ?? null };
  const unsent = (detail: string): TestSent => ({
    ...answer,
    campaignId: null,
    ok: false,
    status: 'not_sent',
    detail,
  });
  if (address === null) return unsent(recipient.detail);
  const campaignId = deps.ids.uuid();
  const written = await messageFor(deps, { ...test, campaignId });
  if ('detail' in written) return unsent(written.detail);
  await storeTest(deps, test, { campaignId, address, message: markAsTest(written.message) });
  const delivery = await waitForOutcome(deps.db, campaignId, deps.testSendTimeoutMs);
  if (delivery === null) return { ...answer, campaignId, ok: false, status: 'pending' };
  return {
    ...answer,
    campaignId,
    ok: SUCCEEDED.has(delivery.status),
    status: delivery.status,
    ...(delivery.reason !== null && { reason: delivery.reason }),
    ...(delivery.providerMessage !== null && { providerMessage: delivery.providerMessage }),
  };
}

type Written = { readonly message: PushMessage } | { readonly detail: string };

/** @throws AppError `unavailable` */
async function messageFor(
  { questions }: Dependencies,
  {
    applicationId,
    push: { channel, message },
    recipient,
    template,
    valuesOf,
    campaignId,
  }: OneTest & { readonly campaignId: string },
): Promise<Written> {
  if (template === null) return { message };
  const customUserId = recipient.customUserId ?? valuesOf;
  if (customUserId === null)
    return { detail: 'No user has this address: name a user whose values fill in the message.' };
  const campaign = { campaignId, applicationId, channel, templates: [template] };
  const rendered = answered(
    await questions.withPlace(applicationId, (bounded) =>
      renderCampaign(bounded, campaign, { customUserIds: [customUserId] }),
    ),
  ).get(customUserId);
  if (rendered === undefined || rendered === null)
    return { detail: `No user ${customUserId} is registered.` };
  const own = answerRendered(rendered.message);
  if ('fault' in own) return { detail: own.fault.detail };
  // The texts of the template decide whether a mail is HTML, not the values.
  return {
    message:
      'isHtml' in own ? { ...own.message, format: own.isHtml ? 'html' : 'text' } : own.message,
  };
}

/** Its reader sees that it is a test, by the title, else by the text. HTML stays as it is. */
function markAsTest(message: PushMessage): PushMessage {
  const { title, body } = message;
  if (typeof title === 'string') return { ...message, title: `[Test] ${title}` };
  return typeof body === 'string' && !isHtmlMessage(message)
    ? { ...message, body: `[Test] ${body}` }
    : message;
}

/** Nothing sends a test later. */
const EXPIRY_MS = 60_000;

async function storeTest(
  { db, clock }: Dependencies,
  { applicationId, push, actor, requestId }: OneTest,
  {
    campaignId,
    address,
    message,
  }: { readonly campaignId: string; readonly address: string; readonly message: PushMessage },
): Promise<void> {
  const createdAt = clock.now();
  await acceptCampaign(db, {
    campaignId,
    applicationId,
    channel: push.channel,
    purpose: push.purpose,
    source: 'test',
    message,
    recipients: [address],
    createdBy: actor,
    requestId,
    traceId: push.traceId,
    traceparent: currentTraceparent(),
    createdAt,
    expiresAt: createdAt + EXPIRY_MS,
  });
}

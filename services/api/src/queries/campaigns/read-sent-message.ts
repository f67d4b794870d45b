import type { UnknownWords } from '@tidings/api-spec/endpoints/sent-messages';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { UNSUBSCRIBE_PLACEHOLDER } from '@tidings/contracts/push/links';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import {
  findSentDelivery,
  readDeliveryData,
  type DeliveryData,
} from '@tidings/delivery/delivery-data';
import { markUnsubscribe, splitAtUnsubscribe } from '@tidings/mail-body/unsubscribe-mark';
import { parseExactJson } from '@tidings/platform';
import { isHtmlMail, type MailBody } from '@tidings/liquid/compile-mail-body';
import { RENDERER_VERSION } from '@tidings/liquid/filling';
import { fillMarks } from '@tidings/liquid/marks';
import { renderPool } from '@tidings/templates/process-pool';
import { renderCampaign } from '@tidings/templates/render-campaign';
import { RenderFault } from '@tidings/liquid/render-fault';
import type { ApiDependencies } from '../../dependencies.ts';
import { answered } from '../../http/user-questions.ts';
import { answerRendered } from '../../rendering/answer-rendered.ts';

const TOO_SLOW = 'The answer took too long. Retry.';

type Dependencies = Pick<ApiDependencies, 'db' | 'questions'>;

/** The message of a delivery as it was sent, or why its words are not known; null: no such delivery. */
export async function readSentMessage(
  deps: Dependencies,
  applicationId: string,
  { campaign, deliveryId }: { readonly campaign: CampaignRecord; readonly deliveryId: string },
) {
  const { sql } = deps.db;
  const { campaignId, templates } = campaign;
  const delivery = await findSentDelivery(sql, campaignId, deliveryId);
  if (delivery === null) return null;
  if (!delivery.isBegun) return unknown('not_sent');
  if (templates === null)
    return { ...NOTHING_RECORDED, ...(await asWritten(applicationId, campaign)) };
  const data = (await readDeliveryData(sql, campaignId, [deliveryId])).get(deliveryId);
  if (data === undefined) return unknown('not_kept');
  const { customUserId } = delivery;
  return renderAgain(deps, applicationId, { campaignId, customUserId, data });
}

const NOTHING_RECORDED = { template: null, variant: null, values: null, renderedAt: null } as const;

const unknown = (why: UnknownWords) => ({ ...NOTHING_RECORDED, unknown: why });

/** A message that is the same for all recipients. */
async function asWritten(applicationId: string, { channel, message }: CampaignRecord) {
  const { body } = message;
  if (channel !== 'EMAIL' || typeof body !== 'string') return { message };
  const mailBody = { message: { body, format: message['format'] }, html: [], text: [] };
  return { message, isHtml: isHtmlMail(mailBody), ...(await textOf(applicationId, mailBody)) };
}

async function renderAgain(
  { db, questions }: Dependencies,
  applicationId: string,
  {
    campaignId,
    customUserId,
    data,
  }: {
    readonly campaignId: string;
    readonly customUserId: string;
    readonly data: DeliveryData;
  },
) {
  const campaign = (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId);
  const { templates = null } = campaign ?? {};
  if (campaign === undefined || templates === null)
    throw new Error('a campaign that was found is not found');
  const rendered = answered(
    await questions.withPlace(applicationId, (bounded) =>
      renderCampaign(
        bounded,
        { ...campaign, templates },
        { customUserIds: [customUserId], recorded: new Map([[customUserId, data]]) },
      ),
    ),
    TOO_SLOW,
  );
  const result = rendered.get(customUserId)?.message;
  if (result === undefined) throw new Error('a recorded message is not rendered');
  const { slug = null, version = null, variants = [] } = templates[data.templateNo] ?? {};
  const recorded = {
    template: { slug, version },
    variant: data.variantNo === null ? null : (variants[data.variantNo]?.name ?? null),
    values: parseExactJson(data.values) as Readonly<Record<string, unknown>>,
    renderedAt: data.renderedAt,
  };
  if (result instanceof RenderFault || result.filling?.words !== data.words)
    return { ...recorded, unknown: 'renderer_changed' as const };
  return {
    ...recorded,
    ...answerRendered(result),
    ...(result.mailBody !== undefined &&
      data.renderer === RENDERER_VERSION &&
      (await textOf(applicationId, result.mailBody))),
  };
}

/** The plain text of a mail; none if it takes too long. */
async function textOf(
  applicationId: string,
  mailBody: MailBody,
): Promise<{ readonly text?: string }> {
  const { message, text: values } = mailBody;
  const isHtml = isHtmlMail(mailBody);
  // As the worker makes it.
  const body = markUnsubscribe(message.body, isHtml);
  const text = isHtml ? await renderPool.toPlainText({ applicationId, html: body }) : body;
  const withPlaceholder = splitAtUnsubscribe(text).join(UNSUBSCRIBE_PLACEHOLDER);
  return text === '' ? {} : { text: fillMarks(withPlaceholder, values) };
}

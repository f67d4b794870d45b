import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import { callApi } from '@tidings/local';
import type { Task } from '../task.ts';
import { awaitStatus, push } from './campaigns.ts';
import { search } from './places.ts';

type Deliveries = { readonly items: readonly { readonly reason: DeliveryReason | null }[] };

/** The user has no phone number, and the message was an SMS. */
export const whyNot: Task = {
  name: '3 Why did this user not get that message?',
  clicksMax: 3,
  async prepare(scene) {
    const withoutPhone = scene.data.people.find(({ phoneNumber }) => phoneNumber === null);
    const { customUserId = '', email = '' } = withoutPhone ?? {};
    const campaignId = await push(scene, {
      recipients: [customUserId],
      channel: 'SMS',
      message: { body: 'The courier comes today.' },
    });
    await awaitStatus(scene, campaignId, 'completed');
    const { items } = await callApi<Deliveries>(scene.asServer, {
      path: `/api/v1/campaigns/${campaignId}/deliveries`,
    });
    const { summary } = EXPLANATIONS.deliveryReason[items[0]?.reason ?? 'unknown_user'];
    return {
      async perform(page) {
        await search(page, customUserId, email);
        await page
          .getByRole('navigation', { name: 'User sections' })
          .getByRole('link', { name: 'Timeline' })
          .click();
        await page
          .getByRole('listitem')
          .filter({ has: page.locator(`a[href*="${campaignId}"]`) })
          .getByText(summary)
          .waitFor();
      },
    };
  },
};

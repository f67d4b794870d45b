import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { callApi } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { OWNER } from '../../support/dashboard-visit.ts';
import type { Scene, Task } from '../task.ts';
import { received } from './campaigns.ts';

/** A test on each channel, from the overview to an address that is typed. */
export const testSends: readonly Task[] = CHANNELS.map((channel) => ({
  name: `4 Send a test to yourself: ${CHANNEL_DESCRIPTORS[channel].labels.name}`,
  clicksMax: 3,
  async prepare(scene) {
    const { name, testTo } = CHANNEL_DESCRIPTORS[channel].labels;
    const to = await ownAddress(scene, channel);
    const before = (await received(scene, { channel })).count;
    return {
      async perform(page) {
        await page
          .getByRole('region', { name: 'Channels' })
          .getByRole('link', { name, exact: true })
          .first()
          .click();
        await page.getByLabel(testTo.label).fill(to);
        await page.getByRole('button', { name: 'Send test', exact: true }).click();
        await page.getByText('Test sent – channel ready').waitFor();
        await eventually(async () => {
          const { count } = await received(scene, { channel });
          if (count === before) throw new Error(`The sandbox got no message by ${name}.`);
        });
      },
    };
  },
}));

/** What the member has: an address of their own, a user id with a screen, a browser or a phone. */
async function ownAddress(scene: Scene, channel: Channel): Promise<string> {
  const customUserId = scene.data.people[0]?.customUserId ?? '';
  switch (channel) {
    case 'EMAIL':
      return OWNER.email;
    case 'SMS':
      return '+15005550100';
    case 'APP_PUSH':
      return 'phone-of-the-owner';
    case 'WEB_PUSH':
      return subscribe(scene);
    case 'IN_APP':
    case 'ON_SITE':
      await callApi(scene.sandbox, {
        method: 'POST',
        path: '/api/devices',
        body: { customUserId, kind: 'none' },
      });
      return customUserId;
    case 'WEB_HOOK':
      return customUserId;
  }
}

/** A browser that allows notifications. */
async function subscribe({ asAdmin, sandbox }: Scene): Promise<string> {
  const { settings } = await callApi<{ readonly settings: { readonly publicKey: string } }>(
    asAdmin,
    { path: '/api/v1/channels/WEB_PUSH' },
  );
  const subscription = await callApi<object>(sandbox, {
    method: 'POST',
    path: '/push/subscriptions',
    body: { applicationServerKey: settings.publicKey },
  });
  return JSON.stringify(subscription);
}

import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { callApi } from '@tidings/local';
import type { Sender } from '../../rigs/delivery-rig.ts';

/** Defines events, and activates an automation. */
export async function activateAutomation(
  { admin }: Pick<Sender, 'admin'>,
  {
    slug,
    events,
    definition,
  }: {
    readonly slug: string;
    readonly events: readonly string[];
    readonly definition: AutomationDefinition;
  },
): Promise<void> {
  for (const name of events)
    await callApi(admin, {
      method: 'POST',
      path: '/api/v1/definitions',
      body: { kind: 'action', name },
    });
  const path = `/api/v1/automations/${slug}`;
  await callApi(admin, { method: 'PUT', path, body: definition });
  await callApi(admin, { method: 'POST', path: `${path}/activate`, body: {} });
}

export const mailOf = (id: string, body: string) =>
  ({ id, send: { channel: 'EMAIL', message: { title: id, body } } }) as const;

import { keepAsking } from '../../load/neighbours/attacker.ts';
import {
  LONG_TEMPLATE,
  personOf,
  PERMITTED_TEMPLATE,
  SEARCHING_TEMPLATE,
} from '../../load/neighbours/costly.ts';
import type { NeighboursRow } from './neighbours-row.ts';

/** In turn: what must be stopped, and what may be done. */
const TEMPLATES = [SEARCHING_TEMPLATE, PERMITTED_TEMPLATE];
const RECIPIENTS = 50;
const PUSH_EVERY_MS = 1_000;
const VARIANTS = 3;
const PREVIEWS_AT_ONCE = 8;
const PREVIEW_AGAIN_MS = 250;

const messageOf = (no: number): object => ({
  title: 'Hello',
  body: TEMPLATES[no % TEMPLATES.length],
});

/** With its variants 840 KB: a body may have a megabyte. */
const LONG = {
  message: { title: 'Hello', body: LONG_TEMPLATE },
  variants: Array.from({ length: VARIANTS }, (_, index) => ({
    name: `Variant ${index}`,
    condition: { field: 'city', is: `City ${index}` },
    message: { title: 'Hello', body: LONG_TEMPLATE },
  })),
};
const PREVIEWS = [{ message: messageOf(0) }, { message: messageOf(1) }, LONG];

export const templatesInCampaigns: NeighboursRow = {
  id: 'N1',
  fault: 'campaigns with templates that cost as much as they can',
  brokers: 1,
  attack: (attacker) =>
    keepAsking(attacker, {
      connections: 1,
      pauseMs: PUSH_EVERY_MS,
      request: (no) => ({
        what: 'push',
        method: 'POST',
        url: `${attacker.rig.gatewayUrl}/push`,
        body: JSON.stringify({
          recipients: Array.from({ length: RECIPIENTS }, (_, user) => personOf(user)),
          channel: 'EMAIL',
          personalize: true,
          message: messageOf(no),
        }),
      }),
    }),
};

export const templatesInPreviews: NeighboursRow = {
  id: 'N2',
  fault: 'previews of such templates, and of one of 840 KB, eight at once',
  brokers: 1,
  attack: (attacker) =>
    keepAsking(attacker, {
      connections: PREVIEWS_AT_ONCE,
      pauseMs: PREVIEW_AGAIN_MS,
      request: (no) => ({
        what: 'preview',
        method: 'POST',
        url: `${attacker.rig.apiUrl}/api/v1/templates/preview`,
        body: JSON.stringify({
          channel: 'EMAIL',
          ...PREVIEWS[no % PREVIEWS.length],
          customUserId: personOf(no % RECIPIENTS),
        }),
      }),
    }),
};

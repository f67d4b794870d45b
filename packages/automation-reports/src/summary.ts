import type { Automation } from '@tidings/automations/automations';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { Channel } from '@tidings/contracts/channels/channels';
import { isSameJson } from '@tidings/platform';
import { allMessages } from '@tidings/contracts/automations/ways';

/** The channels by which an automation sends, each once. */
export const channelsOf = ({ nodes }: AutomationDefinition): Channel[] => [
  ...new Set(allMessages(nodes).map(({ message }) => message.channel)),
];

/** Whether the draft differs from what people enter. An own message with blocks always does. */
export const isChanged = ({ draft, live }: Automation): boolean =>
  live !== null && !isSameJson(draft, live);

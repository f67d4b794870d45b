import {
  allNodes,
  messagesOf,
  type AutomationDefinition,
  type AutomationMessage,
  type AutomationNode,
} from '@tidings/contracts/automations/definition';
import { isReported } from '@tidings/contracts/push/campaign-result';
import type { PushMessage } from '@tidings/contracts/push/push';
import { readHtmlLinks } from '@tidings/mail-body/html-links';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { unsubscribeStart } from '@tidings/mail-body/unsubscribe-places';
import type { Template } from '../api/types.ts';
import { channelName } from '../labels/channel-name.ts';
import { toText } from '../lib/text.ts';
import type { Caution } from './faults.ts';
import { findPlace } from './tree.ts';
import { branchLetter } from './words.ts';

/** The host of links in recipes: no one owns it, and everyone replaces it. */
export const PLACEHOLDER_SITE = 'https://shop.example';

type Known = readonly Pick<Template, 'slug' | 'message' | 'variants'>[];

/** Clicks that are waited for and cannot come, and links that lead nowhere yet. */
export function clickCautions(
  { nodes }: AutomationDefinition,
  templates: Known = [],
): readonly Caution[] {
  const isClickable = (node: AutomationNode): boolean =>
    'send' in node && messagesOf(node.send).some((message) => mayBeClicked(message, templates));
  return allNodes(nodes).flatMap((node): readonly Caution[] => {
    if ('send' in node)
      return messagesOf(node.send).some(({ message }) =>
        JSON.stringify(message ?? {}).includes(PLACEHOLDER_SITE),
      )
        ? [{ at: node.id, text: 'Put the address of your site in place of shop.example.' }]
        : [];
    if ('waitFor' in node && 'message' in node.waitFor && node.waitFor.was === 'clicked') {
      const awaited = findPlace(nodes, node.waitFor.message.node)?.node;
      if (awaited === undefined || !('send' in awaited) || isClickable(awaited)) return [];
      const channels = messagesOf(awaited.send).map(({ channel }) => channel);
      const why = channels.some((channel) => isReported(channel, 'clicked'))
        ? 'it has no link but unsubscribing'
        : `${channels.map(channelName).join(' and ')} reports none`;
      return [{ at: awaited.id, text: `A step waits for a click on this message, and ${why}.` }];
    }
    if ('split' in node && node.winner?.by === 'clicked')
      return node.split.flatMap((branch, index) =>
        allNodes(branch.nodes).some(isClickable)
          ? []
          : [
              {
                at: node.id,
                text: `Clicks are compared, and no message of ${branchLetter(index)} has a link but unsubscribing.`,
              },
            ],
      );
    return [];
  });
}

/** Where clicks are reported. Notifications are clicked themselves. */
function mayBeClicked(
  { channel, template, message }: AutomationMessage,
  templates: Known,
): boolean {
  if (channel !== 'EMAIL') return isReported(channel, 'clicked');
  if (template === undefined) return hasLink(message ?? { body: '' });
  const slug = template.split('@')[0];
  const known = templates.find((each) => each.slug === slug);
  // One that is not read yet, or of an earlier version, may have any.
  if (known === undefined || template.includes('@')) return true;
  return [known, ...known.variants].some((each) => hasLink(each.message));
}

const BLOCK = /\{%-?\s*block\b/;
const COUNTED = /^\s*(?:https?:|\{[{%])/i;

/** Whether a mail has a link whose clicks are counted. What a block has is not known here. */
function hasLink(message: PushMessage): boolean {
  const body = toText(message.body);
  if (BLOCK.test(body)) return true;
  return (
    isHtmlMessage(message) &&
    readHtmlLinks(body).links.some(
      ({ value }) => COUNTED.test(value) && unsubscribeStart(value) === 0,
    )
  );
}

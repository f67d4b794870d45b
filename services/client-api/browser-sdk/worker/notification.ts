import { field, textField } from '../shared/json.ts';

/** Data stored with a notification until it is clicked. */
export type NotificationFacts = {
  readonly tidings: true;
  readonly deliveryId: string;
  readonly url?: string | undefined;
  readonly links: readonly string[];
};
/** Browsers support actions and images that the DOM types no longer have. */
export type Drawn = {
  readonly title: string;
  readonly options: NotificationOptions & {
    readonly image?: string | undefined;
    readonly actions: readonly { readonly action: string; readonly title: string }[];
    readonly data: NotificationFacts;
  };
};

/**
 * Builds the notification of a push. Undefined for pushes that are not from Tidings: other parts of
 * the worker handle those.
 */
export function drawNotification(payload: unknown): Drawn | undefined {
  const deliveryId = textField(payload, 'deliveryId');
  const campaignId = textField(payload, 'campaignId');
  const body = textField(payload, 'body');
  if (deliveryId === undefined || campaignId === undefined || body === undefined) return undefined;
  const [url, icon, image] = ['url', 'icon', 'image'].map((name) => textField(payload, name));
  const list = field(payload, 'buttons');
  const buttons = (Array.isArray(list) ? list : []).map((button: unknown) => ({
    label: textField(button, 'label') ?? '',
    link: textField(button, 'link') ?? '',
  }));
  return {
    title: textField(payload, 'title') ?? '',
    options: {
      body,
      tag: textField(payload, 'tag') ?? deliveryId,
      ...(icon !== undefined && { icon }),
      image,
      actions: buttons.map(({ label }, index) => ({ action: `tidings-${index}`, title: label })),
      data: { tidings: true, deliveryId, url, links: buttons.map(({ link }) => link) },
    },
  };
}

/** The clicked button, and the URL to open. */
export function clickedOn(
  { url, links }: NotificationFacts,
  action: string,
): { readonly url?: string | undefined; readonly buttonIndex?: number } {
  const index = action.startsWith('tidings-') ? Number(action.slice('tidings-'.length)) : -1;
  const link = links[index];
  return link === undefined ? { url } : { url: link, buttonIndex: index };
}

export function readFacts({ data }: { readonly data: unknown }): NotificationFacts | undefined {
  return field(data, 'tidings') === true ? (data as NotificationFacts) : undefined;
}

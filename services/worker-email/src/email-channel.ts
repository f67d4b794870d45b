import type { Channel } from '@tidings/channel-worker';
import type { EmailConfig } from './config.ts';
import { prepareText } from './mail-content.ts';
import { createMailLinker } from './mail-links.ts';
import { createProvider } from './providers/configured.ts';
import type { MailProviderTools } from './providers/mail-provider.ts';

/** E-mail: at most once. */
export function createEmailChannel(config: EmailConfig, tools: MailProviderTools): Channel {
  const provider = createProvider(config, tools);
  const linksOf = createMailLinker(config);
  return {
    send(delivery) {
      const send = () => provider.send(delivery, () => linksOf(delivery));
      // Without a turn of the event loop for nearly all mails.
      const preparing = prepareText(delivery);
      return preparing === undefined ? send() : preparing.then(send);
    },
    async close() {
      provider.close();
    },
  };
}

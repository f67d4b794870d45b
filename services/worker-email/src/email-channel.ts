import type { Channel } from '@tidings/channel-worker';
import type { EmailConfig } from './config.ts';
import { createMailLinker } from './mail-links.ts';
import { createProvider } from './providers/configured.ts';
import type { MailProviderTools } from './providers/mail-provider.ts';

/** E-mail: at most once. */
export function createEmailChannel(config: EmailConfig, tools: MailProviderTools): Channel {
  const provider = createProvider(config, tools);
  const linksOf = createMailLinker(config);
  return {
    send: (delivery) => provider.send(delivery, () => linksOf(delivery)),
    async close() {
      provider.close();
    },
  };
}

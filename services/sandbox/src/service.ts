import { createApp, finishApp } from '@tidings/http/app';
import {
  listen,
  type Service,
  type ServiceContext,
  type ServiceDefinition,
} from '@tidings/platform';
import { sandboxConfig, type SandboxConfig } from './config.ts';
import { createDemonstrationDevices } from './devices/demonstration-devices.ts';
import { openUnregisteredDevices } from './devices/unregistered-devices.ts';
import { persistentSecret } from './devices/persistent-secret.ts';
import { FaultTable } from './faults/fault-table.ts';
import type { ReceivedMessage } from './messages/message.ts';
import { MessageStore } from './messages/message-store.ts';
import { mountFcmApi } from './providers/fcm/fcm-api.ts';
import { createFcmProject } from './providers/fcm/service-account.ts';
import { mountHookReceiver } from './providers/hooks/hook-receiver.ts';
import { createReportSender } from './providers/smtp/report-sender.ts';
import { startSmtpProvider } from './providers/smtp/smtp-provider.ts';
import { createSmsSenders } from './providers/sms-senders.ts';
import { createStatusCallbacks } from './providers/status-callbacks.ts';
import { mountTwilioApi } from './providers/twilio/twilio-api.ts';
import { createVonageApplication } from './providers/vonage/application.ts';
import { mountVonageApi, mountVonageApplication } from './providers/vonage/messages-api.ts';
import { createSubscriptions } from './providers/web-push/browser-keys.ts';
import { mountPushService } from './providers/web-push/push-service.ts';
import { mountActions } from './routes/actions/handler.ts';
import { mountDevices } from './routes/devices/handler.ts';
import { mountFaults } from './routes/faults/handler.ts';
import { mountInbound } from './routes/inbound/handler.ts';
import { mountMessageCounts } from './routes/messages-counts/handler.ts';
import { mountMessageStream } from './routes/messages-stream/handler.ts';
import { mountMessages } from './routes/messages/handler.ts';
import { onlyOwnHosts } from './routes/own-hosts.ts';
import { mountPage } from './routes/page/handler.ts';
import { mountPushDevices } from './routes/push/handler.ts';
import { mountShop } from './routes/shop/handler.ts';
import { keepConnection } from './routes/shop/kept-connection.ts';

/** The running sandbox and its ports; tests start it on port 0. */
export interface Sandbox extends Service {
  readonly url: string;
  readonly smtpPort: number;
}

export const service = {
  name: 'sandbox',
  config: sandboxConfig,
  start: startSandbox,
} satisfies ServiceDefinition<typeof sandboxConfig>;

export async function startSandbox(
  config: SandboxConfig,
  { logger, clock, ids }: Pick<ServiceContext, 'logger' | 'clock' | 'ids'>,
): Promise<Sandbox> {
  const { host, port, hostnames, smtpPort, dataDir, messagesMax, reportUrl, hookSecret } = config;
  const store = await MessageStore.open({ dir: dataDir, messagesMax, logger, clock, ids });
  const faults = new FaultTable(ids);

  const reports = createReportSender({ url: reportUrl, clock, logger });
  const smtp = await startSmtpProvider(
    { host, port: smtpPort },
    { store, faults, logger, reports },
  );

  const senders = createSmsSenders();
  const callbacks = createStatusCallbacks(logger);
  const application = createVonageApplication(dataDir);

  const subscriptions = createSubscriptions(persistentSecret(dataDir, 'push-secret'));
  const project = createFcmProject(dataDir);
  const gone = openUnregisteredDevices(dataDir);
  const devices = createDemonstrationDevices({ store, faults, logger, clock, ids });

  const onPush = (message: ReceivedMessage): void => devices.arrived(message);

  const app = createApp(ids);
  const sms = { store, faults, logger, clock, senders, callbacks };
  mountTwilioApi(app, sms);
  mountVonageApi(app, { ...sms, ids, application });
  mountHookReceiver(app, { store, faults, logger, hookSecret });
  mountPushService(app, { store, faults, logger, clock, subscriptions, gone, onPush });
  mountFcmApi(app, { store, faults, logger, clock, project, gone, onPush });
  // After the providers, which workers reach by any name.
  app.use(onlyOwnHosts(hostnames));
  mountPushDevices(app, { subscriptions, gone, project });
  mountVonageApplication(app, application);
  mountInbound(app, senders);
  mountMessages(app, store);
  mountMessageCounts(app, store);
  const stream = mountMessageStream(app, store);
  mountFaults(app, faults);
  const connectedShop = mountShop(app, { clock, ids, connection: keepConnection(dataDir) });
  mountDevices(app, { devices, subscriptions, connectedShop });
  mountActions(app, { store, connectedShop });
  mountPage(app, { smtpPort: smtp.port });
  finishApp(app, logger);
  const http = await listen(app, { host, port });
  logger.info(
    { url: http.url, smtpPort: smtp.port, messages: store.counts({}).total },
    'sandbox listening',
  );

  return {
    url: http.url,
    smtpPort: smtp.port,
    async stopIntake() {
      stream.close();
      callbacks.close();
      reports.close();
      await Promise.all([devices.close(), smtp.close(), http.close()]);
    },
    disconnect: () => store.close(),
  };
}

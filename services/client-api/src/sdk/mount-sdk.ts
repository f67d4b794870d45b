import { createCallerBlocks } from '@tidings/access';
import {
  deleteDeviceEndpoint,
  fetchMessagesEndpoint,
  identifyDeviceEndpoint,
  logOutDeviceEndpoint,
  noteReceiptsEndpoint,
  readClientConfigEndpoint,
  registerDeviceEndpoint,
  streamMessagesEndpoint,
} from '@tidings/api-spec/endpoints/devices';
import { createClientAddressReader } from '@tidings/http/client-address';
import type { Express } from 'express';
import type { ClientApiDependencies } from '../dependencies.ts';
import { handleConfig } from '../routes/config/handler.ts';
import { handleDeletion } from '../routes/delete-device/handler.ts';
import { handleIdentification } from '../routes/identify/handler.ts';
import { handleLogOut } from '../routes/log-out/handler.ts';
import { handleMessageStream } from '../routes/message-stream/handler.ts';
import { handleMessages } from '../routes/messages/handler.ts';
import { handleReceipts } from '../routes/receipts/handler.ts';
import { handleRegistration } from '../routes/register-device/handler.ts';
import { createSdkGuard, addCorsHeaders } from './sdk-guard.ts';
import { mountSdkRoute } from './mount-sdk-route.ts';

/** Mounts the endpoints that the SDK calls with a Client key. */
export function mountSdk(app: Express, deps: ClientApiDependencies): void {
  const clientAddressOf = createClientAddressReader(deps.access.trustedProxies);
  const entrance = createSdkGuard({
    ...deps.access,
    clientAddressOf,
    callerBlocks: createCallerBlocks(clientAddressOf, deps.logger),
  });
  app.use('/sdk/v1', addCorsHeaders);
  mountSdkRoute(app, readClientConfigEndpoint, handleConfig(deps, entrance));
  mountSdkRoute(app, registerDeviceEndpoint, handleRegistration(deps, entrance));
  mountSdkRoute(app, deleteDeviceEndpoint, handleDeletion(deps, entrance));
  mountSdkRoute(app, identifyDeviceEndpoint, handleIdentification(deps, entrance));
  mountSdkRoute(app, fetchMessagesEndpoint, handleMessages(deps, entrance));
  mountSdkRoute(app, streamMessagesEndpoint, handleMessageStream(deps, entrance));
  mountSdkRoute(app, noteReceiptsEndpoint, handleReceipts(deps, entrance));
  mountSdkRoute(app, logOutDeviceEndpoint, handleLogOut(deps, entrance));
}

export { ApiError, callApi, type ApiAccess, type ApiRequest } from './api.ts';
export { installConfig, moveConfig, type InstallConfig } from './config.ts';
export {
  adminAccess,
  createApplication,
  type Credentials,
  type NewApplication,
} from './create-application.ts';
export { claimBus } from './claim-bus.ts';
export { moveRecords, MoveError, type MoveOptions } from './move-records.ts';
export { createTopics, type TopicOptions } from './create-topics.ts';
export { addOperatorDevice } from './sandbox/add-operator-device.ts';
export { connectChannels } from './sandbox/connect-channels.ts';
export { connectShop } from './sandbox/connect-shop.ts';

export { ApiError, callApi, type ApiAccess } from './api.ts';
export { installConfig, moveConfig } from './config.ts';
export { adminAccess, createApplication, type Credentials } from './create-application.ts';
export { claimBus } from './claim-bus.ts';
export { createLogTopics, createTopics } from './create-topics.ts';
export { addOperatorDevice } from './sandbox/add-operator-device.ts';
export { connectChannels } from './sandbox/connect-channels.ts';
export { connectShop } from './sandbox/connect-shop.ts';

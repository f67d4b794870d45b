export { claimHome, HomeInUseError, isAbandoned, stopHome, type Claim } from './claim.ts';
export { callApi, ApiError, type ApiAccess, type ApiRequest } from '@tidings/install';
export { makeFirstLink } from './first-link.ts';
export { HOME_DIR, homeLayout, ROOT_DIR, TEST_HOMES_DIR } from './home.ts';
export type { LocalFile } from './local-file.ts';
export { matchRoute, type Route } from './routes.ts';
export { prepareStores } from './prepare-stores.ts';
export type { Instance, RunningService, Supervisor } from './services/supervisor.ts';
export type { StackPart } from './stack/part.ts';
export type { Standby } from './stack/postgres-standby.ts';
export { freePorts } from './stack/ports.ts';
export type { SideListener } from './stack/kafka.ts';
export { runAhead } from './stack/run-ahead.ts';
export { stopRecorded } from './stack/process-record.ts';
export { onStopRequest } from './stop-request.ts';
export { startTidings, type Tidings, type TidingsOptions } from './tidings.ts';
export {
  startStack,
  type Addresses,
  type KafkaLayout,
  type RunStep,
  type Stack,
  type StackOptions,
} from './stack/stack.ts';

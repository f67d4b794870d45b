export { lockHome, isAbandoned, listProcesses } from './home-lock.ts';
export { liftRates } from './application.ts';
export { deriveHookSecret, ensureEncryptionKey } from './encryption-key.ts';
export {
  callApi,
  connectChannels,
  createApplication,
  ApiError,
  type ApiAccess,
} from '@tidings/install';
export { createSetupLink } from './setup-link.ts';
export { storesOf, type Form } from './form.ts';
export { startHelper } from './helper/helper.ts';
export { POSTGRES_LOG } from './stack/postgres-log.ts';
export { HOME_DIR, homeLayout, ROOT_DIR, TEST_HOMES_DIR } from './home.ts';
export type { LocalFile } from './local-file.ts';
export { prepareStores } from './prepare-stores.ts';
export type { RunningService, Supervisor } from './services/supervisor.ts';
export { ONE_PROCESS } from './services/table.ts';
export type { StackComponent } from './stack/component.ts';
export type { Standby } from './stack/postgres-standby.ts';
export { isOpenToAll } from './stack/open-to-all.ts';
export { freePorts } from './stack/ports.ts';
export type { SideListener } from './stack/kafka.ts';
export { raisePriority } from './stack/raise-priority.ts';
export { stopRecorded } from './stack/process-record.ts';
export { onStopRequest } from './stop-request.ts';
export { startTidings, type Tidings, type TidingsOptions } from './tidings.ts';
export {
  startStack,
  type Addresses,
  type BusKind,
  type Stack,
  type StackOptions,
} from './stack/stack.ts';

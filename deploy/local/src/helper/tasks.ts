import { createWriteStream } from 'node:fs';
import { egressConfigs, pushServicesConfig } from '@tidings/egress';
import { createLogger } from '@tidings/platform';
import { createProgress, palette } from '../../progress.mjs';
import { ensureCertificate } from '../certificate.ts';
import { runDemonstration } from '../demo/demonstration.ts';
import type { LocalFile } from '../local-file.ts';
import { prepareApplication } from '../prepare-application.ts';
import { prepareStores } from '../prepare-stores.ts';
import type { OutgoingCalls } from '../services/environment.ts';
import { readOneProcess, readServiceTable } from '../services/read-service-table.ts';
import { createSetupLink } from '../setup-link.ts';
import { silently, type Addresses } from '../stack/stack.ts';

const progress = createProgress();
/** Its process is killed. */
const unending = new AbortController().signal;

/** Each takes and returns JSON: see `Helper`. */
export const tasks = {
  ensureCertificate: (file: string) => ensureCertificate(file),

  prepareStores({
    isShown,
    logFile,
    kafkaNodes,
    addresses,
  }: {
    readonly addresses: Addresses;
    readonly kafkaNodes: number;
    readonly logFile: string;
    /** Prints its steps. */
    readonly isShown: boolean;
  }): Promise<void> {
    return prepareStores(addresses, {
      logger: createLogger(
        'local',
        'warn',
        createWriteStream(logFile, { flags: 'a', mode: 0o600 }),
      ),
      runStep: isShown ? progress.step : silently,
      kafkaNodes,
    });
  },

  prepareApplication,

  async readOutgoingCalls(): Promise<OutgoingCalls> {
    return {
      networkSettings: Object.values(egressConfigs).map(
        ({ egressAllowedNetworks }) => egressAllowedNetworks.env,
      ),
      pushServices: pushServicesConfig.webPushServices.default ?? [],
    };
  },

  readServiceTables: async () => ({ services: readServiceTable(), oneProcess: readOneProcess() }),

  createSetupLink: (local: Pick<LocalFile, 'databaseUrl' | 'dashboardUrl'>) =>
    createSetupLink(local),

  demonstrate: (local: LocalFile) =>
    runDemonstration(local, { progress, colour: palette(), signal: unending }),
};

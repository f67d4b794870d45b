import { stopInstallation } from './shared-installation.ts';

// jest requires a default export.
export default stopInstallation;

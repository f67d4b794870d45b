import { offerInstallation } from './shared-installation.ts';

// jest requires a default export.
export default offerInstallation;

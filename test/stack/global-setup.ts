import { startIntegrationStack } from './integration-stack.ts';

// jest requires a default export.
export default startIntegrationStack;

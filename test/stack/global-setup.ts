import { startIntegrationStack } from './integration-stack.ts';

// jest asks for a default export here.
export default startIntegrationStack;

export {
  findContentFaults,
  idFault,
  mayHoldBadText,
  type ContentPath,
  type ContentRules,
} from './content-faults.ts';
export {
  createValidator,
  precompileHotValidators,
  prepareHotValidators,
  type Validation,
} from './create-validator.ts';

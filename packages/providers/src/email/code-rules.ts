import { RFC_3463, type BounceRule } from './bounce-rule.ts';

/** What is left: by the code alone. A prefix ends with a dot. */
export const CODE_RULES: readonly BounceRule[] = [
  {
    class: 'refused',
    codes: ['5.2.3', '5.3.4', '5.6.'],
    source: RFC_3463,
  },
  { class: 'policy', codes: ['5.7.', '4.7.', '5.5.3', '4.5.3'], source: RFC_3463 },
  {
    class: 'temporary',
    codes: ['5.3.1', '5.3.2', '5.4.2', '5.4.5', '5.4.7', '4.'],
    source: RFC_3463,
  },
];

import type { Task } from '../task.ts';
import { writeToClicked } from './clicked.ts';
import { controls } from './control.ts';
import { writeToDropped } from './funnels.ts';
import { ownConditions } from './own-conditions.ts';
import { personalMail } from './personal-mail.ts';
import { sendAgain } from './send-again.ts';
import { takeBack } from './take-back.ts';
import { testSends } from './test-sends.ts';
import { whyNot } from './why-not.ts';

/** In the order of their numbers. The channel of SMS is slow from the controls on. */
export const TASKS: readonly Task[] = [
  whyNot,
  ...testSends,
  personalMail,
  ownConditions,
  takeBack,
  sendAgain,
  ...controls,
  writeToClicked,
  writeToDropped,
];

import { stringifyExactJson, parseExactJson } from '@tidings/platform';
import type { Page } from 'playwright-core';
import { LONG_ANSWERS } from './long-answers/long-answers.ts';
import { LONG } from './long-answers/values.ts';
import { SCREENS, type Screen } from './long-screens.ts';
import type { Answer, Answers } from './answer-calls.ts';

const many = (text: string, charsMax: number): string =>
  text.repeat(Math.ceil(charsMax / text.length)).slice(0, charsMax);

/** Hebrew and Persian user text that replaces the long values: names, titles, bodies, and ids of 200 characters. */
const HEBREW_TITLE = 'מבצע סוף השנה: הכל בחצי מחיר!';
const RTL: Readonly<Record<string, string>> = {
  [LONG.customUserId]: many('کاربر-فروشگاه-', 200),
  [LONG.heldUserId]: many('מישהו-לא-רשום-', 200),
  [LONG.messageId]: many('سفارش-', 100),
  [LONG.customName]: 'הוספה לסל הקניות',
  [LONG.words]: HEBREW_TITLE,
  order_paid: 'پرداخت سفارش',
  click: 'לחיצה',
  Demonstration: 'فروشگاه نمونه',
  Web: 'אתר',
  [many('server_of_the_shop_', 100)]: 'سرور فروشگاه',
  [many('terraform_of_the_platform_', 100)]: 'טרפורם',
  [many('an_attribute_', 64)]: 'رنگ محبوب',
};

const translated = (text: string): string => RTL[text] ?? text;
/** Replaces whole strings only: responses of providers and URLs stay unchanged. */
const translatedJson = (json: string): string =>
  Object.entries(RTL).reduce(
    (all, [left, right]) => all.replaceAll(`"${left}"`, `"${right}"`),
    json,
  );
const inAddress = (text: string): string =>
  Object.entries(RTL).reduce(
    (all, [left, right]) => all.replaceAll(left, encodeURIComponent(right)),
    text,
  );

function translateAnswer(answer: Exclude<Answer, string>): Answer {
  return { ...answer, json: parseExactJson(translatedJson(stringifyExactJson(answer.json))) };
}

/** The long responses of an application whose users write from right to left. */
export const RTL_ANSWERS: Answers = Object.fromEntries(
  Object.entries(LONG_ANSWERS).map(([name, answer]) => [
    inAddress(name),
    typeof answer === 'object' ? translateAnswer(answer) : answer,
  ]),
);

const translateText = (text: string | RegExp): string | RegExp => {
  if (typeof text === 'string') return translated(text);
  return text.source.startsWith('^Donau') ? HEBREW_TITLE : text;
};

/** Screens that open the first person. */
const OF_PEOPLE = ['one recipient', 'the people in an automation'];
const openRecipient = (page: Page) =>
  page
    .getByRole('button', { name: translated(LONG.customUserId) })
    .first()
    .click();

export const RTL_SCREENS: Readonly<Record<string, Screen>> = Object.fromEntries(
  Object.entries(SCREENS).map(([name, { path, text, ...screen }]) => [
    name,
    {
      ...screen,
      ...(OF_PEOPLE.includes(name) && { act: openRecipient }),
      path: inAddress(path),
      text: translateText(text),
      ...(screen.shows !== undefined && { shows: translateText(screen.shows) }),
    },
  ]),
);

import { expect, test } from '@jest/globals';
import { toHtmlText, toPlainText, withoutUnsubscribe } from './plain-text.ts';

const VALUE = "{{ user.firstName | default: '<b>' }}";

test.each([
  [`<p>Hello ${VALUE},</p>\n<p>Your cart\n waits.</p>`, `Hello ${VALUE},\nYour cart waits.`],
  ['One<br>two<br/>three', 'One\ntwo\nthree'],
  ['<a href="https://shop.example/cart">Open <b>it</b></a>!', 'Open it https://shop.example/cart!'],
  [
    `<a href="{{ event.attributes.url | default: 'https://shop.example' }}">Cart</a>`,
    "Cart {{ event.attributes.url | default: 'https://shop.example' }}",
  ],
  ['<a href="https://shop.example">https://shop.example</a>', 'https://shop.example'],
  ['<a href="mailto:a@shop.example">Ask us</a>', 'Ask us'],
  ['<p>Hi</p><p><a href="{{ unsubscribeUrl }}">Unsubscribe</a></p>', 'Hi'],
  ['Bye. {{unsubscribeUrl}}', 'Bye.'],
  ['<head><title>T</title></head><style>p { color: red }</style><!-- no --><p>Yes</p>', 'Yes'],
  ['<p>5 &lt; 6 &amp;amp; &quot;so&quot;&nbsp;on</p>', '5 < 6 &amp; "so" on'],
  ['{% if user.age > 5 %}<p>Old</p>{% endif %}', '{% if user.age > 5 %}Old\n{% endif %}'],
])('%j has the words %j', (html, text) => {
  expect(toPlainText(html)).toBe(text);
});

test.each([
  [`Hello ${VALUE},\n5 < 6 & so on`, `Hello ${VALUE},<br>\n5 &lt; 6 &amp; so on`],
  ['{% if user.age < 5 %}Young{% endif %}', '{% if user.age < 5 %}Young{% endif %}'],
])('%j is the HTML %j', (text, html) => {
  expect(toHtmlText(text)).toBe(html);
});

test('HTML of an e-mail without its unsubscribe link is the same otherwise', () => {
  expect(
    withoutUnsubscribe(`<p>Hello ${VALUE}</p>\n<p><a href='{{unsubscribeUrl}}'>Stop</a></p>`),
  ).toBe(`<p>Hello ${VALUE}</p>\n<p></p>`);
});
